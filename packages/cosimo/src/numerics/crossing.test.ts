import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { CrossingSearch, locateCrossing, mayHideTwoCrossings } from "./crossing.ts";

describe("locating a crossing", () => {
  it("[NU9] finds roots to the last bits and ends on the far side", () => {
    let calls = 0;
    const g = (t: number): number => {
      calls++;
      return Math.cos(t) - t;
    };
    const t = locateCrossing(g, 0, g(0), 1, g(1), 0);
    expect(Math.abs(t - 0.7390851332151607)).toBeLessThan(1e-15);
    expect(g(t)).toBeLessThanOrEqual(0);
    expect(calls).toBeLessThan(20);
  });

  it("[NU9] keeps its promise for monotone curves of any steepness, rising and falling", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        fc.double({ min: 0.2, max: 9, noNaN: true }),
        fc.boolean(),
        (root, power, falling) => {
          const sign = falling ? -1 : 1;
          const g = (t: number): number => sign * (t ** power - root ** power);
          const t = locateCrossing(g, 0, g(0), 1, g(1), 1e-12);
          expect(Math.abs(t - root)).toBeLessThan(1e-9);
          expect(sign * g(t)).toBeGreaterThanOrEqual(0);
        },
      ),
      { seed: 7, numRuns: cases(300) },
    );
  });

  it("[NU9] ends for a jump and for an end that lies on the root", () => {
    const jump = (t: number): number => (t < 0.3 ? -1 : 1);
    expect(locateCrossing(jump, 0, -1, 1, 1, 1e-10)).toBeCloseTo(0.3, 9);
    expect(locateCrossing((t) => t - 1, 0, -1, 1, 0, 1e-10)).toBe(1);
  });
});

/** Runs a search on `g` over [a, b] and counts its evaluations. */
function search(
  g: (t: number) => number,
  a: number,
  b: number,
  time: number,
  value: number,
): { trials: number; found: CrossingSearch } {
  const found = new CrossingSearch(a, g(a), b, g(b), { time, value });
  let trials = 0;
  while (!found.done) {
    const { before, after } = found.bracket;
    expect(found.next).toBeGreaterThan(before);
    expect(found.next).toBeLessThan(after);
    found.tell(g(found.next));
    trials++;
  }
  return { trials, found };
}

describe("a crossing search driven from outside", () => {
  it("[NU23] always keeps the crossing in its bracket and ends beyond it, to the tolerance of time or value", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        fc.double({ min: 0.2, max: 9, noNaN: true }),
        fc.constantFrom(-1, 1),
        fc.constantFrom(0, 1e-6),
        (root, power, sign, value) => {
          const g = (t: number): number => sign * (t ** power - root ** power);
          const { bracket } = search(g, 0, 1, 1e-9, value).found;
          expect(bracket.gAfter).toBe(g(bracket.after));
          expect(sign * bracket.gAfter).toBeGreaterThanOrEqual(0);
          expect(sign * bracket.gBefore).toBeLessThan(0);
          const closeEnough = Math.abs(bracket.gAfter) <= value;
          expect(closeEnough || bracket.after - bracket.before <= 1e-9).toBe(true);
        },
      ),
      { seed: 11, numRuns: cases(300) },
    );
  });

  it("[NU24] needs few evaluations: two for a straight line, a quarter of what halving needs for smooth curves", () => {
    expect(search((t) => 3 * t - 1, 0, 1, 1e-9, 0).trials).toBeLessThanOrEqual(2);
    // Digits grow by 3^(1/3) = 1.44 per evaluation: from one to twelve in seven, two to begin, one
    // to close the bracket.
    const quarter = Math.log2(1 / 1e-12) / 4;
    for (const g of [
      (t: number) => Math.cos(t) - t,
      (t: number) => Math.exp(t) - 1.5,
      (t: number) => 1 - t * t * 4,
      (t: number) => Math.log(1 + t) - 0.3,
      (t: number) => Math.exp(-t) - 0.6,
    ]) {
      expect(search(g, 0, 1, 1e-12, 0).trials).toBeLessThanOrEqual(quarter);
    }
  });

  it("[NU24] closes the bracket with one trial when it is just short of the crossing", () => {
    const found = new CrossingSearch(0, -1, 1, 1, { time: 1e-3, value: 0 });
    expect(found.next).toBe(0.5);
    expect(found.tell(-1e-6)).toBe(false);
    expect(found.next).toBe(0.5005);
    expect(found.tell(1e-3)).toBe(true);
  });

  it("[NU24] never needs more than four evaluations a halving, two at a jump", () => {
    const halvings = Math.log2(1 / 1e-10);
    for (const g of [
      (t: number) => (t < 0.3 ? -1 : 1),
      (t: number) => (t < 0.3 ? -1e-9 : 1),
      (t: number) => (t < 0.7 ? -1 : 1e-9),
    ]) {
      expect(search(g, 0, 1, 1e-10, 0).trials).toBeLessThanOrEqual(2 * halvings + 4);
    }
    for (const g of [(t: number) => t ** 41 - 0.05 ** 41, (t: number) => Math.cbrt(t - 0.123)]) {
      expect(search(g, 0, 1, 1e-10, 0).trials).toBeLessThanOrEqual(4 * halvings + 4);
    }
  });

  it("[NU23] is done at once where the end is close enough, and refuses ends without a crossing", () => {
    const there = new CrossingSearch(0, -1, 1, 1e-7, { time: 0, value: 1e-6 });
    expect(there.done).toBe(true);
    expect(there.bracket.after).toBe(1);
    const tolerance = { time: 1e-9, value: 0 };
    expect(() => new CrossingSearch(0, 1, 1, 2, tolerance)).toThrow("no crossing");
    expect(() => new CrossingSearch(0, 0, 1, 2, tolerance)).toThrow("no crossing");
    expect(() => new CrossingSearch(0, -1, 1, Number.NaN, tolerance)).toThrow("no crossing");
  });

  it("[NU23] ends before values that are not numbers", () => {
    const { found } = search((t) => (t < 0.5 ? -1 : t === 1 ? 1 : Number.NaN), 0, 1, 1e-9, 0);
    expect(found.bracket.after).toBeCloseTo(0.5, 8);
  });
});

describe("the check for two crossings in one step", () => {
  it("[NU25] finds the extremum of every parabola that crosses twice inside the step, at either sign", () => {
    const inside = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(
        inside,
        inside,
        fc.constantFrom(-2, 1),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        (a, b, scale, h) => {
          fc.pre(Math.abs(a - b) > 1e-3);
          // In fractions s of the step scale·(s − a)(s − b): derivatives per unit of time are
          // divided by h.
          const found = mayHideTwoCrossings(
            scale * a * b,
            (-scale * (a + b)) / h,
            scale * (1 - a) * (1 - b),
            (scale * (2 - a - b)) / h,
            h,
          );
          expect(found).toBeCloseTo((a + b) / 2, 6);
        },
      ),
      { seed: 5, numRuns: cases(300) },
    );
  });

  it("[NU25] finds the minimum of a cubic", () => {
    const g = (s: number): number => (s + 1) * (s - 0.25) * (s - 0.5);
    const dg = (s: number): number => 3 * s * s + 0.5 * s - 0.625;
    const exact = (-0.5 + Math.sqrt(0.25 + 7.5)) / 6;
    expect(mayHideTwoCrossings(g(0), dg(0), g(1), dg(1), 1)).toBeCloseTo(exact, 12);
  });

  it("[NU25] is quiet where the curve stays on its side, changes sides, or is not known", () => {
    expect(mayHideTwoCrossings(1, 1, 2, 1, 1)).toBeUndefined();
    expect(mayHideTwoCrossings(1, -1, 1, 1, 1)).toBeUndefined();
    expect(mayHideTwoCrossings(-1, 1, -1, -1, 1)).toBeUndefined();
    expect(mayHideTwoCrossings(1, -9, -1, 0, 1)).toBeUndefined();
    expect(mayHideTwoCrossings(0, -9, 1, 9, 1)).toBeUndefined();
    expect(mayHideTwoCrossings(1, Number.NaN, 1, 9, 1)).toBeUndefined();
    expect(mayHideTwoCrossings(1, 0, 1, 0, 1)).toBeUndefined();
    // It touches: (2s − 1)².
    expect(mayHideTwoCrossings(1, -4, 1, 4, 1)).toBe(0.5);
  });
});
