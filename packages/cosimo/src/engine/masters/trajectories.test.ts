/**
 * Input trajectories as polynomials: what they go through, and how far they are from smooth signals
 * on average.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InputTrajectories } from "./coupling.ts";
import { heldFromNodes, throughMean, throughNodes } from "./trajectories.ts";
import {
  type Degree,
  extrapolationMean,
  interpolationMean,
  predictionEnd,
} from "./trajectory-defect.ts";

const SEED = 20261117;
/** Two inputs, so that a mix-up of places shows; the one that is looked at is the second. */
const SIZE = 2;
const I = 1;

function trajectoriesOf(pieces: number): InputTrajectories {
  const filled = (): Float64Array => new Float64Array(pieces * SIZE).fill(Number.NaN);
  return { pieces, value: filled(), first: filled(), second: filled() };
}

/** The value of a piece's polynomial `s` seconds after the beginning of that piece. */
function at({ value, first, second }: InputTrajectories, piece: number, s: number): number {
  const k = piece * SIZE + I;
  return value[k] + s * first[k] + (s * s * second[k]) / 2;
}

/** Values at the ends of pieces, for input `I`. */
function nodesOf(...values: number[]): Float64Array {
  return Float64Array.from(values.flatMap((value) => [Number.NaN, value]));
}

const finite = fc.double({ min: -10, max: 10, noNaN: true });
const positive = fc.double({ min: 0.1, max: 4, noNaN: true });

describe("a trajectory through nodes", () => {
  it("of degree 0 is held at the end of each piece, and nothing else is touched", () => {
    const made = trajectoriesOf(2);
    throughNodes(made, SIZE, I, 0, 7, nodesOf(3, 5), 1);
    for (const s of [0, 0.25, 0.5]) {
      expect(at(made, 0, s)).toBe(3);
      expect(at(made, 1, s)).toBe(5);
    }
    for (const array of [made.value, made.first, made.second])
      expect([array[0], array[2]]).toEqual([Number.NaN, Number.NaN]);
  });

  it("of degree 1 goes straight from node to node", () => {
    fc.assert(
      fc.property(finite, finite, finite, positive, (begin, middle, end, length) => {
        const made = trajectoriesOf(2);
        throughNodes(made, SIZE, I, 1, begin, nodesOf(middle, end), length);
        const h = length / 2;
        expect(at(made, 0, 0)).toBe(begin);
        expect(Math.abs(at(made, 0, h) - middle)).toBeLessThan(1e-12);
        expect(at(made, 1, 0)).toBe(middle);
        expect(Math.abs(at(made, 1, h) - end)).toBeLessThan(1e-12);
        expect([made.second[I], made.second[SIZE + I]]).toEqual([0, 0]);
      }),
      { seed: SEED },
    );
  });

  it("of degree 2 is the parabola through the sample before the step as well, piece by piece", () => {
    fc.assert(
      fc.property(finite, finite, finite, positive, positive, (a, b, c, length, ago) => {
        // A parabola goes through its own samples everywhere: p(t) = a + b t + c t².
        const p = (t: number): number => a + b * t + c * t * t;
        const made = trajectoriesOf(2);
        const h = length / 2;
        const before = { value: p(-ago), ago };
        throughNodes(made, SIZE, I, 2, p(0), nodesOf(p(h), p(length)), length, before);
        for (const s of [0, h / 3, h]) {
          expect(Math.abs(at(made, 0, s) - p(s))).toBeLessThan(1e-9);
          expect(Math.abs(at(made, 1, s) - p(h + s))).toBeLessThan(1e-9);
        }
      }),
      { seed: SEED },
    );
  });

  it("of degree 2 is straight in the first piece where there is no sample before the step", () => {
    const made = trajectoriesOf(2);
    throughNodes(made, SIZE, I, 2, 0, nodesOf(1, 4), 2);
    expect(at(made, 0, 0.5)).toBe(0.5);
    // From then on the node before it is a sample: 0, 1, 4 lie on t².
    for (const s of [0, 0.5, 1]) expect(at(made, 1, s)).toBeCloseTo((1 + s) ** 2, 12);
  });

  it("that jumps keeps in each piece what it was when the piece began", () => {
    const made = trajectoriesOf(3);
    heldFromNodes(made, SIZE, I, 1, nodesOf(2, 3, 4));
    for (const [piece, value] of [1, 2, 3].entries())
      for (const s of [0, 0.5]) expect(at(made, piece, s)).toBe(value);
  });

  it("with a mean starts at the beginning and has that mean", () => {
    const made = trajectoriesOf(1);
    throughMean(made, I, 3, 5, 2);
    expect(at(made, 0, 0)).toBe(3);
    // Straight: the mean is the value in the middle.
    expect(at(made, 0, 1)).toBe(5);
    expect(at(made, 0, 2)).toBe(7);
  });
});

/** The mean of |Π (s - samples)| over [0, h], by the midpoint rule. */
function meanProduct(h: number, samples: readonly number[]): number {
  const N = 20_000;
  let sum = 0;
  for (let k = 0; k < N; k++) {
    const s = ((k + 0.5) * h) / N;
    sum += Math.abs(samples.reduce((product, sample) => product * (s - sample), 1));
  }
  return sum / N;
}

describe("products of distances to samples", () => {
  const cases = ([0, 1, 2] as Degree[]).flatMap((degree) =>
    [
      { degree, h: 1, a1: 1, a2: 2 },
      { degree, h: 0.3, a1: 0.7, a2: 0.8 },
      { degree, h: 2, a1: 0.5, a2: 3 },
    ].map((one) => one),
  );

  it.each(cases)(
    "are those of the polynomial that is extrapolated: degree $degree, step $h, samples $a1 and $a2 before",
    ({ degree, h, a1, a2 }) => {
      const samples = [0, -a1, -a2].slice(0, degree + 1);
      const end = samples.reduce((product, sample) => product * (h - sample), 1);
      expect(Math.abs(predictionEnd(degree, h, a1, a2) / end - 1)).toBeLessThan(1e-12);
      const mean = meanProduct(h, samples);
      expect(Math.abs(extrapolationMean(degree, h, a1, a2) / mean - 1)).toBeLessThan(1e-6);
    },
  );

  it.each(cases)(
    "are those of the polynomial that goes through the end: degree $degree, step $h, sample $a1 before",
    ({ degree, h, a1 }) => {
      // Held at the end; straight from the beginning; through the sample before as well.
      const samples = [h, 0, -a1].slice(0, degree + 1);
      const mean = meanProduct(h, samples);
      expect(Math.abs(interpolationMean(degree, h, a1) / mean - 1)).toBeLessThan(1e-6);
    },
  );
});
