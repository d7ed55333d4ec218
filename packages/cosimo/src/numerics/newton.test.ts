import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { addProduct } from "./matrix.ts";
import { broydenUpdate, newtonWork, solveNewtonStep } from "./newton.ts";
import { bytesPerCall } from "./testing/bytes-per-call.ts";

const RUNS = { seed: 1_669, numRuns: cases(200) };
const entries = fc.infiniteStream(fc.double({ min: -2, max: 2, noNaN: true }));

/** x² + y² = 4 and x y = 1, in the first quadrant with x > y: x² = 2 + √3. */
function circle(u: Float64Array, r: Float64Array): void {
  r[0] = u[0]! ** 2 + u[1]! ** 2 - 4;
  r[1] = u[0]! * u[1]! - 1;
}
const EXACT = [Math.sqrt(2 + Math.sqrt(3)), Math.sqrt(2 - Math.sqrt(3))];

describe("Newton corrections", () => {
  it("[NU17] solve J du = −r, leave J as it was, and may overwrite the residual", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), entries, (n, stream) => {
        const j = Float64Array.from({ length: n * n }, () => stream.next().value!);
        for (let i = 0; i < n; i++) j[i * n + i]! += 3 * n;
        const kept = j.slice();
        const r = Float64Array.from({ length: n }, () => stream.next().value!);
        const du = r.slice();
        expect(solveNewtonStep(n, j, du, du, newtonWork(n))).toBe("ok");
        expect(j).toEqual(kept);
        const left = r.slice();
        addProduct(n, n, j, du, left);
        for (const v of left) expect(Math.abs(v)).toBeLessThan(1e-12);
      }),
      RUNS,
    );
  });

  it("[NU17] call equations singular that rounding made of nothing, and small but honest ones not", () => {
    const work = newtonWork(2);
    const du = new Float64Array(2);
    const step = (j: number[], least?: number): string =>
      solveNewtonStep(2, Float64Array.from(j), Float64Array.of(1, 1), du, work, least);
    expect(step([1, 2, 2, 4])).toBe("singular");
    expect(step([1, 2, 2, 4 + 1e-12])).toBe("singular");
    expect(step([1, 0, 0, 1e-11])).toBe("singular");
    expect(step([1, 0, 0, 1e-11], 0)).toBe("ok");
    expect(du[1]).toBeCloseTo(-1e11, 0);
    expect(step([1, 0, 0, 0], 0)).toBe("singular");
    expect(step([1, 0, 0, Number.NaN])).toBe("singular");
    expect(step([1, 0, 0, Number.POSITIVE_INFINITY])).toBe("singular");
  });

  it("[NU18] Broyden's update meets the secant equation and changes nothing across the step", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }), entries, (n, stream) => {
        const vector = (): Float64Array =>
          Float64Array.from({ length: n }, () => stream.next().value!);
        const j = Float64Array.from({ length: n * n }, () => stream.next().value!);
        const before = j.slice();
        const du = vector();
        du[0]! += 3;
        const dr = vector();
        broydenUpdate(n, j, du, dr);
        const seen = new Float64Array(n);
        addProduct(n, n, j, du, seen);
        seen.forEach((v, i) => {
          expect(v).toBeCloseTo(dr[i]!, 12);
        });
        const across = vector();
        const along = across.reduce((sum, v, i) => sum + v * du[i]!, 0) / Math.hypot(...du) ** 2;
        for (let i = 0; i < n; i++) across[i]! -= along * du[i]!;
        const [was, is] = [new Float64Array(n), new Float64Array(n)];
        addProduct(n, n, before, across, was);
        addProduct(n, n, j, across, is);
        is.forEach((v, i) => {
          expect(v).toBeCloseTo(was[i]!, 11);
        });
      }),
      RUNS,
    );
  });

  it("[NU18] a kept Jacobian with Broyden's updates converges superlinearly where a frozen one is linear", () => {
    const solve = (update: boolean): number => {
      const u = Float64Array.of(2.2, 0.3);
      const jacobian = Float64Array.of(2 * u[0]!, 2 * u[1]!, u[1]!, u[0]!);
      const [r, next, du] = [new Float64Array(2), new Float64Array(2), new Float64Array(2)];
      const work = newtonWork(2);
      circle(u, r);
      let iterations = 0;
      while (Math.hypot(...r) > 1e-13) {
        expect(solveNewtonStep(2, jacobian, r, du, work)).toBe("ok");
        for (let i = 0; i < 2; i++) u[i]! += du[i]!;
        circle(u, next);
        if (update) {
          broydenUpdate(
            2,
            jacobian,
            du,
            next.map((v, i) => v - r[i]!),
          );
        }
        r.set(next);
        iterations++;
      }
      u.forEach((v, i) => {
        expect(v).toBeCloseTo(EXACT[i]!, 12);
      });
      return iterations;
    };
    expect(solve(true)).toBeLessThan(solve(false));
  });

  it("[NU18] a step of nothing and an answer that is not finite change nothing", () => {
    const j = Float64Array.of(1, 2, 3, 4);
    broydenUpdate(2, j, Float64Array.of(0, 0), Float64Array.of(1, 1));
    broydenUpdate(2, j, Float64Array.of(1, 0), Float64Array.of(Number.NaN, 1));
    expect([...j]).toEqual([1, 2, 3, 4]);
  });

  it("[NU4] corrections and updates allocate nothing", () => {
    const work = newtonWork(3);
    const fresh = Float64Array.of(4, 1, 0, 1, 5, 1, 0, 1, 6);
    const j = fresh.slice();
    const r = Float64Array.of(1, 2, 3);
    const du = new Float64Array(3);
    expect(
      bytesPerCall(() => {
        for (let i = 0; i < 9; i++) j[i] = fresh[i]!;
        solveNewtonStep(3, j, r, du, work);
        broydenUpdate(3, j, du, r);
      }),
    ).toBeLessThan(24);
    expect(bytesPerCall(() => solveNewtonStep(3, j, r, du, newtonWork(3)))).toBeGreaterThan(100);
  });
});
