import { describe, expect, it } from "vitest";
import type { Design, Factor } from "../../model/study.ts";
import { designPoints, runCount } from "./designs.ts";
import { evenLevels, levelAt, shownPoint } from "./factor-levels.ts";
import { mainEffect, sobolIndices } from "./sensitivity.ts";

const range = (name: string, from: number, to: number): Factor => ({
  name,
  target: { kind: "port", port: name },
  levels: { kind: "distribution", name: "uniform", parameters: { from, to } },
});
const list = (name: string, ...labels: (string | number)[]): Factor => ({
  name,
  target: { kind: "master" },
  levels: { kind: "list", labels, written: labels },
});
const design = (method: Design["method"], more: Partial<Design> = {}): Design => ({
  method,
  seed: 1,
  indices: false,
  place: { file: "study.yaml" },
  ...more,
});

describe("designs", () => {
  it("[SU2] a grid has every combination, the last factor changing fastest", () => {
    const factors = [list("m", "a", "b"), range("x", 0, 10)];
    const points = [...designPoints(factors, design("grid", { points: 3 }))];
    expect(points.map((point) => shownPoint(factors, point))).toEqual([
      ["a", 0],
      ["a", 5],
      ["a", 10],
      ["b", 0],
      ["b", 5],
      ["b", 10],
    ]);
    expect(runCount(factors, design("grid", { points: 3 }))).toBe(6);
  });

  it("[SU2] one-at-a-time keeps all factors but one in the middle", () => {
    const factors = [range("x", 0, 10), list("m", "a", "b")];
    const one = design("one-at-a-time", { points: 3 });
    const points = [...designPoints(factors, one)];
    expect(points).toEqual([
      [5, 0],
      [0, 0],
      [10, 0],
      [5, 1],
    ]);
    expect(runCount(factors, one)).toBe(points.length);
  });

  it("[SU2] a Latin hypercube has one point in each row and column, Monte Carlo and Sobol fill the ranges", () => {
    const factors = [range("x", 0, 1), range("y", -1, 1)];
    const points = [...designPoints(factors, design("latin-hypercube", { runs: 50 }))];
    for (const [f, scale] of [1, 0.5].entries()) {
      const rows = points.map((point) => Math.floor(50 * (scale * point[f] + (f === 1 ? 0.5 : 0))));
      expect(new Set(rows).size).toBe(50);
    }
    for (const method of ["monte-carlo", "sobol"] as const) {
      const all = [...designPoints(factors, design(method, { runs: 1000 }))];
      const mean = all.reduce((sum, [x]) => sum + x, 0) / 1000;
      expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
      expect(all.every(([x, y]) => x > 0 && x < 1 && y > -1 && y < 1)).toBe(true);
      const again = [...designPoints(factors, design(method, { runs: 10 }))];
      // The first of many are those of few: a study can be made longer.
      expect(all.slice(0, 10)).toEqual(again);
      expect([...designPoints(factors, design(method, { runs: 10, seed: 2 }))]).not.toEqual(again);
    }
  });

  it("[SU3] levels follow their distributions", () => {
    const of = (name: "normal" | "lognormal" | "triangular" | "log-uniform", parameters: object) =>
      ({ ...range("x", 0, 1), levels: { kind: "distribution", name, parameters } }) as Factor;
    expect(levelAt(of("normal", { mean: 10, deviation: 2 }), 0.975)).toBeCloseTo(13.92, 3);
    expect(levelAt(of("lognormal", { median: 10, deviation: 0.1 }), 0.5)).toBe(10);
    expect(levelAt(of("log-uniform", { from: 1, to: 10_000 }), 0.5)).toBeCloseTo(100, 9);
    const triangular = of("triangular", { from: 0, mode: 2, to: 3 });
    // Two thirds of the triangle lie below its mode.
    expect(levelAt(triangular, 2 / 3)).toBeCloseTo(2, 12);
    expect(evenLevels(of("normal", { mean: 0, deviation: 1 }), 2)).toEqual([
      expect.closeTo(-0.6744897501960817, 12),
      expect.closeTo(0.6744897501960817, 12),
    ]);
    expect(evenLevels(of("log-uniform", { from: 0.1, to: 0.7 }), 4).at(-1)).toBe(0.7);
  });
});

describe("what matters", () => {
  it("[SU4] Sobol indices of the Ishigami function are within 2 % of the closed values with 2^13 points", () => {
    const [a, b] = [7, 0.1];
    const factors = ["x1", "x2", "x3"].map((name) => range(name, -Math.PI, Math.PI));
    const points = designPoints(factors, design("sobol", { runs: 2 ** 13, indices: true }));
    const values = Array.from(
      points,
      ([x, y, z]) => Math.sin(x) + a * Math.sin(y) ** 2 + b * z ** 4 * Math.sin(x),
    );
    expect(values).toHaveLength(5 * 2 ** 13);
    // Ishigami and Homma, 1990.
    const v1 = 0.5 * (1 + (b * Math.PI ** 4) / 5) ** 2;
    const v2 = a ** 2 / 8;
    const v13 = b ** 2 * Math.PI ** 8 * (1 / 18 - 1 / 50);
    const v = v1 + v2 + v13;
    const closed = { first: [v1 / v, v2 / v, 0], total: [(v1 + v13) / v, v2 / v, v13 / v] };
    const found = sobolIndices(values, 3);
    for (const which of ["first", "total"] as const)
      for (let i = 0; i < 3; i++) {
        const expected = closed[which][i];
        const error = Math.abs((found?.[which][i] ?? Number.NaN) - expected);
        expect(error, `${which} ${i}`).toBeLessThan(0.02 * (expected || 1));
      }
    // A run that failed takes its point away, not the answer.
    const damaged = values.with(7, Number.NaN);
    expect(sobolIndices(damaged, 3)?.points).toBe(2 ** 13 - 1);
    expect(
      sobolIndices(
        values.map(() => 1),
        3,
      ),
    ).toBeUndefined();
  });

  it("[SU4] main effects of few runs explain nothing: every mean would be a run", () => {
    const points = [...designPoints([range("x", 0, 1)], design("latin-hypercube", { runs: 6 }))];
    const effect = mainEffect(
      points.map(([x]) => x),
      [3, 1, 2, 5, 4, 6],
      false,
    );
    expect(effect.bins).toHaveLength(6);
    expect(effect.explained).toBeNaN();
  });

  it("[SU4] main effects are means by level, and say how much of the variance they explain", () => {
    const factors = [range("x", 0, 1), range("y", 0, 1), list("m", "a", "b")];
    const points = [...designPoints(factors, design("latin-hypercube", { runs: 400 }))];
    const values = points.map(([x, y, m]) => 3 * x + 0.1 * y + m);
    const effects = factors.map((_, f) =>
      mainEffect(
        points.map((point) => point[f]),
        values,
        f === 2,
      ),
    );
    const [x, y, m] = effects;
    expect(x.explained).toBeGreaterThan(0.65);
    expect(y.explained).toBeLessThan(0.1);
    expect(m.bins).toHaveLength(2);
    expect(m.bins[1].mean - m.bins[0].mean).toBeCloseTo(1, 0);
    expect(x.bins.map(({ mean }) => mean)).toEqual(
      x.bins.map(({ mean }) => mean).sort((p, q) => p - q),
    );
  });
});
