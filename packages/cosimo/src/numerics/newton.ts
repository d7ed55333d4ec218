/**
 * Newton corrections for coupling equations r(u) = 0, with a Jacobian that outlives the iteration
 * it was made in.
 *
 * Why the Jacobian is kept apart from its factors: making one costs a co-simulation step per
 * unknown, factoring it costs nothing, so it is corrected by Broyden's rank-one update,
 * J₊ = J + (Δr − J Δu) Δuᵀ / Δuᵀ Δu, from iteration to iteration and from step to step (Nocedal &
 * Wright, Numerical Optimization, 2nd ed., sec. 11.1). Layout: row-major, `jacobian[i * n + j]` =
 * ∂r_i/∂u_j. Nothing allocates but `newtonWork`.
 */
import { luFactor, luSolve } from "./lu.ts";

/** A pivot this small against its row is rounding, not information. */
const SINGULAR = 1e-9;

export interface NewtonWork {
  readonly factors: Float64Array;
  readonly pivots: Int32Array;
}

export function newtonWork(n: number): NewtonWork {
  return { factors: new Float64Array(n * n), pivots: new Int32Array(n) };
}

/**
 * Writes the correction du with J du = −r, so that u + du is the next iterate; `correction` may be
 * `residual`.
 *
 * `leastSize` is the size under which entries of a row are made of cancelled larger ones: 1 for r =
 * G(u) − u, whose Jacobian is G' − 1; 0 for equations that stand for themselves, like constraints,
 * which may be small throughout.
 */
export function solveNewtonStep(
  n: number,
  jacobian: Float64Array,
  residual: Float64Array,
  correction: Float64Array,
  work: NewtonWork,
  leastSize = 1,
): "ok" | "singular" {
  const { factors, pivots } = work;
  for (let i = 0; i < n; i++) {
    let size = leastSize;
    for (let j = 0; j < n; j++) size = Math.max(size, Math.abs(jacobian[i * n + j]));
    if (!(size > 0 && size < Number.POSITIVE_INFINITY)) return "singular";
    for (let j = 0; j < n; j++) factors[i * n + j] = jacobian[i * n + j] / size;
    correction[i] = -residual[i] / size;
  }
  if (luFactor(n, factors, pivots) >= 0) return "singular";
  for (let i = 0; i < n; i++) {
    if (Math.abs(factors[i * n + i]) < SINGULAR) return "singular";
  }
  luSolve(n, factors, pivots, 1, correction);
  return "ok";
}

/**
 * Broyden's good update: the least change of `jacobian` after which it maps the step `du` to the
 * change of residual `dr` that was seen. Does nothing where there was no step or no finite answer.
 */
export function broydenUpdate(
  n: number,
  jacobian: Float64Array,
  du: Float64Array,
  dr: Float64Array,
): void {
  let square = 0;
  let finite = true;
  for (let i = 0; i < n; i++) {
    square += du[i] * du[i];
    finite &&= Number.isFinite(dr[i]);
  }
  if (!(finite && square > 0 && square < Number.POSITIVE_INFINITY)) return;
  for (let i = 0; i < n; i++) {
    let missing = dr[i];
    for (let j = 0; j < n; j++) missing -= jacobian[i * n + j] * du[j];
    const factor = missing / square;
    for (let j = 0; j < n; j++) jacobian[i * n + j] += factor * du[j];
  }
}
