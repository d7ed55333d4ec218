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

  const transient = (of: UnitDescription): UnitDescription => ({
    ...of,
    ports: of.ports.map((port) => ({ ...port, nature: "transient" })),
  });
  const predicates = ["event", "updated"] as const;
  const reporting = transient(
    describedUnit("-> y", { type: "boolean", capabilities: { predicates } }),
  );
  const nameless = (units: Readonly<Record<string, UnitDescription>>, text: string, step = 1) => {
    const scenario = scenarioOf(units, text, { step });
    return { ...scenario, master: { ...scenario.master, name: "" } };
  };
  const record = [{ unit: 0, port: 0, element: 0 }];

  it("[CO24] recorded events of a unit without event mode are shown at their instants", () => {
    const scenario = nameless({ m: reporting, p: moore }, "");
    const masterOf = (one: typeof scenario, recorded = record) =>
      compilePlan(one, { record: recorded }).value?.plan.master;
    expect(masterOf(scenario)).toBe("event-driven");
    expect(masterOf(scenario, [])).toBe("jacobi");
    expect(chooseMaster(scenario, false, record).reason).toContain("events of 'm.y' are recorded");
    const { diagnostics } = compilePlan(scenario, { record, master: "jacobi" });
    expect(diagnostics.map(({ code }) => code)).toEqual(["events-at-step-ends"]);
    const coupled = nameless({ m: reporting, p: moore, q: moore }, "p.y -> q.u");
    expect(masterOf(coupled)).toBe("jacobi");
  });

  it("[CO24] units that report what happens need no step, and others do", () => {
    const { experiment: _, ...alone } = nameless({ m: reporting }, "");
    const master = compilePlan({ ...alone, experiment: {} }, { record }).value?.plan.master;
    expect(master).toBe("event-driven");
    const beside = { ...nameless({ m: reporting, p: moore }, ""), experiment: {} };
    expect(compilePlan(beside, { record }).diagnostics.map(({ code }) => code)).toEqual([
      "step-missing",
    ]);
  });

  it("[CO24] a clock and an event choose 'event-driven'", () => {
    const clock = transient(
      describedUnit("-> y", { type: "clock", capabilities: { eventMode: true } }),
    );
    const event = transient(describedUnit("u ->", { type: "boolean" }));
    expect(chooseMaster(nameless({ a: clock, b: event }, "a.y -> b.u")).master).toBe(
      "event-driven",
    );
  });

  it("[PN69] is not iterated where a unit has a step of its own", () => {
    const scenario = scenarioOf({ a: canGoBack, b: canGoBack }, RING, { step: 1 });
    const [a, b] = scenario.units;
    const rates = { ...scenario, units: [{ ...a!, step: 0.5 }, b!] };
    expect(chooseMaster(scenario).master).toBe("iterative");
    expect(chooseMaster(rates).master).toBe("jacobi");
  });
});
