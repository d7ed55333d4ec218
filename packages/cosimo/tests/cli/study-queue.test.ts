/**
 * Studies whose runs are made by workers, through a real server on loopback: the table is that of
 * one machine, bit for bit, whichever worker comes, goes or is killed. Silence is short here
 * (COSIMO_SILENCE), so that no test waits for half a minute.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { takeRun } from "../../src/cli/study/work-protocol.ts";
import { type NodeProcess, startNode } from "../../src/host/network/testing/node-process.ts";
import { connectNats } from "../../src/platform/nats/connect.ts";
import {
  HAS_SERVER,
  NEEDS_SERVER,
  startServer,
  type TestServer,
} from "../../src/platform/nats/testing/server.ts";
import { joinQueue } from "../../src/platform/nats/work-queue.ts";
import { BIN, type Ended, fixture, type Running, Workplace } from "./cosimo.ts";

const place = new Workplace();
const EXAMPLES = join(import.meta.dirname, "../../../../examples");
let server: TestServer;
const workers: NodeProcess[] = [];

const environment = (): Record<string, string> => ({
  COSIMO_SILENCE: "3",
  TMPDIR: place.temp,
  COSIMO_TRUST: place.trusted,
});

async function worker(name: string, ...more: readonly string[]): Promise<NodeProcess> {
  const args = ["--work", "--jobs", "1", "--name", name, "--server", server.url, ...more];
  const made = await startNode(args, environment(), BIN);
  workers.push(made);
  return made;
}

const start = (...args: readonly string[]): Running =>
  place.startUnder({ env: environment() }, "study", ...args);
const run = (...args: readonly string[]): Promise<Ended> => start(...args).ended;
const table = (folder: string): Buffer => readFileSync(place.path(`${folder}/runs.parquet`));
const rows = (folder: string): number[] => {
  const journal = place.path(`${folder}/journal.jsonl`);
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, "utf8").split("\n").slice(1, -1);
  return lines.map((line) => JSON.parse(line).run as number);
};

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 1200 && !holds(); i++) await sleep(50);
  expect(holds()).toBe(true);
}

copyFileSync(fixture("fmi3/MassSpringDamperLeft"), place.path("left.fmu"));
copyFileSync(fixture("fmi2/MassSpringDamperRight"), place.path("right.fmu"));
copyFileSync(fixture("fmi2/Misbehaving"), place.path("misbehaving.fmu"));
place.write(
  "near.hint",
  `Hint near {
  statements { Property near := left.x_1 < 1.1 m }
  scope Globally
  pattern Universality: always-the-case-that near holds
}
`,
);
place.write(
  "masses.yaml",
  `units: { left: left.fmu, right: right.fmu }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 2 s, step: 100 ms }
master: jacobi
requirements: near.hint
`,
);
const study = (name: string, runs: number, keep = "left.x_1, robustness"): string =>
  place.write(
    name,
    `name: masses
scenario: masses.yaml
factors:
  left.c: { from: 0.5, to: 2 }
  master: [jacobi, gauss-seidel]
design: { method: sobol, runs: ${runs} }
keep: [${keep}]
`,
  );

describe.skipIf(!HAS_SERVER)(`studies on workers${NEEDS_SERVER}`, { timeout: 240_000 }, () => {
  beforeAll(async () => {
    server = await startServer(`jetstream { store_dir: "${place.path("jetstream")}" }`);
  }, 60_000);

  afterAll(async () => {
    await server?.stop();
  }, 30_000);

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((one) => one.kill("SIGKILL")));
  });

  it("[SU18] three workers, one of them killed: the table of one machine, every run once", async () => {
    study("killed.yaml", 1500);
    const [first] = await Promise.all(["a", "b", "c"].map((name) => worker(name)));
    const running = start("killed.yaml", "-o", "far", "--workers", server.url, "--json");
    await until(() => rows("far").length > 200);
    await first?.kill("SIGKILL");
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ runs: 1500, failed: 0, isFinished: true });
    const made = rows("far");
    expect(made).toHaveLength(1500);
    expect(new Set(made).size).toBe(1500);
    expect((await run("killed.yaml", "-o", "near", "-q")).code).toBe(0);
    expect(table("far")).toEqual(table("near"));
  });

  it("[SU18] [SU19] workers come and go; who waits for one is told, stops, and goes on", async () => {
    study("waiting.yaml", 2000);
    const at = ["-o", "waited", "--workers", server.url];
    const late = await run("waiting.yaml", ...at, "--timeout", "7");
    expect([late.code, late.stderr]).toEqual([
      3,
      expect.stringMatching(
        /waiting 5 s for a worker .*cosimo node --work[\s\S]*stopped after 7 s; --resume goes on/,
      ),
    ]);
    const waiting = start("waiting.yaml", ...at, "--resume");
    const [a] = await Promise.all([worker("a"), worker("b")]);
    await until(() => rows("waited").length > 100);
    // It gives back what it has, and takes no run with it.
    expect(await a?.kill("SIGTERM")).toBe(0);
    expect(a?.said()).toMatch(/left study \w+ of 'anyone' after \d+ runs/);
    const before = rows("waited").length;
    await until(() => rows("waited").length > before + 50);
    process.kill(-(waiting.process.pid ?? 0), "SIGINT");
    const { code, stderr } = await waiting.ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining("--resume")]);
    // Killed, it takes nothing with it: its workers miss it and are there for the next one.
    const killed = start("waiting.yaml", ...at, "--resume");
    const after = rows("waited").length;
    await until(() => rows("waited").length > after + 50);
    process.kill(-(killed.process.pid ?? 0), "SIGKILL");
    await killed.ended;
    const again = await run("waiting.yaml", ...at, "--resume", "-q");
    expect(again.code, again.stderr).toBe(0);
    const made = rows("waited");
    expect([made.length, new Set(made).size]).toEqual([2000, 2000]);
    expect((await run("waiting.yaml", "-o", "stayed", "-q")).code).toBe(0);
    expect(table("waited")).toEqual(table("stayed"));
  });

  it("[SU18] a run that crashes is a row; searches and traces are those of one machine", async () => {
    place.write(
      "trouble.yaml",
      "units: { m: misbehaving.fmu }\nconnections: []\nexperiment: { stop: 1 s, step: 100 ms }\nmaster: jacobi\n",
    );
    place.write(
      "crashes.yaml",
      `scenario: trouble.yaml
factors: { m.behaviour: [ok, error, segfault, terminate, ok] }
design: { method: grid }
keep: [m.x, traces]
`,
    );
    place.write(
      "best.yaml",
      `scenario: masses.yaml
factors: { left.c: { from: 0.5, to: 4 } }
minimize: maximum(abs(left.v_1))
optimizer: { method: nelder-mead, runs: 25, tolerance: 1e-3 }
`,
    );
    await Promise.all([worker("a", "--untrusted"), worker("b")]);
    // Two studies at a time: workers make one after the other.
    await Promise.all(
      ["crashes", "best"].map(async (name) => {
        const far = await run(`${name}.yaml`, "-o", `${name}-far`, "-q", "--workers", server.url);
        expect(far.code, far.stderr).toBe(0);
        expect((await run(`${name}.yaml`, "-o", `${name}-near`, "-q")).code).toBe(0);
      }),
    );
    expect(table("best-far")).toEqual(table("best-near"));
    expect(readdirSync(place.path("crashes-far/traces"))).toEqual(
      readdirSync(place.path("crashes-near/traces")),
    );
  });

  it("[SU18] a run with which three workers were lost is a row", async () => {
    study("lost.yaml", 2);
    const settings = {
      ...{ servers: [server.url], project: "default", identity: "anyone" },
      ...{ silenceSeconds: 3, callSeconds: 10 },
    };
    const peer = await connectNats(settings, "test");
    const heard = peer.subscribe("cosimo.default.study.anyone.*", { max: 1 });
    const running = start("lost.yaml", "-o", "lost", "--workers", server.url, "--json");
    let token = "";
    for await (const { subject } of heard) token = subject.split(".").at(-1) ?? "";
    const queue = await joinQueue(peer, { ...settings, token });
    // One of the two runs takes its worker with it.
    for (let lost = 0; lost < 3; ) {
      const message = await queue.consumer.next({ expires: 5000 });
      const isBad = message !== null && takeRun(message.data).run === 1;
      if (!isBad) continue;
      message.nak();
      lost++;
    }
    await peer.close();
    await worker("a");
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ runs: 2, failed: 1, isFinished: true });
    expect(place.read("lost/journal.jsonl")).toMatch(/"crashed".*3 workers were lost/);
  });

  it("[SU20] nobody runs what it does not allow, and modules are not sent", async () => {
    study("refused.yaml", 4);
    const stranger = await worker("s", "--allow", "another-user");
    const at = ["-o", "refused", "--workers", server.url];
    const alone = await run("refused.yaml", ...at, "--timeout", "4");
    expect(alone.code).toBe(3);
    expect(stranger.said()).not.toContain("works for");
    await worker("a", "--allow", "lab");
    const served = await run("refused.yaml", ...at, "--resume", "-q", "--identity", "lab");
    expect(served.code, served.stderr).toBe(0);
    copyFileSync(join(EXAMPLES, "drive-line", "driver.mjs"), place.path("driver.mjs"));
    place.write(
      "module.yaml",
      "units: { d: driver.mjs }\nconnections: []\nexperiment: { stop: 1 s, step: 100 ms }\nmaster: jacobi\n",
    );
    place.write(
      "program.yaml",
      "scenario: module.yaml\nfactors: { step: [50 ms, 100 ms] }\ndesign: { method: grid }\nkeep: [traces]\n",
    );
    const program = await run("program.yaml", "--workers", server.url);
    expect([program.code, program.stderr]).toEqual([
      2,
      expect.stringContaining("driver.mjs' is a program, which is not sent to workers"),
    ]);
  });

  it("[SU20] a worker whose machine lacks what a unit needs leaves the runs to others", async () => {
    const unpacked = place.edited("fmi3/MassSpringDamperLeft", (xml) => xml);
    const binaries = join(unpacked, "binaries");
    for (const name of readdirSync(binaries))
      renameSync(join(binaries, name), join(binaries, "sparc-solaris"));
    place.write(
      "foreign.yaml",
      `units: { left: { fmu: ${unpacked} } }\nconnections: []\nexperiment: { stop: 1 s, step: 100 ms }\nmaster: jacobi\n`,
    );
    place.write(
      "lacking.yaml",
      "scenario: foreign.yaml\nfactors: { left.c: { from: 0.5, to: 2 } }\ndesign: { method: sobol, runs: 4 }\nkeep: [left.x_1]\n",
    );
    const one = await worker("a");
    const running = start("lacking.yaml", "-o", "lacking", "--workers", server.url);
    await running.says("the worker 'a' does nothing for this study: the FMU has no binary");
    process.kill(-(running.process.pid ?? 0), "SIGINT");
    expect((await running.ended).code).toBe(130);
    expect(rows("lacking")).toEqual([]);
    expect(one.said()).toContain("does nothing for study");
  });

  it("[SU19] a server without streams is told, with what starts one", async () => {
    study("plain.yaml", 4);
    const plain = await startServer();
    try {
      const { code, stderr } = await run("plain.yaml", "--workers", plain.url);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/keeps no queue.*[\s\S]*nats-server -js/),
      ]);
    } finally {
      await plain.stop();
    }
  });
});
