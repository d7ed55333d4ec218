/**
 * Runs whose units are on nodes, through a real server on loopback: same traces, two runs at once,
 * and kill -9 of each process in turn. Bounds are short here (COSIMO_SILENCE), so that no test waits
 * for half a minute.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
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
const EXAMPLES = join(import.meta.dirname, "../../../../examples");
let server: TestServer;
const nodes: NodeProcess[] = [];

const environment = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  COSIMO_SERVER: server.url,
  COSIMO_SILENCE: "4",
  TMPDIR: place.temp,
  COSIMO_TRUST: place.trusted,
  ...more,
});

async function node(name: string, ...offers: readonly string[]): Promise<NodeProcess> {
  const args = ["--name", name, ...offers.flatMap((offer) => ["--offer", offer])];
  const made = await startNode(args, environment(), BIN);
  nodes.push(made);
  return made;
}

const start = (...args: readonly string[]): Running =>
  place.startUnder({ env: environment() }, ...args);
const run = (...args: readonly string[]): Promise<Ended> => start(...args).ended;

const LEFT = fixture("fmi3/MassSpringDamperLeft");
const RIGHT = fixture("fmi2/MassSpringDamperRight");

/** Two masses; where they are is up to the test. */
function masses(name: string, left: string, right: string): string {
  return place.write(
    `${name}.yaml`,
    `units: { left: ${left}, right: ${right} }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 10, step: 0.1 }
record: [left.x_1, left.v_1, right.x_2, right.v_2, right.F_c]
`,
  );
}

/** The lines of a run in one process. */
async function local(master = "jacobi"): Promise<string> {
  const ended = await place.run(
    "run",
    masses("local", LEFT, RIGHT),
    "--master",
    master,
    "-o",
    "local.csv",
    "-q",
  );
  expect(ended.code, ended.stderr).toBe(0);
  return place.read("local.csv");
}

const far = (...places: readonly string[]): string =>
  `{ remote: [${places.join(", ")}], onFailure: restart }`;

/** Steps that a run has logged. */
function steps(log: string): number {
  return existsSync(place.path(log)) ? place.read(log).split("DoStep").length - 1 : 0;
}

/** In real time, so that there is time to break something. */
async function broken(
  scenario: string,
  out: string,
  act: () => Promise<unknown>,
): Promise<Ended & { readonly csv: string }> {
  const args = ["-o", out, "--realtime=4", "--master", "jacobi", "--log-calls", `${out}.log`];
  const running = start("run", scenario, ...args);
  for (let i = 0; i < 600 && steps(`${out}.log`) < 5; i++) await sleep(50);
  expect(steps(`${out}.log`)).toBeGreaterThan(4);
  await act();
  const ended = await running.ended;
  return { ...ended, csv: place.read(out) };
}

describe.skipIf(!HAS_SERVER)(`units on nodes${NEEDS_SERVER}`, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    server = await startServer();
    await Promise.all([
      node("supplier-a", `left=${LEFT}`, `right=${RIGHT}`),
      node(
        "supplier-b",
        `right=${RIGHT}`,
        ...["driver", "controller", "motor", "shaft", "vehicle"].map((name) =>
          join(EXAMPLES, "drive-line", `${name}.mjs`),
        ),
      ),
    ]);
  }, 60_000);

  afterAll(async () => {
    for (const one of nodes) await one.kill("SIGTERM");
    await server?.stop();
  }, 30_000);

  afterEach(async () => {
    for (const one of nodes.splice(2)) await one.kill("SIGKILL");
  });

  it.each([
    ["jacobi", "{ remote: supplier-a/left }", "{ remote: supplier-b/right }"],
    ["gauss-seidel", LEFT, "{ remote: supplier-a/right }"],
    ["iterative", "{ remote: supplier-a/left }", "{ remote: supplier-a/right }"],
    ["adaptive", "{ remote: supplier-a/left }", RIGHT],
  ])(
    "[DI3] same trace bit for bit with '%s', one unit here and one there, or both there",
    async (master, left, right) => {
      const expected = await local(master);
      const scenario = masses("far", left, right);
      const ended = await run("run", scenario, "--master", master, "-o", "far.csv", "-q");
      expect(ended.code, ended.stderr).toBe(0);
      expect(place.read("far.csv").replaceAll("far", "local")).toBe(expected);
    },
  );

  it("[DI3] a thousand units on four nodes have the trace of one process", async () => {
    const homes = ["supplier-a", "lab-b", "lab-c", "lab-d"];
    await Promise.all(homes.slice(1).map((name) => node(name, `left=${LEFT}`)));
    const ring = (name: string, unit: (i: number) => string): string => {
      const numbers = Array.from({ length: 1000 }, (_, i) => i);
      const next = (i: number): string => `u${(i + 1) % numbers.length}.F_e`;
      return place.write(
        `${name}.yaml`,
        `units:
${numbers.map((i) => `  u${i}: ${unit(i)}`).join("\n")}
connections:
${numbers.map((i) => `  - { from: u${i}.x_1, to: ${next(i)}, suppress: unit }`).join("\n")}
experiment: { stop: 0.3, step: 0.1 }
master: jacobi
record: [u0.x_1, "u99*.v_1"]
`,
      );
    };
    const here = ring("here", () => LEFT);
    const there = ring("there", (i) => `{ remote: ${homes[i % homes.length]}/left }`);
    // Four sessions, a server and a run share the cores of this machine.
    const env = environment({ COSIMO_SILENCE: "60" });
    for (const [scenario, out] of [
      [here, "here.csv"],
      [there, "there.csv"],
    ] as const) {
      const ended = await place.startUnder({ env }, "run", scenario, "-o", out, "-q").ended;
      expect(ended.code, ended.stderr).toBe(0);
    }
    expect(place.read("there.csv")).toBe(place.read("here.csv"));
    expect(place.read("here.csv").split("\n")).toHaveLength(6);
  });

  it("[DI3] event-driven runs have the same trace, and their notes say where units are", async () => {
    const expected = await local("event-driven");
    for (const [right, where] of [
      ["{ remote: supplier-b/right }", "2 units on nodes"],
      [
        `{ fmu: ${RIGHT}, isolate: process }`,
        "2 units elsewhere (1 on nodes, 1 in processes of their own)",
      ],
    ] as const) {
      const scenario = masses("events", "{ remote: supplier-a/left }", right);
      const ended = await run("run", scenario, "--master", "event-driven", "-o", "events.csv");
      expect(ended.code, ended.stderr).toBe(0);
      expect(ended.stdout).toContain(`of ${where}`);
      expect(place.read("events.csv").replaceAll("events", "local")).toBe(expected);
    }
  });

  it("[DI3] the drive line, all five units on a node, has the trace of the example", async () => {
    const text = readFileSync(join(EXAMPLES, "drive-line", "scenario.yaml"), "utf8");
    const remote = text
      .replace(/module: (\w+)\.mjs/g, "remote: supplier-b/$1")
      .replace(/^( {2}\w+): (\w+)\.mjs$/gm, "$1: { remote: supplier-b/$2 }");
    const here = text.replaceAll(/(\w+)\.mjs/g, join(EXAMPLES, "drive-line", "$1.mjs"));
    for (const [name, content] of [
      ["far", remote],
      ["here", here],
    ] as const) {
      const ended = await run(
        "run",
        place.write(`line-${name}.yaml`, content),
        "--stop",
        "1",
        "-o",
        `line-${name}.csv`,
        "-q",
      );
      expect(ended.code, ended.stderr).toBe(0);
    }
    expect(place.read("line-far.csv")).toBe(place.read("line-here.csv"));
  });

  it("[DI3] a scenario that is offered is a unit, with the trace of one that is nested", async () => {
    const [outer, load] = ["scenario", "load"].map((name) =>
      readFileSync(join(EXAMPLES, "nested", `${name}.yaml`), "utf8").replaceAll(
        "../drive-line/",
        join(EXAMPLES, "drive-line/"),
      ),
    ) as [string, string];
    await node("plant", place.write("load.yaml", load));
    const remote = outer.replace("load: load.yaml", "load: { remote: plant/load }");
    for (const [name, content] of [
      ["far", remote],
      ["here", outer],
    ] as const) {
      const file = place.write(`nest-${name}.yaml`, content);
      const ended = await run("run", file, "--stop", "0.5", "-o", `nest-${name}.csv`, "-q");
      expect(ended.code, ended.stderr).toBe(0);
    }
    expect(place.read("nest-far.csv")).toBe(place.read("nest-here.csv"));
  });

  it("[DI3] the power window, with adaptations that are offered, has the same trace", async () => {
    const folder = join(EXAMPLES, "power-window");
    const environment = fixture("fmi2/PowerWindowEnvironment");
    const sources = {
      environment,
      controller: "controller.sa",
      power: "power.sa",
      window: "rate.sa",
    };
    const offers = Object.entries(sources).map(
      ([name, path]) => `${name}=${resolve(folder, path)}`,
    );
    await node("garage", ...offers);
    const text = readFileSync(join(folder, "adapted.yaml"), "utf8");
    let [far, here] = [text, text];
    for (const [name, path] of Object.entries(sources)) {
      const line = new RegExp(`^  ${name}: .*$`, "m");
      far = far.replace(line, `  ${name}: { remote: garage/${name} }`);
      here = here.replace(line, `  ${name}: ${resolve(folder, path)}`);
    }
    for (const [name, content] of Object.entries({ far, here })) {
      const file = place.write(`window-${name}.yaml`, content);
      const ended = await run("run", file, "--stop", "0.2", "-o", `window-${name}.csv`, "-q");
      expect(ended.code, ended.stderr).toBe(0);
    }
    expect(place.read("window-far.csv")).toBe(place.read("window-here.csv"));
  });

  it.each([
    ["cpu-cooling", { plant: "CpuBox", fan: "FanController", control: "over-heat" }, "5000"],
    ["queueing-network", { workshop: "network", meter: "meter" }, "200"],
  ])("[DI3] '%s', all units on a node, has the trace of one process", async (name, units, stop) => {
    const folder = join(EXAMPLES, name);
    let [far, here] = ["", ""];
    far = here = readFileSync(join(folder, "scenario.yaml"), "utf8");
    const offers: string[] = [];
    for (const [unit, offer] of Object.entries(units)) {
      const line = new RegExp(`^  ${unit}: (.*)$`, "m");
      const path = resolve(folder, line.exec(here)?.[1] ?? "");
      offers.push(`${offer}=${path}`);
      far = far.replace(line, `  ${unit}: { remote: ${name}/${offer} }`);
      here = here.replace(line, `  ${unit}: ${path}`);
    }
    await node(name, ...offers);
    for (const [where, content] of Object.entries({ far, here })) {
      const file = place.write(`${name}-${where}.yaml`, content);
      const ended = await run("run", file, "--stop", stop, "-o", `${name}-${where}.csv`, "-q");
      expect(ended.code, ended.stderr).toBe(0);
    }
    expect(place.read(`${name}-far.csv`)).toBe(place.read(`${name}-here.csv`));
    expect(place.read(`${name}-far.csv`).split("\n").length).toBeGreaterThan(20);
  });

  it("[DI4] 'cosimo nodes' lists who offers what", async () => {
    const ended = await run("nodes", "--json");
    expect(ended.code, ended.stderr).toBe(0);
    const listed = JSON.parse(ended.stdout) as {
      nodes: { node: string; offers: { name: string }[] }[];
    };
    expect(listed.nodes.map((one) => one.node)).toEqual(["supplier-a", "supplier-b"]);
    expect(listed.nodes[0]).toMatchObject({
      protocol: 1,
      sessions: 0,
      offers: [
        { name: "left", kind: "FMI 3.0 FMU", inputs: 1, outputs: 2 },
        { name: "right", kind: "FMI 2.0 FMU", inputs: 2, outputs: 3 },
      ],
    });
    expect((await run("nodes")).stdout).toContain("  supplier-a/left: FMI 3.0 FMU");
  });

  it("[DI18] a description that is longer than a message of the server arrives", async () => {
    const small = await startServer("max_payload: 65536");
    const names = Array.from({ length: 6000 }, (_, i) =>
      createHash("sha256").update(String(i)).digest("hex").slice(0, 32),
    ).map((name) => `n${name}`);
    const table = place.write(
      "wide.csv",
      `time,${names.join(",")}\n0,${names.map((_, i) => i).join(",")}\n`,
    );
    const env = environment({ COSIMO_SERVER: small.url, COSIMO_SILENCE: "20" });
    const wide = await startNode(["--name", "wide", "--offer", table], env, BIN);
    const scenario = (name: string, unit: string): string =>
      place.write(
        `${name}.yaml`,
        `units: { c: ${unit} }\nexperiment: { stop: 1, step: 0.5 }\nmaster: jacobi\nrecord: [c.${names.at(-1)}]\n`,
      );
    const ended = await place.startUnder(
      { env },
      ...["run", scenario("wide", "{ remote: wide/wide }"), "-o", "far.csv", "-q"],
    ).ended;
    await wide.kill("SIGTERM");
    await small.stop();
    expect(ended.code, ended.stderr).toBe(0);
    const near = await place.run("run", scenario("wide", table), "-o", "near.csv", "-q");
    expect(near.code, near.stderr).toBe(0);
    expect(place.read("far.csv")).toBe(place.read("near.csv"));
  });

  it("[DI20] an FMU that may be instantiated once per process is there twice on one node", async () => {
    const once = place.edited("fmi2/Dahlquist", (xml) =>
      xml.replace("<CoSimulation ", '<CoSimulation canBeInstantiatedOnlyOncePerProcess="true" '),
    );
    const inner = place.write(
      "both.yaml",
      `units: { c: { fmu: ${once} }, d: { fmu: ${once} }, e: { fmu: ${LEFT}, isolate: process } }
ports: { x: c.x, y: d.x, z: e.x_1 }
experiment: { stop: 1, step: 0.1 }
master: jacobi
`,
    );
    await node("single", `once=${once}`, `both=${inner}`);
    const scenario = (unit: string, nested: string): string =>
      place.write(
        "twice.yaml",
        `units: { a: ${unit}, b: ${unit}, n: ${nested} }
experiment: { stop: 1, step: 0.1 }
master: jacobi
record: [a.x, b.x, n.x, n.y, n.z]
`,
      );
    const far = scenario("{ remote: single/once }", "{ remote: single/both }");
    const ended = await run("run", far, "-o", "twice-far.csv");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("isolation-automatic: 'b' runs in a process of its own");
    const near = await run("run", scenario(`{ fmu: ${once} }`, inner), "-o", "twice-near.csv");
    expect(near.code, near.stderr).toBe(0);
    expect(place.read("twice-far.csv")).toBe(place.read("twice-near.csv"));
  });

  it("[DI19] what fails on a node is told without the paths of its owner", async () => {
    const built = pathToFileURL(join(import.meta.dirname, "../../dist/unit.js"));
    const text = `import { odeUnit, RK4 } from ${JSON.stringify(built)};
export default (name) => {
  if (/session/.test(process.argv[1])) throw new Error("no licence at " + import.meta.url);
  const solver = { method: RK4, step: 0.1 };
  return odeUnit({ name: "bad", states: { x: {} }, derivatives() {}, solver }, name);
};
`;
    mkdirSync(place.path("secret-folder"), { recursive: true });
    const module = place.write("secret-folder/bad.mjs", text);
    await node("discreet", `bad=${module}`);
    const scenario = place.write(
      "discreet.yaml",
      "units: { bad: { remote: discreet/bad } }\nexperiment: { stop: 1, step: 0.1 }\nmaster: jacobi\n",
    );
    const ended = await run("run", scenario);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain("no licence at bad.mjs");
    expect(ended.stderr).not.toContain("secret-folder");
    expect(ended.stderr).toContain("discreet.yaml:1");
  });

  it("[DI8] two runs at once are two runs", async () => {
    const expected = await local();
    const scenario = masses("twin", "{ remote: supplier-a/left }", "{ remote: supplier-a/right }");
    const both = await Promise.all(
      ["one.csv", "two.csv"].map((out) =>
        run("run", scenario, "-o", out, "-q", "--master", "jacobi"),
      ),
    );
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    for (const out of ["one.csv", "two.csv"])
      expect(place.read(out).replaceAll("twin", "local")).toBe(expected);
  });

  it.each([
    ["{ remote: nobody/left }", "remote-node"],
    ["{ remote: supplier-a/nothing }", "which offers left, right"],
    ["{ remote: left }", "scenario-remote"],
    ["{ remote: supplier-a/left, isolate: process }", "scenario-unknown-key"],
  ])("[DI9] %s is refused before the run", async (left, text) => {
    const ended = await run("run", masses("wrong", left, RIGHT));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(text);
  });

  it("[DI9] so is a run without a server, and one whose server is not there", async () => {
    const scenario = masses("alone", "{ remote: supplier-a/left }", RIGHT);
    expect((await place.run("run", scenario)).stderr).toContain("remote-no-server");
    const gone = await place.run("run", scenario, "--server", "nats://127.0.0.1:9");
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain("no NATS server answers");
    const open = await place.run("nodes", "--server", "nats://me:secret@127.0.0.1:9");
    expect(open.code).toBe(2);
    expect(open.stderr).not.toContain("secret");
  });

  it("[DI10] a node that is killed ends the run within the bound, and all rows are there", async () => {
    const doomed = await node("doomed", `left=${LEFT}`);
    const scenario = masses("lost", "{ remote: doomed/left }", RIGHT);
    const { code, stderr, csv } = await broken(scenario, "lost.csv", () => doomed.kill("SIGKILL"));
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /'left' on 'doomed' was waited for \d+ s: nothing was heard of its node/,
    );
    const rows = csv.trim().split("\n");
    expect(rows.length).toBeGreaterThan(2);
    expect((await local()).startsWith(csv.replaceAll("lost", "local"))).toBe(true);
  });

  it("[DI11] with 'onFailure: restart' it goes on elsewhere, with the same trace", async () => {
    const first = await node("first", `left=${LEFT}`);
    await node("second", `left=${LEFT}`);
    const scenario = masses("moved", far("first/left", "second/left"), RIGHT);
    const { code, stderr, csv } = await broken(scenario, "moved.csv", () => first.kill("SIGKILL"));
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("'left' was started again on 'second'");
    expect(csv.replaceAll("moved", "local")).toBe(await local());
  });

  it("[DI12] a unit that crashes ends its session at once, and not its node", async () => {
    const bad = saboteurIn(place.path("bad"), 2, "segv doStep 11");
    const host = await node("fragile", `bad=${bad}`);
    const scenario = place.write(
      "crash.yaml",
      "units: { bad: { remote: fragile/bad } }\nexperiment: { stop: 0.5, step: 0.01 }\nmaster: jacobi\n",
    );
    const ended = await run("run", scenario, "-o", "crash.csv");
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/the process of 'bad' on 'fragile' ended with SIGSEGV/);
    expect(place.read("crash.csv").trim().split("\n")).toHaveLength(12);
    expect(host.said()).toContain("ended: SIGSEGV");
    expect((await run("nodes", "--json")).stdout).toContain('"fragile"');
  });

  it("[DI6] a server that is killed and started again costs time, not data", async () => {
    const scenario = masses("away", "{ remote: supplier-a/left }", "{ remote: supplier-b/right }");
    const { code, stderr, csv } = await broken(scenario, "away.csv", async () => {
      await server.kill();
      await sleep(1000);
      await server.start();
    });
    expect(code, stderr).toBe(0);
    expect(csv.replaceAll("away", "local")).toBe(await local());
  });

  it("[DI6] a node ends by SIGTERM also where its server is gone", async () => {
    const gone = await startServer();
    const alone = await startNode(
      ["--name", "alone", "--offer", LEFT],
      environment({ COSIMO_SERVER: gone.url }),
      BIN,
    );
    await gone.kill();
    expect(await alone.kill("SIGTERM")).toBe(0);
    await gone.stop();
  });

  it("[DI13] when the starter is killed its sessions end by themselves", async () => {
    const host = await node("lonely", `left=${LEFT}`);
    const scenario = masses("orphan", "{ remote: lonely/left }", RIGHT);
    const running = start("run", scenario, "--realtime", "-q");
    while (!host.said().includes("session 1")) await sleep(100);
    await sleep(1500);
    process.kill(-(running.process.pid ?? 0), "SIGKILL");
    await running.ended;
    for (let i = 0; i < 300 && !host.said().includes("ended"); i++) await sleep(100);
    expect(host.said()).toContain("session 1 for 'anyone' ended: nothing was heard of the caller");
  });
});
