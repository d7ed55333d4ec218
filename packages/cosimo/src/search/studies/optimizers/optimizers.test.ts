import { describe, expect, it } from "vitest";
import type { OptimizerName } from "../../../model/study.ts";
import { optimizerNamed } from "./by-name.ts";
import { leastSquares } from "./least-squares.ts";
import { isBetter, type Score, type Search } from "./score.ts";

interface Found {
  readonly point: Float64Array;
  readonly score: Score;
  readonly runs: number;
  readonly why: string;
}

/** Runs a search on a function of the unit cube. */
function searched(search: Search, score: (x: Float64Array) => Score): Found {
  let best: { point: Float64Array; score: Score } | undefined;
  let runs = 0;
  let turn = search.next();
  while (!turn.done) {
    const points = turn.value;
    const scores = points.map(score);
    runs += points.length;
    for (const [i, one] of scores.entries())
      if (best === undefined || isBetter(one, best.score)) best = { point: points[i], score: one };
    for (const point of points)
      if (!point.every((x) => x >= 0 && x <= 1)) throw new Error("outside of the cube");
    turn = search.next(scores);
  }
  if (best === undefined) throw new Error("no run");
  return { ...best, runs, why: turn.value.why };
}

/** From the unit cube to [low, high]^n. */
const stretched = (x: Float64Array, low: number, high: number): Float64Array =>
  x.map((u) => low + u * (high - low));

function rosenbrock(u: Float64Array): Score {
  const x = stretched(u, -5, 10);
  let value = 0;
  for (let i = 0; i + 1 < x.length; i++)
    value += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2;
  return { violation: 0, value };
}

/** Its optimum is not in the middle of the cube, where a search may begin. */
function rastrigin(u: Float64Array): Score {
  const x = stretched(u, -4.1, 6.2);
  const value = x.reduce((sum, one) => sum + one ** 2 - 10 * Math.cos(2 * Math.PI * one), 0);
  return { violation: 0, value: value + 10 * x.length };
}

const start = (n: number): Float64Array => new Float64Array(n).fill(0.6);

describe("optimizers", () => {
  it.each<[OptimizerName, number]>([
    ["cma-es", 60_000],
    ["differential-evolution", 60_000],
  ])("[SU5] %s finds the optimum of Rosenbrock and Rastrigin in 5 dimensions", (name, runs) => {
    for (const seed of [1, 2, 3]) {
      for (const f of [rosenbrock, rastrigin]) {
        const options = { start: start(5), runs, seed, tolerance: 1e-9 };
        const found = searched(optimizerNamed(name)(options), f);
        expect(found.score.value, `${name}, ${f.name}, seed ${seed}`).toBeLessThan(1e-8);
        expect(found.runs).toBeLessThanOrEqual(runs);
      }
    }
  });

  it("[SU5] nelder-mead goes down Rosenbrock's valley, and takes the valley that it starts in of Rastrigin", () => {
    const options = { start: start(2), runs: 2000, seed: 1, tolerance: 1e-9 };
    const found = searched(optimizerNamed("nelder-mead")(options), rosenbrock);
    expect(found.score.value).toBeLessThan(1e-12);
    expect(found.why).toBe("converged");
    expect(found.runs).toBeLessThan(400);
    const local = searched(optimizerNamed("nelder-mead")(options), rastrigin);
    expect(local.score.value).toBeGreaterThan(0.5);
  });

  it.each(["nelder-mead", "cma-es", "differential-evolution"] as const)(
    "[SU6] %s stays within constraints and finds the optimum on their border",
    (name) => {
      // Minimize (x - 0.9)² + (y - 0.9)² within x + y ≤ 1: the optimum is (0.5, 0.5). A run fails
      // where x is above 0.97.
      const score = ([x, y]: Float64Array): Score =>
        x > 0.97
          ? { violation: Number.POSITIVE_INFINITY, value: Number.NaN }
          : { violation: Math.max(0, x + y - 1), value: (x - 0.9) ** 2 + (y - 0.9) ** 2 };
      const options = { start: start(2), runs: 4000, seed: 3, tolerance: 1e-8 };
      const { point, score: best } = searched(optimizerNamed(name)(options), score);
      expect(best.violation).toBe(0);
      // A simplex collapses on a border; it gets close, and the others get there.
      const digits = name === "nelder-mead" ? 1 : 3;
      expect(point[0]).toBeCloseTo(0.5, digits);
      expect(point[1]).toBeCloseTo(0.5, digits);
    },
  );

  it("[SU5] the same seed gives the same points, another one others", () => {
    const first = (seed: number): number[] => {
      const search = optimizerNamed("cma-es")({ start: start(3), runs: 100, seed, tolerance: 0 });
      search.next();
      return [
        ...((
          search.next(new Array(7).fill({ violation: 0, value: 1 })).value as Float64Array[]
        )[0] ?? []),
      ];
    };
    expect(first(5)).toEqual(first(5));
    expect(first(5)).not.toEqual(first(6));
  });

  it("[SU7] least squares find parameters of a curve, with their deviations, also where one ends at its bound", () => {
    const times = Array.from({ length: 40 }, (_, i) => i / 10);
    const curve = ([a, b]: Float64Array | number[]): Float64Array =>
      Float64Array.from(times, (t) => 3 * a * Math.exp(-5 * b * t));
    const fit = (measured: Float64Array) => {
      const search = leastSquares({ start: start(2), runs: 200, tolerance: 1e-12 });
      let turn = search.next();
      while (!turn.done)
        turn = search.next(turn.value.map((x) => curve(x).map((y, i) => y - measured[i])));
      return turn.value;
    };
    const exact = fit(curve([0.3, 0.2]));
    expect(exact.point[0]).toBeCloseTo(0.3, 9);
    expect(exact.point[1]).toBeCloseTo(0.2, 9);
    expect(exact.deviations[0]).toBeLessThan(1e-8);
    const noisy = curve([0.3, 0.2]).map((y, i) => y + 0.01 * Math.sin(100 * i * i));
    const { point, deviations } = fit(noisy);
    expect(Math.abs(point[0] - 0.3)).toBeLessThan(4 * deviations[0]);
    expect(deviations[0]).toBeGreaterThan(1e-4);
    const beyond = fit(curve([1.4, 0.2]));
    expect(beyond.point[0]).toBe(1);
  });
});
