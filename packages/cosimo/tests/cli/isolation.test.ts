/**
 * Runs whose units have processes of their own, with an FMU that misbehaves
 * (fixtures/fmus/Saboteur) between two that do not: what is recorded, what is said, and that nobody
 * else notices.
 */
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { sandboxRefusal } from "../../src/platform/process/sandbox.ts";
import { saboteurIn } from "../../src/platform/process/testing/saboteur.ts";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
let made = 0;

afterEach(() => {
  expect(place.leftovers(), "[CL6] temporary folders").toEqual([]);
});

/** @param isolate what the bad unit says about its process, as YAML of a map. */
function neighbours(order: string | undefined, isolate = ""): string {
  const heavy = fixture("fmi2/Heavy");
  const bad = saboteurIn(place.path(`bad-${made}`), 2, order);
  return place.write(
    `neighbours-${made++}.yaml`,
    `units:
  before: { fmu: ${heavy}, set: { work: 100 } }
  bad: { fmu: ${bad}${isolate} }
  after: { fmu: ${heavy}, set: { work: 100 } }
connections: [before.x -> bad.u, bad.x -> after.u]
experiment: { stop: 0.5, step: 0.01 }
master: jacobi
`,
  );
}

let undisturbed: readonly string[] | undefined;

/** The lines of a run in which nobody misbehaves, in one process. */
async function reference(): Promise<readonly string[]> {
  if (undisturbed === undefined) {
    const ended = await place.run("run", neighbours(undefined), "-o", "whole.csv");
    expect(ended.code, ended.stderr).toBe(0);
    undisturbed = place.read("whole.csv").split("\n");
  }
  return undisturbed;
}

/** Header and rows to t = 0.1; the FMU misbehaves in the step behind it. */
const BEFORE = 12;

describe("a unit in a process of its own that", { timeout: 120_000 }, () => {
  it.each([
    ["segv", "", "SIGSEGV"],
    ["exit:0", "", "exit code 0"],
    ["pause", ", limits: { call: 1 s }", "did not return within 1 s"],
    ["leak:300", ", limits: { memory: 100 MB }", "the 100 MB that it is allowed"],
    // It may overwrite the name of its call, too.
    ["scribble:all", "", "SIG", /'bad' failed at t=0\.1\b.*(fmi2DoStep|advance)/],
  ])(
    "[IS16] does '%s' is named, and all rows before are there",
    async (deed, more, how, named = /'bad' failed at t=0\.1\b.*fmi2DoStep/) => {
      const scenario = neighbours(`${deed} doStep 11`, `, isolate: process${more}`);
      const ended = await place.run("run", scenario, "-o", "short.csv");
      expect(ended.code, ended.stderr).toBe(3);
      expect(ended.stderr).toMatch(named);
      expect(ended.stderr).toContain(how);
      const rows = place.read("short.csv").split("\n").slice(0, BEFORE);
      expect(rows).toEqual((await reference()).slice(0, BEFORE));
    },
  );

  it("[IS16] overwrites the memory that it shares changes no value", async () => {
    const scenario = neighbours("scribble:shared doStep 11", ", isolate: process");
    const ended = await place.run("run", scenario, "-o", "shared.csv");
    const rows = place.read("shared.csv").trimEnd().split("\n");
    expect(rows.length).toBeGreaterThanOrEqual(BEFORE);
    if (ended.code !== 0) expect(ended.stderr).toContain("'bad' failed");
    expect(rows).toEqual((await reference()).slice(0, rows.length));
  });

  it("[IS7] crashes once is restarted: the trace is the undisturbed one, and the summary says so", async () => {
    const restart = ", isolate: process, onFailure: restart";
    const scenario = neighbours("crash-once doStep 11", restart);
    const ended = await place.run("run", scenario, "-o", "again.csv");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("unit-restarted: 'bad' was restarted: fmi2DoStep ended with");
    expect(ended.stdout).toContain("processes of their own: bad restarted once");
    expect(place.read("again.csv").split("\n")).toEqual(await reference());
  });
});

describe("an FMU that may be instantiated once per process", { timeout: 60_000 }, () => {
  it("[IS12] gets a process of its own from the second instance on, inside a group too", async () => {
    const once = place.edited("fmi2/Dahlquist", (xml) =>
      xml.replace("<CoSimulation ", '<CoSimulation canBeInstantiatedOnlyOncePerProcess="true" '),
    );
    const scenario = place.write(
      "twins.yaml",
      `units:
  a: { fmu: ${once} }
  b: { fmu: ${once} }
  c: { fmu: ${once}, isolate: { process: both } }
  d: { fmu: ${once}, isolate: { process: both } }
experiment: { stop: 1, step: 0.1 }
`,
    );
    const ended = await place.run("run", scenario, "-o", "twins.csv");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("isolation-automatic: 'b' runs in a process of its own");
    expect(ended.stderr).toContain("isolation-automatic: 'd' runs in a process of its own");
    expect(ended.stderr).not.toMatch(/'[ac]' runs in a process/);
    expect(ended.stdout).toContain("processes of their own: b, c (with both), d");
    const rows = place.read("twins.csv").trimEnd().split("\n").slice(1);
    for (const row of rows) expect(new Set(row.split(",").slice(1)).size, row).toBe(1);
  });
});

describe("--untrusted", { timeout: 120_000 }, () => {
  it("[IS14] runs no module, whatever the scenario and the settings trust", async () => {
    place.write("unit.mjs", "throw new Error('it was run');");
    const scenario = place.write("module.yaml", "units: { a: unit.mjs }\nexperiment: { stop: 1 }");
    const ended = await place.run("run", scenario, "--untrusted");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("module-not-trusted");
    const both = await place.run("run", scenario, "--untrusted", "--trust");
    expect(both.code).toBe(2);
  });

  it("[IS22] is refused where bubblewrap is missing, and nothing is run", async () => {
    const fmu = saboteurIn(place.path(`bad-${made++}`), 2, "segv load 1");
    const surroundings = { env: { PATH: place.path("nothing") } };
    const ended = await place.startUnder(surroundings, "run", fmu, "--untrusted").ended;
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toContain("cannot be put into a sandbox: bubblewrap is not installed");
    expect(ended.stderr).toContain("apt install bubblewrap");
  });

  const refusal = sandboxRefusal();
  it.skipIf(refusal !== undefined)(
    `[IS14] puts all units into sandboxes, with the same trace${refusal ? ` (skipped: ${refusal.why})` : ""}`,
    async () => {
      const scenario = neighbours("try-read:/etc/passwd doStep 11", ", isolate: process");
      const ended = await place.run("run", scenario, "--untrusted", "-o", "inside.csv");
      expect(ended.code, ended.stderr).toBe(0);
      expect(ended.stdout).toContain("in a sandbox: before, bad, after");
      expect(place.read("inside.csv").split("\n")).toEqual(await reference());
    },
  );
});

describe("an example whose units have processes of their own", { timeout: 120_000 }, () => {
  it.each([
    ["cpu-cooling/scenario.yaml", "5000"],
    ["drive-line/scenario.yaml", "0.5"],
    ["power-window/adapted.yaml", "0.2"],
    ["queueing-network/scenario.yaml", "200"],
  ])("[IS5] has the trace of one process: %s", async (example, stop) => {
    const scenario = join(import.meta.dirname, "../../../../examples", example);
    for (const more of [[], ["--isolate"]]) {
      const out = `example-${more.length}.csv`;
      const ended = await place.run("run", scenario, "--stop", stop, "-o", out, ...more);
      expect(ended.code, ended.stderr).toBe(0);
      expect(ended.stdout.includes("processes of their own")).toBe(more.length > 0);
    }
    const rows = place.read("example-0.csv");
    expect(rows.split("\n").length).toBeGreaterThan(20);
    expect(place.read("example-1.csv")).toBe(rows);
  });
});

describe("an event-driven run with units in processes of their own", { timeout: 120_000 }, () => {
  it("[CO26] has them under way at once, says so, and gives the same rows", async () => {
    const heavy = fixture("fmi2/Heavy");
    const scenario = place.write(
      "coordinated.yaml",
      `units:
  first: { fmu: ${heavy}, set: { work: 100 } }
  second: { fmu: ${heavy}, set: { work: 100 } }
  third: { fmu: ${heavy}, set: { work: 100 } }
connections:
  - { from: first.x, to: second.u, every: 0.05 s }
  - { from: second.x, to: third.u, every: 0.05 s }
experiment: { stop: 1, step: 0.01 }
master: event-driven
`,
    );
    const run = async (name: string, ...options: string[]): Promise<string> => {
      const ended = await place.run("run", scenario, "-o", name, ...options);
      expect(ended.code, ended.stderr).toBe(0);
      return ended.stdout + ended.stderr;
    };
    expect(await run("one.csv")).not.toContain("parallel:");
    expect(await run("several.csv", "--isolate")).toMatch(
      /parallel: up to [23] of 3 units in processes of their own were under way at once/,
    );
    expect(await run("off.csv", "--isolate", "--parallel", "off")).toContain(
      "parallel: off, as asked",
    );
    const rows = place.read("one.csv");
    expect(rows.split("\n").length).toBeGreaterThan(15);
    expect(place.read("several.csv")).toBe(rows);
    expect(place.read("off.csv")).toBe(rows);
  });
});
