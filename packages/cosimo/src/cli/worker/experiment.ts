/**
 * When a run starts and stops, and its step: the command line, over what the model says, over what
 * makes a decent plot.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { stepCount } from "../../engine/simulate-unit.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../../host/scenario-diagnostics.ts";
import { MASTERS } from "../../model/masters.ts";
import type { Experiment, UnitDescription } from "../../model/unit-description.ts";
import { type Plan, timeOf } from "../../plan/plan.ts";
import { mergeExperiment } from "../../run/plan-run.ts";
import type { RunHeader } from "../protocol/protocol.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";

export type ResolvedExperiment = RunHeader["experiment"];

/**
 * Number of communication steps where neither the request nor the model says anything: fine enough
 * for a plot.
 */
const DEFAULT_STEPS = 500;

/** @param preferredStep of the model, for a request and an experiment without one. */
export function resolveExperiment(
  request: Experiment,
  defaults: Experiment,
  preferredStep: number | undefined,
  report: (d: Diagnostic) => void,
): ResolvedExperiment {
  const { start = 0, stop: end = start + 1, ...merged } = mergeExperiment(request, defaults);
  // A default that the start was moved past does not count.
  const stop = request.stop !== undefined || end > start ? end : start + 1;
  const { step = preferredStep ?? defaultStep(start, stop), tolerance } = merged;
  const wrong = (option: string, message: string, fix: string): void =>
    report(diagnose(RUN_DIAGNOSTICS, "run-experiment-invalid", { message, fix }, { file: option }));
  if (!(stop > start))
    wrong(
      "--stop",
      `the stop time ${stop} is not after the start time ${start}`,
      `give --stop a time after ${start}`,
    );
  if (!(step > 0) && (stop > start || request.step !== undefined))
    wrong("--step", `the step ${step} is not positive`, "give --step a positive number of seconds");
  // Communication points that are the same double would never reach the stop time.
  const latest = Math.max(Math.abs(start), Math.abs(stop));
  if (step > 0 && latest + step === latest)
    wrong(
      "--step",
      `the step ${step} is too small: at t=${latest} two points are the same double`,
      `give --step more than ${latest * Number.EPSILON}`,
    );
  if (tolerance !== undefined && !(tolerance > 0))
    wrong(
      "--tolerance",
      `the tolerance ${tolerance} is not positive`,
      "give --tolerance a number such as 1e-6",
    );
  return { start, stop, step, ...present({ tolerance }) };
}

/** Fine enough for a plot, and easy to read. */
export function defaultStep(start: number, stop: number): number {
  return niceStep((stop - start) / DEFAULT_STEPS);
}

/** The next smaller of 1, 2, 5 × 10ⁿ. */
function niceStep(rough: number): number {
  if (!(rough > 0)) return rough;
  const exponent = Math.floor(Math.log10(rough));
  const power = 10 ** exponent;
  const digit = [5, 2, 1].find((d) => d * power <= rough * (1 + 1e-12)) ?? 1;
  return Number(`${digit}e${exponent}`);
}

/**
 * A unit that takes constant steps ends before a stop time that no whole number of them reaches.
 */
export function endsEarly(
  { start, stop, step }: ResolvedExperiment,
  unit: UnitDescription,
): Diagnostic[] {
  if (unit.capabilities.variableStep) return [];
  const steps = stepCount(start, stop, step, false);
  if (steps === stepCount(start, stop, step, true)) return [];
  const end = start + steps * step;
  return [diagnose(RUN_DIAGNOSTICS, "run-ends-early", { end, stop, step }, { file: "--step" })];
}

/** The fixed steps of a scenario end before a stop time that no whole number of them reaches. */
export function missesStop(plan: Plan, stop: number, file: string): Diagnostic[] {
  // A master that decides at run time makes its last step shorter; one without common steps has
  // none.
  if (plan.coupling !== undefined || MASTERS[plan.master].coordinates) return [];
  const last = timeOf(plan, stepCount(plan.start, stop, plan.step, false));
  if (Math.abs(last - stop) <= 1e-9 * Math.max(1, Math.abs(stop))) return [];
  const params = { stop, last, step: plan.step };
  return [diagnose(SCENARIO_LOAD_DIAGNOSTICS, "scenario-incomplete-stop", params, { file })];
}
