import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import {
  type Accelerator,
  aitkenIteration,
  andersonIteration,
  plainIteration,
} from "./fixed-point.ts";
import { luFactor, luSolve } from "./lu.ts";
import { bytesPerCall } from "./testing/bytes-per-call.ts";

const RUNS = { seed: 2_718, numRuns: cases(200) };

type Map = (u: Float64Array, image: Float64Array) => void;

/**
 * Evaluations of `g` until ‖g(u) − u‖ ≤ tolerance, at most `limit`; `u` is left at the last
 * iterate.
 */
function evaluations(
  method: Accelerator,
  g: Map,
  u: Float64Array,
  tolerance: number,
  limit = 1000,
): number {
  const r = new Float64Array(u.length);
  method.reset();
  for (let k = 1; k <= limit; k++) {
    g(u, r);
    for (let i = 0; i < u.length; i++) r[i]! -= u[i]!;
    if (Math.hypot(...r) <= tolerance) return k;
    method.next(u, r, u);
  }
  return Number.POSITIVE_INFINITY;
}

/** u ↦ A u + b, row-major. */
function affine(a: readonly number[], b: readonly number[]): Map {
  const n = b.length;
  return (u, image) => {
    for (let i = 0; i < n; i++) {
      image[i] = b[i]!;
      for (let j = 0; j < n; j++) image[i]! += a[i * n + j]! * u[j]!;
    }
  };
}

/** (I − A)⁻¹ b by elimination. */
function fixedPoint(a: readonly number[], b: readonly number[]): Float64Array {
  const n = b.length;
  const lu = Float64Array.from(a, (v, at) => (at % (n + 1) === 0 ? 1 : 0) - v);
  const pivots = new Int32Array(n);
  const x = Float64Array.from(b);
  expect(luFactor(n, lu, pivots)).toBe(-1);
  luSolve(n, lu, pivots, 1, x);
  return x;
}

describe("fixed-point accelerators", () => {
  it("[NU13] plain iteration contracts by the slope, relaxed iteration by 1 − w + w·slope", () => {
    for (const [slope, w] of [
      [0.5, 1],
      [-0.8, 1],
      [-3, 0.4],
    ] as const) {
      const method = plainIteration(1, w);
      const u = Float64Array.of(1);
      method.next(u, Float64Array.of((slope - 1) * u[0]!), u);
      expect(u[0]).toBeCloseTo(1 - w + w * slope, 14);
    }
  });

  it("[NU13] plain iteration of slope 1/2 halves the error each time", () => {
    // u − 2 = 2^−k·(0 − 2) after k iterations, and its residual is half of that: 2^−k ≤ 1e-6 first
    // holds for k = 20.
    const g = affine([0.5], [1]);
    expect(evaluations(plainIteration(1), g, Float64Array.of(0), 1e-6)).toBe(21);
  });

  it("[NU14] Aitken solves a linear equation with its third evaluation, whatever the slope", () => {
    for (const slope of [0.9, -0.9, 0.2, -5, 30, -400]) {
      const u = Float64Array.of(0);
      expect(evaluations(aitkenIteration(1), affine([slope], [1]), u, 1e-9)).toBe(3);
      expect(u[0]! * (1 - slope)).toBeCloseTo(1, 9);
    }
  });

  it("[NU14] Aitken follows Steffensen's formula on a nonlinear equation and finds cos u = u", () => {
    const u = Float64Array.of(0);
    const count = evaluations(
      aitkenIteration(1),
      (at, image) => {
        image[0] = Math.cos(at[0]!);
      },
      u,
      1e-14,
    );
    // The secant method converges with order 1.618: 1, .6, .1, 1e-2, 1e-4, 1e-7, 1e-12, below
    // rounding.
    expect(count).toBeLessThanOrEqual(9);
    expect(Math.cos(u[0]!)).toBeCloseTo(u[0]!, 13);
  });

  it("[NU14] Aitken's factor is bounded and stays where the residuals show no direction", () => {
    const method = aitkenIteration(1, 0.5);
    const next = new Float64Array(1);
    const at = Float64Array.of(0);
    method.next(at, Float64Array.of(1), next);
    method.next(at, Float64Array.of(1), next);
    expect(next[0]).toBe(0.5);
    method.next(at, Float64Array.of(1 - 1e-9), next);
    expect(next[0]).toBeCloseTo(100, 5);
    method.reset();
    method.next(at, Float64Array.of(1), next);
    expect(next[0]).toBe(0.5);
  });

  it("[NU15] Anderson solves random linear problems of n unknowns with n + 2 evaluations", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.infiniteStream(fc.double({ min: -2, max: 2, noNaN: true })),
        (n, stream) => {
          const a = Array.from({ length: n * n }, () => stream.next().value!);
          const b = Array.from({ length: n }, () => stream.next().value!);
          // Far enough from slope 1 that the solution is well determined; far beyond a contraction
          // all the same.
          for (let i = 0; i < n; i++) a[i * n + i]! -= 2 * n;
          const u = new Float64Array(n);
          const exact = fixedPoint(a, b);
          expect(evaluations(andersonIteration(n), affine(a, b), u, 1e-8)).toBeLessThanOrEqual(
            n + 2,
          );
          u.forEach((v, i) => {
            expect(Math.abs(v - exact[i]!)).toBeLessThan(1e-7);
          });
        },
      ),
      RUNS,
    );
  });

  it("[NU15] Anderson solves a ring of units that stagnates until its last iteration", () => {
    const n = 5;
    const a = Array.from({ length: n * n }, (_, at) =>
      Math.floor(at / n) === (at + 1) % n ? -1 : 0,
    );
    const b = [1, 2, 3, 4, 5];
    const u = new Float64Array(n);
    expect(evaluations(plainIteration(n), affine(a, b), new Float64Array(n), 1e-9, 200)).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(evaluations(andersonIteration(n), affine(a, b), u, 1e-9)).toBeLessThanOrEqual(n + 2);
    const exact = fixedPoint(a, b);
    u.forEach((v, i) => {
      expect(v).toBeCloseTo(exact[i]!, 8);
    });
  });

  it("[NU15] Anderson drops differences that depend on each other", () => {
    // Both unknowns always move alike, so the second difference is a multiple of the first up to
    // rounding.
    const a = [0.25, 0.25, 0.25, 0.25];
    const u = new Float64Array(2);
    const g: Map = (at, image) => {
      affine(a, [1, 1])(at, image);
      for (let i = 0; i < 2; i++) image[i]! += 1e-3 * at[i]! ** 2;
    };
    expect(evaluations(andersonIteration(2), g, u, 1e-13)).toBeLessThanOrEqual(8);
    // u = 1 + u/2 + u²/1000, the smaller solution.
    const exact = 500 * (0.5 - Math.sqrt(0.25 - 4 / 1000));
    expect(u[0]).toBeCloseTo(exact, 11);
    expect(u[1]).toBeCloseTo(exact, 11);
  });

  it("[NU15] Anderson takes the plain step where nothing is known, also when the iteration stalls", () => {
    const method = andersonIteration(2);
    const u = Float64Array.of(1, 2);
    const r = Float64Array.of(3, 4);
    const next = new Float64Array(2);
    method.next(u, r, next);
    expect([...next]).toEqual([4, 6]);
    method.next(u, r, next);
    expect([...next]).toEqual([4, 6]);
  });

  it.each([() => plainIteration(3), () => aitkenIteration(3), () => andersonIteration(3)])(
    "[NU16] a reset accelerator repeats its iterates bit for bit, also when it writes over u (%#)",
    (make) => {
      const g = affine([0.1, 0.7, -0.3, 0.2, -0.4, 0.5, 0.6, 0.1, -0.9], [1, 2, 3]);
      const method = make();
      const run = (inPlace: boolean): number[] => {
        method.reset();
        const seen: number[] = [];
        let u = new Float64Array(3);
        const r = new Float64Array(3);
        for (let k = 0; k < 6; k++) {
          g(u, r);
          for (let i = 0; i < 3; i++) r[i]! -= u[i]!;
          const next = inPlace ? u : new Float64Array(3);
          method.next(u, r, next);
          u = next;
          seen.push(...u);
        }
        return seen;
      };
      const once = run(true);
      expect(run(true)).toEqual(once);
      expect(run(false)).toEqual(once);
    },
  );

  it("[NU4] iterates without allocating", () => {
    const method = andersonIteration(4);
    const u = Float64Array.of(1, 2, 3, 4);
    const r = Float64Array.of(4, 3, 2, 1);
    let k = 0;
    expect(
      bytesPerCall(() => {
        if (k++ % 7 === 0) method.reset();
        r[k % 4]! += 0.1;
        method.next(u, r, u);
      }),
    ).toBeLessThan(24);
    expect(bytesPerCall(() => andersonIteration(4).next(u, r, u))).toBeGreaterThan(500);
  });
});
