import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fallingTime, risingTime } from "./quadratic-crossing.ts";

describe("crossings of a parabola", () => {
  it("[NU30] finds the root at which it rises, from now on", () => {
    expect(risingTime(-1, 2, 0)).toBe(0.5);
    expect(risingTime(-1, -2, 0)).toBe(Number.POSITIVE_INFINITY);
    // (τ - 1)(τ - 3) falls at 1 and rises at 3.
    expect(risingTime(3, -4, 1)).toBe(3);
    expect(fallingTime(3, -4, 1)).toBe(1);
    // -(τ - 1)(τ - 3) the other way round.
    expect(risingTime(-3, 4, -1)).toBe(1);
    expect(fallingTime(-3, 4, -1)).toBe(3);
    // A root in the past is none.
    expect(risingTime(3, 4, 1)).toBe(0);
    expect(fallingTime(3, 4, 1)).toBe(Number.POSITIVE_INFINITY);
    // It touches zero, or does not get there.
    expect(risingTime(1, -2, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(risingTime(-1, 1, -1)).toBe(Number.POSITIVE_INFINITY);
    // At zero: now where it goes up, later where it comes back, never where it rests.
    expect(risingTime(0, 1, 0)).toBe(0);
    expect(risingTime(0, -1, 1)).toBe(1);
    expect(risingTime(0, 0, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it("[NU30] does not lose digits where roots are far apart", () => {
    // Roots near 1e-9 and -1e9: -c1 + √D alone would have no digit left.
    const time = risingTime(-1, 1e9, 1);
    expect(Math.abs(time * 1e9 - 1)).toBeLessThan(1e-15);
  });

  it("[NU30] is below zero before the root, and above after it", () => {
    const number = fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 1e5);
    fc.assert(
      fc.property(number, number, number, (c0, c1, c2) => {
        const time = risingTime(c0, c1, c2);
        if (time === Number.POSITIVE_INFINITY || time === 0) return;
        const at = (t: number): number => c0 + t * (c1 + t * c2);
        const size = Math.abs(c0) + time * (Math.abs(c1) + time * Math.abs(c2));
        expect(Math.abs(at(time))).toBeLessThanOrEqual(1e-12 * size);
        expect(c1 + 2 * c2 * time).toBeGreaterThanOrEqual(-1e-12 * size);
      }),
      { seed: 4, numRuns: 2000 },
    );
  });
});
