import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Formula, Scope } from "../model/requirement.ts";
import { checkRequirement, type Verdict } from "./check-requirement.ts";
import { holds } from "./robustness.ts";
import type { SampledSignals } from "./sampled-signals.ts";
import {
  always,
  compare,
  eventually,
  implies,
  isTrue,
  not,
  number,
  past,
  place,
  randomFormula,
  randomRows,
  requirement,
  rows,
  signal,
} from "./testing/formulas.ts";

const x = signal(0);
const y = signal(1);
const check = (formula: Formula<number>, signals: SampledSignals, scope?: Scope<number>): Verdict =>
  checkRequirement(requirement(formula, scope), signals);

describe("verdicts", () => {
  it("[RQ7] say by how much, where, and which signal decides", () => {
    const signals = rows([
      [0, 6, 7, 2, 9],
      [0, 0, 0, 0, 0],
    ]);
    const verdict = check(always(compare(x, "<", 5)), signals);
    expect(verdict).toMatchObject({
      state: "violated",
      robustness: -4,
      decision: { time: 4, signals: ["x"] },
      violations: [
        { from: 1, to: 2 },
        { from: 4, to: 4 },
      ],
    });
    const fine = check(always(compare(x, "<", 10)), signals);
    expect(fine).toMatchObject({ state: "satisfied", robustness: 1, decision: { time: 4 } });
    const both = always({
      kind: "and",
      left: compare(x, "<", 100),
      right: compare(y, ">", -1),
      place,
    });
    expect(check(both, signals).decision?.signals).toEqual(["y"]);
  });

  it("[RQ7] what decides has the robustness of the whole, for random formulas", () => {
    let seen = 0;
    fc.assert(
      fc.property(randomFormula(), randomRows, (formula, signals) => {
        const { robustness, decision, state } = checkRequirement(
          requirement(formula),
          signals,
          "nothing",
        );
        expect(state).toBe(holds(robustness) ? "satisfied" : "violated");
        if (decision === undefined || !Number.isFinite(robustness)) return;
        // Comparisons are with whole numbers, so the distance to one of them is a value that
        // occurs.
        const row = signals.time.indexOf(decision.time);
        const index = "xyz".indexOf(decision.signals[0] as string);
        const value = signals.values[index]?.[row] as number;
        expect((Math.abs(value) + Math.abs(robustness)) % 0.5).toBe(0);
        const levels = [-4, -3, -2, -1, 0, 1, 2, 3, 4];
        expect(levels.map((level) => Math.abs(value - level))).toContain(Math.abs(robustness));
        seen++;
      }),
      { numRuns: 500 },
    );
    expect(seen).toBeGreaterThan(100);
  });

  it("[RQ7] a window that begins at a row is not decided before it", () => {
    const signals = rows([[9, 9, 1, 2, 3]]);
    const late = check(eventually(compare(x, ">", 10), { from: 2, to: 9 }), signals);
    expect(late).toMatchObject({ state: "open", decision: { time: 2 } });
  });

  it("[RQ7] a response is decided where the signal is outermost, or settles at last", () => {
    const signals = rows([[4, -1, 2, -3, 1, 0.5, 0.5]]);
    const response = (name: "overshoot" | "settling", ...rest: number[]): Formula<number> => ({
      kind: "compare",
      operator: "<",
      left: {
        kind: "response",
        function: name,
        of: [x, ...rest.map((value) => ({ kind: "number", value, place }) as const)],
        place,
      },
      right: { kind: "number", value: 1, place },
      place,
    });
    expect(check(response("overshoot", 0), signals)).toMatchObject({
      robustness: -2,
      decision: { time: 3 },
      violations: [{ from: 3, to: 3 }],
    });
    expect(check(response("settling", 0, 1), signals)).toMatchObject({ decision: { time: 3 } });
  });

  it("[RQ8] what has not settled when the run ends is late only if its time is over", () => {
    const settles = (limit: number): Formula<number> => ({
      kind: "compare",
      operator: "<",
      left: { kind: "response", function: "settling", of: [x, number(0), number(1)], place },
      right: number(limit),
      place,
    });
    const outside = rows([[5, 4, 3, 2]]);
    expect(check(settles(2), outside)).toMatchObject({ state: "violated", robustness: -1 });
    expect(check(settles(5), outside)).toMatchObject({ state: "open", robustness: 2 });
    expect(checkRequirement(requirement(settles(5)), outside, "nothing").state).toBe("violated");
    // One that has settled counts as settled.
    const inside = rows([[5, 4, 0.5, 0.5]]);
    expect(check(settles(5), inside).state).toBe("satisfied");
    expect(checkRequirement(requirement(not(settles(5))), inside, "anything").state).toBe(
      "satisfied",
    );
    // What is NaN at the end never settles.
    expect(check(settles(5), rows([[5, 4, Number.NaN]])).state).toBe("violated");
  });

  it("[RQ8] a deadline beyond the end of the run is open, not missed", () => {
    const answered = always(
      implies(compare(x, ">", 0.5), eventually(compare(y, ">", 0.5), { from: 0, to: 3 })),
    );
    const missed = rows([
      [1, 0, 0, 0, 0],
      [0, 0, 0, 0, 1],
    ]);
    expect(check(answered, missed)).toMatchObject({ state: "violated", robustness: -0.5 });
    const late = rows([
      [1, 0, 0, 1, 0],
      [0, 1, 0, 0, 0],
    ]);
    expect(check(answered, late).state).toBe("open");
    expect(checkRequirement(requirement(answered), late, "nothing").state).toBe("violated");
    // Without a bound the end of the run is the end.
    expect(check(eventually(compare(x, ">", 2)), late)).toMatchObject({ state: "violated" });
  });

  const on = isTrue(1);
  const off = isTrue(2);
  /** on at 1 and 5, off at 3 and 6; x leaves its band at 0, 4 and 7. */
  const run = rows(
    [
      [9, 1, 2, 1, 9, 3, 1, 9],
      [0, 1, 0, 0, 0, 1, 0, 0],
      [0, 0, 0, 1, 0, 0, 1, 0],
    ],
    { stepwise: [1, 2] },
  );
  const small = always(compare(x, "<", 5));

  it.each<[string, Scope<number>, number, number]>([
    ["globally", { kind: "globally" }, -4, 3],
    ["before an event", { kind: "before", end: on }, -4, 1],
    ["after an event", { kind: "after", begin: on }, -4, 2],
    ["between two events", { kind: "between", begin: on, end: off }, 2, 0],
    ["after one until another", { kind: "after-until", begin: on, end: off }, 2, 0],
  ])("[RQ9] hold %s", (_, scope, robustness, places) => {
    const verdict = check(small, run, scope);
    expect(verdict.robustness).toBe(robustness);
    expect(verdict.violations).toHaveLength(places);
  });

  it("[RQ9] between needs its end, after-until does not; what never begins requires nothing", () => {
    const open = rows(
      [
        [1, 1, 9],
        [0, 1, 0],
        [0, 0, 0],
      ],
      { stepwise: [1, 2] },
    );
    expect(check(small, open, { kind: "between", begin: on, end: off })).toMatchObject({
      isVacuous: true,
      state: "satisfied",
    });
    expect(check(small, open, { kind: "before", end: off }).isVacuous).toBe(true);
    expect(check(small, open, { kind: "after-until", begin: on, end: off })).toMatchObject({
      isVacuous: false,
      state: "violated",
    });
  });

  it("[RQ9] operators see no further than their scope, functions of the past do", () => {
    const scope = { kind: "between", begin: on, end: off } as const;
    // x is 9 at 4, behind the scope's end: eventually does not see it, and is not open there.
    const never = check(eventually(compare(x, ">", 8), { from: 0, to: 100 }), run, scope);
    expect(never.state).toBe("violated");
    const before = check(always(compare(past("maximum", x), "<", 5)), run, scope);
    expect(before).toMatchObject({ state: "violated", robustness: -4 });
  });

  it("[RQ6] names a signal that is NaN", () => {
    expect(check(small, rows([[1, Number.NaN]]))).toMatchObject({
      state: "violated",
      robustness: -Infinity,
      decision: { time: 1, signals: ["x"], isNaN: true },
    });
  });

  it("[RQ9] a run without rows requires nothing", () => {
    expect(check(small, rows([[]])).isVacuous).toBe(true);
  });
});
