/**
 * What a plan needs at run time: its units, the accesses bound to them, the signal banks.
 */
import { type Banks, makeBanks } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import type { Access, Unit } from "../unit/unit.ts";

export interface PlanState {
  readonly plan: Plan;
  readonly units: readonly Unit[];
  readonly accesses: readonly Access[];
  readonly banks: Banks;
}

/** Binds a plan to its units, which come in the plan's order. */
export function bindPlan(plan: Plan, units: readonly Unit[]): PlanState {
  return {
    plan,
    units,
    accesses: plan.accesses.map(({ unit, slots }) => units[unit]!.bind(slots)),
    banks: makeBanks(plan.sizes),
  };
}
