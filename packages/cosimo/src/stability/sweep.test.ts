/**
 * Limits of step sizes from functions whose limits are known.
 */
import { describe, expect, it } from "vitest";
import { findLimits, type RadiusAt, type Sweep, sweepSteps } from "./sweep.ts";

function limitsOf(radiusAt: RadiusAt): Sweep {
  const steps = sweepSteps({ from: 0.01, to: 10, perDecade: 12 });
  return findLimits(steps, steps.map(radiusAt), radiusAt);
}

describe("a sweep over step sizes", () => {
  it("[ST9] finds the largest step up to which the radius stays below 1, to six digits", () => {
    // Forward Euler of x' = -x.
    const { limit, unstable } = limitsOf((h) => Math.abs(1 - h));
    expect(limit).toBeCloseTo(2, 6);
    expect(unstable).toHaveLength(1);
    expect(unstable[0].to).toBeUndefined();
  });

  it("[ST9] reports every interval, and the limit is the end of the first stable one", () => {
    const { limit, unstable } = limitsOf((h) => 1 - (h - 0.5) * (h - 3) * (h - 6) * -0.001);
    expect(limit).toBeCloseTo(0.5, 6);
    expect(
      unstable.map(({ from, to }) => [from, to].map((end) => end && Math.round(end * 1e5) / 1e5)),
    ).toEqual([
      [0.5, 3],
      [6, undefined],
    ]);
  });

  it("[ST9] climbs a top between two points of the grid that are both below 1", () => {
    // A bell around h = 0.5, above 1 only within about 3 % of it.
    const bell = (h: number): number => 1.02 - 20 * Math.log(h / 0.5) ** 2;
    const steps = sweepSteps({ from: 0.01, to: 10, perDecade: 4 });
    const { limit, unstable } = findLimits(steps, steps.map(bell), bell);
    expect(steps.every((h) => bell(h) < 1)).toBe(true);
    const half = Math.sqrt(0.02 / 20);
    expect(limit).toBeCloseTo(0.5 * Math.exp(-half), 6);
    expect(unstable[0].to).toBeCloseTo(0.5 * Math.exp(half), 6);
  });

  it("[ST9] has no limit where nothing grows, nor where everything does", () => {
    expect(limitsOf(() => 0.9)).toMatchObject({ unstable: [] });
    expect(limitsOf(() => 0.9).limit).toBeUndefined();
    expect(limitsOf(() => 1.1)).toMatchObject({ unstable: [{}] });
    expect(limitsOf(() => 1.1).limit).toBeUndefined();
  });

  it("[ST9] does not take the rounding of a mode that stays for growth", () => {
    const { limit } = limitsOf((h) => Math.max(1 + 1e-9 * Math.sin(1e4 * h), Math.abs(1 - h)));
    expect(limit).toBeCloseTo(2, 5);
  });

  it("[ST9] names the last stable step where those behind it are refused", () => {
    const { limit, refused } = limitsOf((h) => (h > 1 && h < 5 ? undefined : h / 3));
    expect(limit).toBeGreaterThan(0.8);
    expect(limit).toBeLessThanOrEqual(1);
    expect(refused).toBeGreaterThan(1);
  });

  it("[ST9] ends where a step is refused", () => {
    const { limit, refused, unstable } = limitsOf((h) => (h > 1 ? undefined : 0.5));
    expect(limit).toBeUndefined();
    expect(unstable).toEqual([]);
    expect(refused).toBeGreaterThan(1);
    expect(refused).toBeLessThan(1.3);
  });
});
