/**
 * Singular values of small dense matrices: what a set of measurements spans, and how surely.
 *
 * One-sided Jacobi (Hestenes): plane rotations from the right make the columns of A orthogonal;
 * their lengths are then the singular values, the columns divided by them U, the product of the
 * rotations V. Chosen over bidiagonalization because it is short and finds small singular values to
 * high relative accuracy; matrices here have a few dozen columns. Golub & Van Loan, sec. 8.6.3.
 * Row-major layout as everywhere in numerics.
 */
import { spend } from "./time-limit.ts";

/** A = U diag(s) Vᵀ, thin: k = min(rows, columns) singular values, largest first. */
export interface Svd {
  readonly k: number;
  /** rows × k */
  readonly u: Float64Array;
  readonly s: Float64Array;
  /** columns × k */
  readonly v: Float64Array;
}

/** Convergence is quadratic: a handful of sweeps suffices, more means NaN or infinity. */
const MAX_SWEEPS = 60;

export function svd(rows: number, columns: number, a: Float64Array): Svd {
  if (rows < columns) {
    const { k, u, s, v } = svd(columns, rows, transposed(rows, columns, a));
    return { k, u: v, s, v: u };
  }
  // Columns are kept as rows of `w` and `v`, so that a rotation runs over memory in order.
  const w = transposed(rows, columns, a);
  const scale = largestEntry(w);
  if (scale > 0 && scale < Number.POSITIVE_INFINITY)
    for (let i = 0; i < w.length; i++) w[i] /= scale;
  const v = new Float64Array(columns * columns);
  for (let j = 0; j < columns; j++) v[j * columns + j] = 1;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let rotated = false;
    for (let p = 0; p < columns - 1; p++)
      for (let q = p + 1; q < columns; q++)
        rotated = orthogonalize(rows, columns, w, v, p, q) || rotated;
    if (!rotated) break;
  }
  const lengths = Float64Array.from({ length: columns }, (_, j) =>
    columnLength(w.subarray(j * rows, (j + 1) * rows)),
  );
  const order = [...lengths.keys()].sort((i, j) => lengths[j] - lengths[i]);
  return sorted(rows, columns, w, v, lengths, order, scale);
}

/** Rotates columns p and q until they are orthogonal. @returns whether they were not. */
function orthogonalize(
  rows: number,
  columns: number,
  w: Float64Array,
  v: Float64Array,
  p: number,
  q: number,
): boolean {
  spend(8 * (rows + columns));
  let pp = 0;
  let qq = 0;
  let pq = 0;
  for (let i = 0; i < rows; i++) {
    const x = w[p * rows + i];
    const y = w[q * rows + i];
    pp += x * x;
    qq += y * y;
    pq += x * y;
  }
  if (!(Math.abs(pq) > Number.EPSILON * Math.sqrt(pp) * Math.sqrt(qq))) return false;
  const zeta = (qq - pp) / (2 * pq);
  const t = Math.sign(zeta || 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const cosine = 1 / Math.hypot(1, t);
  rotate(rows, w, p, q, cosine, cosine * t);
  rotate(columns, v, p, q, cosine, cosine * t);
  return true;
}

function rotate(n: number, m: Float64Array, p: number, q: number, c: number, s: number): void {
  for (let i = 0; i < n; i++) {
    const x = m[p * n + i];
    const y = m[q * n + i];
    m[p * n + i] = c * x - s * y;
    m[q * n + i] = s * x + c * y;
  }
}

function sorted(
  rows: number,
  columns: number,
  w: Float64Array,
  v: Float64Array,
  lengths: Float64Array,
  order: readonly number[],
  scale: number,
): Svd {
  const u = new Float64Array(rows * columns);
  const right = new Float64Array(columns * columns);
  for (const [c, j] of order.entries()) {
    for (let i = 0; i < rows; i++)
      u[i * columns + c] = lengths[j] === 0 ? 0 : w[j * rows + i] / lengths[j];
    for (let i = 0; i < columns; i++) right[i * columns + c] = v[j * columns + i];
  }
  completeBasis(
    rows,
    columns,
    u,
    Float64Array.from(order, (j) => lengths[j]),
  );
  return { k: columns, u, s: Float64Array.from(order, (j) => lengths[j] * scale), v: right };
}

function largestEntry(m: Float64Array): number {
  let largest = 0;
  for (const entry of m) if (!(Math.abs(entry) <= largest)) largest = Math.abs(entry);
  return largest;
}

/**
 * 0 for a column so short that the squares of its entries are lost; the largest entry of all is 1.
 */
function columnLength(column: Float64Array): number {
  let sum = 0;
  for (const entry of column) sum += entry * entry;
  return sum < 1e-280 ? 0 : Math.sqrt(sum);
}

/**
 * Columns of U that belong to a singular value of 0 are any that make it orthogonal: Gram-Schmidt
 * from unit vectors, twice.
 */
function completeBasis(rows: number, k: number, u: Float64Array, s: Float64Array): void {
  let axis = 0;
  for (let c = 0; c < k; c++) {
    if (s[c] !== 0) continue;
    for (let length = 0; length < 0.5 / Math.sqrt(rows) && axis < rows; axis++) {
      for (let i = 0; i < rows; i++) u[i * k + c] = i === axis ? 1 : 0;
      for (let pass = 0; pass < 2; pass++) project(rows, k, u, c);
      length = 0;
      for (let i = 0; i < rows; i++) length = Math.hypot(length, u[i * k + c]);
      for (let i = 0; i < rows; i++) u[i * k + c] /= length || 1;
    }
  }
}

/** Takes from column c what lies along the columns before it. */
function project(rows: number, k: number, u: Float64Array, c: number): void {
  for (let b = 0; b < c; b++) {
    let along = 0;
    for (let i = 0; i < rows; i++) along += u[i * k + b] * u[i * k + c];
    for (let i = 0; i < rows; i++) u[i * k + c] -= along * u[i * k + b];
  }
}

function transposed(rows: number, columns: number, a: Float64Array): Float64Array {
  const t = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) t[j * rows + i] = a[i * columns + j];
  return t;
}
