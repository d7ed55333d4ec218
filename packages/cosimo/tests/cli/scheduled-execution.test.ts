/**
 * FMUs for Scheduled Execution on the command line: alone, in scenarios under every master, in
 * processes of their own, with checkpoints, in exports.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
const partitions = fixture("fmi3/Partitions");

function rows(file: string): Record<string, number>[] {
  const [head = "", ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = head.split(",").map((name) => name.replaceAll('"', ""));
  return lines.map((line) => {
    const cells = line.split(",").map(Number);
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? Number.NaN]));
  });
}

async function run(...args: string[]): Promise<Record<string, number>[]> {
  const out = place.path(`trace-${Math.random()}.csv`);
  const ended = await place.run("run", ...args, "-o", out);
  expect(ended.stderr.trim()).toBe("");
  expect(ended.code).toBe(0);
  return rows(out);
}

/** What was computed at the instants: times and the last digits there. */
function orders(trace: readonly Record<string, number>[], column: string): [number, number][] {
  const last = new Map(trace.map((row) => [row["time"] ?? -1, row[column] ?? -1]));
  const found: [number, number][] = [];
  let before = 0;
  for (const [time, order] of last) {
    if (order !== before) found.push([time, order]);
    before = order;
  }
  return found;
}

describe("an FMU alone", () => {
  it("[SE1] runs through Scheduled Execution where that is all it offers", async () => {
    const info = await place.run("info", partitions);
    expect(info.stdout).toMatch(/Scheduled Execution +identifier Partitions/);
    expect(info.stdout).toContain("+ event mode");
    const named = await run(partitions, "--interface", "scheduled-execution");
    expect(named).toEqual(await run(partitions));
    const other = await place.run("run", partitions, "--interface", "co-simulation");
    expect(other.code).toBe(1);
    expect(other.stderr).toContain("does not offer Co-Simulation, only Scheduled Execution");
  });

  it("[SE10] ticks by intervals, by countdowns and by columns of its input", async () => {
    const input = place.write("triggers.csv", "time,urgent,u\n0,0,1\n0.25,1,2\n0.5,1,5\n");
    const trace = await run(partitions, "--input", input);
    expect(orders(trace, "order")).toEqual([
      [0, 21],
      [0.125, 3],
      [0.25, 52],
      // The countdown from 0.25 s ends where growing ticks, which is more urgent.
      [0.375, 34],
      [0.5, 521],
      [0.625, 4],
      [0.75, 23],
      [1, 21],
    ]);
    expect(trace.at(-1)).toMatchObject({ y: 18, urgencies: 2, timeouts: 2 });
  });

  it("[SE7] a partition that is refused ends the run, with its unit, call and log", async () => {
    const ended = await place.run("run", partitions, "--set", "fails=0.5");
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("fmi3ActivateModelPartition");
    expect(ended.stderr).toContain("fast is not computed at t=0.5");
  });
});

function scenario(name: string, master: string, more = "", options = ""): string {
  return place.write(
    name,
    `units:
  a: { fmu: ${partitions}${options} }
  b: ${partitions}
  ball: ${fixture("fmi3/BouncingBallClocked")}
connections: [ball.bounce -> a.urgent, a.done -> b.urgent, a.y -> b.u]
experiment: { stop: 1, step: 0.1 }
master: ${master}
record: [a.order, b.order, b.y, b.urgencies]
${more}`,
  );
}

describe("a scenario", () => {
  const reference = run(scenario("reference.yaml", "jacobi"));

  it.each(["gauss-seidel", "adaptive", "event-driven"])(
    "[SE9] activates the same partitions under %s",
    async (master) => {
      const trace = await run(scenario(`${master}.yaml`, master));
      const rounded = (of: typeof trace): [string, number][] =>
        orders(of, "b.order").map(([time, order]) => [time.toFixed(9), order]);
      expect(rounded(trace)).toEqual(rounded(await reference));
      expect(trace.at(-1)).toMatchObject({ "b.urgencies": 1 });
    },
  );

  it.each([
    ["under a master without event mode", "", "{ name: jacobi, eventMode: false }"],
    ["inside an adaptation", ', adapt: "multi-rate { rate: 2 }"', "jacobi"],
  ])("[SE10] lets its own clocks tick %s", async (_, adapt, master) => {
    const file = place.write(
      `own-${adapt.length}.yaml`,
      `units: { a: { fmu: ${partitions}${adapt} } }
experiment: { stop: 1, step: 0.1 }
master: ${master}
`,
    );
    const last = (await run(file)).at(-1);
    expect(last).toMatchObject({ "a.y": 5, "a.grown": 3, "a.order": 21 });
  });

  it("has the same trace where a unit runs in a process of its own", async () => {
    const out = place.path("isolated.csv");
    const file = scenario("isolated.yaml", "jacobi", "", ", isolate: process");
    const ended = await place.run("run", file, "-o", out);
    expect(ended.code).toBe(0);
    expect(rows(out)).toEqual(await reference);
  });

  it("[SE8] continues from a checkpoint with the trace of an uninterrupted run", async () => {
    const file = scenario("kept.yaml", "jacobi");
    const out = place.path("kept.csv");
    const keep = ["-o", out, "--checkpoint", "every=0.1s"];
    // The countdown that began at 0.4515 s is still running.
    await place.run("run", file, "--stop", "0.5", ...keep);
    const ended = await place.run("run", file, ...keep);
    expect(ended.code).toBe(0);
    expect(rows(out)).toEqual(await reference);
  });

  it("is not exported: the message names the unit", async () => {
    const file = place.write(
      "export.yaml",
      `units: { a: { fmu: ${partitions}, adapt: "multi-rate { rate: 2 }" } }
experiment: { stop: 1, step: 0.1 }
master: jacobi
ports: { y: a.y }
`,
    );
    const ended = await place.run("export", file, "-o", place.path("out.fmu"));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("export-scheduled-execution");
  });
});
