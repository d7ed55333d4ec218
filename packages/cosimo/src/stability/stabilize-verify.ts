/**
 * Checks a proof of stability from nothing but its data: the matrices, the automaton and one norm
 * per node. Shares no code with the search, works in the coordinates of the matrices (scaled by
 * powers of two), and counts a path as shrinking only when it does for all that rounding may have
 * hidden.
 */
import {
  isSurelyPositiveDefinite,
  normFrobenius,
  normInf,
  roundedUp,
  ULP,
} from "../numerics/rounding.ts";
import { spend } from "../numerics/time-limit.ts";
import type { SwitchedSystem } from "./switched-system.ts";

export type Verification =
  | { readonly holds: true; readonly longest: number; readonly products: number }
  | {
      readonly holds: false;
      readonly reason: "form" | "length" | "effort";
      readonly node: number;
      /** Modes of the path that does not shrink. */
      readonly word: readonly number[];
    };

export interface VerifyLimits {
  /** Edges of a path by whose end it has to shrink. */
  readonly maxLength: number;
  readonly maxProducts: number;
  /** Asked before every product; `false` ends the check, which then does not hold. */
  readonly keepGoing?: () => boolean;
}

export const DEFAULT_LIMITS: VerifyLimits = { maxLength: 250, maxProducts: 20_000_000 };

/** @param forms one per node of the automaton, symmetric, row-major: |x|² = xᵀPx. */
export function verifyStability(
  system: SwitchedSystem,
  forms: readonly Float64Array[],
  limits: VerifyLimits = DEFAULT_LIMITS,
): Verification {
  return new Check(system, forms, limits).run();
}

/** Factors by which an edge may lengthen vectors, tried in this order. */
const GROWTHS = [1, 1.01, 1.03, 1.1, 1.3, 2, 4, 10, 100, 1e4];

interface CheckedEdge {
  readonly to: number;
  readonly mode: number;
  /** At most so much longer, in the norms of its ends; for exact numbers. */
  readonly growth: number;
}

/**
 * What rounding did to a product is bounded in the norms themselves, as a number: there an edge
 * enlarges it by little more than 1, where bounds by entries would grow with the absolute values of
 * the matrices, path after path.
 */
class Check {
  private readonly n: number;
  private readonly matrices: readonly Float64Array[];
  private readonly forms: readonly Float64Array[];
  private readonly limits: VerifyLimits;
  private readonly automaton: SwitchedSystem["automaton"];
  private readonly leaving: CheckedEdge[][];
  /** Frobenius norms of the matrices; by node bounds of the eigenvalues of its form. */
  private readonly sizes: readonly number[];
  private least: readonly number[] = [];
  private largest: readonly number[] = [];
  /** By length of the path: its product. */
  private readonly products: Float64Array[] = [];
  private readonly left: Float64Array;
  private readonly half: Float64Array;
  private readonly doubt: Float64Array;
  private readonly work: Float64Array;
  private readonly word: number[] = [];
  private longest = 0;
  private count = 0;
  private failed: "length" | "effort" = "length";

  constructor(system: SwitchedSystem, forms: readonly Float64Array[], limits: VerifyLimits) {
    const { dimension: n, matrices, automaton } = system;
    this.n = n;
    this.limits = limits;
    this.automaton = automaton;
    this.leaving = Array.from({ length: automaton.nodes }, () => []);
    for (let k = 0; k < limits.maxLength; k++) this.products.push(new Float64Array(n * n));
    this.left = new Float64Array(n * n);
    this.half = new Float64Array(n * n);
    this.doubt = new Float64Array(n * n);
    this.work = new Float64Array(n * n);
    const scales = scalesOf(n, forms);
    this.matrices = matrices.map((a) =>
      a.map((value, k) => (value * scales[k % n]) / scales[Math.floor(k / n)]),
    );
    this.forms = forms.map((p) =>
      p.map((value, k) => value * scales[k % n] * scales[Math.floor(k / n)]),
    );
    this.sizes = this.matrices.map(normFrobenius);
  }

  run(): Verification {
    const { nodes, edges } = this.automaton;
    for (let node = 0; node < nodes; node++)
      if (!this.isForm(this.forms[node])) return { holds: false, reason: "form", node, word: [] };
    this.largest = this.forms.map((form) => normInf(this.n, form));
    this.least = this.forms.map((form, node) => this.leastEigenvalue(form, this.largest[node]));
    for (const { from, to, mode } of edges)
      this.leaving[from].push({ to, mode, growth: this.growth(from, to, mode) });
    for (let node = 0; node < nodes; node++) {
      if (this.goesOn(node, node, 0)) continue;
      return { holds: false, reason: this.failed, node, word: [...this.word] };
    }
    return { holds: true, longest: this.longest, products: this.count };
  }

  private isForm(form: Float64Array | undefined): boolean {
    const n = this.n;
    if (form?.length !== n * n) return false;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < i; j++) if (form[i * n + j] !== form[j * n + i]) return false;
    return isSurelyPositiveDefinite(n, form, 0, this.work);
  }

  /** A power of two that is certainly below all eigenvalues of a form; 0 where none was found. */
  private leastEigenvalue(form: Float64Array, largest: number): number {
    const n = this.n;
    for (let low = 2 ** Math.ceil(Math.log2(largest)); low > 1e-18 * largest; low /= 2) {
      this.left.set(form);
      for (let i = 0; i < n; i++) this.left[i * n + i] -= low;
      if (isSurelyPositiveDefinite(n, this.left, 2 * ULP * largest, this.work)) return low;
    }
    return 0;
  }

  private growth(from: number, to: number, mode: number): number {
    const a = this.matrices[mode];
    const doubt = this.doubtOf(2 * ULP * this.sizes[mode], from, to);
    for (const growth of GROWTHS)
      if (growth > doubt && this.isBelow(a, from, to, growth - doubt)) return growth;
    return Number.POSITIVE_INFINITY;
  }

  /** The norm, from one node to another, of whatever has this Frobenius norm. */
  private doubtOf(size: number, from: number, to: number): number {
    return roundedUp(size * Math.sqrt(this.largest[to] / this.least[from]));
  }

  /**
   * Whether all paths that go on from here shrink.
   * @param error of the product of the path so far, in the norms of `root` and `node`.
   */
  private goesOn(root: number, node: number, error: number): boolean {
    const n = this.n;
    const length = this.word.length;
    if (length === this.limits.maxLength) return this.fail("length");
    const product = this.products[length];
    const before = this.products[length - 1];
    for (const { to, mode, growth } of this.leaving[node]) {
      if (++this.count > this.limits.maxProducts) return this.fail("effort");
      if (this.limits.keepGoing?.() === false) return this.fail("effort");
      const a = this.matrices[mode];
      // A matrix is taken as off by its own rounding, as it may be a quotient (`shrunk`); then the
      // rounding of sums of n products.
      let fresh = 2 * ULP * this.sizes[mode];
      if (before === undefined) product.set(a);
      else {
        spend(n * n * n);
        for (let i = 0; i < n; i++)
          for (let j = 0; j < n; j++) {
            let sum = 0;
            for (let k = 0; k < n; k++) sum += a[i * n + k] * before[k * n + j];
            product[i * n + j] = sum;
          }
        fresh = (n + 6) * ULP * this.sizes[mode] * normFrobenius(before);
      }
      this.longest = Math.max(this.longest, length + 1);
      const wrong = roundedUp(growth * error * (1 + 8 * ULP) + this.doubtOf(fresh, root, to));
      if (wrong < 1 && this.isBelow(product, root, to, 1 - wrong)) continue;
      this.word.push(mode);
      if (!this.goesOn(root, to, wrong)) return false;
      this.word.pop();
    }
    return true;
  }

  private fail(reason: "length" | "effort"): boolean {
    this.failed = reason;
    return false;
  }

  /**
   * Whether |Mx| < factor · |x| in the norms of the two nodes: factor² P(from) − Mᵀ P(to) M is
   * positive definite.
   */
  private isBelow(m: Float64Array, from: number, to: number, factor: number): boolean {
    const n = this.n;
    const [p, q] = [this.forms[from], this.forms[to]];
    const [left, half, doubt] = [this.left, this.half, this.doubt];
    const square = factor * factor;
    const rounding = (2 * n + 8) * ULP;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        let [sum, size] = [0, 0];
        for (let k = 0; k < n; k++) {
          const product = q[i * n + k] * m[k * n + j];
          sum += product;
          size += Math.abs(product);
        }
        half[i * n + j] = sum;
        this.work[i * n + j] = size;
      }
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        let [sum, size] = [0, square * Math.abs(p[i * n + j])];
        for (let k = 0; k < n; k++) {
          sum += m[k * n + i] * half[k * n + j];
          size += Math.abs(m[k * n + i]) * this.work[k * n + j];
        }
        if (j <= i) left[i * n + j] = square * p[i * n + j] - sum;
        doubt[i * n + j] = rounding * size;
      }
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) left[j * n + i] = left[i * n + j];
    return isSurelyPositiveDefinite(n, left, 2 * normInf(n, doubt), this.work);
  }
}

/**
 * Powers of two that make the diagonals of the forms about 1 on average: coordinates of one size,
 * without any rounding.
 */
function scalesOf(n: number, forms: readonly Float64Array[]): number[] {
  return Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (const form of forms) sum += Math.abs(form[i * n + i] ?? 0);
    const mean = sum / forms.length;
    return mean > 0 && mean < Number.POSITIVE_INFINITY ? 2 ** -Math.round(Math.log2(mean) / 2) : 1;
  });
}
