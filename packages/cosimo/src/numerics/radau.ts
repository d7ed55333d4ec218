/**
 * The implicit method Radau IIA of order 5 with three stages, for stiff problems: L-stable, so fast
 * modes that have died out do not limit its steps. Hairer & Wanner, Solving Ordinary Differential
 * Equations II, sec. IV.8 (the code RADAU5).
 *
 * With the increments z = (z₁, z₂, z₃) of the stages, the step solves z = h (A ⊗ I) F(x + z) by
 * simplified Newton iterations. Writing A⁻¹ = T Λ T⁻¹ with Λ = diag(γ, [α β; −β α]) and z = (T ⊗ I)
 * w takes the 3n × 3n system apart into one of size n and one of size 2n:
 *
 *   (γ/h I − J) Δw₁ = …,   [α/h I − J, β/h I; −β/h I, α/h I − J] (Δw₂, Δw₃) = …
 *
 * Error estimate: err = (γ/h I − J)⁻¹ (f(t, x) + (e₁z₁ + e₂z₂ + e₃z₃)/h), evaluated a second time
 * at x + err after a first step or a rejection, which makes it finite for h → ∞ (8.19, 8.20). The
 * next step size follows Gustafsson's predictive controller (8.25). The Jacobian is kept as long as
 * the iterations converge fast.
 */
import { luFactor, luSolve } from "./lu.ts";
import { type OdeSystem, type StepMethod, type Tolerances, weightedNorm } from "./step-method.ts";

const S6 = Math.sqrt(6);
/** Where the stages lie in the step. */
const C: readonly number[] = [(4 - S6) / 10, (4 + S6) / 10, 1];
/** The coefficients of the method, row-major. */
const A: readonly number[] = [
  (88 - 7 * S6) / 360,
  (296 - 169 * S6) / 1800,
  (-2 + 3 * S6) / 225,
  (296 + 169 * S6) / 1800,
  (88 + 7 * S6) / 360,
  (-2 - 3 * S6) / 225,
  (16 - S6) / 36,
  (16 + S6) / 36,
  1 / 9,
];
/**
 * The eigenvalues γ and α ± iβ of A⁻¹, whose characteristic polynomial is λ³ − 9 λ² + 36 λ − 60.
 */
const GAMMA = 3 + Math.cbrt(9) - Math.cbrt(3);
const ALPHA = 3 + (Math.cbrt(3) - Math.cbrt(9)) / 2;
const BETA = (3 ** (5 / 6) + 3 ** (7 / 6)) / 2;
const ERROR: readonly number[] = [(-13 - 7 * S6) / 3, (-13 + 7 * S6) / 3, -1 / 3];

/**
 * A⁻¹ = T Λ T⁻¹, with real columns: the eigenvector of γ, then real and imaginary part of that of α
 * + iβ.
 */
const { T, T_INVERSE } = eigenbasis();

function eigenbasis(): { readonly T: Float64Array; readonly T_INVERSE: Float64Array } {
  const inverse = inverse3(Float64Array.from(A));
  const real = nullVector(inverse, GAMMA, 0);
  const complex = nullVector(inverse, ALPHA, BETA);
  const t = new Float64Array(9);
  for (let i = 0; i < 3; i++) {
    t[3 * i] = real[2 * i];
    t[3 * i + 1] = complex[2 * i];
    t[3 * i + 2] = complex[2 * i + 1];
  }
  return { T: t, T_INVERSE: inverse3(t) };
}

function inverse3(matrix: Float64Array): Float64Array {
  const result = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  const factors = matrix.slice();
  const pivots = new Int32Array(3);
  luFactor(3, factors, pivots);
  luSolve(3, factors, pivots, 3, result);
  return result;
}

/**
 * A vector v with M v = (re + i im) v, as pairs of real and imaginary parts: the cross product of
 * two rows of M − λ I.
 */
function nullVector(m: Float64Array, re: number, im: number): Float64Array {
  const entry = (row: number, column: number): [number, number] => {
    const k = column % 3;
    return row === k ? [m[3 * row + k] - re, -im] : [m[3 * row + k], 0];
  };
  const times = ([a, b]: [number, number], [c, d]: [number, number]): [number, number] => [
    a * c - b * d,
    a * d + b * c,
  ];
  const v = new Float64Array(6);
  for (let i = 0; i < 3; i++) {
    const p = times(entry(0, i + 1), entry(1, i + 2));
    const q = times(entry(0, i + 2), entry(1, i + 1));
    v[2 * i] = p[0] - q[0];
    v[2 * i + 1] = p[1] - q[1];
  }
  return v;
}

const MOST_ITERATIONS = 7;
/** Iterations that converge faster than this keep the Jacobian for the next step. */
const FAST = 1e-3;
const MEMORY = 6;

export class Radau implements StepMethod {
  readonly name = "radau";
  readonly next: Float64Array;
  readonly nextSlope: Float64Array;
  readonly hasSlope = false;
  readonly findsStiffness = false;
  readonly memorySize: number;
  private readonly system: OdeSystem;
  private readonly tolerances: Tolerances;
  private readonly n: number;
  private readonly jacobian: Float64Array;
  private readonly smallFactors: Float64Array;
  private readonly smallPivots: Int32Array;
  private readonly largeFactors: Float64Array;
  private readonly largePivots: Int32Array;
  /** Increments of the stages and the same in the eigenbasis, n after n. */
  private readonly z: Float64Array;
  private readonly w: Float64Array;
  private readonly f: Float64Array;
  private readonly small: Float64Array;
  private readonly large: Float64Array;
  private readonly point: Float64Array;
  private readonly from: Float64Array;
  /** Increments and beginning of the step before, from which the next one is predicted. */
  private readonly oldZ: Float64Array;
  private readonly oldFrom: Float64Array;
  private h = 0;
  private factoredFor = 0;
  private hasJacobian = false;
  /** Of this very point. */
  private isFresh = false;
  private isRejected = false;
  private rate = 1;
  private iterations = 0;
  private oldH = 0;
  private oldError = 0;
  private lastError = 0;

  constructor(system: OdeSystem, tolerances: Tolerances) {
    const { n } = system;
    this.system = system;
    this.tolerances = tolerances;
    this.n = n;
    this.next = new Float64Array(n);
    this.nextSlope = new Float64Array(n);
    this.jacobian = new Float64Array(n * n);
    this.smallFactors = new Float64Array(n * n);
    this.smallPivots = new Int32Array(n);
    this.largeFactors = new Float64Array(4 * n * n);
    this.largePivots = new Int32Array(2 * n);
    this.z = new Float64Array(3 * n);
    this.w = new Float64Array(3 * n);
    this.f = new Float64Array(3 * n);
    this.small = new Float64Array(n);
    this.large = new Float64Array(2 * n);
    this.point = new Float64Array(n);
    this.from = new Float64Array(n);
    this.oldZ = new Float64Array(3 * n);
    this.oldFrom = new Float64Array(n);
    this.memorySize = MEMORY + n * n + 4 * n;
  }

  attempt(t: number, h: number, x: Float64Array, slope: Float64Array): number {
    this.h = h;
    this.from.set(x);
    if (!this.hasJacobian) this.renewJacobian(t, x, slope);
    for (;;) {
      if (this.factoredFor !== h && !this.factor(h)) return this.failed();
      this.predict();
      if (this.iterate(t, h, x)) break;
      if (this.isFresh) return this.failed();
      this.renewJacobian(t, x, slope);
    }
    for (let i = 0; i < this.n; i++) this.next[i] = x[i] + this.z[2 * this.n + i];
    this.lastError = this.estimate(t, h, x, slope);
    return this.lastError;
  }

  private failed(): number {
    this.hasJacobian = false;
    return Number.POSITIVE_INFINITY;
  }

  private renewJacobian(t: number, x: Float64Array, slope: Float64Array): void {
    this.system.jacobian(t, x, slope, this.jacobian);
    this.hasJacobian = true;
    this.isFresh = true;
    this.factoredFor = 0;
  }

  /** False where a matrix is singular. */
  private factor(h: number): boolean {
    const { n, jacobian, smallFactors, largeFactors } = this;
    const w = 2 * n;
    largeFactors.fill(0);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const d = -jacobian[i * n + j];
        smallFactors[i * n + j] = d;
        largeFactors[i * w + j] = d;
        largeFactors[(n + i) * w + n + j] = d;
      }
      smallFactors[i * n + i] += GAMMA / h;
      largeFactors[i * w + i] += ALPHA / h;
      largeFactors[(n + i) * w + n + i] += ALPHA / h;
      largeFactors[i * w + n + i] = BETA / h;
      largeFactors[(n + i) * w + i] = -BETA / h;
    }
    const isFine =
      luFactor(n, smallFactors, this.smallPivots) < 0 &&
      luFactor(w, largeFactors, this.largePivots) < 0;
    this.factoredFor = isFine ? h : 0;
    return isFine;
  }

  /**
   * Increments from the polynomial of the step before, extended beyond its end; 0 where there is
   * none.
   */
  private predict(): void {
    const { n, z, oldZ, oldFrom, oldH, from, h } = this;
    if (oldH === 0) z.fill(0);
    else
      for (let s = 0; s < 3; s++) {
        const fraction = 1 + (C[s] * h) / oldH;
        for (let i = 0; i < n; i++)
          z[s * n + i] = oldFrom[i] + polynomial(oldZ, n, i, fraction) - from[i];
      }
    this.transform(T_INVERSE, z, this.w);
  }

  /** Simplified Newton iterations; true when they converged. */
  private iterate(t: number, h: number, x: Float64Array): boolean {
    const { n, w, z, f, small, large, point, tolerances } = this;
    const { relative } = tolerances;
    const enough = Math.max((10 * Number.EPSILON) / relative, Math.min(0.03, Math.sqrt(relative)));
    let before = 0;
    this.rate = 1;
    for (let k = 1; k <= MOST_ITERATIONS; k++) {
      this.iterations = k;
      for (let s = 0; s < 3; s++) {
        for (let i = 0; i < n; i++) point[i] = x[i] + z[s * n + i];
        const stage = f.subarray(s * n, (s + 1) * n);
        this.system.derivatives(t + C[s] * h, point, stage);
        for (let i = 0; i < n; i++) if (!Number.isFinite(stage[i])) return false;
      }
      for (let i = 0; i < n; i++) {
        const [f1, f2, f3] = [f[i], f[n + i], f[2 * n + i]];
        const [w1, w2, w3] = [w[i], w[n + i], w[2 * n + i]];
        small[i] = row(0, f1, f2, f3) - (GAMMA / h) * w1;
        large[i] = row(1, f1, f2, f3) - (ALPHA * w2 + BETA * w3) / h;
        large[n + i] = row(2, f1, f2, f3) - (ALPHA * w3 - BETA * w2) / h;
      }
      luSolve(n, this.smallFactors, this.smallPivots, 1, small);
      luSolve(2 * n, this.largeFactors, this.largePivots, 1, large);
      const size = this.correction(x);
      for (let i = 0; i < n; i++) {
        w[i] += small[i];
        w[n + i] += large[i];
        w[2 * n + i] += large[n + i];
      }
      this.transform(T, w, z);
      if (!(size < Number.POSITIVE_INFINITY)) return false;
      if (k > 1) {
        const rate = size / before;
        this.rate = rate;
        const left = MOST_ITERATIONS - k;
        if (rate >= 1 || (rate ** left / (1 - rate)) * size > enough) return false;
        if (size === 0 || (rate / (1 - rate)) * size < enough) return true;
      } else if (size === 0) {
        this.rate = 0;
        return true;
      }
      before = size;
    }
    return false;
  }

  /** The size of the corrections in the eigenbasis, relative to the tolerances. */
  private correction(x: Float64Array): number {
    const { n, small, large } = this;
    const { relative, absolute } = this.tolerances;
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const scale = absolute[i] + relative * Math.abs(x[i]);
      sum += (small[i] / scale) ** 2 + (large[i] / scale) ** 2 + (large[n + i] / scale) ** 2;
    }
    return n === 0 ? 0 : Math.sqrt(sum / (3 * n));
  }

  private estimate(t: number, h: number, x: Float64Array, slope: Float64Array): number {
    const { n, z, small, point, f } = this;
    const combined = f.subarray(0, n);
    for (let i = 0; i < n; i++) {
      combined[i] = (ERROR[0] * z[i] + ERROR[1] * z[n + i] + ERROR[2] * z[2 * n + i]) / h;
      small[i] = slope[i] + combined[i];
    }
    luSolve(n, this.smallFactors, this.smallPivots, 1, small);
    const norm = weightedNorm(small, x, this.next, this.tolerances);
    if (!(norm > 1 && (this.isRejected || this.oldH === 0))) return norm;
    for (let i = 0; i < n; i++) point[i] = x[i] + small[i];
    this.system.derivatives(t, point, small);
    for (let i = 0; i < n; i++) small[i] += combined[i];
    luSolve(n, this.smallFactors, this.smallPivots, 1, small);
    return weightedNorm(small, x, this.next, this.tolerances);
  }

  resize(h: number, error: number): number {
    this.isFresh &&= error > 1;
    if (!(error < Number.POSITIVE_INFINITY)) {
      this.isRejected = true;
      return h / 2;
    }
    const safety = (0.9 * (2 * MOST_ITERATIONS + 1)) / (2 * MOST_ITERATIONS + this.iterations);
    const plain = Math.max(error, 1e-10) ** -0.25;
    if (error > 1) {
      this.isRejected = true;
      return h * Math.max(0.2, Math.min(1, safety * plain));
    }
    const predicted =
      this.oldError > 0 && this.oldH > 0 && error > 0
        ? (h / this.oldH) * (this.oldError / error) ** 0.25
        : 1;
    let factor = Math.min(8, Math.max(0.2, safety * Math.min(1, predicted) * plain));
    if (this.isRejected) factor = Math.min(1, factor);
    // A new size costs a factorization: small growth is not worth it while the Jacobian is kept.
    if (this.rate <= FAST && factor > 1 && factor < 1.2) factor = 1;
    return h * factor;
  }

  accept(): void {
    this.isRejected = false;
    this.isFresh = false;
    this.oldError = Math.max(this.lastError, 1e-2);
    this.oldH = this.h;
    this.oldZ.set(this.z);
    this.oldFrom.set(this.from);
    if (!(this.rate <= FAST)) this.hasJacobian = false;
  }

  restart(): void {
    this.hasJacobian = false;
    this.isFresh = false;
    this.isRejected = false;
    this.factoredFor = 0;
    this.oldH = 0;
    this.oldError = 0;
    this.rate = 1;
  }

  interpolate(fraction: number, out: Float64Array): void {
    const { n, from, z } = this;
    for (let i = 0; i < n; i++) out[i] = from[i] + polynomial(z, n, i, fraction);
  }

  save(into: Float64Array): void {
    const { n, jacobian, oldZ, oldFrom } = this;
    into[0] = this.hasJacobian ? 1 : 0;
    into[1] = this.isRejected ? 1 : 0;
    into[2] = this.rate;
    into[3] = this.oldH;
    into[4] = this.oldError;
    into[5] = this.isFresh ? 1 : 0;
    into.set(jacobian, MEMORY);
    into.set(oldZ, MEMORY + n * n);
    into.set(oldFrom, MEMORY + n * n + 3 * n);
  }

  restore(from: Float64Array): void {
    const { n } = this;
    this.hasJacobian = from[0] !== 0;
    this.isRejected = from[1] !== 0;
    this.rate = from[2];
    this.oldH = from[3];
    this.oldError = from[4];
    this.isFresh = from[5] !== 0;
    this.factoredFor = 0;
    this.jacobian.set(from.subarray(MEMORY, MEMORY + n * n));
    this.oldZ.set(from.subarray(MEMORY + n * n, MEMORY + n * n + 3 * n));
    this.oldFrom.set(from.subarray(MEMORY + n * n + 3 * n));
  }

  /** `to` = (matrix ⊗ I) `from`. */
  private transform(matrix: Float64Array, from: Float64Array, to: Float64Array): void {
    const { n } = this;
    for (let i = 0; i < n; i++) {
      const [a, b, c] = [from[i], from[n + i], from[2 * n + i]];
      for (let s = 0; s < 3; s++)
        to[s * n + i] = matrix[3 * s] * a + matrix[3 * s + 1] * b + matrix[3 * s + 2] * c;
    }
  }
}

/** Row `s` of T⁻¹ times (a, b, c). */
function row(s: number, a: number, b: number, c: number): number {
  return T_INVERSE[3 * s] * a + T_INVERSE[3 * s + 1] * b + T_INVERSE[3 * s + 2] * c;
}

/**
 * The increment of state `i` at `fraction` of the step: the polynomial of degree 3 through 0 at its
 * beginning and the increments at the stages (the collocation polynomial), by Lagrange's formula.
 */
function polynomial(z: Float64Array, n: number, i: number, fraction: number): number {
  let sum = 0;
  for (let s = 0; s < 3; s++) {
    let weight = fraction / C[s];
    for (let r = 0; r < 3; r++) if (r !== s) weight *= (fraction - C[r]) / (C[s] - C[r]);
    sum += weight * z[s * n + i];
  }
  return sum;
}
