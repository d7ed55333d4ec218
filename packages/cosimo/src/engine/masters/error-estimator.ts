/**
 * How large the error of a step is, in two kinds that belong together. The *defect* of an input is
 * how far the trajectory that it followed was from the truth, on average over the step: it falls
 * with the power p of the step, and so does what a run makes of it. The error that *one step* adds
 * to a signal falls with the power p + 1, and a run adds up h⁻¹ of them; so that halving the
 * tolerance halves the error of the run in both cases, a step is given the part tolerance^(1/p) of
 * the tolerance. No constant of time is needed for that: at tolerance 1 the solution would be one
 * step.
 */
import type { ControlSettings } from "../../plan/master-settings.ts";
import type { Coupling } from "./coupling.ts";
import type { StepMethod } from "./step-method.ts";

/**
 * Two results of one step may differ by so much, relative to the signal, without an error:
 * roundings of the units, and what iterations leave, whose tolerance is never below 1e-14.
 */
const NOISE = 256 * Number.EPSILON;

export interface ErrorEstimator {
  /** The power of the step that the error falls with. */
  readonly exponent: number;
  /** Errors are those of inputs while the step lasts; otherwise what the step leaves behind. */
  readonly isDefect: boolean;
  /** Units are rolled back within the step. */
  readonly needsRollback: boolean;
  /** Without a past there is nothing to compare with: the first step is taken in halves. */
  readonly needsPast: boolean;
  /** Errors of the last step by coupled input, in parts of what is allowed: at most 1 is good. */
  readonly errors: Float64Array;
  /**
   * Takes the scenario from the coupling's time to `to`.
   * @param isRough signals may jump or turn in this step: nothing that holds for smooth ones is
   * relied on.
   * @returns false if a unit stopped early.
   */
  take(to: number, isRough?: boolean): boolean;
}

/** What all estimators hold. */
export abstract class StepEstimator implements ErrorEstimator {
  abstract readonly isDefect: boolean;
  abstract readonly needsRollback: boolean;
  readonly needsPast: boolean = true;
  readonly errors: Float64Array;
  protected readonly coupling: Coupling;
  protected readonly method: StepMethod;
  protected readonly tolerances: Tolerances;

  constructor(coupling: Coupling, method: StepMethod, tolerances: Tolerances) {
    this.coupling = coupling;
    this.method = method;
    this.tolerances = tolerances;
    this.errors = new Float64Array(coupling.size);
  }

  /** That of a defect; what one step adds falls with the next higher power. */
  get exponent(): number {
    return this.method.order;
  }

  abstract take(to: number, isRough?: boolean): boolean;
}

/** What is allowed. */
export class Tolerances {
  private readonly nominal: Float64Array;
  private readonly relative: number;
  private readonly absolute: number;
  private readonly tolerance: number;

  constructor(coupling: Coupling, { relative, absolute }: ControlSettings) {
    this.nominal = Float64Array.from(coupling.plan.inputs, ({ nominal }) => Math.abs(nominal));
    this.relative = relative;
    this.absolute = absolute;
    this.tolerance = Math.min(1, Math.max(relative, absolute));
  }

  /** The part of the tolerance that one step of a method of order p may use. */
  perStep(order: number): number {
    return this.tolerance ** (1 / order);
  }

  /** What is allowed for coupled input `i` with values `a` and `b` around it. */
  of(i: number, a: number, b: number): number {
    const size = Math.max(Math.abs(a), Math.abs(b));
    return this.absolute * this.nominal[i] + this.relative * size;
  }

  /**
   * The same for what one step of a method of order p adds: never less than what rounding may be.
   */
  ofStep(i: number, a: number, b: number, order: number): number {
    const noise = NOISE * Math.max(this.nominal[i], Math.abs(a), Math.abs(b));
    return Math.max(noise, this.perStep(order) * this.of(i, a, b));
  }

  /** What is allowed for the product of inputs `i` and `j`. */
  ofProduct(i: number, j: number, product: number): number {
    const nominal = this.nominal[i] * this.nominal[j];
    return this.absolute * nominal + this.relative * Math.abs(product);
  }
}
