import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eigensystem, eigenvalues, spectralRadius } from "./eigenvalues.ts";

const SEED = 20_261_116;

describe("eigenvalues of small matrices", () => {
  it("finds those of a rotation that shrinks, which are a pair", () => {
    const [r, angle] = [0.9, 0.3];
    const [c, s] = [r * Math.cos(angle), r * Math.sin(angle)];
    const { re, im } = eigenvalues(2, Float64Array.of(c, -s, s, c));
    expect(re[0]).toBeCloseTo(c, 14);
    expect(Math.abs(im[0]!)).toBeCloseTo(s, 14);
    expect(im[1]).toBeCloseTo(-im[0]!, 14);
    expect(spectralRadius(2, Float64Array.of(c, -s, s, c))).toBeCloseTo(r, 14);
  });

  it("finds those of a triangle on its diagonal", () => {
    const triangle = Float64Array.of(2, 5, -1, 0, -3, 4, 0, 0, 0.5);
    expect([...eigenvalues(3, triangle).re].sort((a, b) => a - b)).toEqual([-3, 0.5, 2]);
    expect(spectralRadius(3, triangle)).toBe(3);
  });

  it(`gives vectors that the matrix only stretches (seed ${SEED})`, () => {
    const entry = fc.double({ min: -1, max: 1, noNaN: true });
    const matrices = fc.integer({ min: 1, max: 6 }).chain((n) =>
      fc.array(entry, { minLength: n * n, maxLength: n * n }).map((list) => ({
        n,
        a: Float64Array.from(list, (x) => Math.round(1000 * x) / 1000),
      })),
    );
    fc.assert(
      fc.property(matrices, ({ n, a }) => {
        const { re, im, vectorsRe, vectorsIm } = eigensystem(n, a);
        for (let k = 0; k < n; k++)
          for (let i = 0; i < n; i++) {
            let [x, y] = [0, 0];
            for (let j = 0; j < n; j++) {
              x += a[n * i + j]! * vectorsRe[n * j + k]!;
              y += a[n * i + j]! * vectorsIm[n * j + k]!;
            }
            const [u, v] = [vectorsRe[n * i + k]!, vectorsIm[n * i + k]!];
            expect(Math.abs(x - (re[k]! * u - im[k]! * v))).toBeLessThan(1e-9);
            expect(Math.abs(y - (re[k]! * v + im[k]! * u))).toBeLessThan(1e-9);
          }
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
});
