import { describe, expect, it } from "vitest";
import { normalDistribution, normalQuantile } from "./normal-quantile.ts";
import { seeded, shuffled, standardNormal } from "./random.ts";
import { SOBOL_DIMENSIONS, SobolSequence } from "./sobol-sequence.ts";

describe("numbers that designs are made of", () => {
  it("[SU1] the Sobol sequence has the published points", () => {
    // Points 1, 2, 3, 5 and 15 in eight dimensions, and point 777 in 64, as SciPy 1.17 gives them.
    const eight = new SobolSequence(8);
    const points = Array.from({ length: 16 }, () => [...eight.next()]);
    expect(points[0]).toEqual(new Array(8).fill(0));
    expect(points[1]).toEqual(new Array(8).fill(0.5));
    expect(points[2]).toEqual([0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.25, 0.75]);
    expect(points[5]).toEqual([0.875, 0.875, 0.125, 0.375, 0.875, 0.625, 0.875, 0.375]);
    expect(points[15]).toEqual([0.0625, 0.9375, 0.5625, 0.3125, 0.6875, 0.1875, 0.8125, 0.3125]);
    expect(SOBOL_DIMENSIONS).toBe(64);
    const all = new SobolSequence(64);
    let last = all.next();
    for (let i = 0; i < 777; i++) last = all.next();
    expect([...last.slice(60)]).toEqual([0.5126953125, 0.4892578125, 0.1376953125, 0.4267578125]);
    expect([...last.slice(0, 4)]).toEqual([0.6923828125, 0.9365234375, 0.1630859375, 0.2744140625]);
  });

  it("[SU1] every dimension of 2^k points, shifted or not, has one in each of 2^k cells", () => {
    const shifts = Uint32Array.from({ length: 64 }, (_, d) => (d + 1) * 2654435761);
    for (const sequence of [new SobolSequence(64), new SobolSequence(64, shifts)]) {
      const cells = Array.from({ length: 64 }, () => new Set<number>());
      for (let i = 0; i < 256; i++)
        for (const [d, u] of sequence.next().entries()) cells[d]?.add(Math.floor(256 * u));
      expect(cells.every(({ size }) => size === 256)).toBe(true);
    }
  });

  it("the normal quantile is the inverse of the distribution", () => {
    // Known to more digits than a double has.
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 14);
    expect(normalQuantile(1e-10)).toBeCloseTo(-6.361340902404056, 12);
    expect(normalQuantile(0.5)).toBe(0);
    expect([0, 1].map(normalQuantile)).toEqual([-Infinity, Infinity]);
    for (let p = 0.001; p < 1; p += 0.013)
      expect(Math.abs(normalDistribution(normalQuantile(p)) - p)).toBeLessThan(1e-14);
  });

  it("normal deviates have mean 0 and variance 1, and a shuffle keeps everything", () => {
    const state = seeded(7);
    const n = 20_000;
    const drawn = Array.from({ length: n }, () => standardNormal(state));
    const mean = drawn.reduce((sum, x) => sum + x, 0) / n;
    const variance = drawn.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n;
    expect(Math.abs(mean)).toBeLessThan(0.02);
    expect(Math.abs(variance - 1)).toBeLessThan(0.04);
    const order = shuffled(state, 100);
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect([...order]).not.toEqual([...order].sort((a, b) => a - b));
  });
});
