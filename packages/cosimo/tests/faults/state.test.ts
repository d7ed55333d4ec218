/**
 * What faults carry: saved, restored, serialized; nested scenarios; capabilities and derivatives.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { faultyUnit } from "../../src/faults/faulty-unit.ts";
import { applyFaults } from "../../src/model/apply-faults.ts";
import type { Scenario } from "../../src/model/scenario.ts";
import { makeBanks } from "../../src/model/value-type.ts";
import { compilePlan } from "../../src/plan/compile.ts";
import { defineScenario } from "../../src/run/define-scenario.ts";
import { simulateScenario } from "../../src/run/simulate-scenario.ts";
import { linearUnit } from "../../src/unit/linear-unit.ts";
import type { Unit } from "../../src/unit/unit.ts";
import { chain, columnOf, final, integrator, ramp } from "./systems.ts";

/** y = x + d·u, x' = -x + u: an output with feed-through, derivatives of every kind. */
const plant = (name: string): Unit =>
  linearUnit(
    {
      name: "plant",
      inputs: { u: { start: 1 } },
      states: { x: { start: 2 } },
      outputs: { y: {} },
      a: [[-1]],
      b: [[1]],
      c: [[1]],
      d: [[0.5]],
    },
    name,
  );

function faulty(faults: readonly string[], isSwitched = false): Unit {
  const { scenario } = defineScenario({ units: { plant }, faults, experiment: { step: 0.1 } });
  const [unit] = applyFaults(scenario).units;
  return faultyUnit(plant("plant"), unit!.faulty!, {
    description: unit!.description,
    step: 0.1,
    isSwitched,
  });
}

const ALL = [
  "plant.y delay 0.25 s at 0.3 s until 2 s",
  "plant.y noise 0.1 seed 4 every 0.15 s at 0.2 s",
  "plant.u drift 0.5 at 0.4 s until 1.5 s",
  "plant.y drop-out 0.4 seed 9 every 0.2 s at 0.6 s",
  "plant frozen at 1.1 s for 0.3 s",
  "plant.u stuck on plant.x < 1.6 for 0.35 s",
];

/** What the unit shows at its outputs. */
function shown(unit: Unit): number[] {
  const ports = unit.description.ports.filter(({ direction }) => direction === "output");
  const banks = makeBanks({ f64: ports.length });
  unit.read(unit.bind(ports.map(({ index }, slot) => ({ port: index, slot }))), banks);
  return [...banks.f64];
}

function steps(unit: Unit, from: number, to: number): number[][] {
  const input = unit.bind([{ port: 0, slot: 0 }]);
  return Array.from({ length: to - from }, (_, k) => {
    const tick = from + k;
    unit.write(input, { ...makeBanks({}), f64: Float64Array.of(Math.sin(tick)) });
    unit.advance(tick * 0.1, { kind: "time", time: (tick + 1) * 0.1 });
    return shown(unit);
  });
}

function begun(faults: readonly string[]): Unit {
  const unit = faulty(faults);
  unit.enterInitialization({ start: 0 });
  unit.exitInitialization();
  return unit;
}

describe("the state of a unit with faults", () => {
  it("[FA18] saving and restoring at any step changes nothing, nor do bytes in between", () => {
    const whole = steps(begun(ALL), 0, 25);
    const kinds = new Set<string>();
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 24 }),
        fc.integer({ min: 1, max: 10 }),
        fc.subarray(ALL, { minLength: 1 }),
        (at, beyond, faults) => {
          const reference = faults.length === ALL.length ? whole : steps(begun(faults), 0, 25);
          const unit = begun(faults);
          steps(unit, 0, at);
          const saved = unit.save();
          const bytes = unit.serialize(saved);
          steps(unit, at, Math.min(25, at + beyond));
          unit.restore(saved);
          expect(steps(unit, at, 25)).toEqual(reference.slice(at));
          const other = begun(faults);
          other.restore(other.deserialize(bytes));
          expect(steps(other, at, 25)).toEqual(reference.slice(at));
          for (const fault of faults) kinds.add(fault);
          unit.release(saved);
        },
      ),
      { numRuns: 60, seed: 5 },
    );
    expect(kinds.size).toBe(ALL.length);
  });

  it("[FA18] a unit that is reset does the same again", () => {
    const unit = begun(ALL);
    const first = steps(unit, 0, 20);
    unit.terminate();
    unit.reset();
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    expect(steps(unit, 0, 20)).toEqual(first);
  });
});

describe("what a unit with faults can do", () => {
  it("[FA21] claims what still holds: no derivatives through delays and flipped bits, no levels of faulty outputs", () => {
    const healthy = plant("plant").description.capabilities;
    expect(healthy.directionalDerivatives).toBe(true);
    const of = (fault: string) => faulty([fault]).description.capabilities;
    expect(of("plant.y gain 2 at 1 s")).toEqual({
      ...healthy,
      predicates: healthy.predicates.filter((one) => one !== "threshold"),
    });
    expect(of("plant.y delay 1 s at 1 s")).toMatchObject({
      directionalDerivatives: false,
      outputDerivativeOrder: 0,
      inputDerivativeOrder: healthy.inputDerivativeOrder,
    });
    expect(of("plant.u bit-flip 3 at 1 s")).toMatchObject({
      directionalDerivatives: false,
      inputDerivativeOrder: 0,
      outputDerivativeOrder: healthy.outputDerivativeOrder,
    });
  });

  it("[FA22] derivatives are those of the faulty values", () => {
    const derivative = (faults: readonly string[]): number => {
      const unit = begun(faults);
      steps(unit, 0, 2);
      const out = Float64Array.of(0);
      const y = unit.description.ports.find(({ name }) => name === "y")!.index;
      unit.directionalDerivative([y], [0], Float64Array.of(1), out);
      return out[0] as number;
    };
    expect(derivative(["plant.y offset 3"])).toBeCloseTo(0.5, 12);
    expect(derivative(["plant.y gain 3"])).toBeCloseTo(1.5, 12);
    expect(derivative(["plant.y gain 3", "plant.u gain -2"])).toBeCloseTo(-3, 12);
    expect(derivative(["plant.y stuck 3"])).toBe(0);
    expect(derivative(["plant frozen"])).toBe(0);
  });

  it("[FA22] an input that drifts does so within a step, where its unit takes slopes", () => {
    const scenario = chain(
      ["sum.u drift 2 at 1 s"],
      { level: 0, rate: 0 },
      { master: "iterative" },
    );
    return simulateScenario(scenario).then((run) => {
      // The integral of 2 (t - 1) from 1 to 4.
      expect(final(run, "sum.x")).toBeCloseTo(9, 9);
    });
  });

  it("[FA21] feed-through stays that of the unit; a track follows nothing but its condition", () => {
    const { scenario } = defineScenario({
      units: { plant, other: ramp(0, 1) },
      faults: ["plant.y stuck 0 while other.y > 1"],
    });
    const { description } = applyFaults(scenario).units[0]!;
    const port = (name: string) => description.ports.find((one) => one.name === name)!;
    expect(port("y").feedThrough).toEqual([port("u").index]);
    expect(port("fault.plant.y").feedThrough).toEqual([port("fault.plant.y.other.y").index]);
  });
});

describe("nested scenarios", () => {
  it("[FA19] have faults of their own, at their instants, with tracks in the trace around them", async () => {
    for (const master of ["jacobi", "iterative"]) {
      const inner = defineScenario({
        name: "inner",
        units: { source: ramp(2, 0), sum: integrator() },
        connections: ["source.y -> sum.u"],
        ports: { x: "sum.x" },
        experiment: { step: 0.5 },
        faults: ["source.y stuck 0 at 1.3 s for 1.4 s as jam"],
        master,
      });
      const outer = defineScenario({
        units: { cell: inner, beside: ramp(0, 1) },
        experiment: { stop: 4, step: 1 },
        master: "jacobi",
      });
      const run = await simulateScenario(outer);
      expect(run.outcome.kind).toBe("completed");
      expect(final(run, "cell.x")).toBeCloseTo(2 * (4 - 1.4), 12);
      expect(columnOf(run, "fault.cell.jam")).toEqual([0, 0, 1, 0, 0]);
      expect(run.faults).toEqual([{ name: "cell.jam", activations: 1 }]);
    }
  });

  it("[FA19] a fault may act on a nested scenario as on any unit", async () => {
    const inner = defineScenario({
      name: "inner",
      units: { source: ramp(2, 0) },
      ports: { y: "source.y" },
      experiment: { step: 0.5 },
      master: "iterative",
    });
    const outer = defineScenario({
      units: { cell: inner, sum: integrator() },
      connections: ["cell.y -> sum.u"],
      experiment: { stop: 4, step: 0.5 },
      faults: ["cell.y gain 3 at 1.3 s", "cell frozen at 3 s"],
      master: "jacobi",
    });
    const run = await simulateScenario(outer);
    expect(final(run, "sum.x")).toBeCloseTo(2 * 1.3 + 6 * 2.7, 12);
  });
});

describe("plans of scenarios with faults", () => {
  const planOf = (scenario: Scenario) => compilePlan(applyFaults(scenario), { record: [] });

  it("[FA20] a scenario without faults is left alone", () => {
    const { scenario } = chain([], { level: 0, rate: 1 });
    expect(applyFaults(scenario)).toBe(scenario);
  });

  it("[FA11] instants on communication points need no more than a straight plan, others do", () => {
    const isStraight = (fault: string, master = "jacobi") => {
      const { scenario } = chain([fault], { level: 0, rate: 1 }, { master });
      return unwrap(planOf(scenario)).plan.coupling === undefined;
    };
    expect(isStraight("source.y stuck 0 at 1 s for 2 s")).toBe(true);
    expect(isStraight("source.y noise 1 at 1 s for 2 s")).toBe(true);
    expect(isStraight("source.y stuck 0 at 1.2 s")).toBe(false);
    expect(isStraight("source.y stuck 0 while sum.x > 2")).toBe(false);
    expect(isStraight("source.y stuck 0 at 1 s", "gauss-seidel")).toBe(false);
  });

  it("[FA11] an instant that a unit of constant steps cannot meet is refused by the unit's name", () => {
    const { scenario } = chain(["source.y stuck 0 at 1.2 s as jam"], { level: 0, rate: 1 });
    const rigid = (description: Unit["description"]) => ({
      ...description,
      capabilities: { ...description.capabilities, variableStep: false },
    });
    const units = scenario.units.map((unit) =>
      unit.name === "sum" ? { ...unit, description: rigid(unit.description) } : unit,
    );
    const { diagnostics } = planOf({ ...scenario, units });
    expect(diagnostics.map(({ code, message }) => [code, message])).toContainEqual([
      "fault-off-grid",
      "the fault 'jam' changes at 1.2 s between communication points, and 'sum' cannot end a step of 0.5 s there",
    ]);
    const onGrid = chain(["source.y stuck 0 at 1.5 s"], { level: 0, rate: 1 });
    const fine = planOf({ ...onGrid.scenario, units: onGrid.scenario.units });
    expect(fine.diagnostics).toEqual([]);
  });

  it("[FA12] a condition that cannot be located is said to be late", () => {
    const { scenario } = chain(["sum.u stuck 0 while time > 2.7 as far"], {
      level: 0,
      rate: 1,
    });
    expect(planOf(scenario).diagnostics.map(({ code }) => code)).toContain("fault-at-points");
  });
});
