/**
 * The master of a scenario that names none, held to what the explanation recommends.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { chooseMaster } from "./choose-master.ts";
import { compilePlan } from "./compile.ts";
import { explainScenario } from "./explain/explain.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const moore = describedUnit("u -> y");
const reactive = describedUnit("u! -> y");
const mealy = describedUnit("u -> y", { through: "y" });
const canGoBack = describedUnit("u -> y", { through: "y", capabilities: { rollback: true } });
const RING = "a.y -> b.u; b.y -> a.u";

function chosen(
  units: Readonly<Record<string, UnitDescription>>,
  connections: string,
): { readonly plan: string; readonly recommended: string } {
  const scenario = scenarioOf(units, connections, { step: 1 });
  const unnamed = { ...scenario, master: { ...scenario.master, name: "" } };
  const compiled = unwrap(compilePlan(unnamed, { record: [] }));
  return {
    plan: compiled.plan.master,
    recommended: explainScenario(unnamed, compiled).recommendation.master,
  };
}

describe("a scenario without a master", () => {
  it.each([
    ["nothing coupled", { a: moore }, "", "jacobi"],
    ["a ring of units that declare nothing", { a: moore, b: moore }, RING, "jacobi"],
    ["a chain to a reactive input", { a: moore, b: reactive }, "a.y -> b.u", "gauss-seidel"],
    ["a ring of reactive inputs", { a: reactive, b: reactive }, RING, "gauss-seidel"],
    ["an algebraic loop that cannot go back", { a: mealy, b: mealy }, RING, "jacobi"],
    ["an algebraic loop that can", { a: canGoBack, b: canGoBack }, RING, "iterative"],
  ] as const)("[PN69] gets the recommended one: %s", (_, units, connections, master) => {
    expect(chosen(units, connections)).toEqual({ plan: master, recommended: master });
  });

  it("[PN69] is not iterated where a unit has a step of its own", () => {
    const scenario = scenarioOf({ a: canGoBack, b: canGoBack }, RING, { step: 1 });
    const [a, b] = scenario.units;
    const rates = { ...scenario, units: [{ ...a!, step: 0.5 }, b!] };
    expect(chooseMaster(scenario).master).toBe("iterative");
    expect(chooseMaster(rates).master).toBe("jacobi");
  });
});
