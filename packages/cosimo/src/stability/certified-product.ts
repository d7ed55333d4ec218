/**
 * Products of words, for those who look at them, and exactly, for those who prove something with
 * them.
 */
import { balancingExponents, scaledExactly } from "../numerics/balance.ts";
import { exactMultiply, exactOf, nearestDoubles } from "../numerics/exact-product.ts";
import { multiply } from "../numerics/matrix.ts";
import { normInf, rootBelow, roundedDown, ULP } from "../numerics/rounding.ts";
import { spectralRadiusBelow } from "../numerics/spectral-radius-bound.ts";
import type { SwitchedSystem } from "./switched-system.ts";

/**
 * The product of a word as floating point has it, its first mode applied first: A(last) … A(first).
 */
export function productOf(
  { dimension: n, matrices }: SwitchedSystem,
  word: readonly number[],
): Float64Array {
  let product = Float64Array.from(matrices[word[0]]);
  for (const mode of word.slice(1)) {
    const next = new Float64Array(n * n);
    multiply(n, matrices[mode], product, next);
    product = next;
  }
  return product;
}

/**
 * At most the growth per step of the word repeated: the spectral radius of its exact product, to
 * the power 1/length.
 */
export function rateBelow(
  { dimension: n, matrices }: SwitchedSystem,
  word: readonly number[],
): number {
  const factors = new Map([...new Set(word)].map((mode) => [mode, exactOf(matrices[mode])]));
  let product = factors.get(word[0])!;
  for (const mode of word.slice(1)) product = exactMultiply(n, factors.get(mode)!, product);
  const { matrix, scale, isExact } = nearestDoubles(product);
  const balanced = scaledExactly(n, matrix, balancingExponents(n, matrix.map(Math.abs))) ?? matrix;
  const radius = spectralRadiusBelow(n, balanced, isExact ? 0 : ULP * normInf(n, balanced));
  // Whole powers of two are exact; the rest of the root is of a number between 1 and 2^length.
  const whole = Math.floor(scale / word.length);
  const rest = 2 ** ((scale - whole * word.length) / word.length);
  return roundedDown(roundedDown(rootBelow(radius, word.length) * rest) * 2 ** whole);
}
