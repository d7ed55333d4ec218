/**
 * How much each check allows for rounding, term by term: the least distance, in units of the last
 * place, at which it accepts numbers whose rounding is known. A term that is dropped moves that
 * distance; the numbers are those of the formulas beside the code (Higham, Accuracy and Stability
 * of Numerical Algorithms, ch. 3, with counts rounded up).
 *
 * Terms that no input can show, because others of the same size or larger always cover them:
 * - stabilize-verify: `roundedUp` and 1 + 8 ULP around the error of a path, a part of 1e-15 of a
 *   number of that size; the
 *   error in `leastEigenvalue` beside the margin of the factorization, and that of an edge beside the steps of `GROWTHS`.
 * - spectral-radius-bound: the residual of eigenvectors, which is that of a backward stable method
 *   and so below what is
 *   counted for computing it; 1 + 16 ULP after Elsner's powers beside `roundedUp`.
 * - certified-product: the rounding of an exact product to doubles, below what the radius counts;
 *   `roundedDown` of the
 *   products with powers of two, below what `rootBelow` takes off.
 * - certified-coordinates: the residual B T − T A beside what is counted for computing it.
 * - gripenberg: the square of the error; as the condition of a Cholesky factor is below 1/√ULP, it
 *   is of second order.
 * - jsr-proof: `roundedDown` of squared rates, one unit beside the ten and more of the inequality.
 * - polytope: what a representation leaves, as long as the inverse of the basis is as good as
 *   elimination makes it.
 */
import { describe, expect, it } from "vitest";
import type { EdgeMatrices } from "../numerics/lyapunov-assemble.ts";
import { ULP } from "../numerics/rounding.ts";
import { spectralRadiusBelow } from "../numerics/spectral-radius-bound.ts";
import { certifiedCoordinates, nextError } from "./certified-coordinates.ts";
import { walkTree } from "./gripenberg.ts";
import { symmetricSquare } from "./kronecker-lift.ts";
import { polytopeRate } from "./polytope.ts";
import { verifyCertificate } from "./quadratic-certificate.ts";
import { verifyStability } from "./stabilize-verify.ts";
import { freeSystem, type SwitchedSystem } from "./switched-system.ts";

/** The least whole number for which a check holds, which then holds for all larger ones. */
function least(holds: (ulps: number) => boolean): number {
  let [low, high] = [0, 2 ** 20];
  expect(holds(low)).toBe(false);
  expect(holds(high)).toBe(true);
  while (high - low > 1) {
    const middle = (low + high) / 2;
    if (holds(Math.floor(middle))) high = Math.floor(middle);
    else low = Math.floor(middle);
  }
  return high;
}

function identity(n: number, factor = 1): Float64Array {
  return Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? factor : 0));
}

/** Multiples of the identity around a ring. */
function ring(n: number, factors: readonly number[]): SwitchedSystem {
  const nodes = factors.length;
  return {
    dimension: n,
    names: factors.map((_, k) => `m${k}`),
    matrices: factors.map((x) => identity(n, x)),
    automaton: { nodes, edges: factors.map((_, k) => ({ from: k, to: (k + 1) % nodes, mode: k })) },
  };
}

const lasts = (factors: readonly number[], by: number): number[] =>
  factors.with(-1, factors.at(-1)! * by);

describe("what is counted for rounding", () => {
  it("[JS8] of an inequality: n products twice, on both sides", () => {
    for (const n of [1, 8, 20]) {
      const system = { ...freeSystem([[[1]]]), dimension: n, matrices: [identity(n)] };
      const certificate = { kind: "quadratic", forms: [identity(n)] } as const;
      const found = least((k) => verifyCertificate(system, 1 + k * ULP, certificate));
      // γ² − 1 is 2 k units; (2 n + 8) units of γ²|P| + |A|ᵀ|Q||A| = 2 and the margin of the
      // factorization go off.
      expect(found).toBeGreaterThan(2 * n + 8);
      expect(found).toBeLessThan(2 * n + 8 + 12);
      // Four times the doubt of an entry: once for each factor, on a left side that is half of the
      // size.
      const doubt = { sizes: [identity(n)], ulps: 1000 };
      const doubted = least((k) => verifyCertificate(system, 1 + k * ULP, certificate, doubt));
      expect(doubted - found).toBeGreaterThan(3990);
      expect(doubted - found).toBeLessThan(4010);
    }
  });

  it("[SB8] of a path: n products a step, with the sizes of both factors", () => {
    const n = 16;
    const least2 = (first: number): number =>
      least((k) => {
        const factors = lasts([first, 1 / first], 1 - k * ULP);
        const forms = [identity(n), identity(n, 1 / first ** 2)];
        return verifyStability(ring(n, factors), forms, { maxLength: 2, maxProducts: 10 }).holds;
      });
    // Two Frobenius norms of √n, of which n + 6 units; √2 as eigenvalues of a form are bounded by
    // powers of two.
    const found = least2(1);
    expect(found).toBeGreaterThan(Math.SQRT2 * (n + 6) * n);
    expect(found).toBeLessThan(Math.SQRT2 * (n + 6) * n + 8 * n);
    // Norms and sizes that change along the path change nothing.
    expect(least2(2 ** 12)).toBe(found);
    expect(least2(2 ** -12)).toBe(found);
  });

  it("[SB8] of a path whose edges lengthen: errors grow with it", () => {
    const steps = 10;
    const factor = 1.25;
    const found = least((k) => {
      const factors = [...Array(steps).fill(factor), factor ** -steps * (1 - k * ULP)];
      const forms = factors.map(() => Float64Array.of(1));
      const limits = { maxLength: steps + 1, maxProducts: 1e6 };
      return verifyStability(ring(1, factors), forms, limits).holds;
    });
    // Seven units of every product, which all later edges enlarge by 1.3, the next growth that is
    // tried.
    let error = 0;
    for (let k = 2; k <= steps; k++) error = 1.3 * error + Math.SQRT2 * 7 * factor ** k;
    expect(found).toBeGreaterThan(error);
    expect(found).toBeLessThan(1.2 * error);
  });

  it("[SB8] of a path through norms of different size: that of its first node counts", () => {
    const least3 = (scales: readonly number[]): number =>
      least((k) => {
        const factors = scales.map((scale, i) => scale / scales[(i + 1) % scales.length]);
        const forms = scales.map((scale) => Float64Array.of(scale ** 2));
        const limits = { maxLength: 3, maxProducts: 100 };
        return verifyStability(ring(1, lasts(factors, 1 - k * ULP)), forms, limits).holds;
      });
    const found = least3([1, 1, 1]);
    expect(least3([1, 2 ** 8, 2 ** -8])).toBe(found);
    expect(least3([2 ** 16, 1, 2 ** 4])).toBe(found);
  });

  it("[JS10] of a product: the errors of both factors, and its own", () => {
    const graph = (n: number): EdgeMatrices => ({
      n,
      nodes: 1,
      from: Int32Array.of(0),
      to: Int32Array.of(0),
      matrices: [identity(n)],
    });
    const made = { graph: graph(1), sizes: Float64Array.of(3), errors: Float64Array.of(0.5) };
    expect(nextError(made, 0, 2, 0.25)).toBeCloseTo(3 * 0.25 + 0.5 * (2 + 0.25), 12);
    const clean = { graph: graph(50), sizes: Float64Array.of(1), errors: Float64Array.of(0) };
    expect(nextError(clean, 0, 1, 0) / ULP).toBeCloseTo(50 + 2, 9);
    // √n ((n + 2) (|B| |T| + |T| |A|)) |T⁻¹| with T twice the identity.
    const n = 4;
    const { errors } = certifiedCoordinates(graph(n), identity(n, 4))!;
    expect(errors[0] / ULP).toBeCloseTo(Math.sqrt(n) * (n + 2) * (2 + 2) * 0.5, 9);
  });

  it("[JS10] of a norm: the error of the product, n products, and the power of the rate", () => {
    const found = least(
      (k) =>
        walkTree(freeSystem([[[1 - k * ULP]]]), [Float64Array.of(1)], 1, {
          maxProducts: 1,
          maxDepth: 1,
        }).kind === "proved",
    );
    // Coordinates 6 and product 3 units, twice; the square 3, the power 16. All of that is twice
    // the distance.
    expect(found).toBe(Math.ceil((2 * (6 + 3) + 3 + 16) / 2));
  });

  it("[JS11] of a polytope: sums of coefficients, and what is left in the size of the vertices", () => {
    const n = 6;
    const system = { ...freeSystem([[[1]]]), dimension: n, matrices: [identity(n)] };
    for (const size of [1, 0.5, 4]) {
      const rate = polytopeRate(system, { kind: "polytope", vertices: [identity(n, size)] });
      // n units of the sum, 2 n + 4 of image and representation, 16 for the result.
      expect((rate - 1) / ULP).toBe(n + 2 * (2 * n + 4) + 16);
    }
  });

  it("[JS11] of a polytope whose axes are nearly dependent: what its representations leave", () => {
    let state = 7;
    const random = (): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const system = { ...freeSystem([[[1]]]), dimension: 2, matrices: [identity(2)] };
    for (let k = 0; k < 300; k++) {
      const [x, y, small] = [1 + random(), random(), 1e-7 * random()];
      const vertices = [Float64Array.of(x, y, x * (1 + small), y * (1 - small))];
      // The identity grows by 1, whatever the polytope.
      expect(polytopeRate(system, { kind: "polytope", vertices })).toBeGreaterThanOrEqual(1);
    }
  });

  it("[JS12] of a symmetric square: both factors, a product and a sum", () => {
    const once = symmetricSquare(freeSystem([[[-2]]]));
    expect(once.doubt).toEqual({ sizes: [Float64Array.of(4)], ulps: 4 });
    const twice = symmetricSquare(once.system, once.doubt);
    expect(twice.doubt).toEqual({ sizes: [Float64Array.of(16)], ulps: 2 * 4 + 4 });
    const given = symmetricSquare(once.system, { sizes: [Float64Array.of(5)], ulps: 1 });
    expect(given.doubt).toEqual({ sizes: [Float64Array.of(25)], ulps: 2 + 4 });
  });

  it("[JS1] of a radius by discs: eigenvalue, residual, and a chain of 2 n − 1 radii", () => {
    // Of a number: 4 units of it, (m + 6) 2 of the residual with m = 2, 16 for the result.
    expect((1 - spectralRadiusBelow(1, Float64Array.of(1), 0)) / ULP).toBe(4 + 8 * 2 + 16);
    // Eigenvectors (1, 0) and (−2, 1) / √5.
    const root = Math.sqrt(5);
    const [size, inverse] = [1 + 2 / root, 1 + 2];
    const e = 1e-6;
    const below = spectralRadiusBelow(2, Float64Array.of(1, 1, 0, 0.5), e);
    expect((1 - below) / e).toBeCloseTo(3 * inverse * size, 3);
  });

  it("[JS1] of a radius without eigenvectors: Elsner's bound", () => {
    // (2 |A| + 2 off)^(1/2) off^(1/2), |A| = √3, of a Jordan block.
    const block = Float64Array.of(1, 1, 0, 1);
    const elsner = (off: number): number => Math.sqrt((2 * Math.sqrt(3) + 2 * off) * off);
    for (const e of [0, 1e-8, 1e-4, 0.1]) {
      const off = (2 + 8) * 4 * ULP * Math.sqrt(3) + Math.SQRT2 * e;
      expect((1 - spectralRadiusBelow(2, block, e)) / elsner(off)).toBeCloseTo(1, 3);
    }
  });
});
