import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { directionalDifference } from "./differences.ts";
import { expm, expmWork, fillStepMatrices, stepMatrices, stepMatricesWork } from "./expm.ts";
import { luFactor, luSolve } from "./lu.ts";
import { addProduct, multiply, norm1 } from "./matrix.ts";
import { bytesPerCall } from "./testing/bytes-per-call.ts";

const SEED = { seed: 20_240_611, numRuns: cases(200) };
const entry = fc.double({ min: -3, max: 3, noNaN: true });

describe("LU", () => {
  it("[NU5] solves random systems: A x = b holds again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.infiniteStream(entry), (n, stream) => {
        const a = Float64Array.from({ length: n * n }, () => stream.next().value!);
        for (let i = 0; i < n; i++) a[i * n + i] += 20;
        const b = Float64Array.from({ length: n }, () => stream.next().value!);
        const lu = a.slice();
        const pivots = new Int32Array(n);
        const x = b.slice();
        expect(luFactor(n, lu, pivots)).toBe(-1);
        luSolve(n, lu, pivots, 1, x);
        const residual = b.map((v) => -v);
        addProduct(n, n, a, x, residual);
        for (const r of residual) expect(Math.abs(r)).toBeLessThan(1e-12);
      }),
      SEED,
    );
  });

  it("[NU5] needs its row swaps, and several right-hand sides at once", () => {
    const a = Float64Array.of(0, 1, 2, 0);
    const pivots = new Int32Array(2);
    expect(luFactor(2, a, pivots)).toBe(-1);
    const b = Float64Array.of(1, 3, 4, 8);
    luSolve(2, a, pivots, 2, b);
    expect([...b]).toEqual([2, 4, 1, 3]);
  });

  it("[NU5] names the row of a singular matrix", () => {
    expect(luFactor(2, Float64Array.of(1, 2, 2, 4), new Int32Array(2))).toBe(1);
  });
});

describe("the matrix exponential", () => {
  const run = (n: number, entries: number[]): Float64Array => {
    const out = new Float64Array(n * n);
    expect(expm(n, Float64Array.from(entries), out, expmWork(n))).toBe(true);
    return out;
  };

  it("[NU6] is exact for rotations, nilpotent and diagonal matrices, small and large", () => {
    for (const w of [1e-9, 0.3, 4, 37]) {
      const [c, s] = run(2, [0, w, -w, 0]);
      expect(c).toBeCloseTo(Math.cos(w), 12);
      expect(s).toBeCloseTo(Math.sin(w), 12);
    }
    expect([...run(2, [0, 7, 0, 0])]).toEqual([1, 7, 0, 1]);
    const [big, , , small] = run(2, [20, 0, 0, -60]);
    expect(big / Math.exp(20)).toBeCloseTo(1, 12);
    expect(small / Math.exp(-60)).toBeCloseTo(1, 9);
  });

  it("[NU6] of A and of −A are inverse to each other", () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 9, maxLength: 9 }), (entries) => {
        const product = new Float64Array(9);
        const forward = run(3, entries);
        const back = run(
          3,
          entries.map((v) => -v),
        );
        multiply(3, forward, back, product);
        const scale = norm1(3, forward) * norm1(3, back);
        product.forEach((v, i) => {
          expect(Math.abs(v - (i % 4 === 0 ? 1 : 0))).toBeLessThan(1e-13 * scale);
        });
      }),
      SEED,
    );
  });

  it("[NU6] says so when it overflows", () => {
    expect(expm(1, Float64Array.of(1e4), new Float64Array(1), expmWork(1))).toBe(false);
    expect(expm(1, Float64Array.of(Number.NaN), new Float64Array(1), expmWork(1))).toBe(false);
  });

  it("[NU7] gives the exact step of x' = −x + u for held and for linearly varying inputs", () => {
    const h = 0.7;
    const m = stepMatrices(1, 1);
    fillStepMatrices(1, 1, Float64Array.of(-1), Float64Array.of(1), h, m, stepMatricesWork(1, 1));
    const e = Math.exp(-h);
    expect(m.phi[0]).toBeCloseTo(e, 14);
    expect(m.held[0]).toBeCloseTo(1 - e, 14);
    expect(m.ramp[0]).toBeCloseTo(h - 1 + e, 14);
  });

  it("[NU7] gives the exact step of the double integrator", () => {
    const m = stepMatrices(2, 1);
    const a = Float64Array.of(0, 1, 0, 0);
    const b = Float64Array.of(0, 1);
    fillStepMatrices(2, 1, a, b, 2, m, stepMatricesWork(2, 1));
    expect([...m.phi]).toEqual([1, 2, 0, 1]);
    [2, 2].forEach((v, i) => {
      expect(m.held[i]).toBeCloseTo(v, 14);
    });
    [4 / 3, 2].forEach((v, i) => {
      expect(m.ramp[i]).toBeCloseTo(v, 14);
    });
  });

  it("[NU4] allocates nothing", () => {
    const m = stepMatrices(2, 1);
    const work = stepMatricesWork(2, 1);
    const a = Float64Array.of(0, 1, -4, -0.1);
    const b = Float64Array.of(0, 1);
    expect(bytesPerCall(() => fillStepMatrices(2, 1, a, b, 0.1, m, work))).toBeLessThan(24);
    expect(
      bytesPerCall(() => fillStepMatrices(2, 1, a, b, 0.1, stepMatrices(2, 1), work)),
    ).toBeGreaterThan(200);
  });
});

describe("central differences", () => {
  it("[NU8] give the derivative along a seed and leave the array as it was", () => {
    const z = Float64Array.of(2, 1e6, 0, 0);
    const before = z.slice();
    const evaluate = (): void => {
      z[2] = z[0] ** 3 + 2 * z[1];
      z[3] = Math.sin(z[0]);
    };
    const out = new Float64Array(2);
    const kept = new Float64Array(4);
    directionalDifference(z, [2, 3], [0], [1], evaluate, out, kept);
    expect(out[0]).toBeCloseTo(12, 3);
    expect(out[1]).toBeCloseTo(Math.cos(2), 8);
    directionalDifference(z, [2], [1], [-3], evaluate, out, kept);
    expect(out[0]).toBeCloseTo(-6, 6);
    directionalDifference(z, [2], [0, 1], [0, 0], evaluate, out, kept);
    expect(out[0]).toBe(0);
    expect(z).toEqual(before);
  });
});
