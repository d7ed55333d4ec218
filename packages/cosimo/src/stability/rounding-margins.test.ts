/**
 * What rounding hides decides here: numbers for which a check without one of its margins would
 * claim something that is false for the exact matrices. Exact values are those of whole numbers
 * (numerics/exact-product.ts).
 */
import { describe, expect, it } from "vitest";
import { automatonOf } from "../model/testing/automaton.ts";
import { type ExactMatrix, exactMultiply, exactOf } from "../numerics/exact-product.ts";
import { ULP } from "../numerics/rounding.ts";
import { inverseBound, spectralRadiusBelow } from "../numerics/spectral-radius-bound.ts";
import { rateBelow } from "./certified-product.ts";
import { rateBelowLift, verifyProof } from "./jsr-proof.ts";
import { verifyCertificate } from "./quadratic-certificate.ts";
import { verifyStability } from "./stabilize-verify.ts";
import { freeSystem, type SwitchedSystem } from "./switched-system.ts";

/** Whether one exact number is above another. */
function isAbove(a: ExactMatrix, b: ExactMatrix): boolean {
  const least = Math.min(a.exponent, b.exponent);
  const whole = ({ entries, exponent }: ExactMatrix): bigint =>
    entries[0] << BigInt(exponent - least);
  return whole(a) > whole(b);
}
const exact = (x: number): ExactMatrix => exactOf(Float64Array.of(x));
const product = (...factors: readonly number[]): ExactMatrix =>
  factors.map(exact).reduce((a, b) => exactMultiply(1, a, b));

function randomNumbers(seed: number): () => number {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  // All bits of a double.
  return () => next() + next() / 2 ** 32;
}

/** Numbers around a ring. */
function ring(factors: readonly number[]): SwitchedSystem {
  const nodes = factors.length;
  return {
    dimension: 1,
    names: factors.map((_, k) => `m${k}`),
    matrices: factors.map((x) => Float64Array.of(x)),
    automaton: { nodes, edges: factors.map((_, k) => ({ from: k, to: (k + 1) % nodes, mode: k })) },
  };
}

/**
 * A ring whose product is above 1, though every product on the way is rounded down as far as can
 * be: as computed it falls well below 1.
 */
function deceivingRing(length: number): { factors: number[]; computed: number } {
  const random = randomNumbers(3);
  const factors = [2.5];
  let computed = 2.5;
  for (let k = 1; k < length - 1; k++) {
    let best = 1;
    let most = -1;
    for (let attempt = 0; attempt < 60; attempt++) {
      const wanted = 2 + random();
      const factor = wanted / computed;
      const lost = lostBelow(computed, factor);
      if (lost > most) [best, most] = [factor, lost];
    }
    factors.push(best);
    computed *= best;
  }
  // The last one makes the exact product a little more than 1.
  const before = product(...factors);
  let last = 1 / computed;
  for (let k = 0; k < 2000 && isAbove(exact(1), exactMultiply(1, before, exact(last))); k++)
    last *= 1 + ULP;
  for (let k = 0; k < 2000; k++) {
    const less = last * (1 - ULP);
    if (!isAbove(exactMultiply(1, before, exact(less)), exact(1))) break;
    last = less;
  }
  factors.push(last);
  return { factors, computed: computed * last };
}

/**
 * Norms in which nothing grows along the ring but its first edge, a little, and nothing falls but
 * the last one, by as much.
 */
function formsAlong(factors: readonly number[]): Float64Array[] {
  let value = 1;
  return factors.map((factor, k) => {
    const form = k === 0 ? 1 : (1.01 / value) ** 2;
    value *= factor;
    return Float64Array.of(form);
  });
}

/** How much a product loses by rounding, as a part of itself. */
function lostBelow(a: number, b: number): number {
  const { entries, exponent } = product(a, b);
  const rounded = exact(a * b);
  const shift = BigInt(rounded.exponent - exponent);
  const difference = entries[0] - (rounded.entries[0] << shift);
  return Number(difference) / Number(entries[0]);
}

describe("margins for rounding", () => {
  it("[SB8] errors of a path add up, step by step: a ring that grows is not proved to shrink", () => {
    const { factors, computed } = deceivingRing(200);
    expect(isAbove(product(...factors), exact(1))).toBe(true);
    // As computed it shrinks by more than the margins of any single step.
    expect(1 - computed).toBeGreaterThan(40 * ULP);
    const forms = formsAlong(factors);
    expect(verifyStability(ring(factors), forms).holds).toBe(false);
    // The same ring, if it shrinks for certain, is proved.
    const shrinking = [...factors.slice(0, -1), factors.at(-1)! * (1 - 1e-10)];
    expect(verifyStability(ring(shrinking), forms).holds).toBe(true);
  });

  it("[SB8] a matrix is only known up to its own rounding", () => {
    for (const steps of [1, 2]) {
      const factors = steps === 1 ? [1 - 2 * ULP] : [4, 0.25 * (1 - 4 * ULP)];
      const forms = factors.map(() => Float64Array.of(1));
      expect(verifyStability(ring(factors), forms).holds).toBe(false);
    }
  });

  it("[JS8] a form that falls as computed only is not a proof", () => {
    const random = randomNumbers(5);
    let deceived = 0;
    for (let k = 0; k < 100_000 && deceived < 20; k++) {
      const a = 1.8 + 0.2 * random();
      const p = 1 + random();
      // The form stays: it does not fall. As computed, it may.
      if (!(a * a * p - a * (p * a) > 0)) continue;
      deceived++;
      const certificate = { kind: "quadratic", forms: [Float64Array.of(p)] } as const;
      expect(verifyCertificate(freeSystem([[[a]]]), a, certificate)).toBe(false);
      expect(verifyCertificate(freeSystem([[[a]]]), a * (1 + 1e-13), certificate)).toBe(true);
    }
    expect(deceived).toBeGreaterThan(3);
  });

  it("[JS8] what cancels in a product counts with its full size", () => {
    const random = randomNumbers(9);
    const e = 2 ** -44;
    const q = Float64Array.of(1 + e, 1, 1, 1 + e);
    let deceived = 0;
    for (let k = 0; k < 4000 && deceived < 5; k++) {
      const m = 1 + random();
      const other = m * (1 + 3 * ULP * Math.floor(4 * random()));
      const a = [
        [m, 0],
        [-other, 0],
      ];
      const column = Float64Array.of(m, -other);
      const work = [q[0] * column[0] + q[1] * column[1], q[2] * column[0] + q[3] * column[1]];
      const computed = column[0] * work[0] + column[1] * work[1];
      // (m − other)² + e (m² + other²), whose terms are all positive.
      const meant = (m - other) ** 2 + e * (m * m + other * other);
      const p = computed + 0.5 * (meant - computed);
      if (!(meant - computed > 0.5 * ULP)) continue;
      deceived++;
      const system: SwitchedSystem = {
        ...freeSystem([
          a,
          [
            [1e-9, 0],
            [0, 1e-9],
          ],
        ]),
        automaton: automatonOf(2, "0 a 1, 1 b 0"),
      };
      const forms = [Float64Array.of(p, 0, 0, p), q];
      expect(verifyCertificate(system, 1, { kind: "quadratic", forms })).toBe(false);
      const safe = [Float64Array.of(4 * p, 0, 0, 4 * p), q];
      expect(verifyCertificate(system, 1, { kind: "quadratic", forms: safe })).toBe(true);
    }
    expect(deceived).toBeGreaterThan(0);
  });

  it("[JS8] doubts about the matrices themselves count", () => {
    const system = freeSystem([[[1]]]);
    const forms = [Float64Array.of(1)];
    const certificate = { kind: "quadratic", forms } as const;
    const doubt = { sizes: [Float64Array.of(1)], ulps: 1000 };
    const gamma = 1 + 500 * ULP;
    expect(verifyCertificate(system, gamma, certificate)).toBe(true);
    expect(verifyCertificate(system, gamma, certificate, doubt)).toBe(false);
    const larger = { sizes: [Float64Array.of(1e6)], ulps: 1 };
    expect(verifyCertificate(system, gamma, certificate, larger)).toBe(false);
    expect(verifyCertificate(system, 0, certificate)).toBe(false);
    expect(verifyCertificate(system, -2, certificate)).toBe(false);
    expect(verifyProof(system, -2, certificate)).toBe(false);
    const skew = [Float64Array.of(1, 0.1, 0, 1)];
    const half = freeSystem([
      [
        [0.5, 0],
        [0, 0.5],
      ],
    ]);
    expect(verifyCertificate(half, 1, { kind: "quadratic", forms: skew })).toBe(false);
  });

  it("[JS2] a proof has as many parts as the automaton has components, no more", () => {
    const part = { kind: "quadratic", forms: [Float64Array.of(1)] } as const;
    const half = freeSystem([[[0.5]]]);
    expect(verifyProof(half, 1, { kind: "parts", parts: [part] })).toBe(true);
    expect(verifyProof(half, 1, { kind: "parts", parts: [part, part] })).toBe(false);
  });

  it("[SB8] a number next to 1 is not proved to be below it: what is counted for one step", () => {
    // Its own rounding, that of the product and of the inequality: some twenty units in the last
    // place.
    const holds = (ulps: number): boolean =>
      verifyStability(ring([1 - ulps * ULP]), [Float64Array.of(1)], {
        maxLength: 1,
        maxProducts: 10,
      }).holds;
    const least = [...Array(200).keys()].find(holds)!;
    expect(least).toBeGreaterThanOrEqual(24);
    expect(least).toBeLessThan(40);
  });

  it("[JS12] a root of a bound is a bound of the root", () => {
    const random = randomNumbers(11);
    for (let k = 0; k < 500; k++) {
      const rate = 0.5 + random();
      const root = rateBelowLift(rate, 1);
      expect(isAbove(exact(rate), product(root, root))).toBe(false);
    }
  });

  it("[JS1] a radius is bounded for every matrix within the error", () => {
    // ±√(1 + 1000 e): an error of a thousandth makes both eigenvalues 0.
    const a = Float64Array.of(1, 1000, 0, -1);
    for (const e of [1e-3, 5e-4, 1e-4, 1e-5, 1e-7]) {
      const radius = Math.sqrt(Math.max(0, 1 - 1000 * e));
      expect(spectralRadiusBelow(2, a, e)).toBeLessThanOrEqual(radius * (1 + 1e-12));
    }
    expect(spectralRadiusBelow(2, a, 1e-12)).toBeGreaterThan(0.99);
    // A Jordan block: an error e moves its eigenvalue by √e.
    const block = Float64Array.of(1, 1, 0, 1);
    expect(spectralRadiusBelow(2, block, 1e-4)).toBeLessThan(1);
    // diag(2, 1) less its error.
    for (const e of [0.5, 0.25, 0.01])
      expect(spectralRadiusBelow(2, Float64Array.of(2, 0, 0, 1), e)).toBeLessThanOrEqual(2 - e);
  });

  it("[JS1] an inverse that nobody knows is not bounded by what was computed", () => {
    // Pascal's matrix is whole, and so is its inverse; its condition is beyond doubles.
    const n = 18;
    const pascal = new Float64Array(n * n);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        pascal[i * n + j] = i * j === 0 ? 1 : pascal[(i - 1) * n + j] + pascal[i * n + j - 1];
    // The inverse has the size of the matrix at least: its entries are sums of products of
    // binomials.
    const lower = (i: number, j: number): number => (j > i ? 0 : binomial(i, j));
    let norm = 0;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) {
        let entry = 0;
        for (let k = 0; k < n; k++) entry += lower(k, i) * lower(k, j);
        sum += entry;
      }
      norm = Math.max(norm, sum);
    }
    expect(inverseBound(n, pascal)).toBeGreaterThanOrEqual(norm);
    expect(inverseBound(2, Float64Array.of(2, 0, 0, 4))).toBeCloseTo(0.5, 12);
    expect(inverseBound(2, Float64Array.of(2, 0, 0, 4))).toBeGreaterThanOrEqual(0.5);
  });

  it("[JS1] the rate of a word is below that of its exact product", () => {
    const random = randomNumbers(17);
    for (let k = 0; k < 300; k++) {
      const [a, b] = [0.5 + random(), 0.5 + random()];
      const rate = rateBelow(freeSystem([[[a]], [[b]]]), [0, 1]);
      expect(isAbove(product(rate, rate), product(a, b))).toBe(false);
      expect(rate).toBeGreaterThan(Math.sqrt(a * b) * (1 - 1e-13));
    }
  });

  it("[JS1] the rate of a long word is below that of its exact product", () => {
    const random = randomNumbers(19);
    for (let k = 0; k < 100; k++) {
      const [a, b] = [0.5 + random(), 0.5 + random()];
      const word = Array.from({ length: 300 }, () => Math.floor(2 * random()));
      const rate = rateBelow(freeSystem([[[a]], [[b]]]), word);
      const factors = word.map((mode) => [a, b][mode]);
      expect(isAbove(product(...word.map(() => rate)), product(...factors))).toBe(false);
    }
  });
});

function binomial(n: number, k: number): number {
  let value = 1;
  for (let i = 0; i < k; i++) value = (value * (n - i)) / (i + 1);
  return Math.round(value);
}
