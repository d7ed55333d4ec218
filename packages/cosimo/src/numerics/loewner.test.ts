import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { choleskyFactor } from "./cholesky.ts";
import { loewnerWork, raiseAbove, symmetricEigen } from "./loewner.ts";

const RUNS = { seed: 31_415, numRuns: cases(200) };
const N = 3;
const numbers = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), {
  minLength: N * N,
  maxLength: N * N,
});

/** BᵀB, plus `more` on the diagonal. */
function definite(b: readonly number[], more: number): Float64Array {
  const a = new Float64Array(N * N);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++)
      for (let k = 0; k < N; k++) a[i * N + j]! += b[k * N + i]! * b[k * N + j]!;
    a[i * N + i]! += more;
  }
  return a;
}

const isDefinite = (a: Float64Array): boolean => choleskyFactor(N, a.slice()) === -1;
const minus = (a: Float64Array, b: Float64Array, slack: number): Float64Array =>
  a.map((value, k) => value - b[k]! + (k % (N + 1) === 0 ? slack : 0));

describe("upper bounds of positive definite matrices", () => {
  it("[SB8] are above both and, where one is above the other, that one", () => {
    const work = loewnerWork(N);
    let unraised = 0;
    fc.assert(
      fc.property(numbers, numbers, fc.boolean(), (b, c, isSmall) => {
        const p = definite(b, 0.5);
        const m = isSmall ? p.map((value) => value / 2) : definite(c, 0);
        const raised = p.slice();
        const above = raiseAbove(N, raised, m, work);
        const slack = 1e-9 * (1 + Math.max(...raised.map(Math.abs)));
        expect(isDefinite(minus(raised, p, slack))).toBe(true);
        expect(isDefinite(minus(raised, m, slack))).toBe(true);
        const twice = raised.slice();
        expect(raiseAbove(N, twice, p, work)).toBeLessThan(1 + 1e-6);
        if (above !== 1) return;
        expect(raised).toEqual(p);
        unraised++;
      }),
      RUNS,
    );
    expect(unraised).toBeGreaterThan(0);
  });

  it("[SB8] of diagonal matrices take the larger entries, and say by how much the other was above", () => {
    const p = Float64Array.of(1, 0, 0, 0, 2, 0, 0, 0, 5);
    const m = Float64Array.of(3, 0, 0, 0, 1, 0, 0, 0, 10);
    expect(raiseAbove(N, p, m, loewnerWork(N))).toBeCloseTo(3, 12);
    const expected = [3, 0, 0, 0, 2, 0, 0, 0, 10];
    p.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k]!, 12);
    });
  });

  it("[SB8] rest on eigenvectors that turn a symmetric matrix into a diagonal one", () => {
    fc.assert(
      fc.property(numbers, (b) => {
        const a = definite(b, 0);
        const values = a.slice();
        const vectors = new Float64Array(N * N);
        symmetricEigen(N, values, vectors);
        const size = 1 + Math.max(...a.map(Math.abs));
        for (let k = 0; k < N; k++) {
          for (let i = 0; i < N; i++) {
            let image = 0;
            for (let j = 0; j < N; j++) image += a[i * N + j]! * vectors[j * N + k]!;
            expect(Math.abs(image - values[k * N + k]! * vectors[i * N + k]!)).toBeLessThan(
              1e-11 * size,
            );
          }
        }
      }),
      RUNS,
    );
  });
});
