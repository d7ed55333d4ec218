/**
 * Cholesky factors: the Newton systems of barrier methods, and the test of positive definiteness
 * behind every stability certificate.
 *
 * A = L Lᵀ row by row, lᵢⱼ = (aᵢⱼ − Σₖ lᵢₖ lⱼₖ) / lⱼⱼ (Golub & Van Loan, Matrix Computations, 4th
 * ed., sec. 4.2). Row-major; only the lower triangle is read and written. Sums run along rows, two
 * by four at a time: a matrix of size 640 is factored in well under a tenth of a second, which is
 * what searching certificates over large automata costs.
 */
import { spend } from "./time-limit.ts";

/**
 * Replaces the lower triangle of `a` by L with L Lᵀ = A. Returns the first row without a positive
 * pivot, or -1.
 */
export function choleskyFactor(n: number, a: Float64Array): number {
  for (let j = 0; j < n; j += 2) {
    spend(4 * j * (n - j));
    const failed = factorPair(n, a, j);
    if (failed !== -1) return failed;
  }
  return -1;
}

/** Columns j and j + 1 of L, once those before are known. */
function factorPair(n: number, a: Float64Array, j: number): number {
  const rowJ = j * n;
  const pivot = Math.sqrt(remainder(a, rowJ, rowJ, j));
  if (!(pivot > 0 && pivot < Infinity)) return j;
  a[rowJ + j] = pivot;
  if (j + 1 === n) return -1;
  const rowK = rowJ + n;
  a[rowK + j] = remainder(a, rowK, rowJ, j) / pivot;
  const second = Math.sqrt(remainder(a, rowK, rowK, j + 1));
  if (!(second > 0 && second < Infinity)) return j + 1;
  a[rowK + j + 1] = second;
  let i = j + 2;
  for (; i + 3 < n; i += 4) fourRows(n, a, i, j);
  for (; i < n; i++) {
    const row = i * n;
    a[row + j] = remainder(a, row, rowJ, j) / pivot;
    a[row + j + 1] = remainder(a, row, rowK, j + 1) / second;
  }
  return -1;
}

/** a[p + k] − Σ a[p + i] a[q + i] over i < k. */
function remainder(a: Float64Array, p: number, q: number, k: number): number {
  let sum = a[p + k];
  for (let i = 0; i < k; i++) sum -= a[p + i] * a[q + i];
  return sum;
}

/**
 * Rows i … i + 3 of columns j and j + 1: eight sums at once, since one alone waits for its own
 * additions.
 */
function fourRows(n: number, a: Float64Array, i: number, j: number): void {
  const u = j * n;
  const v = u + n;
  const p = i * n;
  const q = p + n;
  const r = q + n;
  const s = r + n;
  let pu = a[p + j];
  let pv = a[p + j + 1];
  let qu = a[q + j];
  let qv = a[q + j + 1];
  let ru = a[r + j];
  let rv = a[r + j + 1];
  let su = a[s + j];
  let sv = a[s + j + 1];
  for (let k = 0; k < j; k++) {
    const x = a[u + k];
    const y = a[v + k];
    const b = a[p + k];
    pu -= b * x;
    pv -= b * y;
    const c = a[q + k];
    qu -= c * x;
    qv -= c * y;
    const d = a[r + k];
    ru -= d * x;
    rv -= d * y;
    const e = a[s + k];
    su -= e * x;
    sv -= e * y;
  }
  const first = a[u + j];
  const between = a[v + j];
  const second = a[v + j + 1];
  pu /= first;
  qu /= first;
  ru /= first;
  su /= first;
  a[p + j] = pu;
  a[q + j] = qu;
  a[r + j] = ru;
  a[s + j] = su;
  a[p + j + 1] = (pv - pu * between) / second;
  a[q + j + 1] = (qv - qu * between) / second;
  a[r + j + 1] = (rv - ru * between) / second;
  a[s + j + 1] = (sv - su * between) / second;
}

/** Replaces `b` by the solution of A x = b, with the factor of A. */
export function choleskySolve(n: number, l: Float64Array, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const row = i * n;
    let sum = b[i];
    for (let k = 0; k < i; k++) sum -= l[row + k] * b[k];
    b[i] = sum / l[row + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = i * n;
    const x = b[i] / l[row + i];
    b[i] = x;
    for (let k = 0; k < i; k++) b[k] -= l[row + k] * x;
  }
}

/**
 * Writes the inverse of A, with the factor of A, to `inverse`; `column` holds n numbers meanwhile.
 */
export function choleskyInverse(
  n: number,
  l: Float64Array,
  inverse: Float64Array,
  column: Float64Array,
): void {
  for (let j = 0; j < n; j++) {
    spend(n * n);
    column.fill(0, 0, n);
    column[j] = 1;
    choleskySolve(n, l, column);
    for (let i = 0; i < n; i++) inverse[i * n + j] = column[i];
  }
}
