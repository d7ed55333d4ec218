import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { spectralRadius } from "./eigenvalues.ts";
import { centreWork, type EdgeMatrices } from "./lyapunov-assemble.ts";
import { minimizeRate } from "./lyapunov-centres.ts";
import { inCoordinatesOf } from "./lyapunov-coordinates.ts";
import { centreObjective, imagesOf, isInside, newtonStep } from "./lyapunov-newton.ts";

const SEED = 20_261_116;

function free(n: number, matrices: readonly (readonly number[])[]): EdgeMatrices {
  const none = new Int32Array(matrices.length);
  return { n, nodes: 1, from: none, to: none, matrices: matrices.map((a) => Float64Array.from(a)) };
}

describe("the smallest rate of quadratic forms", () => {
  it(`[JS8] of one matrix is its spectral radius (seed ${SEED})`, () => {
    const entries = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: 9,
      maxLength: 9,
    });
    fc.assert(
      fc.property(entries, (a) => {
        const radius = spectralRadius(3, Float64Array.from(a));
        fc.pre(radius > 0.1);
        const { gamma } = minimizeRate(free(3, [a]));
        expect(gamma).toBeGreaterThan(radius * (1 - 1e-9));
        // Nearly defective matrices are approached, not reached.
        expect(gamma).toBeLessThan(radius * (1 + 1e-3));
      }),
      { seed: SEED, numRuns: cases(60) },
    );
  });

  it("[JS8] of two projections that no common form serves well is √2", () => {
    const { gamma, bestGamma } = minimizeRate(
      free(2, [
        [1, 0, 1, 0],
        [0, 1, 0, -1],
      ]),
    );
    expect(gamma).toBeGreaterThanOrEqual(Math.SQRT2);
    expect(gamma).toBeCloseTo(Math.SQRT2, 7);
    expect(bestGamma).toBeCloseTo(Math.SQRT2, 6);
  });

  it("[JS8] with a form a node is that of the cycle", () => {
    // 8 forth and ½ back: 4 per round, 2 per step, where one form for both would give 8.
    const graph = {
      n: 1,
      nodes: 2,
      from: Int32Array.of(0, 1),
      to: Int32Array.of(1, 0),
      matrices: [Float64Array.of(8), Float64Array.of(0.5)],
    };
    expect(minimizeRate(graph).gamma).toBeCloseTo(2, 7);
  });

  it("[JS9] stops at a target above it, and says when one is below", () => {
    const graph = free(2, [
      [-1, -1, -4, 0],
      [3, 3, -2, 1],
    ]);
    const best = minimizeRate(graph).gamma;
    expect(minimizeRate(graph, { target: best * 1.01 }).gamma).toBeLessThan(best * 1.01);
    const missed = minimizeRate(graph, { target: best * 0.9 });
    expect(missed.gamma).toBeGreaterThan(best * 0.9);
    expect(missed.steps).toBeLessThan(100);
    expect(minimizeRate(graph, { maxSteps: 0 }).steps).toBe(0);
    expect(minimizeRate(graph, { keepGoing: () => false }).steps).toBe(0);
  });
});

describe("a Newton step", () => {
  const graph: EdgeMatrices = {
    n: 2,
    nodes: 2,
    from: Int32Array.of(0, 1, 0, 1),
    to: Int32Array.of(1, 0, 0, 1),
    matrices: [
      [0.3, 0.2, -0.1, 0.5],
      [0.1, 0.7, 0.2, 0],
      [0.4, 0, 0.1, 0.2],
      [0, 0.6, -0.5, 0.1],
    ].map((a) => Float64Array.from(a)),
  };

  it("[JS8] converges quadratically to a point where the objective is stationary", () => {
    const work = centreWork(graph);
    work.forms.set([1, 0.1, 0.1, 2, 1.5, 0, 0, 1]);
    imagesOf(graph, work.forms, work.images, work.b);
    const decrements = Array.from({ length: 9 }, () => newtonStep(graph, 1, work));
    const late = decrements.filter((d) => d < 0.1 && d > 1e-7);
    for (let i = 1; i < late.length; i++) expect(late[i]).toBeLessThan(3 * late[i - 1]! ** 2);
    expect(decrements.at(-1)).toBeLessThan(1e-7);
    const value = (forms: Float64Array): number => {
      imagesOf(graph, forms, work.trialImages, work.b);
      return centreObjective(graph, forms, work.trialImages, 1, work.a);
    };
    const least = value(work.forms);
    for (const [i, j] of [
      [0, 0],
      [1, 2],
      [3, 3],
      [4, 4],
      [5, 6],
      [7, 7],
    ] as const) {
      for (const change of [-1e-4, 1e-4]) {
        const moved = Float64Array.from(work.forms);
        moved[i]! += change;
        if (j !== i) moved[j]! += change;
        expect(value(moved)).toBeGreaterThan(least);
      }
    }
  });

  it("[JS8] stays inside", () => {
    const work = centreWork(graph);
    work.forms.set([1, 0, 0, 1, 1, 0, 0, 1]);
    imagesOf(graph, work.forms, work.images, work.b);
    expect(isInside(graph, work.forms, work.images, 0.01, work.a)).toBe(false);
    for (let k = 0; k < 5; k++) {
      newtonStep(graph, 1, work);
      expect(isInside(graph, work.forms, work.images, 1, work.a)).toBe(true);
    }
  });
});

describe("coordinates of forms", () => {
  it("[JS10] keep the spectra of closed walks, and make lengths of forms", () => {
    const graph = free(2, [[0.3, 2, -0.1, 0.5]]);
    const forms = Float64Array.of(4, 1, 1, 3);
    const [b] = inCoordinatesOf(graph, forms, 2)!.matrices;
    expect(spectralRadius(2, b!)).toBeCloseTo(spectralRadius(2, graph.matrices[0]!) / 2, 14);
    // |B y|² = (A x)ᵀ P (A x) / 4 for y = Lᵀ x, at x = (1, 0): y = (2, 0), A x = (0.3, −0.1).
    const by = [2 * b![0]!, 2 * b![2]!];
    expect(by[0]! ** 2 + by[1]! ** 2).toBeCloseTo((4 * 0.09 - 2 * 0.03 + 3 * 0.01) / 4, 14);
    expect(inCoordinatesOf(graph, Float64Array.of(1, 2, 2, 1), 1)).toBeUndefined();
  });
});
