import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { SymmetricHull } from "./hull-norm.ts";

const SEED = 20_261_116;

function hullOf(n: number, vertices: readonly (readonly number[])[]): SymmetricHull {
  const hull = new SymmetricHull(n);
  for (const v of vertices) hull.add(Float64Array.from(v));
  expect(hull.begin(Array.from({ length: n }, (_, i) => i))).toBe(true);
  return hull;
}

const exactly = (hull: SymmetricHull, x: readonly number[]): number =>
  hull.norm(Float64Array.from(x), 0, Infinity);
const vector = (n: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: -20, max: 20 }), { minLength: n, maxLength: n });

describe("the norm of a symmetric polytope", () => {
  it(`[JS19] of the unit vectors is the sum of absolute values (seed ${SEED})`, () => {
    const hull = hullOf(3, [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
    fc.assert(
      fc.property(vector(3), (x) => {
        expect(exactly(hull, x)).toBeCloseTo(
          Math.abs(x[0]!) + Math.abs(x[1]!) + Math.abs(x[2]!),
          10,
        );
      }),
      { seed: SEED },
    );
  });

  it(`[JS19] of the corners of a cube is the largest absolute value (seed ${SEED})`, () => {
    const hull = hullOf(3, [
      [1, 1, 1],
      [1, 1, -1],
      [1, -1, 1],
      [1, -1, -1],
    ]);
    fc.assert(
      fc.property(vector(3), (x) => {
        expect(exactly(hull, x)).toBeCloseTo(Math.max(...x.map(Math.abs)), 10);
      }),
      { seed: SEED },
    );
  });

  it(`[JS19] in the plane is the best over all pairs of vertices, and its representation adds up (seed ${SEED})`, () => {
    fc.assert(
      fc.property(
        fc.array(vector(2), { minLength: 2, maxLength: 12 }),
        vector(2),
        (vertices, x) => {
          fc.pre(vertices[0]![0]! * vertices[1]![1]! !== vertices[0]![1]! * vertices[1]![0]!);
          const hull = hullOf(2, vertices);
          const norm = exactly(hull, x);
          expect(norm).toBeCloseTo(bestPair(vertices, x), 8);
          const sum = [0, 0];
          hull.basis.forEach((v, k) => {
            sum[0]! += hull.coefficients[k]! * vertices[v]![0]!;
            sum[1]! += hull.coefficients[k]! * vertices[v]![1]!;
          });
          expect(sum[0]).toBeCloseTo(x[0]!, 8);
          expect(sum[1]).toBeCloseTo(x[1]!, 8);
        },
      ),
      { seed: SEED, numRuns: cases(300) },
    );
  });

  it("[JS19] may stop as soon as it is known on which side of a bound it is", () => {
    const hull = hullOf(2, [
      [1, 0],
      [0, 1],
      [1, 1],
    ]);
    expect(hull.norm(Float64Array.of(0.2, 0.2), 1, 1)).toBeLessThanOrEqual(1);
    expect(hull.norm(Float64Array.of(9, -9), 1, 1)).toBeGreaterThan(1);
    expect(new SymmetricHull(2).begin([0, 0])).toBe(false);
  });
});

function bestPair(vertices: readonly (readonly number[])[], [x, y]: readonly number[]): number {
  let best = Infinity;
  for (const [a, b] of vertices) {
    for (const [c, d] of vertices) {
      const determinant = a! * d! - b! * c!;
      if (determinant === 0) continue;
      const first = Math.abs((x! * d! - y! * c!) / determinant);
      const second = Math.abs((a! * y! - b! * x!) / determinant);
      best = Math.min(best, first + second);
    }
  }
  return best;
}
