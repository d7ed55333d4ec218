/**
 * The command's side of a queue, against peers that repeat, lose and lie, and a server that loses
 * power.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { fileDigest } from "../../host/sources/recorded-files.ts";
import { TRUST_NOBODY } from "../../host/trust.ts";
import { connectNats, type NatsConnection } from "../../platform/nats/connect.ts";
import type { NetworkSettings } from "../../platform/nats/network-settings.ts";
import {
  HAS_SERVER,
  NEEDS_SERVER,
  startServer,
  type TestServer,
} from "../../platform/nats/testing/server.ts";
import {
  joinQueue,
  removeAbandoned,
  type StudyAddress,
  type WorkQueue,
} from "../../platform/nats/work-queue.ts";
import { VERSION } from "../version.ts";
import { prepareStudy } from "./prepare-study.ts";
import type { StudyRow, StudyRun } from "./study-protocol.ts";
import { QueueWorkers } from "./study-queue.ts";
import { WorkNode } from "./work-node.ts";
import { packFromNode, takeRun } from "./work-protocol.ts";

const FIXTURES = fileURLToPath(new URL("../../../../../fixtures/build", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "cosimo-queue-test-"));
let server: TestServer;
let peer: NatsConnection;
let workers: QueueWorkers | undefined;
const notices: string[] = [];

writeFileSync(
  join(folder, "scenario.yaml"),
  `units: { left: ${join(FIXTURES, "fmi3", "MassSpringDamperLeft.fmu")} }
connections: []
experiment: { stop: 1 s, step: 100 ms }
master: jacobi
`,
);
writeFileSync(
  join(folder, "study.yaml"),
  `scenario: scenario.yaml
factors: { left.c: { from: 0.5, to: 2 } }
design: { method: sobol, runs: 8 }
keep: [left.x_1]
`,
);

function settings(): NetworkSettings {
  return {
    servers: [server.url],
    project: "default",
    identity: "lab",
    silenceSeconds: 1,
    callSeconds: 10,
  };
}

/** A study, and its queue as a worker has it. */
async function begin(): Promise<{ queue: WorkQueue; address: StudyAddress }> {
  const trust = { trust: TRUST_NOBODY, isAll: false };
  const prepared = unwrap(
    await prepareStudy(join(folder, "study.yaml"), trust, join(folder, "temp")),
  );
  const subjects: string[] = [];
  const heard = peer.subscribe("cosimo.default.study.lab.*", {
    callback: (_, { subject }) => void subjects.push(subject),
  });
  await peer.flush();
  workers = await QueueWorkers.start(prepared, {
    settings: settings(),
    traces: undefined,
    onNotice: (text) => void notices.push(text),
  });
  while (subjects.length === 0) await sleep(10);
  heard.unsubscribe();
  const [, project = "", , identity = "", token = ""] = subjects[0]?.split(".") ?? [];
  const address = { project, identity, token };
  return { queue: await joinQueue(peer, address), address };
}

const RUNS: readonly StudyRun[] = Array.from({ length: 5 }, (_, run) => ({ run, point: [run] }));
const rowOf = ({ run }: StudyRun, value = run): StudyRow => ({
  ...{ run, point: [99], outcome: "completed", values: [value], seconds: 0 },
});

async function take(queue: WorkQueue, count: number) {
  const taken = [];
  const batch = await queue.consumer.fetch({ max_messages: count, expires: 5000 });
  for await (const message of batch) taken.push({ message, run: takeRun(message.data) });
  return taken;
}

const publish = (queue: WorkQueue, data: Uint8Array): Promise<unknown> =>
  queue.client.publish(queue.subjects.rows, data);
const tell = (queue: WorkQueue, row: StudyRow): Promise<unknown> =>
  publish(queue, packFromNode({ kind: "row", row }));

describe.skipIf(!HAS_SERVER)(`a queue of runs${NEEDS_SERVER}`, { timeout: 60_000 }, () => {
  beforeAll(async () => {
    server = await startServer(`jetstream { store_dir: "${join(folder, "jetstream")}" }`);
    peer = await connectNats(settings(), "test");
  });
  afterEach(async () => {
    await workers?.close();
    workers = undefined;
    notices.length = 0;
  });
  afterAll(async () => {
    await peer?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("[SU18] [SU20] a run counts once, with the point that was ordered, whatever peers say", async () => {
    const { queue } = await begin();
    const rows: StudyRow[] = [];
    const all = workers?.run(RUNS, (row) => rows.push(row));
    const taken = await take(queue, RUNS.length);
    expect(taken.map(({ run }) => run)).toEqual(RUNS);
    await publish(queue, new TextEncoder().encode("nonsense"));
    await tell(queue, { ...rowOf({ run: 0, point: [] }), values: [1, 2] });
    await tell(queue, rowOf({ run: 77, point: [] }));
    for (const { run, message } of taken) {
      await tell(queue, rowOf(run));
      await tell(queue, rowOf(run, 1000));
      message.ack();
    }
    await all;
    expect(rows).toEqual(RUNS.map((run) => ({ ...rowOf(run), point: run.point })));
    expect(notices.filter((text) => text.includes("sense") || text.includes("columns"))).toEqual([
      expect.stringContaining("makes no sense"),
      expect.stringContaining("has not the columns"),
    ]);
  });

  it("[SU18] what is given back, or lost with its worker, is ordered again", async () => {
    const { queue } = await begin();
    const rows: StudyRow[] = [];
    const all = workers?.run(RUNS.slice(0, 3), (row) => rows.push(row));
    const [first, second, third] = await take(queue, 3);
    // One goes back, one is taken off and never answered, one is kept until the worker counts as
    // lost.
    await publish(queue, packFromNode({ kind: "back", run: 0 }));
    first?.message.ack();
    second?.message.ack();
    const seen = new Set<number>();
    while (seen.size < 3)
      for (const { run, message } of await take(queue, 1)) {
        seen.add(run.run);
        await tell(queue, rowOf(run));
        message.ack();
      }
    await all;
    expect(third?.run.run).toBe(2);
    expect(rows.map(({ run }) => run).sort()).toEqual([0, 1, 2]);
  });

  it("[SU18] a server that is started again has lost nothing", async () => {
    const { queue } = await begin();
    const rows: StudyRow[] = [];
    const all = workers?.run(RUNS, (row) => rows.push(row));
    const [one] = await take(queue, 1);
    if (one === undefined) throw new Error("no run");
    await tell(queue, rowOf(one.run));
    await server.kill();
    await sleep(300);
    await server.start();
    const seen = new Set([one.run.run]);
    while (seen.size < RUNS.length) {
      try {
        for (const { run, message } of await take(queue, 1)) {
          await tell(queue, rowOf(run));
          message.ack();
          seen.add(run.run);
        }
      } catch {
        await sleep(100);
      }
    }
    await all;
    expect(rows.map(({ run }) => run).sort()).toEqual([0, 1, 2, 3, 4]);
  });

  it("[SU18] a row that is longer than a message is fetched", async () => {
    const { queue } = await begin();
    const rows: StudyRow[] = [];
    const all = workers?.run(RUNS.slice(0, 2), (row) => rows.push(row));
    const residuals = Array.from({ length: 200_000 }, (_, i) => Math.sin(i));
    for (const { run, message } of await take(queue, 2)) {
      const data = packFromNode({ kind: "row", row: { ...rowOf(run), residuals } });
      expect(data.length).toBeGreaterThan(1 << 20);
      const sha256 = createHash("sha256").update(data).digest("hex");
      const path = `answer-${run.run}`;
      await queue.files.putBlob({ name: path }, data);
      // Another content than it is said to be does not count.
      const answer = { path, sha256, size: data.length };
      const wrong = { ...answer, size: 10 };
      await publish(queue, packFromNode({ kind: "stored", answer: wrong }));
      await publish(queue, packFromNode({ kind: "stored", answer }));
      message.ack();
    }
    await all;
    expect(rows.map((row) => row.residuals?.at(-1))).toEqual([residuals.at(-1), residuals.at(-1)]);
  });

  it("[SU20] a worker of another version, or whose files were tampered with, refuses and says why", async () => {
    const { queue } = await begin();
    const node = (name: string, version: string): Promise<WorkNode> =>
      WorkNode.start({
        ...{ name, version, settings: settings(), allow: new Set(["lab"]), jobs: 1 },
        ...{ folder: join(folder, name), isolation: undefined, log: () => undefined },
      });
    const said = async (text: string): Promise<void> => {
      while (!notices.some((notice) => notice.includes(text))) await sleep(20);
    };
    void workers?.run(RUNS, () => undefined);
    const old = await node("old", "0.0.0");
    await said("'old' does nothing for this study: it has version 0.0.0");
    await old.close();
    const { sha256 } = { sha256: fileDigest(join(FIXTURES, "fmi3", "MassSpringDamperLeft.fmu")) };
    await queue.files.putBlob({ name: sha256 }, new TextEncoder().encode("something else"));
    const cheated = await node("cheated", VERSION);
    await said("'cheated' does nothing for this study: the content of");
    await cheated.close();
    workers?.stop();
  });

  it("[SU19] streams of a command that was killed are removed, others are not", async () => {
    const { queue, address } = await begin();
    const manager = await queue.client.jetstreamManager();
    const names = async (): Promise<string[]> =>
      (await manager.streams.names().next()).filter((name) => name.endsWith(address.token));
    expect(await names()).toHaveLength(3);
    await removeAbandoned(queue, address, () => true, 0);
    await removeAbandoned(queue, address, () => false);
    expect(await names()).toHaveLength(3);
    await sleep(10);
    await removeAbandoned(queue, address, () => false, 0);
    expect(await names()).toEqual([]);
  });
});
