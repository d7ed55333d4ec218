/** Parts of a discrete-event model on two nodes: the events of one kernel, or what ended them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runDevs } from "../../devs/run-devs.ts";
import {
  HAS_SERVER,
  NEEDS_SERVER,
  startServer,
  type TestServer,
} from "../../platform/nats/testing/server.ts";
import { loadDevsModel } from "../parallel/load-model.ts";
import type { runDevsOnNodes as RunDevsOnNodes } from "./run-devs-on-nodes.ts";
import { type NodeProcess, startNode } from "./testing/node-process.ts";

const built = (name: string): string =>
  pathToFileURL(join(import.meta.dirname, "../../../dist", name)).href;
const DEVS = built("devs.js");
/** Balls that go round between players, of which each waits for a while; two balls may meet. */
const MODULE = `import { atomic, coupled, devsUnit, port } from ${JSON.stringify(DEVS)};
const player = (i, limit) => atomic({
  inputs: { ball: port({ type: "float64" }) }, outputs: { ball: port({ type: "float64" }) }, minimumDelay: 0.25,
  initial: () => ({ held: i % 2 === 0 ? [0.5 + i / 8] : [], seen: 0 }),
  timeAdvance: ({ held }, now) => held.length > 0 ? Math.max(0, held[0] - now.time) : Infinity,
  output: ({ seen }, send) => send("ball", seen),
  internal: (state) => { state.held.shift(); },
  external: (state, input) => {
    state.seen += input.values("ball").length;
    if (state.seen > limit) throw new Error("dropped it");
    for (const _ of input.values("ball")) state.held.push(input.time + 0.25 * (1 + (i + state.seen) % 3));
    state.held.sort((a, b) => a - b);
  },
});
const ring = (limit) => coupled({
  name: "ring", outputs: { seen: port({ type: "float64" }) },
  components: Object.fromEntries([0, 1, 2, 3].map((i) => ["p" + i, player(i, i === 3 ? limit : Infinity)])),
  couplings: [...[0, 1, 2, 3].map((i) => "p" + i + ".ball -> p" + ((i + 1) % 4) + ".ball"), "p1.ball -> seen"],
});
export const model = () => ring(Infinity);
export const failing = () => ring(5);
export const secret = "not a model";
export default (name) => devsUnit(ring(Infinity), { name });
`;

describe.skipIf(!HAS_SERVER)(`parts on nodes${NEEDS_SERVER}`, { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "cosimo-parts-"));
  const path = join(folder, "ring.mjs");
  const places = ["a/ring", "b/ring"];
  let server: TestServer;
  let nodes: NodeProcess[] = [];
  let runDevsOnNodes: typeof RunDevsOnNodes;

  beforeAll(async () => {
    // The network has a thread, whose program is the built one.
    ({ runDevsOnNodes } = await import(built("node.js")));
    writeFileSync(path, MODULE);
    server = await startServer();
    process.env["COSIMO_SERVER"] = server.url;
    const settings = { COSIMO_SERVER: server.url, COSIMO_TRUST: folder, COSIMO_SILENCE: "3" };
    nodes = await Promise.all(
      ["a", "b"].map((name) => startNode(["--name", name, "--offer", path], settings)),
    );
  }, 60_000);

  afterAll(async () => {
    for (const node of nodes) await node.kill("SIGTERM");
    await server?.stop();
    delete process.env["COSIMO_SERVER"];
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(["conservative", "optimistic"] as const)(
    "[PE14] have the events, transitions and states of one kernel, %s",
    async (parallel) => {
      const expected = runDevs(await loadDevsModel(path, "model"), { stop: 40, record: "all" });
      expect(expected.events.length).toBeGreaterThan(100);
      const found = await runDevsOnNodes(places, { parallel, stop: 40, record: "all" });
      expect(found.events).toEqual(expected.events);
      expect(found.transitions).toBe(expected.transitions);
      expect([...found.states]).toEqual([...expected.states]);
      expect(found.parallel).toMatchObject({ kind: parallel, parts: 2 });
      const letters = found.parallel.statistics.map((one) => one.letters);
      expect(Math.min(...letters)).toBeGreaterThan(10);
    },
  );

  it("[PE14] end with the component that fails, as one kernel does", async () => {
    const run = runDevsOnNodes(places, { stop: 40, export: "failing" });
    await expect(run).rejects.toMatchObject({ failure: { unit: "p3", problem: /dropped it/ } });
  });

  it("[PE15] run no more than what is offered, and name what is not", async () => {
    const refused = async (wrong: RegExp, at: readonly string[], name = "model"): Promise<void> => {
      await expect(runDevsOnNodes(at, { stop: 1, export: name })).rejects.toThrow(wrong);
    };
    await refused(/'secret' on|no discrete-event model as its export 'secret'/, places, "secret");
    await refused(/'other' is not offered as a module/, ["a/other", "b/ring"]);
    await refused(/two nodes at least/, ["a/ring", "a/ring"]);
    await refused(/not node\/offer/, ["../ring", "b/ring"]);
  });
});
