import { describe, expect, it } from "vitest";
import {
  type Derivatives,
  firstStepSize,
  nextStepSize,
  rkErrorNorm,
  rkStep,
  rkWork,
} from "./runge-kutta.ts";
import { DORMAND_PRINCE, RK4, TABLEAUS, type Tableau } from "./tableau.ts";
import { bytesPerCall } from "./testing/bytes-per-call.ts";

/**
 * x' = y, y' = -x - 0.1 y + sin t: a driven oscillator, compared with a run of far smaller steps.
 */
const driven: Derivatives = (t, x, dx) => {
  dx[0] = x[1];
  dx[1] = -x[0] - 0.1 * x[1] + Math.sin(t);
};

function solve(method: Tableau, steps: number, end = 2): number {
  const work = rkWork(2, method.stages);
  const x = Float64Array.of(1, 0);
  const h = end / steps;
  for (let i = 0; i < steps; i++) rkStep(2, method, driven, i * h, h, x, x, work);
  return x[0];
}

describe("explicit Runge–Kutta steps", () => {
  it.each(TABLEAUS)("[NU1] $name converges with order $order", (method) => {
    const exact = solve(DORMAND_PRINCE, 4000);
    const coarse = Math.abs(solve(method, 20) - exact);
    const fine = Math.abs(solve(method, 40) - exact);
    expect(Math.log2(coarse / fine)).toBeGreaterThan(method.order - 0.25);
    expect(Math.log2(coarse / fine)).toBeLessThan(method.order + 0.6);
  });

  it.each(TABLEAUS)("[NU2] the coefficients of $name are consistent", ({ a, b, c, stages }) => {
    expect(b.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 14);
    for (let i = 0; i < stages; i++) {
      expect(a.slice(i * stages + i, (i + 1) * stages).every((w) => w === 0)).toBe(true);
      expect(a.slice(i * stages, (i + 1) * stages).reduce((s, w) => s + w, 0)).toBe(c[i]);
    }
  });

  it("[NU3] the embedded error shrinks with the fifth power of the step", () => {
    const { error, stages } = DORMAND_PRINCE;
    const norm = (h: number): number => {
      const work = rkWork(2, stages);
      const x = Float64Array.of(1, 0);
      const next = new Float64Array(2);
      rkStep(2, DORMAND_PRINCE, driven, 0, h, x, next, work);
      return rkErrorNorm(2, error!, h, x, next, 0, 1e-9, work);
    };
    expect(Math.log2(norm(0.2) / norm(0.1))).toBeCloseTo(5, 0);
  });

  it("[NU3] the step grows after small errors, shrinks after large ones, and survives an error that is not a number", () => {
    expect(nextStepSize(1, 0, 5)).toBe(5);
    expect(nextStepSize(1, 1e-3, 5)).toBeGreaterThan(2);
    expect(nextStepSize(1, 10, 5)).toBeLessThan(1);
    expect(nextStepSize(1, Number.NaN, 5)).toBe(0.2);
    expect(firstStepSize(1, Float64Array.of(1), Float64Array.of(-100), 1e-6, 1e-9)).toBeCloseTo(
      1e-4,
    );
  });

  it("[NU4] a step allocates nothing", () => {
    const work = rkWork(2, RK4.stages);
    const x = Float64Array.of(1, 0);
    let t = 0;
    expect(
      bytesPerCall(() => {
        rkStep(2, RK4, driven, t, 1e-3, x, x, work);
        t += 1e-3;
      }),
    ).toBeLessThan(24);
    let sink = x;
    expect(
      bytesPerCall(() => {
        sink = x.slice();
      }),
    ).toBeGreaterThan(60);
    expect(sink).toHaveLength(2);
  });
});
