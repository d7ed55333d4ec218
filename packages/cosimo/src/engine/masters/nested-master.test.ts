/**
 * A scenario with a master of its own that decides at run time, as a unit of another scenario.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { describeScenario } from "../../model/resolve-scenario-nested.ts";
import type { Scenario } from "../../model/scenario.ts";
import { compilePlan } from "../../plan/compile.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { scenarioUnit } from "../scenario-unit.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES } from "../testing/coupled-masses.ts";
import { runUnits } from "../testing/run-units.ts";

/** The coupled masses under `master`, with x of the left one shown. */
function inner(master: string, options: Readonly<Record<string, unknown>> = {}): Unit {
  const units = coupledMasses();
  const { left, right } = units;
  const flat = scenarioOf({ left: left.description, right: right.description }, MASSES_WIRES, {
    step: 0.1,
    master,
    options,
  });
  const port = left.description.ports.findIndex(({ name }) => name === "x");
  const scenario: Scenario = { ...flat, ports: [{ name: "x", inner: { unit: 0, port } }] };
  const { plan } = unwrap(compilePlan(scenario, { record: [], isNested: true }));
  return scenarioUnit("inner", describeScenario(scenario), scenario, plan, [left, right]);
}

/** Follows its input: x' = u - x. */
const follower = (): Unit =>
  linearUnit(
    { name: "follower", inputs: { u: {} }, states: { x: {} }, a: [[-1]], b: [[1]] },
    "follower",
  );

describe("a scenario inside another one", () => {
  it.each(["iterative", "adaptive"])("[IT18] keeps its own master: %s", async (master) => {
    const options = { tolerance: 1e-10, ...(master === "adaptive" ? { relative: 1e-7 } : {}) };
    const flat = await runUnits({ ...coupledMasses() }, MASSES_WIRES, MASSES_STATES, {
      step: 0.1,
      stop: 5,
      master,
      options,
    });
    const nested = await runUnits(
      { inner: inner(master, options), follower: follower() },
      "inner.x -> follower.u",
      ["inner.x"],
      { step: 0.1, stop: 5, master: "jacobi" },
    );
    expect(nested.outcome.kind).toBe("completed");
    if (master === "iterative") expect(nested.values["inner.x"]).toEqual(flat.values["left.x"]);
    // Another grid cuts its steps elsewhere; the answer is the same to tolerance.
    else expect(nested.values["inner.x"].at(-1)).toBeCloseTo(flat.values["left.x"].at(-1)!, 5);
  });

  it("[IT18] is rolled back with what its master knows", () => {
    const run = (unit: Unit, times: readonly number[]): number[] => {
      const port = unit.description.ports.findIndex(({ name }) => name === "x");
      const access = unit.bind([{ port, slot: 0 }]);
      const banks = { f64: new Float64Array(1), i64: new BigInt64Array(0), obj: [] };
      return times.slice(1).map((time, n) => {
        unit.advance(times[n], { kind: "time", time });
        unit.read(access, banks);
        return banks.f64[0];
      });
    };
    const unit = inner("adaptive");
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    run(unit, [0, 0.3, 0.7]);
    const here = unit.save();
    const first = run(unit, [0.7, 0.9, 1.6, 2]);
    unit.restore(here);
    expect(run(unit, [0.7, 0.9, 1.6, 2])).toEqual(first);
    const bytes = unit.serialize(here);
    const other = inner("adaptive");
    other.enterInitialization({ start: 0 });
    other.exitInitialization();
    other.restore(other.deserialize(bytes));
    expect(run(other, [0.7, 0.9, 1.6, 2])).toEqual(first);
  });
});
