import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { axisTitle, makeAxis } from "./axis.ts";

function labels(low: number, high: number, ticks = 5): string {
  return makeAxis(low, high, ticks).labels.join(" ");
}

describe("axis", () => {
  it.each([
    [0, 10, "0 2 4 6 8 10"],
    [0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"],
    [-1, 1, "−1.0 −0.5 0.0 0.5 1.0"],
    [0.3, 0.7, "0.3 0.4 0.5 0.6 0.7"],
    [0, 25_000, "0 5000 10000 15000 20000 25000"],
  ])("[PL1] puts ticks of %d to %d at %s", (low, high, expected) => {
    expect(labels(low, high)).toBe(expected);
  });

  it("[PL2] moves powers of thousand from the labels into the title", () => {
    const axis = makeAxis(0, 2.5e6, 5);
    expect(axis.labels.join(" ")).toBe("0.0 0.5 1.0 1.5 2.0 2.5");
    expect(axisTitle("p", "Pa", axis)).toBe("p [10⁶ Pa]");
    expect(axisTitle("n", undefined, makeAxis(0, 2e-9, 4))).toBe("n [10⁻⁹]");
    expect(axisTitle("x", "m", makeAxis(0, 5, 4))).toBe("x [m]");
  });

  it("[PL2] moves an offset into the title when labels would need too many digits", () => {
    const axis = makeAxis(101325.001, 101325.002, 5);
    expect(axisTitle("p", "Pa", axis)).toBe("p − 101325 [10⁻³ Pa]");
    expect(axis.labels.join(" ")).toBe("1.0 1.2 1.4 1.6 1.8 2.0");
  });

  it("[PL3] gives a constant room, and something to draw on when there are no values", () => {
    expect(labels(5, 5)).toBe("4.5 5.0 5.5");
    expect(makeAxis(0, 0, 5)).toMatchObject({ min: -1, max: 1 });
    expect(makeAxis(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5)).toMatchObject({
      min: 0,
      max: 1,
    });
  });

  it("[PL3] draws any range of doubles: few ticks, inside, all with different labels", () => {
    const end = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(end, end, fc.integer({ min: 2, max: 14 }), (a, b, count) => {
        const axis = makeAxis(Math.min(a, b), Math.max(a, b), count, { padding: 0.05 });
        expect(axis.min).toBeLessThan(axis.max);
        expect(axis.ticks.length).toBeGreaterThan(0);
        expect(axis.ticks.length).toBeLessThanOrEqual(count + 2);
        expect(new Set(axis.labels).size).toBe(axis.ticks.length);
        expect(axis.labels.join().length).toBeLessThan(14 * (count + 2));
      }),
      { seed: 11, numRuns: cases(2000) },
    );
  });
});
