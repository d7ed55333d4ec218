/**
 * The integrators of integrating units: claimed orders, dense output, stiffness, memory.
 */
import { describe, expect, it } from "vitest";
import { DormandPrince } from "./dormand-prince.ts";
import { Radau } from "./radau.ts";
import type { OdeSystem, StepMethod, Tolerances } from "./step-method.ts";
import { startingStep } from "./step-method.ts";

const TIGHT = (n: number): Tolerances => ({
  relative: 1e-12,
  absolute: new Float64Array(n).fill(1e-12),
});

/** x₁' = x₂, x₂' = −x₁ + sin 3t: nonautonomous, with a known solution. */
const FORCED: OdeSystem = {
  n: 2,
  derivatives: (t, x, dx) => {
    dx[0] = x[1];
    dx[1] = -x[0] + Math.sin(3 * t);
  },
  jacobian: (_t, _x, _dx, j) => j.set([0, 1, -1, 0]),
};
const forced = (t: number): number => Math.cos(t) + (3 / 8) * Math.sin(t) - Math.sin(3 * t) / 8;

/**
 * Solves to `stop` with equal steps; the error of x₁ at the end, or at `fraction` of the last step.
 */
function errorWith(make: (s: OdeSystem, t: Tolerances) => StepMethod, steps: number, fraction = 1) {
  const method = make(FORCED, TIGHT(2));
  const [stop, x, slope] = [2, Float64Array.of(1, 0), new Float64Array(2)];
  const h = stop / steps;
  const out = new Float64Array(2);
  for (let i = 0; i < steps; i++) {
    FORCED.derivatives(i * h, x, slope);
    method.attempt(i * h, h, x, slope);
    method.accept();
    method.interpolate(fraction, out);
    x.set(method.next);
  }
  return Math.abs(out[0] - forced(stop - (1 - fraction) * h));
}

const METHODS = [
  ["dormand-prince", (s: OdeSystem, t: Tolerances) => new DormandPrince(s, t), 5, 4],
  ["radau", (s: OdeSystem, t: Tolerances) => new Radau(s, t), 5, 3],
] as const;

/** Robertson's reactions. */
const ROBERTSON: OdeSystem = {
  n: 3,
  derivatives: (_t, x, dx) => {
    const [a, b, c] = [0.04 * x[0], 1e4 * x[1] * x[2], 3e7 * x[1] * x[1]];
    dx[0] = -a + b;
    dx[1] = a - b - c;
    dx[2] = c;
  },
  jacobian: (_t, x, _dx, j) => {
    const [a, b, c] = [1e4 * x[2], 1e4 * x[1], 6e7 * x[1]];
    j.set([-0.04, a, b, 0.04, -a - c, -b, 0, c, 0]);
  },
};

/** Integrates with error control; how many steps were tried. */
function solve(
  system: OdeSystem,
  method: StepMethod,
  tolerances: Tolerances,
  x: Float64Array,
  stop: number,
): number {
  const slope = new Float64Array(system.n);
  let t = 0;
  system.derivatives(t, x, slope);
  let h = startingStep(system, t, x, slope, tolerances, 5, stop);
  for (let tried = 0; ; tried++) {
    const size = Math.min(h, stop - t);
    const error = method.attempt(t, size, x, slope);
    h = method.resize(size, error);
    if (error <= 1) {
      method.accept();
      t = size === stop - t ? stop : t + size;
      x.set(method.next);
      system.derivatives(t, x, slope);
    }
    if (t === stop || tried > 1e5) return tried;
  }
}

describe("integrators", () => {
  it.each(METHODS)("[ME20] %s converges with its order", (_name, make, order) => {
    const observed = Math.log2(errorWith(make, 20) / errorWith(make, 40));
    expect(observed).toBeGreaterThan(order - 0.3);
    expect(observed).toBeLessThan(order + 0.8);
  });

  it.each(METHODS)(
    "[ME20] dense output of %s converges with its order",
    (_name, make, _, dense) => {
      // One step deviates from the solution with the order of its polynomial plus one, on top of
      // the error of the steps before.
      const inside = (steps: number): number => {
        const method = make(FORCED, TIGHT(2));
        const [x, slope, out] = [Float64Array.of(1, 0), new Float64Array(2), new Float64Array(2)];
        FORCED.derivatives(0, x, slope);
        method.attempt(0, 1 / steps, x, slope);
        method.interpolate(0.4, out);
        return Math.abs(out[0] - forced(0.4 / steps));
      };
      expect(Math.log2(inside(4) / inside(8))).toBeGreaterThan(dense + 0.6);
    },
  );

  it.each(METHODS)("%s meets both ends of a step", (_name, make) => {
    const method = make(FORCED, TIGHT(2));
    const [x, slope, out] = [Float64Array.of(1, 0), new Float64Array(2), new Float64Array(2)];
    FORCED.derivatives(0, x, slope);
    method.attempt(0, 0.3, x, slope);
    method.interpolate(0, out);
    for (const i of [0, 1]) expect(out[i]).toBeCloseTo(x[i], 14);
    method.interpolate(1, out);
    for (const i of [0, 1]) expect(out[i]).toBeCloseTo(method.next[i], 14);
  });

  it("[ME22] radau follows Robertson's reactions to t = 1e11", () => {
    const tolerances = { relative: 1e-7, absolute: Float64Array.of(1e-11, 1e-13, 1e-11) };
    const x = Float64Array.of(1, 0, 0);
    const tried = solve(ROBERTSON, new Radau(ROBERTSON, tolerances), tolerances, x, 1e11);
    // Reference values of the test set for initial value problem solvers (Mazzia & Magherini),
    // problem ROBER.
    const expected = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.999999979166505];
    for (const i of [0, 1, 2]) expect(Math.abs(x[i] / expected[i] - 1)).toBeLessThan(1e-4);
    expect(tried).toBeLessThan(1000);
  });

  it("[ME21] dormand-prince finds a stiff problem stiff, and a smooth one not", () => {
    const stiff: OdeSystem = {
      n: 1,
      derivatives: (t, x, dx) => {
        dx[0] = -1000 * (x[0] - Math.cos(t));
      },
      jacobian: (_t, _x, _dx, j) => j.set([-1000]),
    };
    const findsStiff = (system: OdeSystem, relative: number, x: number[]): boolean => {
      const tolerances = { relative, absolute: new Float64Array(system.n).fill(0.01 * relative) };
      const method = new DormandPrince(system, tolerances);
      solve(system, method, tolerances, Float64Array.from(x), 2);
      return method.findsStiffness;
    };
    for (const relative of [1e-3, 1e-5, 1e-8]) {
      expect(findsStiff(stiff, relative, [1]), `stiff ${relative}`).toBe(true);
      expect(findsStiff(FORCED, relative, [1, 0]), `smooth ${relative}`).toBe(false);
    }
  });

  it.each(METHODS)("%s goes on from its saved memory, bit for bit", (_name, make) => {
    const run = (method: StepMethod, x: Float64Array, from: number, count: number): void => {
      const slope = new Float64Array(2);
      for (let i = from; i < from + count; i++) {
        FORCED.derivatives(i * 0.1, x, slope);
        const error = method.attempt(i * 0.1, 0.1, x, slope);
        method.resize(0.1, error);
        method.accept();
        x.set(method.next);
      }
    };
    const loose = { relative: 1e-4, absolute: new Float64Array(2).fill(1e-6) };
    const first = make(FORCED, loose);
    const x = Float64Array.of(1, 0);
    run(first, x, 0, 5);
    const memory = new Float64Array(first.memorySize);
    first.save(memory);
    const kept = x.slice();
    run(first, x, 5, 5);
    const second = make(FORCED, loose);
    second.restore(memory);
    run(second, kept, 5, 5);
    expect([...kept]).toEqual([...x]);
  });
});
