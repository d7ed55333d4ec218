/**
 * The norm whose unit ball is a symmetric polytope: the least Σ|c| with x = Σ c v over its vertices
 * v (and −v). A revised simplex method of the size that invariant polytopes need: few rows, many
 * columns.
 *
 * No first phase: any n independent vertices, each with the sign that x asks for, are a feasible
 * basis. Every basis on the way is a representation of x and so an upper bound of its norm; every
 * dual vector a lower bound. Dantzig's rule, and Bland's when it stalls
 * (Chvátal, Linear Programming, ch. 3 and 7). The norm is that of Guglielmi & Protasov, "Exact
 * computation of joint spectral characteristics of linear operators", 2013.
 */
import { approximateInverse } from "./spectral-radius-bound.ts";
import { spend } from "./time-limit.ts";

/** Vertices of a symmetric polytope; only one of v and −v is kept. */
export class SymmetricHull {
  readonly n: number;
  /** Of vertex i, n numbers from n i on. */
  vertices: Float64Array;
  count = 0;
  /** Vertices of the current basis. */
  readonly basis: Int32Array;
  /** What each of them contributes to the last vector asked about, with its sign. */
  readonly coefficients: Float64Array;
  private readonly signs: Float64Array;
  private inverse: Float64Array;
  private readonly dual: Float64Array;
  private readonly column: Float64Array;
  private lastPrice = 0;
  private lastSign = 1;
  private exchanges = 0;

  constructor(n: number) {
    this.n = n;
    this.vertices = new Float64Array(16 * n);
    this.basis = new Int32Array(n);
    this.coefficients = new Float64Array(n);
    this.signs = new Float64Array(n);
    this.inverse = new Float64Array(n * n);
    this.dual = new Float64Array(n);
    this.column = new Float64Array(n);
  }

  add(x: Float64Array): void {
    const { n } = this;
    if ((this.count + 1) * n > this.vertices.length) {
      const longer = new Float64Array(2 * this.vertices.length);
      longer.set(this.vertices);
      this.vertices = longer;
    }
    this.vertices.set(x, this.count++ * n);
  }

  /** Makes these independent vertices the basis. @returns whether they are independent. */
  begin(basis: readonly number[]): boolean {
    const { n, vertices } = this;
    const columns = new Float64Array(n * n);
    basis.forEach((vertex, k) => {
      this.basis[k] = vertex;
      for (let i = 0; i < n; i++) columns[i * n + k] = vertices[vertex * n + i];
    });
    const inverse = approximateInverse(n, columns);
    if (inverse === undefined) return false;
    this.inverse = inverse;
    this.signs.fill(1);
    return true;
  }

  /**
   * The norm of x, or a bound that decides: anything at most `inside` or above `outside` ends the
   * search. The representation is left in `basis` and `coefficients`.
   */
  norm(x: Float64Array, inside: number, outside: number): number {
    const { n } = this;
    const limit = 40 * n + 200;
    for (let turn = 0; ; turn++) {
      const value = this.represent(x);
      if (!(value > inside) || turn === limit) return value;
      const entering = this.price(turn > limit / 2);
      if (entering === -1) return value;
      // The dual vector, made feasible, bounds the norm from below.
      if (this.lastPrice > 0 && value / this.lastPrice > outside) return value;
      if (!this.exchange(entering)) return value;
    }
  }

  /** Coefficients of x in the basis, all of them ≥ 0 by choice of signs; their sum. */
  private represent(x: Float64Array): number {
    const { n, inverse, coefficients, signs } = this;
    let sum = 0;
    for (let k = 0; k < n; k++) {
      let c = 0;
      for (let i = 0; i < n; i++) c += inverse[k * n + i] * x[i];
      signs[k] = c < 0 ? -1 : 1;
      coefficients[k] = c;
      sum += Math.abs(c);
    }
    return sum;
  }

  /** The vertex that gains most (or the first that gains), −1 when none does. */
  private price(first: boolean): number {
    const { n, inverse, signs, dual, vertices, count } = this;
    spend((count + n) * n);
    dual.fill(0);
    for (let k = 0; k < n; k++) {
      for (let i = 0; i < n; i++) dual[i] += signs[k] * inverse[k * n + i];
    }
    let best = -1;
    let most = 1 + 1e-11;
    for (let v = 0; v < count; v++) {
      let value = 0;
      for (let i = 0; i < n; i++) value += dual[i] * vertices[v * n + i];
      const size = Math.abs(value);
      if (size <= most) continue;
      most = size;
      best = v;
      this.lastSign = value < 0 ? -1 : 1;
      if (first) break;
    }
    this.lastPrice = first ? 0 : most;
    return best;
  }

  /** Takes the vertex into the basis for the one that reaches zero first. */
  private exchange(entering: number): boolean {
    const { n, inverse, coefficients, signs, column, vertices, basis } = this;
    spend(3 * n * n);
    let leaving = -1;
    let least = Infinity;
    for (let k = 0; k < n; k++) {
      let d = 0;
      for (let i = 0; i < n; i++) d += inverse[k * n + i] * vertices[entering * n + i];
      column[k] = d;
      const slope = d * this.lastSign * signs[k];
      if (slope <= 1e-12) continue;
      const ratio = Math.abs(coefficients[k]) / slope;
      if (ratio >= least) continue;
      least = ratio;
      leaving = k;
    }
    if (leaving === -1) return false;
    const pivot = column[leaving];
    for (let i = 0; i < n; i++) inverse[leaving * n + i] /= pivot;
    for (let k = 0; k < n; k++) {
      if (k === leaving) continue;
      const f = column[k];
      for (let i = 0; i < n; i++) inverse[k * n + i] -= f * inverse[leaving * n + i];
    }
    basis[leaving] = entering;
    // What rounding does to an inverse that is updated again and again.
    return ++this.exchanges % 64 === 0 ? this.begin(Array.from(basis)) : true;
  }
}
