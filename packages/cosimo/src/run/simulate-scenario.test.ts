import { describe, expect, it } from "vitest";
import { DiagnosticsError } from "../base/diagnostic.ts";
import type { Trace } from "../record/trace.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { type DefinedScenario, defineScenario, type UnitInScenario } from "./define-scenario.ts";
import { simulateScenario } from "./simulate-scenario.ts";

/** x' = u, starts at 1. */
const integrator = (name = "plant"): Unit =>
  odeUnit(
    {
      name: "integrator",
      inputs: { u: { unit: "m/s" } },
      states: { x: { start: 1, unit: "m" } },
      derivatives: (_t, _x, [u], _p, dx) => {
        dx[0] = u!;
      },
    },
    name,
  );

/** y = -k e, with e in millimetres: -k/1000 per metre and second. */
const gain = (name = "gain"): Unit =>
  functionUnit(
    {
      name: "gain",
      parameters: { k: { start: 1 } },
      inputs: { e: { unit: "mm" } },
      outputs: { y: { unit: "mm/s", feedThrough: ["e"] } },
      evaluate: (_t, [e], [k], y) => {
        y[0] = -k! * e!;
      },
    },
    name,
  );

const LOOP = ["plant.x -> gain.e", "gain.y -> plant.u"];
const loop = (units: Readonly<Record<"plant" | "gain", UnitInScenario>>): DefinedScenario =>
  defineScenario({
    name: "decay",
    units,
    connections: LOOP,
    experiment: { stop: 1, step: 0.1 },
    record: ["plant.x"],
  });

const column = (trace: Trace, name: string): number[] =>
  Array.from(trace.columns.find((one) => one.name === name)!.data as Float64Array);

/** With held inputs the loop x' = -k x steps as x := (1 - k h) x. */
const decay = (k: number, step = 0.1, steps = 10): number[] =>
  Array.from({ length: steps + 1 }, (_, i) => (1 - k * step) ** i);

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i], 12);
  });
}

describe("a scenario in code", () => {
  it("connects units by name, converts their physical units and returns a trace", async () => {
    const { outcome, trace } = await simulateScenario(loop({ plant: integrator, gain }));
    expect(outcome).toEqual({ kind: "completed", time: 1, steps: 10 });
    expect(trace.meta.title).toBe("decay");
    expectClose(column(trace, "plant.x"), decay(1));
  });

  it("takes units themselves, resets them between runs and leaves them to their owner", async () => {
    const units = { plant: integrator(), gain: gain() };
    const scenario = loop(units);
    const first = await simulateScenario(scenario);
    const second = await simulateScenario(scenario);
    expect(second.trace).toEqual(first.trace);
    expect(units.plant.phase).toBe("terminated");
  });

  it("disposes what functions made for a run, also when the run cannot begin", async () => {
    const made: Unit[] = [];
    const remember = (unit: Unit): Unit => {
      made.push(unit);
      return unit;
    };
    const failing = loop({
      plant: () => remember(integrator()),
      gain: () => {
        if (made.length > 1) throw new Error("no more");
        return gain();
      },
    });
    await expect(simulateScenario(failing)).rejects.toThrow("no more");
    expect(made).toHaveLength(2);
    expect(made.map(({ phase }) => phase)).toEqual(["disposed", "disposed"]);
  });

  it("[EN32] warns of units that fail while they are disposed, and disposes the others", async () => {
    const plants: Unit[] = [];
    const stubborn = (name: string): Unit =>
      Object.defineProperty(gain(name), "dispose", {
        value: () => {
          throw new Error("not yet");
        },
      });
    const { outcome, diagnostics } = await simulateScenario(
      loop({
        gain: (name: string) => (plants.length === 0 ? gain(name) : stubborn(name)),
        plant: (name: string) => {
          plants.push(integrator(name));
          return plants.at(-1) as Unit;
        },
      }),
    );
    expect(outcome.kind).toBe("completed");
    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "unit-failed-late: 'gain' failed in dispose after the run had ended: Error: not yet",
    ]);
    expect(plants.map(({ phase }) => phase)).toEqual(["disposed", "disposed"]);
  });

  it("lets options go over the scenario: times, step, master, values, columns", async () => {
    const { trace } = await simulateScenario(loop({ plant: integrator, gain }), {
      stop: 0.5,
      step: 0.05,
      master: "gauss-seidel",
      set: { "gain.k": 2, "plant.x": 3 },
      record: ["plant.*"],
    });
    expect(trace.meta.entries).toMatchObject({ master: "gauss-seidel", step: "0.05" });
    expect(trace.columns.map(({ name }) => name)).toContain("plant.u");
    expectClose(
      column(trace, "plant.x"),
      decay(2, 0.05).map((x) => 3 * x),
    );
  });

  it("takes values with units, and a rate of its own for a unit", async () => {
    const scenario = defineScenario({
      units: { plant: { unit: integrator, set: { x: "50 cm" } }, gain: { unit: gain, step: 0.2 } },
      connections: LOOP,
      experiment: { stop: 0.4, step: 0.1 },
      record: ["plant.x"],
    });
    const { trace } = await simulateScenario(scenario);
    expectClose(column(trace, "plant.x"), [0.5, 0.45, 0.4, 0.36, 0.32]);
  });

  it("is a unit of another scenario, bit for bit the same when the steps are", async () => {
    const inner = defineScenario({
      name: "plant inside",
      units: { plant: integrator },
      ports: { u: "plant.u", x: "plant.x" },
    });
    const nested = defineScenario({
      units: { load: inner, gain },
      connections: ["load.x -> gain.e", "gain.y -> load.u"],
      experiment: { stop: 1, step: 0.1 },
      record: ["load.x"],
    });
    const flat = await simulateScenario(loop({ plant: integrator, gain }));
    const run = await simulateScenario(nested);
    expect(column(run.trace, "load.x")).toEqual(column(flat.trace, "plant.x"));
    expect(column((await simulateScenario(nested)).trace, "load.x")).toEqual(
      column(flat.trace, "plant.x"),
    );
  });

  it("refuses a nested scenario whose step does not fill the outer one", async () => {
    const inner = defineScenario({
      units: { plant: integrator },
      ports: { u: "plant.u", x: "plant.x" },
      experiment: { step: 0.04 },
    });
    const nested = defineScenario({
      units: { load: inner, gain },
      connections: ["load.x -> gain.e", "gain.y -> load.u"],
      experiment: { stop: 1, step: 0.1 },
    });
    await expect(simulateScenario(nested)).rejects.toThrow(
      /nested-step: 'load' works inside with steps of 0.04 s, which do not fill a step of 0.1 s/,
    );
  });

  it("[EN30] reports a unit that throws as an outcome, with its name, the call and the time", async () => {
    const bad = (name = "plant"): Unit => {
      const unit = integrator(name);
      const advance = unit.advance.bind(unit);
      unit.advance = (from, until) => {
        if (from >= 0.5) throw new RangeError("out of fuel");
        return advance(from, until);
      };
      return unit;
    };
    const inner = defineScenario({
      units: { plant: bad },
      ports: { u: "plant.u", x: "plant.x" },
    });
    for (const [units, name] of [
      [{ plant: bad, gain }, "plant"],
      [{ plant: bad(), gain }, "plant"],
      [{ plant: inner, gain }, "plant.plant"],
    ] as const) {
      const { outcome, trace } = await simulateScenario(loop(units), { stop: 1, step: 0.1 });
      expect(outcome).toMatchObject({
        kind: "failed",
        failure: { unit: name, call: "advance", status: "RangeError: out of fuel", time: 0.5 },
      });
      expect(trace.time.at(-1)).toBeCloseTo(0.5, 12);
    }
  });

  it("ends when the host says so and keeps what was recorded", async () => {
    const { outcome, trace } = await simulateScenario(loop({ plant: integrator, gain }), {
      stop: 1000,
      shouldStop: (time) => time >= 100,
    });
    expect(outcome.kind).toBe("cancelled");
    expect(trace.time.at(-1)).toBe(outcome.time);
  });

  it("says what is wrong with names, physical units, connections and times", async () => {
    const units = { plant: integrator, gain };
    const define = (connections: string[]) => () => defineScenario({ units, connections });
    expect(define(["plant.y -> gain.e"])).toThrow(DiagnosticsError);
    expect(define(["plant.x -> plant.u", "gain.y -> gain.e"])).toThrow("unit-mismatch");
    expect(define(["plant.x gain.e"])).toThrow("write 'unit.port -> unit.port'");
    const scenario = loop(units);
    await expect(simulateScenario(scenario, { set: { "gain.kk": 1 } })).rejects.toThrow(
      "did you mean 'gain.k'?",
    );
    await expect(simulateScenario(scenario, { set: { "gain.k": [1, 2] } })).rejects.toThrow(
      "1 elements, and 2 values",
    );
    const endless = defineScenario({ units, connections: LOOP, experiment: { step: 1 } });
    await expect(simulateScenario(endless)).rejects.toThrow("has no stop time");
  });

  it("[EN3] shows every row to observers of the run", async () => {
    const seen: (readonly [number, number])[] = [];
    const { trace } = await simulateScenario(
      loop({ plant: () => integrator(), gain: () => gain() }),
      {
        onRow: (time, [x]) => seen.push([time, Number(x)]),
      },
    );
    expect(seen.map(([time]) => time)).toEqual([...trace.time]);
    expect(seen.map(([, x]) => x)).toEqual(column(trace, "plant.x"));
  });
});
