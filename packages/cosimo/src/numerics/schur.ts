/**
 * The real Schur form A = Z T Zᵀ, from which eigenvalues and eigenvectors are read: T is upper
 * triangular but for blocks of two, one a conjugate pair.
 *
 * Why our own: the decompositions that JavaScript libraries carry follow the published JAMA code,
 * which changes its shifts twice and then goes on for ever. Products of rotations are what joint
 * spectral radii are about, and are what it does not end on. Here shifts change every ten steps,
 * and a subdiagonal that stays is dropped once it is rounding of the whole matrix: backward stable
 * all the same. Householder reflections, then implicit double shifts (Francis 1961; Golub & Van
 * Loan, sec. 7.5). Row-major, in place.
 */
import { spend } from "./time-limit.ts";

const EPS = 2 ** -52;
/**
 * Steps for one eigenvalue after which rounding of the whole matrix counts as zero; before,
 * rounding of the neighbours does.
 */
const PATIENCE = 20;
const MOST_STEPS = 300;

/**
 * Replaces `t` by its Schur form, and `z` (if it is there: the identity) by the orthogonal matrix.
 * Blocks of two have complex eigenvalues.
 * @throws Error when a subdiagonal does not vanish, which no matrix of finite numbers is known to
 * do.
 */
export function schurForm(n: number, t: Float64Array, z: Float64Array | undefined): void {
  toHessenberg(n, t, z);
  let norm = 0;
  for (let i = 0; i < n * n; i++) norm = Math.hypot(norm, t[i]);
  let last = n - 1;
  let steps = 0;
  while (last > 0) {
    let first = last;
    const drop = steps < PATIENCE ? 0 : EPS * norm;
    while (first > 0 && !isNegligible(n, t, first, norm, drop)) first--;
    if (first > 0) t[first * n + first - 1] = 0;
    if (first < last - 1) {
      if (++steps > MOST_STEPS) throw new Error(`internal: no Schur form of a ${n} × ${n} matrix`);
      spend(20 * n * (last - first + 1));
      doubleShift(n, t, z, first, last, steps % 10 === 0);
      continue;
    }
    if (first === last - 1) splitRealPair(n, t, z, first);
    last = first - 1;
    steps = 0;
  }
}

/** Whether the subdiagonal of this row is zero as far as floating point shows. */
function isNegligible(
  n: number,
  t: Float64Array,
  row: number,
  norm: number,
  drop: number,
): boolean {
  const size = Math.abs(t[row * n + row - 1]);
  const neighbours = Math.abs(t[(row - 1) * n + row - 1]) + Math.abs(t[row * n + row]);
  return size <= Math.max(drop, EPS * (neighbours || norm));
}

function toHessenberg(n: number, t: Float64Array, z: Float64Array | undefined): void {
  const v = new Float64Array(n);
  for (let k = 0; k < n - 2; k++) {
    for (let i = k + 1; i < n; i++) v[i] = t[i * n + k];
    spend(6 * n * (n - k));
    if (!toReflector(v, k + 1, n)) continue;
    reflect(n, t, z, v, k + 1, n, k, n);
    for (let i = k + 2; i < n; i++) t[i * n + k] = 0;
  }
}

/**
 * One implicit double step on the rows first … last. Its shifts are the eigenvalues of the last
 * block of two; `otherwise`, some that break a cycle of steps.
 */
function doubleShift(
  n: number,
  t: Float64Array,
  z: Float64Array | undefined,
  first: number,
  last: number,
  otherwise: boolean,
): void {
  const at = (i: number, j: number): number => t[i * n + j];
  let trace = at(last - 1, last - 1) + at(last, last);
  let determinant =
    at(last - 1, last - 1) * at(last, last) - at(last - 1, last) * at(last, last - 1);
  if (otherwise) {
    const size = Math.abs(at(last, last - 1)) + Math.abs(at(last - 1, last - 2));
    trace = 1.5 * size;
    determinant = size * size;
  }
  const v = new Float64Array(n);
  const corner = at(first, first);
  const below = at(first + 1, first);
  v[first] = corner * (corner - trace) + determinant + at(first, first + 1) * below;
  v[first + 1] = below * (corner + at(first + 1, first + 1) - trace);
  v[first + 2] = below * at(first + 2, first + 1);
  for (let k = first; k < last; k++) {
    const end = Math.min(k + 3, last + 1);
    if (k > first) for (let i = k; i < end; i++) v[i] = at(i, k - 1);
    if (!toReflector(v, k, end)) continue;
    reflect(n, t, z, v, k, end, Math.max(first, k - 1), Math.min(k + 4, last + 1));
    if (k > first) for (let i = k + 1; i < end; i++) t[i * n + k - 1] = 0;
  }
}

/**
 * Makes v[from … to) the vector of a reflection that takes it to a multiple of the first axis, of
 * length √2. False when it is there already.
 */
function toReflector(v: Float64Array, from: number, to: number): boolean {
  let largest = 0;
  let others = 0;
  for (let i = from; i < to; i++) {
    largest = Math.max(largest, Math.abs(v[i]));
    if (i > from) others = Math.max(others, Math.abs(v[i]));
  }
  if (others === 0) return false;
  let square = 0;
  for (let i = from; i < to; i++) {
    v[i] /= largest;
    square += v[i] * v[i];
  }
  const length = Math.sqrt(square);
  v[from] += v[from] < 0 ? -length : length;
  const factor = 1 / Math.sqrt(length * Math.abs(v[from]));
  for (let i = from; i < to; i++) v[i] *= factor;
  return true;
}

/**
 * H T H and Z H for H = I − v vᵀ on rows and columns k … end. Rows change from column `left` on,
 * columns down to row `bottom`.
 */
function reflect(
  n: number,
  t: Float64Array,
  z: Float64Array | undefined,
  v: Float64Array,
  k: number,
  end: number,
  left: number,
  bottom: number,
): void {
  for (let j = left; j < n; j++) {
    let sum = 0;
    for (let i = k; i < end; i++) sum += v[i] * t[i * n + j];
    for (let i = k; i < end; i++) t[i * n + j] -= sum * v[i];
  }
  reflectRows(n, t, v, k, end, bottom);
  if (z) reflectRows(n, z, v, k, end, n);
}

function reflectRows(
  n: number,
  m: Float64Array,
  v: Float64Array,
  k: number,
  end: number,
  bottom: number,
): void {
  for (let i = 0; i < bottom; i++) {
    let sum = 0;
    for (let j = k; j < end; j++) sum += m[i * n + j] * v[j];
    for (let j = k; j < end; j++) m[i * n + j] -= sum * v[j];
  }
}

/** Turns the block of rows k and k + 1 into a triangle when its eigenvalues are real. */
function splitRealPair(n: number, t: Float64Array, z: Float64Array | undefined, k: number): void {
  const [a, b, c, d] = [t[k * n + k], t[k * n + k + 1], t[(k + 1) * n + k], t[(k + 1) * n + k + 1]];
  const half = (a - d) / 2;
  const discriminant = half * half + b * c;
  if (discriminant < 0) return;
  const root = Math.sqrt(discriminant);
  // (λ − d, c) is an eigenvector of the block.
  const x = half < 0 ? half - root : half + root;
  const length = Math.hypot(x, c);
  const [cos, sin] = [x / length, c / length];
  for (let j = k; j < n; j++) {
    const [p, q] = [t[k * n + j], t[(k + 1) * n + j]];
    t[k * n + j] = cos * p + sin * q;
    t[(k + 1) * n + j] = cos * q - sin * p;
  }
  turnColumns(n, t, k, k + 2, cos, sin);
  if (z) turnColumns(n, z, k, n, cos, sin);
  t[(k + 1) * n + k] = 0;
}

function turnColumns(
  n: number,
  m: Float64Array,
  k: number,
  bottom: number,
  cos: number,
  sin: number,
): void {
  for (let i = 0; i < bottom; i++) {
    const [p, q] = [m[i * n + k], m[i * n + k + 1]];
    m[i * n + k] = cos * p + sin * q;
    m[i * n + k + 1] = cos * q - sin * p;
  }
}
