import { describe, expect, it } from "vitest";
import { balancingExponents } from "./balance.ts";
import { choleskyFactor, choleskyInverse } from "./cholesky.ts";
import { eigensystem } from "./eigenvalues.ts";
import { exactMultiply, exactOf, nearestDoubles } from "./exact-product.ts";
import { symmetricEigen } from "./loewner.ts";
import { luFactor, luSolve } from "./lu.ts";
import { multiply } from "./matrix.ts";
import { svd } from "./svd.ts";
import { spend, withinTime } from "./time-limit.ts";

const N = 150;
const matrix = (): Float64Array =>
  Float64Array.from({ length: N * N }, (_, k) => Math.sin(k * k) + (k % (N + 1) === 0 ? 2 * N : 0));
const symmetric = (): Float64Array =>
  matrix().map((_, k, all) => all[k]! + all[(k % N) * N + Math.floor(k / N)]!);
const room = (): Float64Array => new Float64Array(N * N);

const KERNELS: readonly (readonly [string, () => unknown])[] = [
  ["multiply", () => multiply(N, matrix(), matrix(), room())],
  ["luFactor", () => luFactor(N, matrix(), new Int32Array(N))],
  [
    "luSolve",
    () =>
      luSolve(
        N,
        matrix(),
        Int32Array.from({ length: N }, (_, i) => i),
        N,
        matrix(),
      ),
  ],
  ["choleskyFactor", () => choleskyFactor(N, symmetric())],
  ["choleskyInverse", () => choleskyInverse(N, symmetric(), room(), new Float64Array(N))],
  ["eigensystem", () => eigensystem(N, matrix())],
  ["symmetricEigen", () => symmetricEigen(N, symmetric(), room())],
  ["svd", () => svd(N, N, matrix())],
  ["exactMultiply", () => exactMultiply(N, exactOf(matrix()), exactOf(matrix()))],
  ["nearestDoubles", () => nearestDoubles(exactOf(matrix()))],
  [
    "balancingExponents",
    () =>
      balancingExponents(
        400,
        new Float64Array(160_000).map((_, k) => 2 ** (k % 90)),
      ),
  ],
];

describe("computations with a limited time", () => {
  it.each(KERNELS)("[NU29] %s ends when the time is up, and only then", (_, compute) => {
    let asked = 0;
    const late = withinTime(
      () => {
        asked++;
        return false;
      },
      () => void compute(),
      () => "late",
    );
    expect([late, asked]).toEqual(["late", 1]);
    expect(
      withinTime(
        () => true,
        () => void compute(),
        () => "late",
      ),
    ).toBeUndefined();
  });

  it("[NU29] asks the clock about once in a million operations", () => {
    let asked = 0;
    const going = (): boolean => ++asked > 0;
    withinTime(
      going,
      () => {
        for (let k = 0; k < 5000; k++) spend(1000);
      },
      () => undefined,
    );
    expect(asked).toBe(5);
  });

  it("[NU29] ends what is inside a limit with it, and lets other errors through", () => {
    let time = true;
    const inner = (): string =>
      withinTime(
        () => true,
        () => {
          time = false;
          for (;;) spend(1e6);
        },
        () => "inner",
      );
    expect(
      withinTime(
        () => time,
        inner,
        () => "outer",
      ),
    ).toBe("outer");
    const fail = (): never => {
      throw new RangeError("something else");
    };
    expect(() =>
      withinTime(
        () => true,
        fail,
        () => "late",
      ),
    ).toThrow("something else");
    // Nothing is left of a limit that is over.
    expect(() => spend(1e9)).not.toThrow();
  });
});
