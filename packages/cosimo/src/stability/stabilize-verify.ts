/**
 * Checks a proof of stability from nothing but its data: the matrices, the automaton and one norm a node. Shares no code with the search,
 * works in the coordinates of the matrices (scaled by powers of two), and counts a path as shrinking only when it does for all that rounding may have hidden.
 */
import { isSurelyPositiveDefinite, normInf, roundedUp, ULP } from "../numerics/rounding.ts";
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
}

const DEFAULT_LIMITS: VerifyLimits = { maxLength: 250, maxProducts: 20_000_000 };

/** @param forms one a node of the automaton, symmetric, row-major: |x|² = xᵀPx. */
export function verifyStability(
  system: SwitchedSystem,
  forms: readonly Float64Array[],
  limits: VerifyLimits = DEFAULT_LIMITS,
): Verification {
  return new Check(system, forms, limits).run();
}

class Check {
  readonly #n: number;
  readonly #matrices: readonly Float64Array[];
  readonly #forms: readonly Float64Array[];
  readonly #limits: VerifyLimits;
  readonly #leaving: { readonly to: number; readonly mode: number }[][];
  /** By length of the path: its product, and a bound of what rounding did to every entry of it. */
  readonly #products: Float64Array[] = [];
  readonly #errors: Float64Array[] = [];
  readonly #left: Float64Array;
  readonly #doubt: Float64Array;
  readonly #work: Float64Array;
  readonly #word: number[] = [];
  #longest = 0;
  #count = 0;
  #failed: "length" | "effort" = "length";

  constructor(system: SwitchedSystem, forms: readonly Float64Array[], limits: VerifyLimits) {
    const { dimension: n, matrices, automaton } = system;
    this.#n = n;
    this.#limits = limits;
    this.#leaving = Array.from({ length: automaton.nodes }, () => []);
    for (const { from, to, mode } of automaton.edges) this.#leaving[from]!.push({ to, mode });
    for (let k = 0; k < limits.maxLength; k++) {
      this.#products.push(new Float64Array(n * n));
      this.#errors.push(new Float64Array(n * n));
    }
    this.#left = new Float64Array(n * n);
    this.#doubt = new Float64Array(n * n);
    this.#work = new Float64Array(n * n);
    const scales = scalesOf(n, forms);
    this.#matrices = matrices.map((a) =>
      a.map((value, k) => (value * scales[k % n]!) / scales[Math.floor(k / n)]!),
    );
    this.#forms = forms.map((p) =>
      p.map((value, k) => value * scales[k % n]! * scales[Math.floor(k / n)]!),
    );
  }

  run(): Verification {
    for (let node = 0; node < this.#leaving.length; node++)
      if (!this.#isForm(this.#forms[node])) return { holds: false, reason: "form", node, word: [] };
    for (let node = 0; node < this.#leaving.length; node++) {
      if (this.#goesOn(node, node)) continue;
      return { holds: false, reason: this.#failed, node, word: [...this.#word] };
    }
    return { holds: true, longest: this.#longest, products: this.#count };
  }

  #isForm(form: Float64Array | undefined): boolean {
    const n = this.#n;
    if (form?.length !== n * n) return false;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < i; j++) if (form[i * n + j] !== form[j * n + i]) return false;
    return isSurelyPositiveDefinite(n, form, 0, this.#work);
  }

  /** Whether all paths that go on from here shrink. */
  #goesOn(root: number, node: number): boolean {
    const length = this.#word.length;
    if (length === this.#limits.maxLength) return this.#fail("length");
    for (const { to, mode } of this.#leaving[node]!) {
      if (++this.#count > this.#limits.maxProducts) return this.#fail("effort");
      this.#extend(length, mode);
      this.#longest = Math.max(this.#longest, length + 1);
      if (this.#hasShrunk(root, to, length)) continue;
      this.#word.push(mode);
      if (!this.#goesOn(root, to)) return false;
      this.#word.pop();
    }
    return true;
  }

  #fail(reason: "length" | "effort"): boolean {
    this.#failed = reason;
    return false;
  }

  /** The product of the path with one more matrix, and its error: that of before, and the rounding of sums and of the matrix itself. */
  #extend(length: number, mode: number): void {
    const n = this.#n;
    const a = this.#matrices[mode]!;
    const product = this.#products[length]!;
    const error = this.#errors[length]!;
    if (length === 0) {
      product.set(a);
      // A matrix is taken as off by its own rounding: it may be a quotient (`shrunk`).
      for (let k = 0; k < n * n; k++) error[k] = 2 * ULP * Math.abs(a[k]!);
      return;
    }
    const before = this.#products[length - 1]!;
    const wrong = this.#errors[length - 1]!;
    const rounding = (n + 6) * ULP;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        let [sum, off] = [0, 0];
        for (let k = 0; k < n; k++) {
          const factor = a[i * n + k]!;
          const value = before[k * n + j]!;
          const doubt = wrong[k * n + j]!;
          sum += factor * value;
          off += Math.abs(factor) * (doubt + rounding * (Math.abs(value) + doubt));
        }
        product[i * n + j] = sum;
        error[i * n + j] = roundedUp(off);
      }
  }

  /** P(from) − Mᵀ P(to) M is positive definite for the exact M. */
  #hasShrunk(from: number, to: number, length: number): boolean {
    const n = this.#n;
    const [p, q] = [this.#forms[from]!, this.#forms[to]!];
    const [m, wrong] = [this.#products[length]!, this.#errors[length]!];
    const [left, doubt, half] = [this.#left, this.#doubt, this.#work];
    const rounding = (2 * n + 8) * ULP;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += q[i * n + k]! * m[k * n + j]!;
        half[i * n + j] = sum;
      }
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += m[k * n + i]! * half[k * n + j]!;
        left[i * n + j] = p[i * n + j]! - sum;
        left[j * n + i] = left[i * n + j]!;
      }
    // Entry by entry: (|M| + E)ᵀ |Q| (|M| + E) − |M|ᵀ |Q| |M| for what is wrong with M, then the rounding of the sums above.
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let k = 0; k < n; k++)
          sum += Math.abs(q[i * n + k]!) * (Math.abs(m[k * n + j]!) + wrong[k * n + j]!);
        half[i * n + j] = sum;
      }
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        let sum = rounding * Math.abs(p[i * n + j]!);
        for (let k = 0; k < n; k++) {
          const [size, off] = [Math.abs(m[k * n + i]!), wrong[k * n + i]!];
          sum += (2 * off + rounding * (size + off)) * half[k * n + j]!;
        }
        doubt[i * n + j] = sum;
      }
    // As large as the sum with its transpose: the bound above counts both sides of M at column i only.
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) {
        const both = roundedUp(doubt[i * n + j]! + doubt[j * n + i]!);
        doubt[i * n + j] = both;
        doubt[j * n + i] = both;
      }
    return isSurelyPositiveDefinite(n, left, normInf(n, doubt), this.#work);
  }
}

/** Powers of two that make the diagonals of the forms about 1 on average: coordinates of one size, without any rounding. */
function scalesOf(n: number, forms: readonly Float64Array[]): number[] {
  return Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (const form of forms) sum += Math.abs(form[i * n + i] ?? 0);
    const mean = sum / forms.length;
    return mean > 0 && mean < Number.POSITIVE_INFINITY ? 2 ** -Math.round(Math.log2(mean) / 2) : 1;
  });
}
