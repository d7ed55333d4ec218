/**
 * Checks a proof of stability from nothing but its data: the matrices, the automaton and one norm a node. Shares no code with the search,
 * works in the coordinates of the matrices, and counts a path as shrinking only when it does for all that rounding may have hidden.
 */
import {
  isSurelyPositiveDefinite,
  normFrobenius,
  normInf,
  roundedUp,
  ULP,
} from "../numerics/rounding.ts";
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
  readonly #system: SwitchedSystem;
  readonly #forms: readonly Float64Array[];
  readonly #limits: VerifyLimits;
  readonly #leaving: { readonly to: number; readonly mode: number }[][];
  readonly #products: Float64Array[] = [];
  readonly #half: Float64Array;
  readonly #left: Float64Array;
  readonly #work: Float64Array;
  readonly #sizes: readonly number[];
  readonly #formSizes: readonly number[];
  readonly #word: number[] = [];
  #longest = 0;
  #count = 0;
  #failed: "length" | "effort" = "length";

  constructor(system: SwitchedSystem, forms: readonly Float64Array[], limits: VerifyLimits) {
    const n = system.dimension;
    this.#n = n;
    this.#system = system;
    this.#forms = forms;
    this.#limits = limits;
    this.#leaving = Array.from({ length: system.automaton.nodes }, () => []);
    for (const { from, to, mode } of system.automaton.edges)
      this.#leaving[from]!.push({ to, mode });
    for (let k = 0; k < limits.maxLength; k++) this.#products.push(new Float64Array(n * n));
    this.#half = new Float64Array(n * n);
    this.#left = new Float64Array(n * n);
    this.#work = new Float64Array(n * n);
    this.#sizes = system.matrices.map((a) => normInf(n, a));
    this.#formSizes = forms.map((p) => normInf(n, p));
  }

  run(): Verification {
    for (let node = 0; node < this.#leaving.length; node++)
      if (!this.#isForm(this.#forms[node])) return { holds: false, reason: "form", node, word: [] };
    for (let node = 0; node < this.#leaving.length; node++) {
      if (this.#goesOn(node, node, 0)) continue;
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

  /**
   * Whether all paths that go on from here shrink.
   * @param error bound (∞-norm) of what rounding did to the product of the path so far.
   */
  #goesOn(root: number, node: number, error: number): boolean {
    const { matrices } = this.#system;
    const n = this.#n;
    const length = this.#word.length;
    if (length === this.#limits.maxLength) return this.#fail("length");
    const product = this.#products[length]!;
    for (const { to, mode } of this.#leaving[node]!) {
      if (++this.#count > this.#limits.maxProducts) return this.#fail("effort");
      const a = matrices[mode]!;
      // A matrix is taken as off by its own rounding: it may be a quotient (shrunk).
      let now = roundedUp(2 * ULP * this.#sizes[mode]!);
      if (length === 0) product.set(a);
      else {
        const before = this.#products[length - 1]!;
        for (let i = 0; i < n; i++)
          for (let j = 0; j < n; j++) {
            let sum = 0;
            for (let k = 0; k < n; k++) sum += a[i * n + k]! * before[k * n + j]!;
            product[i * n + j] = sum;
          }
        const size = this.#sizes[mode]!;
        now = roundedUp(size * error + (n + 4) * ULP * size * (normInf(n, before) + error));
      }
      this.#longest = Math.max(this.#longest, length + 1);
      if (this.#hasShrunk(root, to, product, now)) continue;
      this.#word.push(mode);
      if (!this.#goesOn(root, to, now)) return false;
      this.#word.pop();
    }
    return true;
  }

  #fail(reason: "length" | "effort"): boolean {
    this.#failed = reason;
    return false;
  }

  /** P(from) − Mᵀ P(to) M is positive definite for the exact M. */
  #hasShrunk(from: number, to: number, m: Float64Array, wrong: number): boolean {
    const n = this.#n;
    const p = this.#forms[from]!;
    const q = this.#forms[to]!;
    const [half, left] = [this.#half, this.#left];
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
    const size = normFrobenius(m);
    const [sizeOfQ, sizeOfP] = [this.#formSizes[to]!, this.#formSizes[from]!];
    // In the spectral norm: what is wrong with M (√n times its ∞-norm) on either side, then the rounding of the sums above.
    const off = roundedUp(Math.sqrt(n) * wrong);
    const error = roundedUp(
      (2 * off * size + off * off) * sizeOfQ +
        (2 * n + 8) * ULP * (n * size * size * sizeOfQ + sizeOfP),
    );
    return isSurelyPositiveDefinite(n, left, error, this.#work);
  }
}
