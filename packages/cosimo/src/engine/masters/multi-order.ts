/**
 * The step twice, with inputs whose trajectories differ by one degree: the difference is the error
 * of the simpler ones. The run goes on from the better ones, so the error of the run falls as the
 * tolerance does.
 */
import { StepEstimator } from "./error-estimator.ts";

export class MultiOrder extends StepEstimator {
  readonly isDefect = false;
  readonly needsRollback = true;
  private readonly simple = new Float64Array(this.coupling.size);
  private readonly better = new Float64Array(this.coupling.size);

  take(to: number): boolean {
    const { coupling } = this;
    if (!this.method.step(to, 1)) return false;
    coupling.signals(this.simple);
    coupling.goBackToStart();
    if (!this.method.step(to)) return false;
    coupling.signals(this.better);
    for (let i = 0; i < coupling.size; i++) {
      const simple = this.simple[i];
      const better = this.better[i];
      this.errors[i] = Math.abs(better - simple) / this.tolerances.of(i, simple, better);
    }
    return true;
  }
}
