/**
 * Dense LU with partial pivoting, for Jacobians of coupled loops and the Padé quotient of the
 * matrix exponential.
 *
 * Why our own: matrices are small (n < 64) and solved inside loops, so the cost is allocation and
 * call overhead, not flops. Layout: row-major, `a[i * n + j]`. No kernel here allocates. Golub &
 * Van Loan, sec. 3.4.
 */
import { spend } from "./time-limit.ts";

/**
 * Factors `a` in place; writes row swaps to `pivots`. Returns the first row without a pivot, or -1.
 */
export function luFactor(n: number, a: Float64Array, pivots: Int32Array): number {
  for (let k = 0; k < n; k++) {
    spend((n - k) * (n - k));
    const p = pivotRow(n, a, k);
    pivots[k] = p;
    if (a[p * n + k] === 0) return k;
    if (p !== k) swapRows(n, a, k, p);
    const pivot = a[k * n + k];
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k] / pivot;
      a[i * n + k] = factor;
      if (factor === 0) continue;
      for (let j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return -1;
}

/**
 * Replaces `b`, `columns` right-hand sides in row-major n × columns, by the solution of A X = B.
 */
export function luSolve(
  n: number,
  lu: Float64Array,
  pivots: Int32Array,
  columns: number,
  b: Float64Array,
): void {
  for (let k = 0; k < n; k++) {
    if (pivots[k] !== k) swapRows(columns, b, k, pivots[k]);
  }
  for (let i = 1; i < n; i++) {
    spend(i * columns);
    for (let k = 0; k < i; k++) subtractRow(columns, b, i, lu[i * n + k], k);
  }
  for (let i = n - 1; i >= 0; i--) {
    spend((n - i) * columns);
    for (let k = i + 1; k < n; k++) subtractRow(columns, b, i, lu[i * n + k], k);
    const pivot = lu[i * n + i];
    for (let j = 0; j < columns; j++) b[i * columns + j] /= pivot;
  }
}

function pivotRow(n: number, a: Float64Array, k: number): number {
  let best = k;
  for (let i = k + 1; i < n; i++) {
    if (Math.abs(a[i * n + k]) > Math.abs(a[best * n + k])) best = i;
  }
  return best;
}

function swapRows(columns: number, a: Float64Array, i: number, j: number): void {
  for (let c = 0; c < columns; c++) {
    const kept = a[i * columns + c];
    a[i * columns + c] = a[j * columns + c];
    a[j * columns + c] = kept;
  }
}

/** row i −= factor · row k */
function subtractRow(columns: number, b: Float64Array, i: number, factor: number, k: number): void {
  if (factor === 0) return;
  for (let j = 0; j < columns; j++) b[i * columns + j] -= factor * b[k * columns + j];
}
