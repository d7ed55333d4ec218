/**
 * Brings the real units of a scenario to where their steps are linearized: initialized as a run
 * would, and on to a time of the run where one is asked for.
 */
import { DiagnosticsError, diagnose } from "../base/diagnostic.ts";
import {
  enterInitialization,
  exitInitialization,
  exitToFirstEvent,
  resolveInitial,
} from "../engine/initialize-plan.ts";
import { Interpreter } from "../engine/interpreter.ts";
import { MasterRun } from "../engine/masters/run-master.ts";
import { bindPlan } from "../engine/signals.ts";
import { stepCount } from "../engine/simulate-unit.ts";
import type { Scenario } from "../model/scenario.ts";
import { placeOf } from "../model/scenario-ports.ts";
import { type Plan, timeOf } from "../plan/plan.ts";
import type { Unit } from "../unit/unit.ts";
import { SPECTRAL_DIAGNOSTICS } from "./spectral-diagnostics.ts";
import { unitElements } from "./step-model.ts";
import { UnitProbe } from "./unit-probe.ts";

export interface PointRequest {
  readonly scenario: Scenario;
  /** Of the scenario without events; its units are `units`, freshly instantiated. */
  readonly plan: Plan;
  readonly units: readonly Unit[];
  /** Seconds; default: the start. */
  readonly at?: number;
  readonly stop?: number;
}

/**
 * @returns a probe for every unit, at the operating point.
 * @throws DiagnosticsError when units cannot return to the point.
 */
export function probeUnits(request: PointRequest): UnitProbe[] {
  const { scenario, plan, units, at, stop } = request;
  checkPoint(request);
  const state = bindPlan(plan, units);
  const interpreter = new Interpreter(state);
  const options = { start: plan.start, ...(stop === undefined ? {} : { stop }) };
  enterInitialization(units, scenario.units, options);
  resolveInitial(state, interpreter);
  let time = plan.start;
  if (plan.coupling !== undefined) {
    exitToFirstEvent(state, interpreter);
    const run = new MasterRun(state, interpreter, {
      stop: Number.POSITIVE_INFINITY,
      onRow: () => undefined,
    });
    run.begin();
    if (at !== undefined && at > time) run.advanceTo(at);
    time = run.time;
  } else {
    exitInitialization(state, interpreter);
    const ticks = at === undefined ? 0 : stepCount(plan.start, at, plan.step, false);
    for (let tick = 1; tick <= ticks; tick++) interpreter.run(plan.segments.step, tick);
    time = timeOf(plan, ticks);
  }
  return units.map(
    (unit, u) => new UnitProbe(unit, scenario.units[u], unitElements(scenario, u), time, options),
  );
}

function checkPoint({ scenario, plan: { start }, units, at = start }: PointRequest): void {
  const place = placeOf(scenario);
  if (at < start)
    throw new DiagnosticsError([
      diagnose(SPECTRAL_DIAGNOSTICS, "point-before-start", { at, start }, place),
    ]);
  const stuck = units.filter(({ description }) => !description.capabilities.rollback);
  if (at === start || stuck.length === 0) return;
  const names = stuck.map(({ name }) => `'${name}'`).join(", ");
  throw new DiagnosticsError([
    diagnose(SPECTRAL_DIAGNOSTICS, "point-without-rollback", { units: names, at }, place),
  ]);
}
