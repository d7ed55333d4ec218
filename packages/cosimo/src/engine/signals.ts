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
  /** Where an executor that collects rows may keep them, so that they outlive the process. */
  readonly rowMemory?: RowMemory;
}

/**
 * Memory backed by a file, 8-byte words. [0] is the tick of the first row that was not handed on
 * (0: none), the rows follow, one word per column. A row that is not written yet holds `NO_ROW` in
 * every word.
 */
export interface RowMemory {
  readonly address: number;
  readonly bytes: Uint8Array;
}

/** A NaN that no computation makes. */
export const NO_ROW = 0x7ff8c051c051c051n;

/** Binds a plan to its units, which come in the plan's order. */
export function bindPlan(plan: Plan, units: readonly Unit[]): PlanState {
  return {
    plan,
    units,
    accesses: plan.accesses.map(({ unit, slots }) => units[unit].bind(slots)),
    banks: makeBanks(plan.sizes),
  };
}

/** Where the events lie that are recorded: transient ports, clocks among them. */
export function eventSlots({ plan, units }: PlanState): number[] {
  return plan.record.columns.flatMap(({ unit, port, bank, slot }) =>
    bank === "f64" && units[unit]?.description.ports[port]?.nature === "transient" ? [slot] : [],
  );
}
