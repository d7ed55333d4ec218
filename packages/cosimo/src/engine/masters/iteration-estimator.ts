/**
 * An error estimate that iterations give away: what the sources gave when their inputs were
 * predictions, against what they give when all agree. The first is an explicit step, the second an
 * implicit one, and their errors have a known ratio.
 */

import { StepEstimator } from "./error-estimator.ts";
import { type Degree, extrapolationMean, interpolationMean } from "./trajectory-defect.ts";
import { TrajectoryKinds } from "./trajectory-kinds.ts";

export class IterationEstimator extends StepEstimator {
  readonly isDefect = false;
  readonly needsRollback = false;
  private readonly kinds = new TrajectoryKinds(this.coupling);
  private readonly actual = new Float64Array(this.coupling.size);

  override get exponent(): number {
    return this.method.order + 1;
  }

  take(to: number): boolean {
    const { coupling, method, tolerances } = this;
    const h = to - coupling.time;
    if (!method.step(to)) return false;
    coupling.signals(this.actual);
    const { firstSweep: first } = method;
    if (first === undefined) throw new Error("internal: an explicit method has no first sweep");
    const { inputs, stages } = coupling.plan;
    for (let i = 0; i < coupling.size; i++) {
      const { source, integral } = inputs[i];
      if (integral !== undefined) continue; // its trajectories are means, which have no end to compare
      const difference = Math.abs(first[i] - this.actual[i]);
      // What an input does to an output at once is as wrong as the input; what it does through
      // states is what a step adds.
      const isDirect = source < 0 || stages[source].feedThrough;
      const part = isDirect ? this.kinds.defectPart(i, h) : this.stepPart(h);
      const [before, after] = [coupling.begin[i], this.actual[i]];
      const allowed = isDirect
        ? tolerances.of(i, before, after)
        : tolerances.ofStep(i, before, after, method.order);
      this.errors[i] = (difference * part) / allowed;
    }
    return true;
  }

  /**
   * The error of the implicit step relative to its distance from the explicit one; they lie on
   * opposite sides of the truth.
   */
  private stepPart(h: number): number {
    const { history } = this.coupling;
    const degree = Math.min(this.method.order - 1, history.count - 1) as Degree;
    const implicit = interpolationMean(degree, h, history.ago(1));
    return implicit / (implicit + extrapolationMean(degree, h, history.ago(1), history.ago(2)));
  }
}
