/**
 * Runs a plan the way its master works: in common steps, or coordinated by triggers.
 */
import type { Outcome } from "../base/outcome.ts";
import { runCoordination } from "../coordinate/run-coordination.ts";
import { type RunPlanOptions, runPlan } from "../engine/run-plan.ts";
import { MASTERS } from "../model/masters.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Plan } from "../plan/plan.ts";
import type { Unit } from "../unit/unit.ts";

/** @returns how the run ended; a failing unit is an outcome, not an exception. */
export function executePlan(
  plan: Plan,
  scenario: Scenario,
  units: readonly Unit[],
  options: RunPlanOptions,
): Promise<Outcome> {
  const run = MASTERS[plan.master].coordinates ? runCoordination : runPlan;
  return run(plan, scenario, units, options);
}
