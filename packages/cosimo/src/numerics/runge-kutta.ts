/**
 * Step kernels of explicit Runge–Kutta methods, and the step-size rule of the embedded ones
 * (Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, sec. II.1 and II.4).
 *
 * Why our own: units integrate a few states over very short steps, millions of times, so the cost
 * is allocation and call overhead. Kernels work in place on buffers that are born once (`rkWork`).
 */
import type { Tableau } from "./tableau.ts";

/** Writes dx/dt at (t, x) into `dx`. */
export type Derivatives = (t: number, x: Float64Array, dx: Float64Array) => void;

export interface RkWork {
  /** The stages' derivatives, one view a stage. */
  readonly k: readonly Float64Array[];
  /** Where a stage is evaluated. */
  readonly point: Float64Array;
}

export function rkWork(n: number, stages: number): RkWork {
  return {
    k: Array.from({ length: stages }, () => new Float64Array(n)),
    point: new Float64Array(n),
  };
}

/**
 * `next` = the solution one step `h` after `x` at `t`. `next` may be `x`. The stages stay in
 * `work`.
 */
export function rkStep(
  n: number,
  method: Tableau,
  f: Derivatives,
  t: number,
  h: number,
  x: Float64Array,
  next: Float64Array,
  work: RkWork,
): void {
  const { a, b, c, stages } = method;
  const { k, point } = work;
  f(t, x, k[0]);
  for (let s = 1; s < stages; s++) {
    point.set(x);
    for (let j = 0; j < s; j++) addScaled(n, h * a[s * stages + j], k[j], point);
    f(t + c[s] * h, point, k[s]);
  }
  if (next !== x) next.set(x);
  for (let s = 0; s < stages; s++) addScaled(n, h * b[s], k[s], next);
}

/** y += factor · x */
function addScaled(n: number, factor: number, x: Float64Array, y: Float64Array): void {
  if (factor === 0) return;
  for (let i = 0; i < n; i++) y[i] += factor * x[i];
}

/**
 * The local error of the step that filled `work`, as a root mean square relative to the tolerances:
 * 1 is just acceptable. Only for methods with `error` coefficients.
 */
export function rkErrorNorm(
  n: number,
  error: Float64Array,
  h: number,
  x: Float64Array,
  next: Float64Array,
  relative: number,
  absolute: number,
  work: RkWork,
): number {
  const { k } = work;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let e = 0;
    for (let s = 0; s < error.length; s++) e += error[s] * k[s][i];
    const scale = absolute + relative * Math.max(Math.abs(x[i]), Math.abs(next[i]));
    const r = (h * e) / scale;
    sum += r * r;
  }
  return Math.sqrt(sum / Math.max(n, 1));
}

/**
 * The step to try after one of size `h` with error `norm`: grows at most 5-fold, shrinks at most
 * 5-fold.
 */
export function nextStepSize(h: number, norm: number, order: number): number {
  if (!(norm < Number.POSITIVE_INFINITY)) return h / 5;
  const factor = norm === 0 ? 5 : 0.9 * norm ** (-1 / order);
  return h * Math.min(5, Math.max(0.2, factor));
}

/**
 * A first step to try: small against the time in which the states would change by their own size.
 */
export function firstStepSize(
  n: number,
  x: Float64Array,
  dx: Float64Array,
  relative: number,
  absolute: number,
): number {
  let size = 0;
  let speed = 0;
  for (let i = 0; i < n; i++) {
    const scale = absolute + relative * Math.abs(x[i]);
    size = Math.max(size, Math.abs(x[i]) / scale);
    speed = Math.max(speed, Math.abs(dx[i]) / scale);
  }
  return size < 1e-5 || speed < 1e-5 ? 1e-6 : (0.01 * size) / speed;
}
