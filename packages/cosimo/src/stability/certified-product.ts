/**
 * Products of matrices together with a bound of what rounding did to them, so that what is said of a product holds for the exact one.
 */
import { multiply } from "../numerics/matrix.ts";
import { normInf, roundedUp, ULP } from "../numerics/rounding.ts";
import type { SwitchedSystem } from "./switched-system.ts";

export interface CertifiedProduct {
  readonly matrix: Float64Array;
  /** At least the ∞-norm of the difference to the exact product. */
  readonly error: number;
}

/** The product of a word, its first mode applied first: A(last) … A(first). */
export function productOf(
  { dimension: n, matrices }: SwitchedSystem,
  word: readonly number[],
): CertifiedProduct {
  let matrix = Float64Array.from(matrices[word[0]!]!);
  let error = 0;
  for (const mode of word.slice(1)) {
    const factor = matrices[mode]!;
    const next = new Float64Array(n * n);
    multiply(n, factor, matrix, next);
    const size = normInf(n, factor);
    // ‖A‖ times what was wrong before, and n roundings of every entry.
    error = roundedUp(size * error + (n + 2) * ULP * size * normInf(n, matrix));
    matrix = next;
  }
  return { matrix, error };
}
