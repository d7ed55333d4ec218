/**
 * Richardson's estimate: a step against two half steps. The run goes on from the half steps, whose error is what the
 * difference says it is. Knows nothing of how inputs act on units, so that it measures what really comes out; costs three steps in place
 * of two.
 */
import type { Coupling } from "./coupling.ts";
import { CourseKinds } from "./course-kinds.ts";
import type { ErrorEstimator, Tolerances } from "./error-estimator.ts";
import { hasMiddle, middle, withinStep } from "./half-steps.ts";
import type { StepMethod } from "./step-method.ts";

export class Richardson implements ErrorEstimator {
  readonly exponent: number;
  readonly isDefect = false;
  readonly needsRollback = true;
  readonly errors: Float64Array;
  readonly #coupling: Coupling;
  readonly #method: StepMethod;
  readonly #tolerances: Tolerances;
  readonly #perStep: number;
  readonly #kinds: CourseKinds;
  readonly #coarse: Float64Array;
  readonly #fine: Float64Array;

  constructor(coupling: Coupling, method: StepMethod, tolerances: Tolerances) {
    this.#coupling = coupling;
    this.#method = method;
    this.#tolerances = tolerances;
    this.#perStep = tolerances.perStep(method.order);
    this.#kinds = new CourseKinds(coupling);
    this.exponent = method.order + 1;
    this.errors = new Float64Array(coupling.size);
    this.#coarse = new Float64Array(coupling.size);
    this.#fine = new Float64Array(coupling.size);
  }

  take(to: number): boolean {
    const coupling = this.#coupling;
    const from = coupling.time;
    const part = this.#kinds.halvedPart(to - from) / this.#perStep;
    if (!this.#method.step(to)) return false;
    coupling.signals(this.#coarse);
    this.errors.fill(0);
    // Nothing can be shorter than that.
    if (!hasMiddle(from, to)) return true;
    coupling.goBack(coupling.start!);
    if (!this.#method.step(middle(from, to))) return false;
    if (!withinStep(coupling, () => this.#method.step(to))) return false;
    coupling.signals(this.#fine);
    for (let i = 0; i < coupling.size; i++) {
      const fine = this.#fine[i]!;
      const coarse = this.#coarse[i]!;
      this.errors[i] = (Math.abs(fine - coarse) * part) / this.#tolerances.of(i, fine, coarse);
    }
    return true;
  }
}
