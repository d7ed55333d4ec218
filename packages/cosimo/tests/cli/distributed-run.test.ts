/**
 * Runs without a master in the data path: `cosimo run --distributed` over a real server and nodes,
 * each with a session that has one of the units. The trace is that of one process, bit for bit;
 * what is lost is named; what cannot be distributed is refused.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type NodeProcess, startNode } from "../../src/host/network/testing/node-process.ts";
import {
  HAS_SERVER,
  NEEDS_SERVER,
  startServer,
  type TestServer,
} from "../../src/platform/nats/testing/server.ts";
import { saboteurIn } from "../../src/platform/process/testing/saboteur.ts";
import { BIN, type Ended, fixture, type Running, Workplace } from "./cosimo.ts";

const place = new Workplace();
const CONFIG = join(import.meta.dirname, "../../../../deploy/nats-server.conf");
const EXAMPLES = join(import.meta.dirname, "../../../../examples");
/** Examples that run event-driven, and until when. */
const SYSTEMS: Readonly<Record<string, string>> = {
  "power-window/unadapted.yaml": "3.3",
  "drive-line/scenario.yaml": "2.5",
};
const NODES = ["supplier-a", "supplier-b"];
/** The file that a unit is made of, in a line of an example. */
const SOURCE = /^( {2}\w+: (?:\{ module: )?)(\S+\.(?:fmu|mjs))/gm;
let server: TestServer;
const nodes: NodeProcess[] = [];
let offersOfA: readonly string[] = [];

/** As users of deploy/nats-server.conf, whose permissions hold each to its name. */
const as = (user: string): Record<string, string> => ({
  COSIMO_SERVER: server.url,
  COSIMO_PROJECT: "window",
  COSIMO_USER: user,
  COSIMO_PASSWORD: `secret of ${user}`,
  COSIMO_SILENCE: "6",
  COSIMO_TRUST: place.trusted,
  TMPDIR: place.temp,
});

async function node(name: string, ...offers: readonly string[]): Promise<NodeProcess> {
  const args = ["--name", name, ...offers.flatMap((offer) => ["--offer", offer])];
  const made = await startNode(args, as(name), BIN);
  nodes.push(made);
  return made;
}

const start = (...args: readonly string[]): Running =>
  place.startUnder({ env: as("oem") }, ...args);
const run = (...args: readonly string[]): Promise<Ended> => start(...args).ended;

/** As in examples/cpu-cooling, with lower temperatures, so that it switches soon. */
const MACHINE = `parameters: { hot: 40 degC, cool: 35 degC }
inputs: { cpuTemperature: { start: 25, unit: degC } }
events: [switchCPUState]
initial: init
states:
  init: [{ after: 2 s, to: normal }]
  normal:
    - { after: 3 s, when: cpuTemperature >= hot, emit: switchCPUState, to: hot }
    - { after: 3 s, to: normal }
  hot:
    - { after: 5 s, when: cpuTemperature <= cool, emit: switchCPUState, to: normal }
    - { after: 5 s, to: hot }
`;
const PLANT = fixture("fmi2/CpuBox");
const FAN = fixture("fmi3/FanController");

function cooling(name: string, plant: string, fan: string, control: string, more = ""): string {
  return place.write(
    `${name}.yaml`,
    `units: { plant: ${plant}, fan: ${fan}, control: ${control} }
connections:
  - { from: plant.cpuTemperature, to: fan.cpuTemperature, every: 5 s }
  - { from: fan.fanSpeedCommand, to: plant.fanSpeedCommand, every: 5 s }
  - { from: plant.cpuTemperature, to: control.cpuTemperature, when: ready-to-read }
  - { from: control.switchCPUState, to: plant.isStopped, when: event, do: toggle }
${more}experiment: { stop: 600 s, step: 5 s }
record: [plant.cpuTemperature, fan.fanSpeedCommand, plant.isStopped, control.switchCPUState]
`,
  );
}

const far = (name: string, ...more: readonly string[]): string =>
  cooling(
    name,
    "{ remote: supplier-a/plant }",
    "{ remote: supplier-b/fan }",
    `{ remote: ${more[0] ?? "supplier-b/control"} }`,
  );

/** The same in one process. */
async function localRun(stop: string): Promise<{ csv: string; stdout: string }> {
  const scenario = cooling("far", PLANT, FAN, place.path("control.machine.yaml"));
  const ended = await place.run("run", scenario, "--stop", stop, "-o", "local.csv");
  expect(ended.code, ended.stderr).toBe(0);
  return { csv: place.read("local.csv"), stdout: ended.stdout };
}

async function local(stop = "600"): Promise<string> {
  return (await localRun(stop)).csv;
}

/** What a summary says of events of connections. */
const eventsIn = (stdout: string): string[] =>
  stdout.split("\n").filter((line) => line.trim().startsWith("events:"));

const LONG = ["--stop", "1e7"];

/** Breaks something once the sessions are at work. */
async function broken(out: string, act: () => Promise<unknown>, ...more: readonly string[]) {
  const before = nodes.map(({ said }) => said().length);
  const running = start("run", far("far"), "--distributed", "-o", out, ...LONG, ...more);
  for (let i = 0; i < 600; i++) {
    if (nodes.slice(0, 2).every(({ said }, k) => said().slice(before[k]).includes("session")))
      break;
    await sleep(100);
  }
  // Until all units are initialized and move.
  await sleep(6000);
  await act();
  const ended = await running.ended;
  return { ...ended, csv: place.read(out) };
}

describe.skipIf(!HAS_SERVER)(`distributed runs${NEEDS_SERVER}`, { timeout: 180_000 }, () => {
  beforeAll(async () => {
    const control = place.write("control.machine.yaml", MACHINE);
    const relay = place.write("relay.machine.yaml", RELAY);
    const segv = saboteurIn(place.path("segv"), 2, "segv doStep 1");
    const error = saboteurIn(place.path("error"), 2, "status:3 doStep 1");
    const text = readFileSync(CONFIG, "utf8")
      .replace(/^port: .*$/m, "")
      .replace("/var/lib/nats", place.path("jetstream"))
      .replace(/\$([A-Z_]+)_PASSWORD/g, (_, name: string) =>
        JSON.stringify(`secret of ${name.toLowerCase().replace("_", "-")}`),
      );
    server = await startServer(text);
    const stateless = place.edited("fmi2/CpuBox", (xml) =>
      xml.replace(/canSerializeFMUstate="true"/i, ""),
    );
    offersOfA = [
      `plant=${PLANT}`,
      `stateless=${stateless}`,
      control,
      relay,
      ...offersIn(SYSTEMS, 0),
    ];
    await node("supplier-a", ...offersOfA);
    await node(
      "supplier-b",
      `plant=${PLANT}`,
      `fan=${FAN}`,
      `segv=${segv}`,
      `error=${error}`,
      control,
      relay,
      ...offersIn(SYSTEMS, 1),
    );
  }, 60_000);

  afterAll(async () => {
    for (const one of nodes) await one.kill("SIGTERM");
    await server?.stop();
  }, 30_000);

  afterEach(async () => {
    if (nodes.length > 2) for (const one of nodes.splice(2)) await one.kill("SIGKILL");
  });

  it.each(["supplier-a/control", "supplier-b/control"])(
    "[DI22] [DI26] [DI31] the CPU cooling has the trace of one process, bit for bit, with %s, under the permissions of deploy/",
    async (control) => {
      const { csv: expected, stdout } = await localRun("600");
      const watcher = run("watch", "far", "--csv");
      const ended = await run(
        ...["run", far("far", control), "--distributed", "--publish", "-o", "far.csv"],
      );
      expect(ended.code, ended.stderr).toBe(0);
      // Where the units are, events are counted, too.
      expect(eventsIn(ended.stdout)).toEqual(eventsIn(stdout));
      expect(eventsIn(stdout).join()).toMatch(/switchCPUState.*: [1-9]\d* sent, [1-9]\d* received/);
      const seen = (await watcher).stdout.trim().split("\n");
      expect(seen.at(-1)).toBe(expected.trim().split("\n").at(-1));
      expect(place.read("far.csv")).toBe(expected);
      expect(expected.split("\n").length).toBeGreaterThan(200);
      expect(ended.stdout).toMatch(/[1-9]\d* when event/);
      expect(ended.stdout).toContain("distributed: plant");
    },
  );

  it.each(Object.keys(SYSTEMS))(
    "[DI22] %s, its units in turns on two nodes, has the trace of one process, bit for bit",
    async (file) => {
      const text = readFileSync(join(EXAMPLES, file), "utf8");
      const [far, here] = [sourcesIn(text, file, true), sourcesIn(text, file, false)];
      const csv: string[] = [];
      for (const [name, content, how] of [
        ["there", far, ["--distributed"]],
        ["here", here, []],
      ] as const) {
        const path = place.write(`${name}.yaml`, content);
        const options = ["--master", "event-driven", "--stop", SYSTEMS[file], "-o", `${name}.csv`];
        const ended = await run("run", path, ...options, "-q", ...how);
        expect(ended.code, ended.stderr).toBe(0);
        csv.push(place.read(`${name}.csv`));
      }
      expect(csv[0]).toBe(csv[1]);
      // Something moves.
      const rows = csv[0].trim().split("\n");
      expect(rows.length).toBeGreaterThan(100);
      expect(rows.at(-1)?.split(",").slice(1)).not.toEqual(rows[1].split(",").slice(1));
    },
  );

  it("[DI23] a session that stands still is told of; one that is killed ends the run with its unit and its node, and rows before are there", async () => {
    const { code, stderr, csv } = await broken("killed.csv", async () => {
      const sessions = childrenOf(nodes[1]?.pid ?? 0);
      expect(sessions.length).toBeGreaterThan(0);
      for (const pid of sessions) process.kill(pid, "SIGSTOP");
      await sleep(7000);
      for (const pid of sessions) process.kill(pid, "SIGKILL");
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /waiting \d+ s for '(fan|control)' on 'supplier-b', last heard \d+ s ago/,
    );
    expect(stderr).toMatch(/'fan', 'control' on 'supplier-b' is lost: its session ended/);
    expect(stderr).not.toContain("unit-lost-late");
    await expectBeginning(csv);
  });

  it("[DI23] a server that is killed and started again costs time, not data", async () => {
    const { code, csv, stderr } = await broken(
      "away.csv",
      async () => {
        await server.kill();
        await sleep(1000);
        await server.start();
        await sleep(3000);
      },
      "--timeout",
      "25",
    );
    expect(code, stderr).toBe(3);
    expect(stderr).toContain("when the time allowed by --timeout was over");
    await expectBeginning(csv);
  });

  it("[DI23] a unit that crashes on its node is named, and so is one that fails", async () => {
    for (const [offer, text] of [
      ["segv", /'bad' on 'supplier-b' is lost: its session ended/],
      ["error", /'bad' failed at t=0: fmi2DoStep returned/],
    ] as const) {
      const scenario = place.write(
        `${offer}.yaml`,
        `units: { bad: { remote: supplier-b/${offer} }, plant: { remote: supplier-a/plant } }
connections: [{ from: bad.x, to: plant.fanSpeedCommand, every: 1 s }]
experiment: { stop: 5 s, step: 1 s }
master: event-driven
`,
      );
      const ended = await run("run", scenario, "--distributed", "-q");
      expect(ended.code, ended.stderr).toBe(3);
      expect(ended.stderr).toMatch(text);
    }
  });

  const UNITS = ["supplier-b/fan", "supplier-b/control"] as const;
  const safe = (...plants: readonly string[]): string =>
    cooling(
      "far",
      `{ remote: [${plants.join(", ")}], onFailure: restart }`,
      ...(UNITS.map((at) => `{ remote: ${at}, onFailure: restart }`) as [string, string]),
    );
  const STOP = ["--stop", "30000"];
  const KEEP = ["--checkpoint", "every=100s"];

  /** A run that has come to its second checkpoint. */
  async function underWay(out: string, plants: readonly string[]): Promise<Running> {
    const options = ["--distributed", "-o", out, ...STOP, ...KEEP];
    const running = place.startUnder(
      { env: { ...as("oem"), COSIMO_SILENCE: "3" } },
      ...["run", safe(...plants), ...options],
    );
    for (let i = 0; i < 1200; i++) {
      if (existsSync(place.path(`${out}.checkpoint/checkpoint-2.bin`))) break;
      await sleep(25);
    }
    return running;
  }

  it("[DI32] a node that dies is replaced, and the run goes on from its last checkpoint with the same trace", async () => {
    const running = await underWay("moved.csv", ["supplier-a/plant", "supplier-b/plant"]);
    await nodes[0]?.kill("SIGKILL");
    const { code, stderr, stdout } = await running.ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("'plant' was started again on 'supplier-b'");
    expect(stdout).toMatch(/went on from t=[1-9]\d*/);
    expect(stdout).toContain("distributed: plant, fan, control on supplier-b");
    const here = await localRun("30000");
    expect(place.read("moved.csv")).toBe(here.csv);
    expect(eventsIn(stdout)).toEqual(eventsIn(here.stdout));
    nodes[0] = await node("supplier-a", ...offersOfA);
    nodes.pop();
  });

  it("[DI33] when the starter is killed, --resume goes on from the last checkpoint with the same trace", async () => {
    const running = await underWay("again.csv", ["supplier-a/plant"]);
    running.process.kill("SIGKILL");
    await running.ended;
    const ended = await run(
      "run",
      safe("supplier-a/plant"),
      "--distributed",
      "-o",
      "again.csv",
      ...STOP,
      "--resume",
    );
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(/resumed at t=[1-9]\d*/);
    expect(place.read("again.csv")).toBe(await local("30000"));
  });

  it("[DI24] what cannot be distributed is refused before the run, with the reason", async () => {
    const mixed = cooling(
      "mixed",
      PLANT,
      "{ remote: supplier-b/fan }",
      "{ remote: supplier-b/control }",
    );
    const refused = async (text: string, ...args: readonly string[]): Promise<void> => {
      const ended = await run("run", ...args, "--distributed");
      expect(ended.code, ended.stdout).toBe(1);
      expect(ended.stderr).toContain(text);
    };
    await refused("all units on nodes, and 'plant' is not on one", mixed);
    await refused("cannot be used with --realtime", far("far"), "--realtime");
    const restarting = cooling(
      "restarting",
      "{ remote: supplier-a/stateless, onFailure: restart }",
      "{ remote: supplier-b/fan }",
      "{ remote: supplier-b/control }",
    );
    await refused("'plant' cannot give its state", restarting);
    const relays = place.write(
      "relays.yaml",
      `units: { left: { remote: supplier-a/relay }, right: { remote: supplier-b/relay } }
connections: [left.played -> right.ball, right.played -> left.ball]
experiment: { stop: 5 s, step: 1 s }
`,
    );
    await refused("'left' on 'supplier-a' and 'right' on 'supplier-b' decide instants", relays);
    const apart = place.write(
      "apart.yaml",
      "units: { left: { remote: supplier-a/relay } }\nexperiment: { stop: 5 s, step: 1 s }\n",
    );
    await refused("nothing is connected", apart, "--master", "event-driven");
    await refused(
      "--distributed has no master between the units, and 'jacobi' is one",
      relays,
      "--master",
      "jacobi",
    );
  });
});

/** What `text` of the example `file` names as sources of units, as units on two nodes or by its path. */
function sourcesIn(text: string, file: string, areFar: boolean): string {
  let count = 0;
  return text.replace(SOURCE, (_, before: string, path: string) => {
    const full = resolve(EXAMPLES, file, "..", path);
    const node = NODES[count++ % 2];
    if (!areFar) return before + full;
    const remote = `remote: ${node}/${offerOf(path)}`;
    return before.endsWith("module: ")
      ? before.replace("module: ", remote)
      : `${before}{ ${remote} }`;
  });
}

/** The units of the systems that are on one of the nodes, as options of it. */
function offersIn(systems: Readonly<Record<string, string>>, node: number): string[] {
  return Object.keys(systems).flatMap((file) => {
    const sources = readFileSync(join(EXAMPLES, file), "utf8").matchAll(SOURCE);
    return [...sources]
      .filter((_, at) => at % 2 === node)
      .map(([, , path]) => `${offerOf(path)}=${resolve(EXAMPLES, file, "..", path)}`);
  });
}

function offerOf(path: string): string {
  return basename(path).replace(/\.\w+$/, "");
}

const RELAY = `inputs: { ball: event }
events: [played]
initial: plays
states:
  waits: [{ on: ball, to: plays }]
  plays: [{ after: 1 s, do: emit played, to: waits }]
`;

async function expectBeginning(csv: string): Promise<void> {
  const rows = csv.trim().split("\n");
  expect(rows.length).toBeGreaterThan(2);
  const last = Number(rows.at(-1)?.split(",")[0]);
  const expected = await local(String(Math.ceil(last) + 10));
  expect(expected.startsWith(csv)).toBe(true);
}

/** Processes that a process has started. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}
