import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commonRates } from "./rates.ts";

describe("rates", () => {
  it.each([
    [[0.01], 0.01, [1]],
    [[0.001, 0.01], 0.001, [1, 10]],
    [[0.4, 1], 0.2, [2, 5]],
    [[0.003, 0.007], 0.001, [3, 7]],
    [[1e-6, 1], 1e-6, [1, 1_000_000]],
    [[1, 1 + 1e-12], 1, [1, 1]],
  ])("[PN10] of %j have the greatest common step %f", (steps, step, ticks) => {
    const rates = commonRates(steps)!;
    expect(rates.ticks).toEqual(ticks);
    expect(rates.step).toBeCloseTo(step, 12);
  });

  it("[PN10] are the greatest: no larger step divides all", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 }),
        (n) => {
          const { ticks } = commonRates(n.map((k) => k * 0.01))!;
          const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
          expect(ticks.reduce(divisor)).toBe(1);
          ticks.forEach((t, i) => {
            expect(t * n[0]).toBe(ticks[0] * n[i]);
          });
        },
      ),
      { seed: 10 },
    );
  });

  it("[PN11] without a common step are none", () => {
    expect(commonRates([1, Math.SQRT2])).toBeUndefined();
    expect(commonRates([1e-9, 1])).toBeUndefined();
  });
});
