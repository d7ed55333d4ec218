/**
 * Triggers, tolerances and event mode under `master: event-driven`, on FMUs and machines from
 * files.
 */
import { describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import type { ScenarioRun } from "../src/run/simulate-scenario.ts";
import { ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();

/** Keeps what it was given last, and counts how often that changed. */
const KEEPER = `machine: keeper
inputs: { u: { type: real, start: 1 } }
outputs: { n: { type: integer, start: 0 }, at: 0 }
states: { a: [{ on: u, do: "n := n + 1; at := time", to: a }] }
`;

async function run(name: string, text: string): Promise<ScenarioRun> {
  lab.write("keeper.machine.yaml", KEEPER);
  const path = lab.write(`${name}.yaml`, text);
  return simulateScenarioFile(path, { trust: true });
}

function last({ trace }: ScenarioRun, column: string): number {
  const found = trace.columns.find(({ name }) => name === column);
  return Number(found?.data[trace.time.length - 1]);
}

describe("thresholds", () => {
  const scenario = (source: string, trigger: string, step = "100 ms"): string => `units:
  decay: ${fmu(source)}
  keeper: keeper.machine.yaml
experiment: { stop: 2 s, step: ${step} }
record: [keeper.u, keeper.n, keeper.at]
connections:
  - { from: decay.x, to: keeper.u, when: ${trigger} }
`;

  it("[CO17] exchange where the level is crossed, located by repeating steps", async () => {
    const done = await run("located", scenario("fmi2/Dahlquist", "decay.x < 0.5"));
    expect(last(done, "keeper.n")).toBe(1);
    // Forward Euler with steps of 0.1 s, which is linear between them: x = 0.9^k, then x (1 - s).
    const k = Math.floor(Math.log(0.5) / Math.log(0.9));
    const expected = 0.1 * k + (1 - 0.5 / 0.9 ** k);
    expect(Math.abs(last(done, "keeper.at") - expected)).toBeLessThan(2e-10);
    expect(Math.abs(last(done, "keeper.u") - 0.5)).toBeLessThan(1e-9);
    expect(done.master?.notes[0]).toBe("1 exchanges: 1 when decay.x < 0.5");
  });

  it("[CO17] of a value that never comes back are crossed once, and in their direction only", async () => {
    expect(last(await run("up", scenario("fmi2/Dahlquist", "decay.x > 0.5")), "keeper.n")).toBe(0);
    expect(last(await run("beyond", scenario("fmi2/Dahlquist", "decay.x < 2")), "keeper.n")).toBe(
      0,
    );
  });

  it("[CO23] may be those of a third FMU, which is located as well", async () => {
    const text = `${scenario("fmi2/Dahlquist", "other.x < 0.5")}`.replace(
      "units:",
      `units:\n  other: ${fmu("fmi2/Dahlquist")}`,
    );
    const { trace, outcome } = await run("foreign", text);
    expect(outcome.kind).toBe("completed");
    const [u, n, at] = trace.columns.map(({ data }) => Number(data[data.length - 1]));
    const own = await run("own", scenario("fmi2/Dahlquist", "decay.x < 0.5"));
    const expected = own.trace.columns.map(({ data }) => Number(data[data.length - 1]));
    expect([n, at]).toEqual(expected.slice(1));
    // The source takes other steps of its own on the way there.
    expect(Math.abs((u ?? 0) - (expected[0] ?? 0))).toBeLessThan(1e-3);
  });
});

describe("units that do not report updates", () => {
  const scenario = (version: string): string => `units:
  stair: { fmu: ${fmu(`${version}/Stair`)}, set: { period: 0.37 } }
  keeper: keeper.machine.yaml
experiment: { stop: 2 s, step: 100 ms }
master: event-driven
record: [keeper.u, keeper.n, keeper.at]
connections:
  - stair.counter -> keeper.u
`;
  // At 0.37, 0.74, …, 1.85.
  const count = Math.floor(2 / 0.37);

  it("[CO18] exchange discrete outputs of FMI 2 by change, at the instant of it where the unit can roll back", async () => {
    const done = await run("stair2", scenario("fmi2"));
    expect(last(done, "keeper.n")).toBe(count);
    expect(last(done, "keeper.u")).toBe(1 + count);
    expect(Math.abs(last(done, "keeper.at") - 0.37 * count)).toBeLessThan(2e-10);
    expect(done.master?.notes).toContain(
      `stair.counter -> keeper.u (when updated): ${count} values`,
    );
  });

  it("[CO19] with event mode exchange at their events, without being stepped in between", async () => {
    const done = await run("stair3", scenario("fmi3"));
    expect(last(done, "keeper.n")).toBe(count);
    expect(Math.abs(last(done, "keeper.at") - 0.37 * count)).toBeLessThan(1e-12);
  });
});

describe("clocks", () => {
  it("[CO19] of FMI 3 send and receive events, each once", async () => {
    const done = await run(
      "bounces",
      `units: { ball: ${fmu("fmi3/BouncingBallClocked")}, counter: ${fmu("fmi3/Counter")} }
experiment: { stop: 3 s, step: 100 ms }
master: event-driven
connections:
  - ball.bounce -> counter.tick
  - { from: ball.impact, to: counter.weight, suppress: [unit] }
  - ball.bounces -> counter.u
`,
    );
    // Eleven bounces, and each is heard at the speed of its impact: a geometric series from sqrt(2
    // g h) on.
    expect(last(done, "counter.count")).toBe(11);
    expect(last(done, "counter.changes")).toBe(11);
    const first = Math.sqrt(2 * 9.81);
    const sum = (first * (1 - 0.7 ** 11)) / (1 - 0.7);
    expect(Math.abs(last(done, "counter.sum") - sum)).toBeLessThan(1e-9);
  });
});

describe("events of a machine", () => {
  it("[CO19] reach clocks, and are refused where event mode is off", async () => {
    lab.write(
      "a.machine.yaml",
      "machine: a\nevents: [tick]\nstates: { a: [{ after: 1 s, do: emit tick, to: a }] }\n",
    );
    const scenario = (master: string): string =>
      `units: { a: a.machine.yaml, counter: ${fmu("fmi3/Counter")} }
experiment: { stop: 5 s, step: 1 s }
master: ${master}
connections: [a.tick -> counter.tick]
`;
    for (const master of ["event-driven", "jacobi"])
      expect(last(await run("ticks", scenario(master)), "counter.count")).toBe(5);
    const off = scenario("{ name: jacobi, eventMode: false }");
    await expect(run("mixed", off)).rejects.toThrow("events-mixed");
  });
});

describe("a synchronization tolerance", () => {
  it("[CO20] lets units exchange while they are a little apart", async () => {
    const scenario = (tolerance: string): string => `units:
  a: a.machine.yaml
  b: b.machine.yaml
experiment: { stop: 10 s, step: 1 s }
record: [b.n, b.at]
connections:
  - { from: a.tick, to: b.hit, when: event${tolerance} }
`;
    lab.write(
      "a.machine.yaml",
      "machine: a\nevents: [tick]\nstates: { a: [{ after: 1 s, do: emit tick, to: a }] }\n",
    );
    lab.write(
      "b.machine.yaml",
      `machine: b
inputs: { hit: event }
outputs: { n: { type: integer, start: 0 }, at: 0 }
states: { a: [{ on: hit, do: "n := n + 1; at := time", to: a }] }
`,
    );
    const exact = await run("exact", scenario(""));
    const loose = await run("loose", scenario(", tolerance: 10 ms"));
    expect([last(exact, "b.n"), last(exact, "b.at")]).toEqual([10, 10]);
    expect(last(loose, "b.n")).toBe(10);
    // Each event is taken within the tolerance, never before it occurred.
    const at = loose.trace.columns.find(({ name }) => name === "b.at")?.data as Float64Array;
    const seen = [...new Set(at)].filter((time) => time > 0);
    expect(seen.length).toBe(10);
    seen.forEach((time, k) => {
      expect(time).toBeGreaterThanOrEqual(k + 1);
      expect(time).toBeLessThanOrEqual(k + 1.01);
    });
    await expect(run("negative", scenario(", tolerance: -1 s"))).rejects.toThrow(
      "a time of 0 or more",
    );
  });
});
