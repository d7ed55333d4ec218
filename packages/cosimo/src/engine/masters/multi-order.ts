/**
 * The step twice, with inputs whose courses differ by one degree: the difference is the error of the simpler ones. The run
 * goes on from the better ones, so the error of the run falls as the tolerance does.
 */
import type { Coupling } from "./coupling.ts";
import type { ErrorEstimator, Tolerances } from "./error-estimator.ts";
import type { StepMethod } from "./step-method.ts";

export class MultiOrder implements ErrorEstimator {
  readonly exponent: number;
  readonly isDefect = false;
  readonly needsRollback = true;
  readonly errors: Float64Array;
  readonly #coupling: Coupling;
  readonly #method: StepMethod;
  readonly #tolerances: Tolerances;
  readonly #simple: Float64Array;
  readonly #better: Float64Array;

  constructor(coupling: Coupling, method: StepMethod, tolerances: Tolerances) {
    this.#coupling = coupling;
    this.#method = method;
    this.#tolerances = tolerances;
    this.exponent = method.order;
    this.errors = new Float64Array(coupling.size);
    this.#simple = new Float64Array(coupling.size);
    this.#better = new Float64Array(coupling.size);
  }

  take(to: number): boolean {
    const coupling = this.#coupling;
    if (!this.#method.step(to, 1)) return false;
    coupling.signals(this.#simple);
    coupling.goBack(coupling.start!);
    if (!this.#method.step(to)) return false;
    coupling.signals(this.#better);
    for (let i = 0; i < coupling.size; i++) {
      const simple = this.#simple[i]!;
      const better = this.#better[i]!;
      this.errors[i] = Math.abs(better - simple) / this.#tolerances.of(i, simple, better);
    }
    return true;
  }
}
