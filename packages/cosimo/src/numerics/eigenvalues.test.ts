import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
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
      { seed: SEED, numRuns: cases(200) },
    );
  });

  it("ends on products of rotations, where shifts that never change do not converge", () => {
    const turned = Float64Array.of(
      ...[0.003992333147294719, -0.7959173425181512, 0.6053921416362043],
      ...[0.6079605917470592, -0.4787312233388095, -0.6334037690786682],
      ...[0.7939571651912811, 0.37058332353107715, 0.48197512400750153],
    );
    // The angle of a rotation follows from its trace, 1 + 2 cos.
    const cos = (turned[0]! + turned[4]! + turned[8]! - 1) / 2;
    const { re, im } = eigenvalues(3, turned);
    expect([...re].sort((a, b) => a - b)).toEqual([cos, cos, 1].map((x) => expect.closeTo(x, 12)));
    expect(Math.max(...im)).toBeCloseTo(Math.sqrt(1 - cos * cos), 12);
    expect(spectralRadius(3, turned)).toBeCloseTo(1, 12);
  });

  it("finds the roots of unity of a cycle of any length, with independent vectors", () => {
    for (let n = 1; n <= 24; n++) {
      const cycle = new Float64Array(n * n);
      for (let i = 0; i < n; i++) cycle[n * i + ((i + 1) % n)] = 1;
      const { re, im, vectorsRe, vectorsIm } = eigensystem(n, cycle);
      const angles = Array.from(re, (x, k) => Math.atan2(im[k]!, x) / (2 * Math.PI));
      const turns = angles.map((angle) => Math.round(n * (angle + 1)) % n);
      expect(new Set(turns).size).toBe(n);
      for (let k = 0; k < n; k++) {
        expect(Math.hypot(re[k]!, im[k]!)).toBeCloseTo(1, 12);
        for (let i = 0; i < n; i++)
          expect(Math.hypot(vectorsRe[n * i + k]!, vectorsIm[n * i + k]!)).toBeCloseTo(
            n ** -0.5,
            11,
          );
      }
    }
  });

  it("does not care how large or small the numbers are", () => {
    const a = [3, 1, -2, 0.5, 1, 4, 0, -1, 2];
    const radius = spectralRadius(3, Float64Array.from(a));
    for (const power of [-1000, -600, 600, 1000]) {
      const scaled = Float64Array.from(a, (x) => x * 2 ** power);
      expect(spectralRadius(3, scaled) / 2 ** power).toBeCloseTo(radius, 12);
    }
  });

  it("says NaN where there is no number", () => {
    expect(eigenvalues(3, new Float64Array(9).fill(NaN)).re).toEqual(
      Float64Array.of(NaN, NaN, NaN),
    );
    expect(spectralRadius(2, Float64Array.of(1, Infinity, 0, 1))).toBeNaN();
  });
});
