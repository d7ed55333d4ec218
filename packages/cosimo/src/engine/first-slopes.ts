/**
 * Quadratic extrapolation before there is a past: a parabola needs three samples, and at the start
 * there is one. Inputs that are held over the first step err by its size, which leaves an error of
 * second order that is made once and stays. So the first step is tried with held inputs and rolled
 * back; its samples give the slopes that the first two steps extrapolate with, as if the signals
 * had come on straight lines. That is enough for the order 3 of the steps that follow. Units that
 * cannot all roll back start with held inputs.
 */
import { UnitError } from "../base/outcome.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import type { Plan } from "../plan/plan.ts";
import { copyBanks, fillBanks } from "../unit/banks.ts";
import { EarlyStop, type Interpreter } from "./interpreter.ts";
import type { PlanState } from "./signals.ts";

/** Whether a plan with units like these tries its first step. */
function learnsSlopes(
  { tracks }: Pick<Plan, "tracks">,
  units: readonly { readonly description: UnitDescription }[],
): boolean {
  return (
    tracks.some(({ approximation }) => approximation === "quadratic") &&
    units.every(({ description }) => description.capabilities.rollback)
  );
}

/** At tick 0, with the inputs of the first step written; they are written again. */
export function learnFirstSlopes(state: PlanState, interpreter: Interpreter): void {
  const { plan, units, banks } = state;
  if (!learnsSlopes(plan, units)) return;
  const { f64 } = banks;
  const before = copyBanks(banks);
  const snapshots = units.map((unit) => unit.save());
  const next = trySteps(state, interpreter);
  units.forEach((unit, u) => {
    unit.restore(snapshots[u]);
    unit.release(snapshots[u]);
  });
  fillBanks(banks, before);
  if (next === undefined) return;
  plan.tracks.forEach(({ approximation, history }, t) => {
    if (approximation !== "quadratic") return;
    f64[history + 1] = 2 * f64[history] - next[t];
    f64[history + 2] = 3 * f64[history] - 2 * next[t];
  });
  interpreter.run(plan.segments.inputs, 0);
}

/**
 * Steps until every quadratic track has one more sample. @returns these, by track; undefined: a
 * step failed, as it will again.
 */
function trySteps({ plan, banks }: PlanState, interpreter: Interpreter): Float64Array | undefined {
  const next = new Float64Array(plan.tracks.length);
  const quadratic = plan.tracks.filter(({ approximation }) => approximation === "quadratic");
  const last = quadratic.reduce((most, { sampleTicks }) => Math.max(most, sampleTicks), 0);
  try {
    for (let tick = 1; tick <= last; tick++) {
      interpreter.run(plan.segments.step, tick);
      plan.tracks.forEach(({ sampleTicks, history }, t) => {
        if (sampleTicks === tick) next[t] = banks.f64[history];
      });
    }
  } catch (error) {
    if (error instanceof EarlyStop || error instanceof UnitError) return undefined;
    throw error;
  }
  return next;
}
