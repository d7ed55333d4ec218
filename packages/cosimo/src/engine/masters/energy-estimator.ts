/**
 * Power that is made or lost between the two ends of a bond because inputs are not what they should be: a defect of the
 * exchanged energy in place of one of every signal. Nothing is taken back. Inputs that belong to no bond are not looked at.
 */
import type { Coupling } from "./coupling.ts";
import type { ErrorEstimator, Tolerances } from "./error-estimator.ts";
import { InputDefects } from "./milne.ts";
import type { StepMethod } from "./step-method.ts";

export class EnergyEstimator implements ErrorEstimator {
  readonly exponent: number;
  readonly isDefect = true;
  readonly needsRollback = false;
  readonly errors: Float64Array;
  readonly #coupling: Coupling;
  readonly #tolerances: Tolerances;
  readonly #inputs: InputDefects;

  constructor(coupling: Coupling, method: StepMethod, tolerances: Tolerances) {
    this.#coupling = coupling;
    this.#tolerances = tolerances;
    this.#inputs = new InputDefects(coupling, method);
    this.exponent = method.order;
    this.errors = new Float64Array(coupling.size);
  }

  take(to: number, isRough = false): boolean {
    if (!this.#inputs.take(to, isRough)) return false;
    const { defects, actual } = this.#inputs;
    this.errors.fill(0);
    for (const { effortInput: e, flowInput: f } of this.#coupling.plan.bonds) {
      // What one side gives, effort · used flow, against what the other gets, used effort · flow. Both parts count: where they
      // cancel, energy is right by chance and the signals are not.
      const residual = Math.abs(actual[e]! * defects[f]!) + Math.abs(actual[f]! * defects[e]!);
      const error = residual / this.#tolerances.ofProduct(e, f, actual[e]! * actual[f]!);
      this.errors[e] = Math.max(this.errors[e]!, error);
      this.errors[f] = Math.max(this.errors[f]!, error);
    }
    return true;
  }
}
