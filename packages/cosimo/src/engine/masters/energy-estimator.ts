/**
 * Power that is made or lost between the two ends of a bond because inputs are not what they should
 * be: a defect of the exchanged energy in place of one of every signal. Nothing is rolled back.
 * Inputs that belong to no bond do not count.
 */
import { StepEstimator } from "./error-estimator.ts";
import { InputDefects } from "./milne.ts";

export class EnergyEstimator extends StepEstimator {
  readonly isDefect = true;
  readonly needsRollback = false;
  private readonly inputs = new InputDefects(this.coupling, this.method);

  take(to: number, isRough = false): boolean {
    if (!this.inputs.take(to, isRough)) return false;
    const { defects, actual } = this.inputs;
    this.errors.fill(0);
    for (const { effortInput: e, flowInput: f } of this.coupling.plan.bonds) {
      // What one side gives, effort · used flow, against what the other gets, used effort · flow.
      // Both parts count: where they cancel, energy is right by chance and the signals are not.
      const residual = Math.abs(actual[e] * defects[f]) + Math.abs(actual[f] * defects[e]);
      const error = residual / this.tolerances.ofProduct(e, f, actual[e] * actual[f]);
      this.errors[e] = Math.max(this.errors[e], error);
      this.errors[f] = Math.max(this.errors[f], error);
    }
    return true;
  }
}
