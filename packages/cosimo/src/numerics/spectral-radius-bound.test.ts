import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { spectralRadius } from "./eigenvalues.ts";
import { GrowthRate } from "./growth-rate.ts";
import { ULP } from "./rounding.ts";
import { inverseBound, spectralRadiusBelow } from "./spectral-radius-bound.ts";

const SEED = 20_261_116;

describe("a certain bound of the spectral radius from below", () => {
  it(`[JS1] is at most the largest diagonal entry of a triangle, and near it where entries differ (seed ${SEED})`, () => {
    const entry = fc.integer({ min: -64, max: 64 });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 6, maxLength: 6 }), ([a, b, c, d, e, f]) => {
        const radius = Math.max(Math.abs(a!), Math.abs(d!), Math.abs(f!));
        const below = spectralRadiusBelow(3, Float64Array.of(a!, b!, c!, 0, d!, e!, 0, 0, f!), 0);
        expect(below).toBeLessThanOrEqual(radius);
        if (new Set([a, d, f]).size === 3)
          expect(below).toBeGreaterThan(radius * (1 - 1e-9) - 1e-9);
      }),
      { seed: SEED, numRuns: cases(300) },
    );
  });

  it("[JS1] holds for every matrix within the error", () => {
    // [[1, e], [e, 1]] has radius 1 + e; within e/2 of it lies 1 + e/2.
    const e = 1e-3;
    const below = spectralRadiusBelow(2, Float64Array.of(1, e, e, 1), e / 2);
    expect(below).toBeLessThanOrEqual(1 + e / 2);
    expect(spectralRadiusBelow(2, Float64Array.of(1, e, e, 1), 0)).toBeGreaterThan(1 + e - 1e-12);
  });

  it("[JS1] of a Jordan block keeps a part of it, and says nothing of what is not finite", () => {
    const below = spectralRadiusBelow(2, Float64Array.of(1, 1, 0, 1), 0);
    expect(below).toBeLessThanOrEqual(1);
    expect(below).toBeGreaterThan(1 - 1e-6);
    expect(spectralRadiusBelow(2, Float64Array.of(0, 1, 0, 0), 0)).toBe(0);
    expect(spectralRadiusBelow(1, Float64Array.of(Infinity), 0)).toBe(0);
    expect(spectralRadiusBelow(1, Float64Array.of(2), Infinity)).toBe(0);
  });

  it("[JS1] of a rotation knows its length", () => {
    const [c, s] = [0.6, 0.8];
    const below = spectralRadiusBelow(2, Float64Array.of(c, -s, s, c), 0);
    expect(below).toBeGreaterThan(1 - 1e-13);
    expect(below).toBeLessThan(1 + 1e-15);
  });
});

describe("a bound of the inverse", () => {
  it("is at least its norm, and endless for singular matrices", () => {
    // The inverse of [[1, 2], [3, 4]] is [[-2, 1], [1.5, -0.5]]: largest row sum 3.
    expect(inverseBound(2, Float64Array.of(1, 2, 3, 4))).toBeGreaterThanOrEqual(3);
    expect(inverseBound(2, Float64Array.of(1, 2, 3, 4))).toBeCloseTo(3, 12);
    expect(inverseBound(2, Float64Array.of(1, 2, 2, 4))).toBe(Infinity);
    // Of the identity: n units of its norm, (n + 4) of |X| |A| + 1, and 16 for the result.
    const n = 8;
    const identity = Float64Array.from({ length: n * n }, (_, k) => Number(k % (n + 1) === 0));
    expect((inverseBound(n, identity) - 1) / ULP).toBe(n + 2 * (n + 4) + 16);
  });
});

describe("quick growth rates", () => {
  it(`agree with eigenvalues above the floor and are 0 only below it (seed ${SEED})`, () => {
    const sizes = fc.integer({ min: 1, max: 4 }).chain((n) =>
      fc
        .array(fc.double({ min: -2, max: 2, noNaN: true }), {
          minLength: n * n,
          maxLength: n * n,
        })
        .map((a) => ({ n, a: Float64Array.from(a) })),
    );
    const seen = { above: 0, below: 0 };
    fc.assert(
      fc.property(sizes, fc.double({ min: 0, max: 3, noNaN: true }), ({ n, a }, floor) => {
        const radius = spectralRadius(n, a);
        const found = new GrowthRate(n).above(a, 0, floor);
        const isAbove = radius > floor * (1 + 1e-9);
        if (isAbove || found !== 0) expect(found).toBeCloseTo(radius, 6);
        if (isAbove) seen.above++;
        else if (found === 0) seen.below++;
      }),
      { seed: SEED, numRuns: cases(300) },
    );
    expect(seen.above).toBeGreaterThan(0);
    expect(seen.below).toBeGreaterThan(0);
  });
});
