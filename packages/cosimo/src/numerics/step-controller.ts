/**
 * Chooses communication steps from error estimates: the PI law of Gustafsson ("Control theoretic
 * techniques for stepsize selection in explicit Runge–Kutta methods", 1991), factor = safety ·
 * e^(−kI) · (e₋₁ / e)^kP with kI = 0.3/(order + 1) and kP = 0.4/(order + 1). The proportional part
 * damps the zigzag of accepted and rejected steps that a law of the last error alone falls into
 * when stability rather than accuracy limits the step.
 *
 * Errors come divided by the tolerance: at most 1 is good. Where errors do not change, the law
 * settles where its factor is 1, at e = safety^((order + 1)/0.3), deviations of log e dying out as
 * 0.8ⁿ.
 */

export interface StepControl {
  /** Order of the global error; the error of one step falls with h^(order + 1). */
  readonly order: number;
  readonly safety?: number;
  readonly minFactor?: number;
  readonly maxFactor?: number;
}

const INTEGRAL = 0.3;
const PROPORTIONAL = 0.4;
/**
 * An error below this says that the step hardly mattered, not that the next error is a huge
 * increase over it.
 */
const LEAST_REMEMBERED = 1e-4;
/**
 * A step rejected again behaves worse than its order says, as at a discontinuity: leave it fast.
 */
const REJECTED_AGAIN = 0.5;
const NONE = -1;

export class StepController {
  private readonly exponent: number;
  private readonly safety: number;
  private readonly minFactor: number;
  private readonly maxFactor: number;
  /** The error of the last accepted step, or NONE. */
  private previous = NONE;
  /** How many times the current step has been rejected. */
  private rejections = 0;

  constructor(control: StepControl) {
    this.exponent = 1 / (control.order + 1);
    this.safety = control.safety ?? 0.9;
    this.minFactor = control.minFactor ?? 0.2;
    this.maxFactor = control.maxFactor ?? 2;
  }

  /**
   * The factor for the step after one that stands, however large its error: where units cannot roll
   * back, it stands with an error above 1. Right after a rejection the step does not grow.
   */
  accept(error: number): number {
    if (!Number.isFinite(error)) {
      this.reset();
      return this.minFactor;
    }
    const { previous, rejections } = this;
    this.previous = Math.max(error, LEAST_REMEMBERED);
    this.rejections = 0;
    if (rejections > 0) return Math.min(1, this.byOrder(error));
    if (previous === NONE) return this.byOrder(error);
    const integral = error ** (-INTEGRAL * this.exponent);
    const proportional = (previous / this.previous) ** (PROPORTIONAL * this.exponent);
    return this.clamp(this.safety * integral * proportional);
  }

  /**
   * The factor with which to repeat a step: always smaller, by the order of the error, at least
   * halved when rejected again.
   */
  reject(error: number): number {
    const most = this.rejections > 0 ? Math.min(REJECTED_AGAIN, this.safety) : this.safety;
    this.rejections++;
    return Number.isFinite(error) ? Math.min(most, this.byOrder(error)) : this.minFactor;
  }

  /** Forgets the errors so far: after a discontinuity they say nothing. */
  reset(): void {
    this.previous = NONE;
    this.rejections = 0;
  }

  save(): Float64Array {
    return Float64Array.of(this.previous, this.rejections);
  }

  restore(saved: Float64Array): void {
    this.previous = saved[0];
    this.rejections = saved[1];
  }

  private byOrder(error: number): number {
    return this.clamp(this.safety * error ** -this.exponent);
  }

  private clamp(factor: number): number {
    return Math.min(this.maxFactor, Math.max(this.minFactor, factor));
  }
}
