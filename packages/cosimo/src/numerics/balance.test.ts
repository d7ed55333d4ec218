import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { balancingExponents, scaledExactly } from "./balance.ts";
import { spectralRadius } from "./eigenvalues.ts";

const SEED = 20_261_116;

describe("balancing", () => {
  it(`[JS20] finds scales that were put on (seed ${SEED})`, () => {
    const entry = fc.double({ min: 0.5, max: 1, noNaN: true });
    const drawn = fc.tuple(
      fc.array(entry, { minLength: 9, maxLength: 9 }),
      fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 3, maxLength: 3 }),
    );
    fc.assert(
      fc.property(drawn, ([list, scales]) => {
        const a = scaledExactly(3, Float64Array.from(list), scales)!;
        const balanced = scaledExactly(3, a, balancingExponents(3, a))!;
        for (const x of balanced) expect(x).toBeLessThan(8);
        expect(spectralRadius(3, balanced)).toBeCloseTo(
          spectralRadius(3, Float64Array.from(list)),
          12,
        );
      }),
      { seed: SEED, numRuns: cases(100) },
    );
  });

  it("[JS20] leaves what is balanced, and makes a lonely large entry small", () => {
    expect(balancingExponents(2, Float64Array.of(1, 1, 1, 1))).toEqual([0, 0]);
    expect(balancingExponents(2, Float64Array.of(1, 0, 0, 1))).toEqual([0, 0]);
    const a = Float64Array.of(0.9, 1e12, 0, 0.9);
    const balanced = scaledExactly(2, a, balancingExponents(2, a))!;
    expect(balanced[1]).toBeLessThan(1e-5);
  });

  it("[JS20] says when a scale leaves the range of numbers", () => {
    expect(scaledExactly(2, Float64Array.of(1, 1, 1, 1), [0, 2000])).toBeUndefined();
    expect(scaledExactly(2, Float64Array.of(1, 1e-300, 0, 1), [200, 0])).toBeUndefined();
  });
});
