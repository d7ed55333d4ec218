/**
 * What rounding may have done, as numbers that bound it. Every statement of the stability
 * laboratory that is called certified rests on these: a result counts only if it holds for all
 * matrices within the bound.
 *
 * `ULP` is twice the unit roundoff; bounds multiply it by counts that are larger than those of the
 * textbook (Higham, Accuracy and Stability of Numerical Algorithms, ch. 3), so that second-order
 * terms and the rounding of the bounds themselves are inside.
 */
import { choleskyFactor } from "./cholesky.ts";

export const ULP: number = 2 ** -52;

/** Covers what underflow can take away, whatever was computed. */
const UNDERFLOW = 1e-290;

/**
 * A number that is certainly at least what `x` was meant to be, for `x` the result of a handful of
 * operations on numbers ≥ 0.
 */
export function roundedUp(x: number): number {
  return x * (1 + 16 * ULP) + UNDERFLOW;
}

/** A number ≥ 0 that is certainly at most what `x` was meant to be. */
export function roundedDown(x: number): number {
  return Math.max(0, x * (1 - 16 * ULP) - UNDERFLOW);
}

/** A bound of x^(1/k) from above; powers of the engine are right within an ulp. */
export function rootAbove(x: number, k: number): number {
  return roundedUp(x ** (1 / k) * (1 + Math.abs(Math.log(x || 1)) * ULP));
}

/** A bound of x^(1/k) from below. */
export function rootBelow(x: number, k: number): number {
  return x <= 0 ? 0 : roundedDown(x ** (1 / k) * (1 - Math.abs(Math.log(x)) * ULP));
}

/** Largest row sum of absolute values, rounded up. */
export function normInf(n: number, a: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += Math.abs(a[i * n + j]);
    if (!(sum <= largest)) largest = sum;
  }
  return largest * (1 + n * ULP);
}

/** Root of the sum of squares, rounded up: at least the spectral norm. */
export function normFrobenius(a: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * a[i];
  // A square that underflows loses less than the least number.
  return roundedUp(Math.sqrt(sum + a.length * Number.MIN_VALUE) * (1 + a.length * ULP));
}

/**
 * Whether a symmetric matrix is positive definite beyond doubt, where the one that is meant differs
 * from `m` by at most `error` in the spectral norm. `false` means "not shown". A Cholesky factor of
 * m − cI that exists in floating point proves it for a c above the backward error of the
 * factorization (Rump, Verification of positive definiteness, BIT 46, 2006). `work` holds n²
 * numbers.
 */
export function isSurelyPositiveDefinite(
  n: number,
  m: Float64Array,
  error: number,
  work: Float64Array,
): boolean {
  let trace = 0;
  for (let i = 0; i < n; i++) trace += Math.abs(m[i * n + i]);
  const shift = roundedUp(error + 2 * (n + 4) * ULP * trace);
  if (!(shift < Infinity)) return false;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) work[i * n + j] = m[i * n + j];
    work[i * n + i] -= shift;
  }
  return choleskyFactor(n, work) === -1;
}
