import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isSurelyPositiveDefinite,
  rootAbove,
  rootBelow,
  roundedDown,
  roundedUp,
} from "./rounding.ts";

const SEED = 20_261_116;
const whole = (length: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: -50, max: 50 }), { minLength: length, maxLength: length });

/** G Gᵀ, with `columns` columns of whole numbers: exact in floating point. */
function gram(n: number, columns: number, g: readonly number[]): Float64Array {
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      for (let k = 0; k < columns; k++) a[i * n + j] += g[i * columns + k]! * g[j * columns + k]!;
    }
  }
  return a;
}

const surely = (n: number, a: Float64Array, error = 0): boolean =>
  isSurelyPositiveDefinite(n, a, error, new Float64Array(n * n));

describe("the test of positive definiteness", () => {
  it(`[JS18] never takes a singular matrix for a definite one (seed ${SEED})`, () => {
    fc.assert(
      fc.property(whole(8), (g) => {
        expect(surely(4, gram(4, 2, g))).toBe(false);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it(`[JS18] accepts what is definite by more than the error, and nothing that need not be (seed ${SEED})`, () => {
    fc.assert(
      fc.property(whole(8), (g) => {
        const a = gram(4, 2, g);
        for (let i = 0; i < 4; i++) a[i * 4 + i]! += 1;
        // The smallest eigenvalue is exactly 1.
        expect(surely(4, a, 0.999)).toBe(true);
        expect(surely(4, a, 1)).toBe(false);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it("[JS18] refuses what is not a number, and errors without end", () => {
    expect(surely(1, Float64Array.of(Number.NaN))).toBe(false);
    expect(surely(1, Float64Array.of(Infinity))).toBe(false);
    expect(surely(1, Float64Array.of(1), Infinity)).toBe(false);
    expect(surely(1, Float64Array.of(1), Number.NaN)).toBe(false);
  });
});

describe("bounds of rounded results", () => {
  it(`[JS18] lie on their side, also of roots (seed ${SEED})`, () => {
    const root = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(root, ([x, k]) => {
        // Whole powers below 2^53 are exact.
        const power = x ** k;
        fc.pre(power < 2 ** 53);
        expect(rootAbove(power, k)).toBeGreaterThanOrEqual(x);
        expect(rootBelow(power, k)).toBeLessThanOrEqual(x);
        expect(rootAbove(power, k) / rootBelow(power, k)).toBeCloseTo(1, 12);
      }),
      { seed: SEED, numRuns: 200 },
    );
    expect(roundedUp(1)).toBeGreaterThan(1);
    expect(roundedUp(0)).toBeGreaterThan(0);
    expect(roundedDown(1)).toBeLessThan(1);
    expect(roundedDown(0)).toBe(0);
  });
});
