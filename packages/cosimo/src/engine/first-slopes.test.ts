/**
 * The start of quadratic extrapolation: what order a run has that begins without a past.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { Scenario } from "../model/scenario.ts";
import { compilePlan } from "../plan/compile.ts";
import { type ScenarioOptions, scenarioOf } from "../plan/testing/scenario-of.ts";
import type { Unit } from "../unit/unit.ts";
import { scenarioUnit } from "./scenario-unit.ts";
import { largestError } from "./testing/achieved-error.ts";
import {
  COUPLED_MASSES,
  type MeasuredSystem,
  VAN_DER_POL_PAIR,
} from "./testing/adaptive-systems.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES } from "./testing/coupled-masses.ts";
import { limitedUnit } from "./testing/limited-unit.ts";
import { runUnits } from "./testing/run-units.ts";
import { crossing } from "./testing/thermostat.ts";

const STEPS = [0.04, 0.02, 0.01];
/** All rows are compared. */
const STOP = 4;
const QUADRATIC = { approximation: "quadratic" };

type Change = (unit: Unit) => Unit;
const asItIs: Change = (unit) => unit;
const stuck: Change = (unit) => limitedUnit(unit, { rollback: false });

/** Binary logarithms of how the largest error falls when the step is halved. */
async function ordersOf(
  optionsFor: (step: number) => ScenarioOptions,
  system: MeasuredSystem = COUPLED_MASSES,
  change: Change = asItIs,
): Promise<number[]> {
  const errors: number[] = [];
  for (const step of STEPS) {
    const units = Object.entries(system.units()).map(([name, unit]) => [name, change(unit)]);
    const run = await runUnits(Object.fromEntries(units), system.wires, system.states, {
      step,
      stop: STOP,
      options: QUADRATIC,
      ...optionsFor(step),
    });
    expect(run.outcome.kind).toBe("completed");
    errors.push(largestError(system, run));
  }
  return errors.slice(1).map((error, i) => Math.log2(errors[i] / error));
}

function expectOrder(orders: readonly number[], order: number): void {
  for (const found of orders) expect(Math.abs(found - order)).toBeLessThan(0.4);
}

describe("explicit quadratic extrapolation", () => {
  it("[EN21] has order 3 under jacobi", async () => {
    expectOrder(await ordersOf(() => ({ master: "jacobi" })), 3);
  });

  it("[EN21] has order 3 under gauss-seidel, where no input is interpolated", async () => {
    expectOrder(await ordersOf(() => ({ master: "gauss-seidel" }), VAN_DER_POL_PAIR), 3);
  });

  it("[EN21] has order 3 with units of different steps", async () => {
    const options = (step: number): ScenarioOptions => ({
      master: "jacobi",
      steps: { right: 2 * step },
    });
    // Between its own points the slower unit shows old values.
    const left = { ...COUPLED_MASSES, states: MASSES_STATES.slice(0, 2) };
    expectOrder(await ordersOf(options, left), 3);
  });

  it("[EN21] has order 3 under masters that decide at run time, across events too", async () => {
    const events = [crossing([0, 1], 0.3, "any")];
    expectOrder(await ordersOf(() => ({ master: "jacobi", extras: { events } })), 3);
  });

  it.each(["a plan", "a master that decides at run time"])(
    "[EN21] has order 2 where a unit cannot roll back, and check says so (%s)",
    async (how) => {
      const limits = how === "a plan" ? [] : [{ kind: "at" as const, times: [STOP] }];
      const options: ScenarioOptions = { master: "jacobi", extras: { limits } };
      expectOrder(await ordersOf(() => options, COUPLED_MASSES, stuck), 2);
      const { left, right } = coupledMasses();
      const found = (change: Change): readonly string[] => {
        const descriptions = { left: change(left).description, right: change(right).description };
        const all = { step: 0.1, options: QUADRATIC, ...options };
        const scenario = scenarioOf(descriptions, MASSES_WIRES, all);
        return compilePlan(scenario, { record: [] }).diagnostics.map(({ code }) => code);
      };
      expect(found(stuck)).toEqual(["quadratic-without-rollback"]);
      expect(found(asItIs)).toEqual([]);
    },
  );

  it("[EN21] starts inside a nested scenario as it does outside", async () => {
    const options = { step: 0.1, master: "jacobi", options: QUADRATIC };
    const flat = await runUnits({ ...coupledMasses() }, MASSES_WIRES, ["left.x"], {
      ...options,
      stop: 1,
    });
    const { left, right } = coupledMasses();
    const described = { left: left.description, right: right.description };
    const port = left.description.ports.findIndex(({ name }) => name === "x");
    const scenario: Scenario = {
      ...scenarioOf(described, MASSES_WIRES, options),
      ports: [{ name: "x", inner: { unit: 0, port } }],
    };
    const { plan } = unwrap(compilePlan(scenario, { record: [], isNested: true }));
    const inner = scenarioUnit("inner", describeScenario(scenario), scenario, plan, [left, right]);
    const nested = await runUnits({ inner }, "", ["inner.x"], { step: 0.1, stop: 1 });
    expect(nested.values["inner.x"]).toEqual(flat.values["left.x"]);
  });
});
