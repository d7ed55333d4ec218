import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { choleskyFactor, choleskyInverse, choleskySolve } from "./cholesky.ts";

const SEED = 20_261_116;

/** G Gᵀ + I with small whole numbers in G: exact, and positive definite. */
const definite = fc.integer({ min: 1, max: 19 }).chain((n) =>
  fc.array(fc.integer({ min: -3, max: 3 }), { minLength: n * n, maxLength: n * n }).map((g) => {
    const a = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        for (let k = 0; k < n; k++) a[i * n + j] += g[i * n + k]! * g[j * n + k]!;
      }
      a[i * n + i] += 1;
    }
    return { n, a };
  }),
);

describe("Cholesky factors", () => {
  it(`[JS17] multiply to the matrix, whatever its size (seed ${SEED})`, () => {
    fc.assert(
      fc.property(definite, ({ n, a }) => {
        const l = Float64Array.from(a);
        expect(choleskyFactor(n, l)).toBe(-1);
        for (let i = 0; i < n; i++) {
          for (let j = 0; j <= i; j++) {
            let sum = 0;
            for (let k = 0; k <= j; k++) sum += l[i * n + k]! * l[j * n + k]!;
            expect(sum).toBeCloseTo(a[i * n + j]!, 9);
          }
        }
      }),
      { seed: SEED, numRuns: cases(60) },
    );
  });

  it(`[JS17] solve equations and give the inverse (seed ${SEED})`, () => {
    fc.assert(
      fc.property(definite, ({ n, a }) => {
        const x = Float64Array.from({ length: n }, (_, i) => i - 2);
        const b = new Float64Array(n);
        for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) b[i] += a[i * n + j]! * x[j]!;
        const l = Float64Array.from(a);
        choleskyFactor(n, l);
        choleskySolve(n, l, b);
        for (let i = 0; i < n; i++) expect(b[i]).toBeCloseTo(x[i]!, 7);
        const inverse = new Float64Array(n * n);
        choleskyInverse(n, l, inverse, new Float64Array(n));
        for (let i = 0; i < n; i++) {
          let sum = 0;
          for (let k = 0; k < n; k++) sum += a[i * n + k]! * inverse[k * n + i]!;
          expect(sum).toBeCloseTo(1, 7);
        }
      }),
      { seed: SEED, numRuns: cases(30) },
    );
  });

  it("[JS17] name the first row without a positive pivot", () => {
    expect(choleskyFactor(3, Float64Array.of(1, 0, 0, 2, 1, 0, 0, 0, 1))).toBe(1);
    expect(choleskyFactor(2, Float64Array.of(0, 0, 0, 1))).toBe(0);
    expect(choleskyFactor(1, Float64Array.of(Number.NaN))).toBe(0);
    expect(choleskyFactor(1, Float64Array.of(Infinity))).toBe(0);
  });
});
