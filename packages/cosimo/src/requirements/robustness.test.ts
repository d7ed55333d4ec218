import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Formula } from "../model/requirement.ts";
import { holds, Robustness } from "./robustness.ts";
import { ExpressionValues, type SampledSignals } from "./sampled-signals.ts";
import {
  always,
  compare,
  eventually,
  isTrue,
  not,
  past,
  place,
  randomFormula,
  randomRows,
  rows,
  signal,
} from "./testing/formulas.ts";
import { naive } from "./testing/naive.ts";

const at = (f: Formula<number>, signals: SampledSignals, row = 0): number => {
  const all = { begin: 0, end: signals.time.length };
  return new Robustness(new ExpressionValues(signals), all, "nothing").of(f)[row] as number;
};
const x = signal(0);

describe("robustness", () => {
  it("[RQ1] [RQ3] is what its definition says, row by row, for random formulas and rows", () => {
    let seen = 0;
    fc.assert(
      fc.property(randomFormula(), randomRows, (f, signals) => {
        for (const row of signals.time.keys()) {
          expect(at(f, signals, row) + 0).toBe(naive(f, signals, row) + 0);
          seen++;
        }
      }),
      { numRuns: 500 },
    );
    expect(seen).toBeGreaterThan(500);
  });

  it("[RQ2] on the boundary a strict comparison does not hold, its negation does", () => {
    const five = rows([[5]]);
    const verdict = (f: Formula<number>): boolean => holds(at(f, five));
    expect(verdict(compare(x, "<", 5))).toBe(false);
    expect(verdict(compare(x, "<=", 5))).toBe(true);
    expect(verdict(not(compare(x, "<", 5)))).toBe(true);
    expect(verdict(not(compare(x, "<=", 5)))).toBe(false);
    expect(verdict(compare(x, "==", 5))).toBe(true);
    expect(verdict(compare(x, "!=", 5))).toBe(false);
    // Also through windows, in either order.
    for (const values of [
      [5, 4],
      [4, 5],
      [5, 5, 3],
    ]) {
      expect(holds(at(always(compare(x, "<", 5)), rows([values])))).toBe(false);
      expect(holds(at(always(compare(x, "<=", 5)), rows([values])))).toBe(true);
      expect(holds(at(eventually(compare(x, ">=", 5)), rows([values])))).toBe(true);
      expect(holds(at(eventually(compare(x, ">", 5)), rows([values])))).toBe(false);
    }
  });

  it("[RQ2] booleans and events are infinitely far from being otherwise", () => {
    const signals = rows([[0, 1, 0]], { stepwise: [0] });
    expect(at(isTrue(0), signals)).toBe(-Infinity);
    expect(at(eventually(isTrue(0)), signals)).toBe(Infinity);
  });

  it("[RQ2] whole numbers are counted: how far until the comparison changes", () => {
    const whole = (operator: "<" | "<=" | ">" | ">=" | "==" | "!=", value: number): number =>
      at({ ...compare(x, operator, 5), isWhole: true } as Formula<number>, rows([[value]]));
    expect([whole("<", 4), whole("<", 5), whole("<=", 5), whole("<=", 6)]).toEqual([1, -1, 1, -1]);
    expect([whole(">", 6), whole(">", 5), whole(">=", 5), whole(">=", 4)]).toEqual([1, -1, 1, -1]);
    expect([whole("==", 5), whole("==", 7), whole("!=", 5), whole("!=", 7)]).toEqual([
      1, -2, -1, 2,
    ]);
  });

  it("[RQ4] at the ends of windows between rows a continuous signal is linear, others are held", () => {
    const time = [0, 10];
    const inMiddle = eventually(compare(x, ">", 3), { from: 4, to: 5 });
    expect(at(inMiddle, rows([[0, 10]], { time }))).toBe(2);
    expect(at(inMiddle, rows([[0, 10]], { time, stepwise: [0] }))).toBe(-3);
    const soon = always(compare(x, "<", 3), { from: 0, to: 4 });
    expect(at(soon, rows([[0, 10]], { time }))).toBe(-1);
    const once: Formula<number> = {
      kind: "once",
      interval: { from: 3, to: 4 },
      of: compare(x, ">", 0),
      place,
    };
    expect(at(once, rows([[0, 10]], { time }), 1)).toBe(7);
    const until: Formula<number> = {
      kind: "until",
      interval: { from: 5, to: 6 },
      left: compare(x, "<", 8),
      right: compare(x, ">", 4),
      place,
    };
    // At 5 s x is 5: 1 above what is waited for; waiting was 8 away at the row before.
    expect(at(until, rows([[0, 10]], { time }))).toBe(2);
  });

  it("[RQ4] an interval without its end does not see a row that stands there", () => {
    const fallsAt2 = rows([[1, 1, 0]], { stepwise: [0] });
    expect(holds(at(always(isTrue(0), { from: 0, to: 2 }), fallsAt2))).toBe(false);
    expect(holds(at(always(isTrue(0), { from: 0, to: 2, isOpen: true }), fallsAt2))).toBe(true);
  });

  it("[RQ5] both values of an event count, in their order", () => {
    const signals = rows([[0, 5, 0]], { time: [0, 0, 1] });
    expect(at(eventually(compare(x, ">", 4)), signals)).toBe(1);
    // From the row behind the event on, the one before it is the past.
    const ahead = always(compare(x, ">", 4), { from: 0, to: 0 });
    expect(at(ahead, signals, 1)).toBe(1);
    expect(
      at({ kind: "once", interval: { from: 0, to: 0 }, of: compare(x, "<", 1), place }, signals, 1),
    ).toBe(1);
  });

  it("[RQ6] what is NaN satisfies nothing, also under a negation", () => {
    const signals = rows([[Number.NaN]]);
    expect(at(compare(x, "<", 5), signals)).toBe(-Infinity);
    expect(at(not(compare(x, "<", 5)), signals)).toBe(-Infinity);
  });

  it("[RQ3] times that are counted and windows that are added meet in spite of rounding", () => {
    const n = 1000;
    const time = [...Array(n).keys()].map((i) => 3 + i * 0.1);
    const values = time.map((_, i) => (i === 500 ? 1 : 0));
    const f = eventually(compare(x, ">", 0.5), { from: 10, to: 10 });
    const found = time.map((_, i) => holds(at(f, rows([values], { time }), i)));
    expect(found.indexOf(true)).toBe(400);
    expect(found.lastIndexOf(true)).toBe(400);
  }, 30_000);

  it("[RQ11] takes time in proportion to the rows, however long the windows are", () => {
    const seconds = (n: number): number => {
      const signals = rows([[...Array(n).keys()].map((i) => Math.sin(i * 0.01))]);
      const f = always(
        eventually(compare(past("average", x, n / 4), ">", 2), { from: 0, to: n / 3 }),
      );
      const begun = performance.now();
      at(f, signals);
      return performance.now() - begun;
    };
    seconds(20_000);
    const [few, many] = [seconds(50_000), seconds(400_000)];
    // A quadratic one would take 64 times as long.
    expect(many / Math.max(few, 1)).toBeLessThan(32);
  });
});
