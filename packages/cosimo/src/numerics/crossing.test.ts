import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locateCrossing } from "./crossing.ts";

describe("locating a crossing", () => {
  it("[NU9] finds roots to the last bits and ends on the far side", () => {
    let calls = 0;
    const g = (t: number): number => {
      calls++;
      return Math.cos(t) - t;
    };
    const t = locateCrossing(g, 0, g(0), 1, g(1), 0);
    expect(Math.abs(t - 0.7390851332151607)).toBeLessThan(1e-15);
    expect(g(t)).toBeLessThanOrEqual(0);
    expect(calls).toBeLessThan(20);
  });

  it("[NU9] keeps its promise for monotone curves of any steepness, rising and falling", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        fc.double({ min: 0.2, max: 9, noNaN: true }),
        fc.boolean(),
        (root, power, falling) => {
          const sign = falling ? -1 : 1;
          const g = (t: number): number => sign * (t ** power - root ** power);
          const t = locateCrossing(g, 0, g(0), 1, g(1), 1e-12);
          expect(Math.abs(t - root)).toBeLessThan(1e-9);
          expect(sign * g(t)).toBeGreaterThanOrEqual(0);
        },
      ),
      { seed: 7, numRuns: 300 },
    );
  });

  it("[NU9] ends for a jump and for an end that lies on the root", () => {
    const jump = (t: number): number => (t < 0.3 ? -1 : 1);
    expect(locateCrossing(jump, 0, -1, 1, 1, 1e-10)).toBeCloseTo(0.3, 9);
    expect(locateCrossing((t) => t - 1, 0, -1, 1, 0, 1e-10)).toBe(1);
  });
});
