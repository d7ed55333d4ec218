/**
 * Richardson's estimate: a step against two half steps. The run goes on from the half steps, whose
 * error is what the difference says it is. Knows nothing of how inputs act on units, so that it
 * measures what really comes out; costs three steps in place of two.
 */

import { StepEstimator } from "./error-estimator.ts";
import { hasMiddle, middle, withinStep } from "./half-steps.ts";
import { TrajectoryKinds } from "./trajectory-kinds.ts";

export class Richardson extends StepEstimator {
  readonly isDefect = false;
  readonly needsRollback = true;
  override readonly needsPast = false;
  private readonly kinds = new TrajectoryKinds(this.coupling);
  private readonly coarse = new Float64Array(this.coupling.size);
  private readonly fine = new Float64Array(this.coupling.size);

  override get exponent(): number {
    return this.method.order + 1;
  }

  take(to: number): boolean {
    const { coupling, method } = this;
    const from = coupling.time;
    const part = this.kinds.halvedPart(to - from);
    if (!method.step(to)) return false;
    coupling.signals(this.coarse);
    this.errors.fill(0);
    // Nothing can be shorter than that.
    if (!hasMiddle(from, to)) return true;
    coupling.goBackToStart();
    if (!method.step(middle(from, to))) return false;
    if (!withinStep(coupling, () => method.step(to))) return false;
    coupling.signals(this.fine);
    for (let i = 0; i < coupling.size; i++) {
      const fine = this.fine[i];
      const coarse = this.coarse[i];
      const allowed = this.tolerances.ofStep(i, fine, coarse, method.order);
      this.errors[i] = (Math.abs(fine - coarse) * part) / allowed;
    }
    return true;
  }
}
