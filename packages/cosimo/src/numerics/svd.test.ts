import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { svd } from "./svd.ts";

/** The largest entry of |Mᵀ M - I| for M with k columns. */
function fromOrthogonal(n: number, k: number, m: Float64Array): number {
  let worst = 0;
  for (let a = 0; a < k; a++)
    for (let b = 0; b < k; b++) {
      let sum = a === b ? -1 : 0;
      for (let i = 0; i < n; i++) sum += m[i * k + a] * m[i * k + b];
      worst = Math.max(worst, Math.abs(sum));
    }
  return worst;
}

const SEED = 20261116;

describe("singular values", () => {
  it("of a diagonal matrix are its entries, largest first", () => {
    const { s } = svd(2, 3, Float64Array.of(0, 3, 0, -4, 0, 0));
    expect([...s]).toEqual([expect.closeTo(4, 12), expect.closeTo(3, 12)]);
  });

  it(`make the matrix again with their vectors, wide or tall (seed ${SEED})`, () => {
    const entry = fc.double({ min: -10, max: 10, noNaN: true });
    const matrices = fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
      .chain(([rows, columns]) =>
        fc
          .array(entry, { minLength: rows * columns, maxLength: rows * columns })
          .map((entries) => ({ rows, columns, a: Float64Array.from(entries) })),
      );
    fc.assert(
      fc.property(matrices, ({ rows, columns, a }) => {
        const { k, u, s, v } = svd(rows, columns, a);
        for (let i = 0; i < rows; i++)
          for (let j = 0; j < columns; j++) {
            let sum = 0;
            for (let c = 0; c < k; c++) sum += u[i * k + c] * s[c] * v[j * k + c];
            expect(Math.abs(sum - a[i * columns + j])).toBeLessThan(1e-12);
          }
        expect(fromOrthogonal(rows, k, u)).toBeLessThan(1e-12);
        expect(fromOrthogonal(columns, k, v)).toBeLessThan(1e-12);
        for (let c = 1; c < k; c++) expect(s[c]).toBeLessThanOrEqual(s[c - 1]);
      }),
      { seed: SEED },
    );
  });

  it("of the Hilbert matrix of order 8 are exact in the smallest, too", () => {
    const n = 8;
    const hilbert = Float64Array.from(
      { length: n * n },
      (_, i) => 1 / (Math.floor(i / n) + (i % n) + 1),
    );
    const { s } = svd(n, n, hilbert);
    // The determinant is known exactly: the product of c(n)^4 / c(2n), with c(n) = 1! 2! … (n-1)!.
    const c = (m: number): number => {
      let product = 1;
      for (let i = 1, factorial = 1; i < m; i++) product *= factorial *= i;
      return product;
    };
    const determinant = c(n) ** 4 / c(2 * n);
    expect(s.reduce((product, value) => product * value, 1) / determinant).toBeCloseTo(1, 5);
    expect(s[0]).toBeCloseTo(1.6959389969219498, 12);
  });

  it("of a matrix of low rank are 0 beyond it, with vectors that are still orthogonal", () => {
    const { u, s, v } = svd(4, 3, Float64Array.of(1, 2, 3, 2, 4, 6, 0, 0, 0, -1, -2, -3));
    expect(s[0]).toBeCloseTo(Math.sqrt(6 * 14), 12);
    expect(Math.max(s[1], s[2])).toBeLessThan(1e-14);
    expect(fromOrthogonal(4, 3, u)).toBeLessThan(1e-12);
    expect(fromOrthogonal(3, 3, v)).toBeLessThan(1e-12);
  });

  it("of a matrix with NaN or infinity end, as NaN", () => {
    expect([...svd(2, 2, Float64Array.of(1, Number.NaN, 0, 1)).s].some(Number.isNaN)).toBe(true);
    expect([...svd(2, 2, Float64Array.of(Number.POSITIVE_INFINITY, 1, 1, 1)).s]).not.toContain(0);
  });

  it("of the zero matrix are 0", () => {
    const { u, s } = svd(3, 2, new Float64Array(6));
    expect([...s]).toEqual([0, 0]);
    expect(fromOrthogonal(3, 2, u)).toBe(0);
  });
});
