import { describe, expect, it } from "vitest";
import {
  EXTRAPOLATION_ORDER,
  extrapolationStep,
  extrapolationWork,
  nextExtrapolationStep,
} from "./extrapolation.ts";
import { goldenSection, parabolaFloor, scanAndRefine } from "./minimize.ts";

/** x'' = −x, whose flow is a rotation. */
function errorOfStep(h: number): number {
  const next = new Float64Array(2);
  const work = extrapolationWork(2);
  const f = (_t: number, x: Float64Array, dx: Float64Array): void => {
    dx[0] = x[1]!;
    dx[1] = -x[0]!;
  };
  extrapolationStep(2, f, 0, h, Float64Array.of(1, 0), next, 1e-12, 1e-12, work);
  return Math.hypot(next[0]! - Math.cos(h), next[1]! + Math.sin(h));
}

describe("extrapolation", () => {
  it("[HY4] has the order that it claims: the error of one step has one power more", () => {
    const observed = Math.log2(errorOfStep(1.6) / errorOfStep(0.8));
    expect(observed).toBeGreaterThan(EXTRAPOLATION_ORDER + 0.5);
    expect(observed).toBeLessThan(EXTRAPOLATION_ORDER + 2);
  });

  it("[HY4] goes backwards as well as forwards", () => {
    expect(errorOfStep(-0.4)).toBeLessThan(1e-14);
  });

  it("[HY4] uses the time where the equations do: x' = t¹¹ is exact", () => {
    const next = new Float64Array(1);
    const f = (t: number, _x: Float64Array, dx: Float64Array): void => {
      dx[0] = t ** 11;
    };
    extrapolationStep(1, f, 1, 1, Float64Array.of(0), next, 1, 1, extrapolationWork(1));
    expect(next[0]).toBeCloseTo((2 ** 12 - 1) / 12, 10);
  });

  it("[HY4] takes smaller steps where the error is too great, and greater ones where it is small", () => {
    expect(nextExtrapolationStep(1, 100)).toBeLessThan(1);
    expect(nextExtrapolationStep(1, 1e-12)).toBeGreaterThan(1);
    expect(nextExtrapolationStep(-1, Number.NaN)).toBe(-0.2);
  });
});

describe("minimization", () => {
  it("[HY4] finds the floor of a valley", () => {
    const { at, value } = goldenSection((x) => (x - 0.3) ** 2 + 5, -1, 2, 1e-9);
    expect(at).toBeCloseTo(0.3, 7);
    expect(value).toBeCloseTo(5, 14);
  });

  it("[HY4] knows where the floor is better than values tell, and stays where there is no valley", () => {
    const valley = (x: number): number => 1e8 + (x - 0.3) ** 2;
    expect(parabolaFloor(valley, 0.301, 0.01)).toBeCloseTo(0.3, 4);
    expect(parabolaFloor((x) => -x * x, 0.1, 0.01)).toBe(0.1);
    expect(parabolaFloor((x) => x + x * x, 3, 0.01)).toBe(3);
  });

  it("[HY4] scans first, so that it finds the deepest of several valleys, and keeps away from where nothing is defined", () => {
    const f = (x: number): number =>
      x > 4 ? Number.POSITIVE_INFINITY : Math.cos(2 * Math.PI * x) - x / 10;
    const points = Array.from({ length: 41 }, (_, i) => i / 5);
    // −2π sin(2πx) = 1/10 near x = 3.5, where the sine is falling.
    const exact = 3.5 + Math.asin(1 / (20 * Math.PI)) / (2 * Math.PI);
    expect(scanAndRefine(f, points, 1e-10).at).toBeCloseTo(exact, 6);
    const nowhere = scanAndRefine(() => Number.POSITIVE_INFINITY, points, 1e-10);
    expect(nowhere.value).toBe(Number.POSITIVE_INFINITY);
  });
});
