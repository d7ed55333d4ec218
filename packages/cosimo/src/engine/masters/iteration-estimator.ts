/**
 * An error estimate that iterations give away: what the sources gave when their inputs were predictions, against what they give
 * when all agree. The first is an explicit step, the second an implicit one, and their errors have a known ratio.
 */
import type { Coupling } from "./coupling.ts";
import { type Degree, extrapolationMean, interpolationMean } from "./course-defect.ts";
import { CourseKinds } from "./course-kinds.ts";
import type { ErrorEstimator, Tolerances } from "./error-estimator.ts";
import type { StepMethod } from "./step-method.ts";

export class IterationEstimator implements ErrorEstimator {
  readonly exponent: number;
  readonly isDefect = false;
  readonly needsRollback = false;
  readonly errors: Float64Array;
  readonly #coupling: Coupling;
  readonly #method: StepMethod;
  readonly #tolerances: Tolerances;
  readonly #perStep: number;
  readonly #kinds: CourseKinds;
  readonly #actual: Float64Array;
  readonly #order: Degree;

  constructor(coupling: Coupling, method: StepMethod, tolerances: Tolerances) {
    this.#coupling = coupling;
    this.#method = method;
    this.#tolerances = tolerances;
    this.#perStep = tolerances.perStep(method.order);
    this.#kinds = new CourseKinds(coupling);
    this.exponent = method.order + 1;
    this.errors = new Float64Array(coupling.size);
    this.#actual = new Float64Array(coupling.size);
    this.#order = (method.order - 1) as Degree;
  }

  take(to: number): boolean {
    const coupling = this.#coupling;
    const h = to - coupling.time;
    if (!this.#method.step(to)) return false;
    coupling.signals(this.#actual);
    const first = this.#method.firstSweep!;
    const { inputs, stages } = coupling.plan;
    for (let i = 0; i < coupling.size; i++) {
      const { source, integral } = inputs[i]!;
      if (integral !== undefined) continue; // its courses are means, which have no end to compare
      const difference = Math.abs(first[i]! - this.#actual[i]!);
      // What an input does to an output at once is as wrong as the input; what it does through states is what a step adds.
      const isDirect = source < 0 || stages[source]!.feedThrough;
      const part = isDirect ? this.#kinds.defectPart(i, h) : this.#stepPart(h) / this.#perStep;
      const allowed = this.#tolerances.of(i, coupling.begin[i]!, this.#actual[i]!);
      this.errors[i] = (difference * part) / allowed;
    }
    return true;
  }

  /** The error of the implicit step relative to its distance from the explicit one; they lie on opposite sides of the truth. */
  #stepPart(h: number): number {
    const { history } = this.#coupling;
    const degree = Math.min(this.#order, history.count - 1) as Degree;
    const implicit = interpolationMean(degree, h, history.ago(1));
    return implicit / (implicit + extrapolationMean(degree, h, history.ago(1), history.ago(2)));
  }
}
