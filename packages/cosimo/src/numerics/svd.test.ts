import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { svd } from "./svd.ts";

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
            expect(Math.abs(sum - a[i * columns + j])).toBeLessThan(1e-10);
          }
      }),
      { seed: SEED },
    );
  });
});
