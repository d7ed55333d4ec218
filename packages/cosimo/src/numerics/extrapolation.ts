/**
 * Extrapolation of the modified midpoint rule (Gragg, Bulirsch & Stoer) at a fixed order of 12,
 * with error control.
 *
 * Why beside Runge–Kutta: the stability laboratory follows smooth flows to 1e-12 and beyond, where
 * methods of order 5 need thousands of steps a trajectory. No table of coefficients, and one step
 * reaches any time inside it again at full order, which is what locating crossings needs. Hairer,
 * Nørsett & Wanner, Solving Ordinary Differential Equations I, sec. II.9.
 */
import type { Derivatives } from "./runge-kutta.ts";

/** Columns of the extrapolation table; the step numbers are 2, 4, …, 2 · COLUMNS. */
const COLUMNS = 6;
export const EXTRAPOLATION_ORDER: number = 2 * COLUMNS;

export interface ExtrapolationWork {
  /** One row of the table per step number. */
  readonly table: readonly Float64Array[];
  readonly slope: Float64Array;
  readonly before: Float64Array;
  readonly middle: Float64Array;
}

export function extrapolationWork(n: number): ExtrapolationWork {
  return {
    table: Array.from({ length: COLUMNS }, () => new Float64Array(n)),
    slope: new Float64Array(n),
    before: new Float64Array(n),
    middle: new Float64Array(n),
  };
}

/**
 * `next` = the solution one step `h` (of either sign) after `x` at `t`. Returns the error of the
 * last but one column, as the largest of its elements relative to the tolerances: 1 is just
 * acceptable. `next` may not be `x`.
 */
export function extrapolationStep(
  n: number,
  f: Derivatives,
  t: number,
  h: number,
  x: Float64Array,
  next: Float64Array,
  relative: number,
  absolute: number,
  work: ExtrapolationWork,
): number {
  const { table } = work;
  let error = 0;
  for (let j = 0; j < COLUMNS; j++) {
    modifiedMidpoint(n, f, t, h, 2 * (j + 1), x, table[j], work);
    // Row j from row j − 1, from the left; `table[k]` holds column k of the newest row that reached
    // it.
    for (let k = j - 1; k >= 0; k--) {
      const ratio = (j + 1) / (k + 1);
      const weight = 1 / (ratio * ratio - 1);
      const finer = table[k + 1];
      const coarser = table[k];
      for (let i = 0; i < n; i++) coarser[i] = finer[i] + weight * (finer[i] - coarser[i]);
    }
  }
  const best = table[0];
  const second = table[1];
  for (let i = 0; i < n; i++) {
    const scale = absolute + relative * Math.max(Math.abs(x[i]), Math.abs(best[i]));
    error = Math.max(error, Math.abs(best[i] - second[i]) / scale);
    next[i] = best[i];
  }
  return error;
}

/** Gragg's rule in `steps` sub-steps; its error has even powers of the sub-step only. */
function modifiedMidpoint(
  n: number,
  f: Derivatives,
  t: number,
  h: number,
  steps: number,
  x: Float64Array,
  out: Float64Array,
  { slope, before, middle }: ExtrapolationWork,
): void {
  const sub = h / steps;
  f(t, x, slope);
  for (let i = 0; i < n; i++) {
    before[i] = x[i];
    middle[i] = x[i] + sub * slope[i];
  }
  for (let s = 1; s < steps; s++) {
    f(t + s * sub, middle, slope);
    for (let i = 0; i < n; i++) {
      const after = before[i] + 2 * sub * slope[i];
      before[i] = middle[i];
      middle[i] = after;
    }
  }
  f(t + h, middle, slope);
  for (let i = 0; i < n; i++) out[i] = (before[i] + middle[i] + sub * slope[i]) / 2;
}

/** The size to try after a step of size `h` with `error`. */
export function nextExtrapolationStep(h: number, error: number): number {
  if (!(error < Number.POSITIVE_INFINITY)) return h / 5;
  const factor = error === 0 ? 4 : 0.8 * error ** (-1 / (EXTRAPOLATION_ORDER - 1));
  return h * Math.min(4, Math.max(0.1, factor));
}
