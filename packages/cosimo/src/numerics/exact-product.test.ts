import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactMultiply, exactOf, nearestDoubles } from "./exact-product.ts";

const SEED = 20_261_116;
const double = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 });

describe("exact products", () => {
  it(`[JS1] hold every double as it is (seed ${SEED})`, () => {
    fc.assert(
      fc.property(double, (x) => {
        const { matrix, scale } = nearestDoubles(exactOf(Float64Array.of(x)));
        fc.pre(Math.abs(x) > 1e-200);
        expect(matrix[0]! * 2 ** scale).toBe(x);
      }),
      { seed: SEED },
    );
  });

  it("[JS1] keep what floating point loses", () => {
    const a = exactOf(Float64Array.of(1, 2 ** 80, 0, 1));
    const b = exactOf(Float64Array.of(1, -(2 ** 80), 0, 1));
    const c = exactOf(Float64Array.of(1, 2 ** -80, 2 ** -80, 1));
    const product = exactMultiply(2, a, exactMultiply(2, c, b));
    // a c b = [[1 + 1, 2⁻⁸⁰ − 2⁸⁰], [2⁻⁸⁰, 0]]: the 1 survives beside 2⁸⁰, and 1 − 1 is 0.
    const { matrix, scale, isExact } = nearestDoubles(product);
    expect(matrix[0]! * 2 ** scale).toBe(2);
    expect(matrix[2]! * 2 ** scale).toBe(2 ** -80);
    expect(matrix[3]).toBe(0);
    expect(isExact).toBe(false);
    expect(nearestDoubles(a).isExact).toBe(true);
  });

  it("[JS1] of nothing are nothing, and infinity has none", () => {
    expect([...nearestDoubles(exactOf(Float64Array.of(0, 0, 0, 0))).matrix]).toEqual([0, 0, 0, 0]);
    expect(() => exactOf(Float64Array.of(Infinity))).toThrow(RangeError);
  });
});
