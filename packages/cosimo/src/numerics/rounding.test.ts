import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import {
  isSurelyPositiveDefinite,
  normFrobenius,
  normInf,
  rootAbove,
  rootBelow,
  roundedDown,
  roundedUp,
  ULP,
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
      { seed: SEED, numRuns: cases(300) },
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
      { seed: SEED, numRuns: cases(300) },
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
      { seed: SEED, numRuns: cases(200) },
    );
    expect(roundedUp(1)).toBeGreaterThan(1);
    expect(roundedUp(0)).toBeGreaterThan(0);
    expect(roundedDown(1)).toBeLessThan(1);
    expect(roundedDown(0)).toBe(0);
  });

  it("[JS18] cover what sums lose, term by term, and what underflows", () => {
    // 1 + 2⁻⁵³ is rounded to 1, however often it is repeated.
    const n = 200;
    const row = new Float64Array(n * n);
    row.fill(2 ** -53, 0, n)[0] = 1;
    expect(normInf(n, row)).toBeGreaterThanOrEqual(1 + ((n - 1) / 2) * ULP);
    const squares = new Float64Array(n).fill(2 ** -26.5);
    squares[0] = 1;
    expect(normFrobenius(squares)).toBeGreaterThanOrEqual(1 + ((n - 1) / 4) * ULP);
    for (const tiny of [1e-200, 1e-170, 3e-162, 1e-160, 1e-300])
      expect(normFrobenius(Float64Array.of(tiny))).toBeGreaterThanOrEqual(tiny);
    expect(roundedDown(1e-290)).toBe(0);
  });

  it("[JS18] of roots cover the rounding of the exponent, which is that of the logarithm", () => {
    // 1/k is off by half a unit, which moves x^(1/k) by log(x)/k half units.
    const logarithm = Math.log(2 ** 1000);
    expect((rootAbove(2 ** 1000, 8) / 2 ** 125 - 1) / ULP).toBeGreaterThan(logarithm);
    expect((1 - rootBelow(2 ** 1000, 8) / 2 ** 125) / ULP).toBeGreaterThan(logarithm);
    expect((1 - rootBelow(2 ** -1000, 8) / 2 ** -125) / ULP).toBeGreaterThan(logarithm);
  });
});
