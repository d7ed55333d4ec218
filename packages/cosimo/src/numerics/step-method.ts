/**
 * What integrators of x' = f(t, x) have in common, seen from the caller that drives them step by
 * step: it tries a step, judges its error, accepts or repeats it, and evaluates the solution inside
 * an accepted step (dense output) to locate events.
 *
 * Errors are root mean squares relative to the tolerances: a step with an error of at most 1 is
 * good. Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, sec. II.4.
 */
import type { Derivatives } from "./runge-kutta.ts";

/** The system that is integrated. */
export interface OdeSystem {
  readonly n: number;
  readonly derivatives: Derivatives;
  /** Writes ∂f_i/∂x_j at (t, x), where f(t, x) = `dx`, to `jacobian[i * n + j]`. */
  readonly jacobian: (t: number, x: Float64Array, dx: Float64Array, jacobian: Float64Array) => void;
}

/** How large an error may be, per state: absolute[i] + relative · |x_i|. */
export interface Tolerances {
  relative: number;
  readonly absolute: Float64Array;
}

export interface StepMethod {
  readonly name: string;
  /** The solution at the end of the last step that was tried. */
  readonly next: Float64Array;
  /** f at the end of the last step that was tried, where `hasSlope`. */
  readonly nextSlope: Float64Array;
  readonly hasSlope: boolean;
  /**
   * Tries a step from (t, x), where f = `slope`, to t + h.
   * @returns its error; infinity where the step could not be taken (f is not finite, an iteration
   * did not converge).
   */
  attempt(t: number, h: number, x: Float64Array, slope: Float64Array): number;
  /** The size to try after a step of size `h` with `error`. Called once per attempt. */
  resize(h: number, error: number): number;
  /** The step that was tried last stands. */
  accept(): void;
  /** Forgets what was learned from the steps so far: states or equations changed. */
  restart(): void;
  /** The solution at t + fraction · h of the last step that was tried. */
  interpolate(fraction: number, out: Float64Array): void;
  /** Whether the accepted steps so far show that the problem is too stiff for this method. */
  readonly findsStiffness: boolean;
  /** All that later steps depend on, as numbers; always as many. */
  readonly memorySize: number;
  save(into: Float64Array): void;
  restore(from: Float64Array): void;
}

/** The error `e` relative to the tolerances, over the states at both ends of a step. */
export function weightedNorm(
  e: Float64Array,
  x: Float64Array,
  next: Float64Array,
  { relative, absolute }: Tolerances,
): number {
  const n = e.length;
  if (n === 0) return 0;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const scale = absolute[i] + relative * Math.max(Math.abs(x[i]), Math.abs(next[i]));
    const r = e[i] / scale;
    sum += r * r;
  }
  const norm = Math.sqrt(sum / n);
  return Number.isNaN(norm) ? Number.POSITIVE_INFINITY : norm;
}

/**
 * A first step to try, for a method of order `order`: one that an explicit Euler step would
 * survive, compared with the change of the derivative over it. Hairer, Nørsett & Wanner I, sec.
 * II.4, "Starting Step Size".
 */
export function startingStep(
  { n, derivatives }: OdeSystem,
  t: number,
  x: Float64Array,
  slope: Float64Array,
  tolerances: Tolerances,
  order: number,
  longest: number,
): number {
  if (n === 0) return longest;
  const d0 = weightedNorm(x, x, x, tolerances);
  const d1 = weightedNorm(slope, x, x, tolerances);
  const first = Math.min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : (0.01 * d0) / d1, longest);
  if (!(first > 0)) return longest;
  const trial = new Float64Array(n);
  const change = new Float64Array(n);
  for (let i = 0; i < n; i++) trial[i] = x[i] + first * slope[i];
  derivatives(t + first, trial, change);
  for (let i = 0; i < n; i++) change[i] -= slope[i];
  const d2 = weightedNorm(change, x, x, tolerances) / first;
  const steepest = Math.max(d1, d2);
  const second =
    steepest <= 1e-15 ? Math.max(1e-6, first * 1e-3) : (0.01 / steepest) ** (1 / (order + 1));
  return Math.min(100 * first, second, longest);
}
