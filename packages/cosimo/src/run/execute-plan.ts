/**
 * Runs a plan the way its master works: in common steps, or coordinated by triggers.
 */
import type { Outcome } from "../base/outcome.ts";
import { runCoordination } from "../coordinate/run-coordination.ts";
import type { Distribution } from "../coordinate/run-distributed.ts";
import { countEvents } from "../engine/event-counts.ts";
import { recordedEvents } from "../engine/recorded-events.ts";
import { type RunPlanOptions, runPlan } from "../engine/run-plan.ts";
import { MASTERS } from "../model/masters.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Plan } from "../plan/plan.ts";
import type { Unit } from "../unit/unit.ts";

/**
 * @param distribution the processes that have the units, where these are to work without this one.
 * @returns how the run ended; a failing unit is an outcome, not an exception.
 */
export async function executePlan(
  plan: Plan,
  scenario: Scenario,
  units: readonly Unit[],
  options: RunPlanOptions,
  distribution?: Distribution,
): Promise<Outcome> {
  if (distribution !== undefined) {
    const { runDistributed } = await import("../coordinate/run-distributed.ts");
    return runDistributed(plan, scenario, units, options, distribution);
  }
  const { coordinates } = MASTERS[plan.master];
  // A straight plan exchanges everything in every step.
  const isStraight = plan.coupling === undefined && !coordinates;
  const counted = countEvents(scenario, units, isStraight);
  const recorded = recordedEvents(plan, scenario, coordinates ? [] : units, options.onRow);
  const run = coordinates ? runCoordination : runPlan;
  try {
    return await run(plan, scenario, counted.units, { ...options, onRow: recorded.onRow });
  } finally {
    const counts = [...counted.counts(), ...recorded.counts()];
    if (counts.length > 0) options.onEvents?.(counts);
  }
}
