/**
 * A nested scenario brought to life. Files and scenarios in code come here alike, because both must
 * check the same thing before a run: that the steps inside fit into the steps outside.
 */
import { DiagnosticsError, diagnose, type Place, unwrap } from "../base/diagnostic.ts";
import { applyFaults, trackRefs } from "../model/apply-faults.ts";
import type { Scenario } from "../model/scenario.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { compilePlan } from "../plan/compile.ts";
import type { Plan } from "../plan/plan.ts";
import { PLAN_DIAGNOSTICS } from "../plan/plan-diagnostics.ts";
import { fillsStep } from "../plan/rates.ts";
import type { Unit } from "../unit/unit.ts";
import { scenarioUnit } from "./scenario-unit.ts";

/** A scenario that is a unit of another, or of an adaptation. */
export interface NestedScenario {
  readonly scenario: Scenario;
  readonly description: UnitDescription;
  readonly place: Place;
}

/**
 * @param at the communication step of the unit outside, and the start of the run.
 * @param open makes the units inside.
 * @throws DiagnosticsError when the inner scenario cannot be planned, or its step does not fit.
 */
export async function openNestedUnit(
  name: string,
  { scenario, description, place }: NestedScenario,
  at: { readonly step: number; readonly start: number },
  open: (inner: Scenario, plan: Plan) => Promise<readonly Unit[]>,
): Promise<Unit> {
  const inner = applyFaults(scenario);
  const step = inner.experiment.step ?? at.step;
  const record = trackRefs(inner);
  const { plan } = unwrap(compilePlan(inner, { start: at.start, step, record, isNested: true }));
  // A master that decides at run time ends its steps wherever the scenario around it wants.
  if (!fillsStep(plan.step, at.step) && plan.coupling === undefined) {
    const params = { unit: name, inner: plan.step, outer: at.step };
    throw new DiagnosticsError([diagnose(PLAN_DIAGNOSTICS, "nested-step", params, place)]);
  }
  return scenarioUnit(name, description, inner, plan, await open(inner, plan));
}
