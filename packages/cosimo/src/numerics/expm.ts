/**
 * The matrix exponential, and with it the exact solution of linear units over a step whose inputs
 * are held or vary linearly.
 *
 * Padé approximant of degree 13 with scaling and squaring: Higham, The scaling and squaring method
 * for the matrix exponential revisited, SIAM J. Matrix Anal. Appl. 26 (2005). Buffers are born once
 * (`expmWork`).
 */
import { luFactor, luSolve } from "./lu.ts";
import { multiply, norm1 } from "./matrix.ts";

/**
 * Numerator coefficients of the degree-13 Padé approximant; those of the denominator alternate in
 * sign.
 */
const PADE = [
  64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
  10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
];
/** Up to this 1-norm the approximant is accurate to double precision. */
const LARGEST_NORM = 5.371920351148152;

export interface ExpmWork {
  readonly a: Float64Array;
  readonly a2: Float64Array;
  readonly a4: Float64Array;
  readonly a6: Float64Array;
  readonly u: Float64Array;
  readonly v: Float64Array;
  readonly pivots: Int32Array;
}

export function expmWork(n: number): ExpmWork {
  const matrix = (): Float64Array => new Float64Array(n * n);
  return {
    a: matrix(),
    a2: matrix(),
    a4: matrix(),
    a6: matrix(),
    u: matrix(),
    v: matrix(),
    pivots: new Int32Array(n),
  };
}

/**
 * `out` = exp(`m`), n × n; `out` may be `m`. Returns false when an entry is not finite: the
 * exponential overflows.
 */
export function expm(n: number, m: Float64Array, out: Float64Array, work: ExpmWork): boolean {
  const { a, a2, a4, a6, u, v, pivots } = work;
  const nn = n * n;
  const norm = norm1(n, m);
  if (!(norm < Number.POSITIVE_INFINITY)) return false;
  const squarings = norm > LARGEST_NORM ? Math.ceil(Math.log2(norm / LARGEST_NORM)) : 0;
  const scale = 2 ** -squarings;
  for (let i = 0; i < nn; i++) a[i] = m[i] * scale;
  multiply(n, a, a, a2);
  multiply(n, a2, a2, a4);
  multiply(n, a4, a2, a6);
  // u = A (A6 (b13 A6 + b11 A4 + b9 A2) + b7 A6 + b5 A4 + b3 A2 + b1 I), v likewise with the even
  // coefficients.
  for (let i = 0; i < nn; i++) v[i] = PADE[13] * a6[i] + PADE[11] * a4[i] + PADE[9] * a2[i];
  multiply(n, a6, v, out);
  for (let i = 0; i < nn; i++) out[i] += PADE[7] * a6[i] + PADE[5] * a4[i] + PADE[3] * a2[i];
  for (let i = 0; i < n; i++) out[i * n + i] += PADE[1];
  multiply(n, a, out, u);
  for (let i = 0; i < nn; i++) out[i] = PADE[12] * a6[i] + PADE[10] * a4[i] + PADE[8] * a2[i];
  multiply(n, a6, out, v);
  for (let i = 0; i < nn; i++) v[i] += PADE[6] * a6[i] + PADE[4] * a4[i] + PADE[2] * a2[i];
  for (let i = 0; i < n; i++) v[i * n + i] += PADE[0];
  for (let i = 0; i < nn; i++) {
    out[i] = v[i] + u[i];
    a[i] = v[i] - u[i];
  }
  if (luFactor(n, a, pivots) >= 0) return false;
  luSolve(n, a, pivots, n, out);
  for (let s = 0; s < squarings; s++) {
    multiply(n, out, out, a);
    out.set(a.subarray(0, nn));
  }
  for (let i = 0; i < nn; i++) if (!Number.isFinite(out[i])) return false;
  return true;
}

/**
 * What takes x over a step: x⁺ = `phi` x + `held` u + `ramp` u̇, exact for inputs that are linear
 * in time.
 */
export interface StepMatrices {
  readonly phi: Float64Array;
  readonly held: Float64Array;
  readonly ramp: Float64Array;
}

export function stepMatrices(n: number, m: number): StepMatrices {
  return {
    phi: new Float64Array(n * n),
    held: new Float64Array(n * m),
    ramp: new Float64Array(n * m),
  };
}

export interface StepMatricesWork {
  readonly augmented: Float64Array;
  readonly expm: ExpmWork;
}

export function stepMatricesWork(n: number, m: number): StepMatricesWork {
  const size = n + 2 * m;
  return { augmented: new Float64Array(size * size), expm: expmWork(size) };
}

/**
 * Fills `into` for x' = A x + B u (A n × n, B n × m) and a step of size `h`. One exponential gives
 * all three: exp(h [[A B 0] [0 0 I] [0 0 0]]). Van Loan 1978. Returns false when it overflows.
 */
export function fillStepMatrices(
  n: number,
  m: number,
  a: Float64Array,
  b: Float64Array,
  h: number,
  into: StepMatrices,
  work: StepMatricesWork,
): boolean {
  const { augmented } = work;
  const size = n + 2 * m;
  augmented.fill(0);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) augmented[i * size + j] = h * a[i * n + j];
    for (let j = 0; j < m; j++) augmented[i * size + n + j] = h * b[i * m + j];
  }
  for (let j = 0; j < m; j++) augmented[(n + j) * size + n + m + j] = h;
  if (!expm(size, augmented, augmented, work.expm)) return false;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) into.phi[i * n + j] = augmented[i * size + j];
    for (let j = 0; j < m; j++) {
      into.held[i * m + j] = augmented[i * size + n + j];
      into.ramp[i * m + j] = augmented[i * size + n + m + j];
    }
  }
  return true;
}
