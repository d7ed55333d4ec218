/**
 * Upper bounds of positive definite matrices in the order "B − A is positive semidefinite": what
 * ellipsoidal norms are made of when they have to hold along several edges at once.
 *
 * Of two matrices the bound of least determinant has a closed form: in coordinates in which one is
 * the identity and the other diagonal, it is the larger entry of each. Row-major, size first,
 * nothing allocated (`LoewnerWork`).
 */
import { choleskyFactor } from "./cholesky.ts";
import { spend } from "./time-limit.ts";

export interface LoewnerWork {
  readonly factor: Float64Array;
  readonly scaled: Float64Array;
  readonly vectors: Float64Array;
}

export function loewnerWork(n: number): LoewnerWork {
  const size = n * n;
  return {
    factor: new Float64Array(size),
    scaled: new Float64Array(size),
    vectors: new Float64Array(size),
  };
}

/** Replaces the symmetric matrix M by L⁻¹ M L⁻ᵀ. */
function congruent(n: number, l: Float64Array, m: Float64Array): void {
  // Columns, then rows: M is symmetric, so both are the same forward substitution.
  for (let j = 0; j < n; j++) {
    spend(2 * n * n);
    for (let i = 0; i < n; i++) {
      let sum = m[i * n + j];
      for (let k = 0; k < i; k++) sum -= l[i * n + k] * m[k * n + j];
      m[i * n + j] = sum / l[i * n + i];
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = m[i * n + j];
      for (let k = 0; k < j; k++) sum -= l[j * n + k] * m[i * n + k];
      m[i * n + j] = sum / l[j * n + j];
    }
  }
}

const MAX_SWEEPS = 30;

/**
 * Diagonalizes the symmetric `a` in place by Jacobi rotations; columns of `vectors` become its
 * eigenvectors.
 */
export function symmetricEigen(n: number, a: Float64Array, vectors: Float64Array): void {
  vectors.fill(0);
  for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const square = a[i * n + j] * a[i * n + j];
        all += square;
        if (i !== j) off += square;
      }
    if (!(off > 1e-30 * all)) return;
    for (let p = 0; p < n - 1; p++) for (let q = p + 1; q < n; q++) rotate(n, a, vectors, p, q);
  }
}

function rotate(n: number, a: Float64Array, vectors: Float64Array, p: number, q: number): void {
  spend(12 * n);
  const apq = a[p * n + q];
  if (apq === 0) return;
  const theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const kp = a[k * n + p];
    const kq = a[k * n + q];
    a[k * n + p] = c * kp - s * kq;
    a[k * n + q] = s * kp + c * kq;
  }
  for (let k = 0; k < n; k++) {
    const pk = a[p * n + k];
    const qk = a[q * n + k];
    a[p * n + k] = c * pk - s * qk;
    a[q * n + k] = s * pk + c * qk;
    const vp = vectors[k * n + p];
    const vq = vectors[k * n + q];
    vectors[k * n + p] = c * vp - s * vq;
    vectors[k * n + q] = s * vp + c * vq;
  }
}

/**
 * Replaces the positive definite P by the bound of least determinant of P and the positive
 * semidefinite M.
 * @returns by how much M was above P, the largest eigenvalue of P⁻¹M; 1 where it was below; NaN
 * where P is not positive definite.
 */
export function raiseAbove(
  n: number,
  p: Float64Array,
  m: Float64Array,
  { factor, scaled, vectors }: LoewnerWork,
): number {
  for (let k = 0; k < n * n; k++) factor[k] = p[k] - m[k];
  if (choleskyFactor(n, factor) === -1) return 1;
  factor.set(p.subarray(0, n * n));
  if (choleskyFactor(n, factor) !== -1) return Number.NaN;
  scaled.set(m.subarray(0, n * n));
  congruent(n, factor, scaled);
  symmetricEigen(n, scaled, vectors);
  let largest = 1;
  for (let k = 0; k < n; k++) {
    const above = scaled[k * n + k];
    if (!(above <= largest)) largest = above;
    if (!(above > 1)) continue;
    // P += (above − 1) w wᵀ with w = L u.
    for (let i = n - 1; i >= 0; i--) {
      let sum = 0;
      for (let j = 0; j <= i; j++) sum += factor[i * n + j] * vectors[j * n + k];
      vectors[i * n + k] = sum;
    }
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        p[i * n + j] += (above - 1) * vectors[i * n + k] * vectors[j * n + k];
  }
  return largest;
}
