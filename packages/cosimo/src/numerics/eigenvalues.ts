/**
 * Eigenvalues of small dense matrices, for the analysis of one-step maps.
 *
 * Row-major layout as everywhere in numerics. Read from the Schur form (Golub & Van Loan, Matrix
 * Computations, 4th ed., sec. 7.5), which is backward stable,
 * so an eigenvalue is exact for a matrix that differs by a few ulps of the norm.
 */
import { schurForm } from "./schur.ts";
import { spend } from "./time-limit.ts";

export interface Eigenvalues {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

export interface Eigensystem extends Eigenvalues {
  /**
   * Right eigenvectors by column, n × n row-major, real and imaginary parts, each of length 1.
   */
  readonly vectorsRe: Float64Array;
  readonly vectorsIm: Float64Array;
}

/** Pairs are neighbours, the one above the real axis first. All NaN when an entry is not finite. */
export function eigenvalues(n: number, a: Float64Array): Eigenvalues {
  return valuesOf(n, decompose(n, a, undefined));
}

/** Largest modulus of an eigenvalue. */
export function spectralRadius(n: number, a: Float64Array): number {
  const { re, im } = eigenvalues(n, a);
  let radius = 0;
  for (let i = 0; i < n; i++) radius = Math.max(radius, Math.hypot(re[i], im[i]));
  return radius;
}

/**
 * Eigenvalues with right eigenvectors. Of a defective matrix, vectors of one eigenvalue may
 * coincide.
 */
export function eigensystem(n: number, a: Float64Array): Eigensystem {
  const z = new Float64Array(n * n);
  for (let i = 0; i < n; i++) z[i * n + i] = 1;
  const schur = decompose(n, a, z);
  const values = valuesOf(n, schur);
  const { re, im } = valuesOf(n, { ...schur, factor: 1 });
  const vectorsRe = new Float64Array(n * n);
  const vectorsIm = new Float64Array(n * n);
  const y = { re: new Float64Array(n), im: new Float64Array(n) };
  for (let k = 0; k < n; k++) {
    const isPair = im[k] > 0;
    const count = isPair ? k + 2 : k + 1;
    spend(6 * n * n);
    solveTriangle(n, schur.t, { re, im }, k, y);
    for (let i = 0; i < n; i++) {
      let [u, v] = [0, 0];
      for (let j = 0; j < count; j++) {
        u += z[i * n + j] * y.re[j];
        v += z[i * n + j] * y.im[j];
      }
      vectorsRe[n * i + k] = u;
      vectorsIm[n * i + k] = v;
    }
    normalize(n, vectorsRe, vectorsIm, k);
    if (!isPair) continue;
    for (let i = 0; i < n; i++) {
      vectorsRe[n * i + k + 1] = vectorsRe[n * i + k];
      vectorsIm[n * i + k + 1] = -vectorsIm[n * i + k];
    }
    k++;
  }
  return { ...values, vectorsRe, vectorsIm };
}

/**
 * The Schur form of `factor` times the matrix, a power of two that keeps clear of over- and
 * underflow.
 */
interface ScaledSchur {
  readonly t: Float64Array;
  readonly factor: number;
}

function decompose(n: number, a: Float64Array, z: Float64Array | undefined): ScaledSchur {
  let largest = 0;
  for (let i = 0; i < n * n; i++) {
    const size = Math.abs(a[i]);
    if (!(size <= largest)) largest = size;
  }
  if (!(largest < Infinity)) return { t: new Float64Array(n * n).fill(NaN), factor: 1 };
  const factor = largest > 0 ? 2 ** Math.min(1000, -Math.ceil(Math.log2(largest))) : 1;
  const t = new Float64Array(n * n);
  for (let i = 0; i < n * n; i++) t[i] = factor * a[i];
  schurForm(n, t, z);
  return { t, factor };
}

function valuesOf(n: number, { t, factor }: ScaledSchur): Eigenvalues {
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const at = k * n + k;
    re[k] = t[at] / factor;
    if (Number.isNaN(t[at])) im[k] = NaN;
    const isBlock = k + 1 < n && Math.abs(t[at + n]) > 0;
    if (!isBlock) continue;
    const middle = (t[at] + t[at + n + 1]) / 2;
    const half = (t[at] - t[at + n + 1]) / 2;
    re[k] = middle / factor;
    re[k + 1] = re[k];
    im[k] = Math.sqrt(-(half * half + t[at + 1] * t[at + n])) / factor;
    im[k + 1] = -im[k];
    k++;
  }
  return { re, im };
}

/**
 * Writes to `y` what T multiplies by its eigenvalue k; of a pair, the first. Entries behind its
 * block are zero.
 */
function solveTriangle(
  n: number,
  t: Float64Array,
  { re, im }: Eigenvalues,
  k: number,
  y: { readonly re: Float64Array; readonly im: Float64Array },
): void {
  const isPair = im[k] > 0;
  const count = isPair ? k + 2 : k + 1;
  // Differences of eigenvalues below this are rounding.
  let smallest = Number.MIN_VALUE;
  for (let i = 0; i < n * n; i++) smallest = Math.max(smallest, 2 ** -52 * Math.abs(t[i]));
  y.re.fill(0);
  y.im.fill(0);
  if (isPair) {
    // (λ − d, c) or (b, λ − a), whichever is larger.
    const [a, b, c, d] = [
      t[k * n + k],
      t[k * n + k + 1],
      t[(k + 1) * n + k],
      t[(k + 1) * n + k + 1],
    ];
    const lower = Math.abs(c) >= Math.abs(b);
    y.re[k] = lower ? re[k] - d : b;
    y.im[k] = lower ? im[k] : 0;
    y.re[k + 1] = lower ? c : re[k] - a;
    y.im[k + 1] = lower ? 0 : im[k];
  } else y.re[k] = 1;
  for (let i = k - 1; i >= 0; i--) {
    const here = rowSum(n, t, i, i + 1, count, y);
    const corner: Complex = [t[i * n + i] - re[k], -im[k]];
    if (im[i] < 0) {
      const above = rowSum(n, t, i - 1, i + 1, count, y);
      const other: Complex = [t[(i - 1) * n + i - 1] - re[k], -im[k]];
      const first = [other, [t[(i - 1) * n + i], 0], above] as const;
      const second = [[t[i * n + i - 1], 0], corner, here] as const;
      const [u, v] = solvePair(first, second, smallest);
      [y.re[i - 1], y.im[i - 1]] = u;
      [y.re[i], y.im[i]] = v;
      i--;
    } else [y.re[i], y.im[i]] = quotient(here, corner, smallest);
    keepSmall(y, i, count);
  }
}

type Complex = readonly [re: number, im: number];
/** Of an equation in two unknowns: their coefficients and the right side. */
type Row = readonly [Complex, Complex, Complex];

/** Two equations by elimination; pivots that are next to nothing count as `smallest`. */
function solvePair(first: Row, second: Row, smallest: number): [Complex, Complex] {
  const inOrder = Math.hypot(...first[0]) >= Math.hypot(...second[0]);
  const [a, b, r] = inOrder ? first : second;
  const [c, d, s] = inOrder ? second : first;
  const factor = quotient(c, a, smallest);
  const v = quotient(without(s, factor, r), without(d, factor, b), smallest);
  return [quotient(without(r, v, b), a, smallest), v];
}

/** x − f y. */
function without(x: Complex, f: Complex, y: Complex): Complex {
  return [x[0] - (f[0] * y[0] - f[1] * y[1]), x[1] - (f[0] * y[1] + f[1] * y[0])];
}

/** x / y, where a divisor below `smallest` counts as that. */
function quotient([p, q]: Complex, [u, v]: Complex, smallest: number): Complex {
  const size = Math.hypot(u, v);
  if (size < smallest) return [p / smallest, q / smallest];
  const [re, im] = [u / size, v / size];
  return [(p * re + q * im) / size, (q * re - p * im) / size];
}

/** −Σ T(row, j) y(j) over from ≤ j < to. */
function rowSum(
  n: number,
  t: Float64Array,
  row: number,
  from: number,
  to: number,
  y: { readonly re: Float64Array; readonly im: Float64Array },
): Complex {
  let [re, im] = [0, 0];
  for (let j = from; j < to; j++) {
    re -= t[row * n + j] * y.re[j];
    im -= t[row * n + j] * y.im[j];
  }
  return [re, im];
}

/** The length of an eigenvector means nothing, but it must not overflow. */
function keepSmall(
  y: { readonly re: Float64Array; readonly im: Float64Array },
  from: number,
  to: number,
): void {
  const size = Math.max(
    Math.hypot(y.re[from], y.im[from]),
    Math.hypot(y.re[from + 1], y.im[from + 1]),
  );
  if (size < 1e100) return;
  for (let j = from; j < to; j++) {
    y.re[j] /= size;
    y.im[j] /= size;
  }
}

function normalize(n: number, re: Float64Array, im: Float64Array, k: number): void {
  let length = 0;
  for (let i = 0; i < n; i++) length = Math.hypot(length, re[n * i + k], im[n * i + k]);
  if (length === 0) return;
  for (let i = 0; i < n; i++) {
    re[n * i + k] /= length;
    im[n * i + k] /= length;
  }
}
