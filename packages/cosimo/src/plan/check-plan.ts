/**
 * Checks that a plan can be executed, and that every step of it is a valid co-simulation step,
 * without trust in the compiler. The six conditions follow the definition of a valid co-simulation
 * step for units whose inputs are reactive or delayed (Gomes, Property Preservation in
 * Co-simulation, 2019, definitions 37 to 44):
 *
 *   1  what is used was read from the newest state
 *   2  every unit is advanced exactly once, by its whole step
 *   3  every connected input is written between two advances
 *   4  what was read reaches the inputs it feeds
 *   5  interpolated inputs get the source's value at the end of the step
 *   6  held and extrapolated inputs get values up to the start of the step
 *
 * Several rates: "at t" means the newest communication point of the source that is not after t. A
 * loop that is broken by a delay is the one exception: there a value may be one step old.
 *
 * The plan is executed over two of its periods with stamps in place of numbers, so the cost is that
 * of a few ticks. That is about as much as planning costs, so `cosimo check` and tests do it, and
 * runs do not.
 */
import { type Diagnostic, diagnose, type Place } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { placeOf } from "../model/scenario-ports.ts";
import type { Report } from "./check-plan-conditions.ts";
import { PLAN_CHECK_RULES } from "./check-plan-diagnostics.ts";
import { PlanMachine } from "./check-plan-machine.ts";
import { checkStructure } from "./check-plan-structure.ts";
import { Wiring } from "./check-plan-wiring.ts";
import type { Plan } from "./plan.ts";

/** Ops after which a long period is abandoned; a machine executes some millions per second. */
const MAX_VISITS = 2_000_000;
/** Ticks that are always checked: histories reach back three samples. */
const MIN_TICKS = 4;
const MAX_FINDINGS = 20;

export function checkPlan(plan: Plan, scenario: Scenario): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  const add: Report = (code, where, what, place: Place) => {
    // The same op is executed every tick: its first finding suffices.
    const key = `${code} ${where.startsWith("tick") ? what : `${where} ${what.replace(/tick \d+/g, "")}`}`;
    if (found.size < MAX_FINDINGS && !found.has(key))
      found.set(key, diagnose(PLAN_CHECK_RULES, code, { where, what }, place));
  };
  const file = placeOf(scenario);
  checkStructure(plan, scenario, (where, what) => add("plan-malformed", where, what, file));
  if (found.size > 0) return [...found.values()];
  const period = hyperperiod(plan);
  const wanted = Math.max(MIN_TICKS, 2 * period);
  const wiring = new Wiring(plan, scenario);
  const machine = new PlanMachine(plan, scenario, add, wiring);
  machine.begin();
  let checked = 0;
  while (checked < wanted && (machine.visits < MAX_VISITS || checked < MIN_TICKS))
    machine.step(++checked);
  checkAgain(new PlanMachine(plan, scenario, add, wiring), Math.min(period, checked));
  const diagnostics = [...found.values()];
  if (checked < wanted && diagnostics.length === 0)
    diagnostics.push(diagnose(PLAN_CHECK_RULES, "plan-check-partial", { checked, period }, file));
  return diagnostics;
}

/** The same when signals are resolved again between steps. */
function checkAgain(machine: PlanMachine, ticks: number): void {
  machine.begin();
  machine.again(0);
  for (let tick = 1; tick <= ticks && machine.visits < MAX_VISITS; tick++) {
    machine.step(tick);
    machine.again(tick);
  }
}

/** Ticks after which the pattern of steps and records repeats. */
export function hyperperiod(plan: Pick<Plan, "units" | "record">): number {
  let period = plan.record.every;
  for (const { ticks } of plan.units)
    period = (period / greatestCommonDivisor(period, ticks)) * ticks;
  return period;
}

function greatestCommonDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
