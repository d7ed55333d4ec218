import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Formula, NumberExpression, Scope } from "../model/requirement.ts";
import { checkRequirement } from "./check-requirement.ts";
import { RequirementMonitor } from "./monitor.ts";
import type { SampledSignals } from "./sampled-signals.ts";
import {
  always,
  compare,
  eventually,
  implies,
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
const SIGNALS = ["x", "y", "z"];

/** At which row the monitor found a violation; -1: at none. */
function foundAt(
  formula: Formula<number>,
  signals: SampledSignals,
  { scope, everyRow = false }: { scope?: Scope<number>; everyRow?: boolean } = {},
): number {
  const monitor = new RequirementMonitor([requirement(formula, scope)]);
  expect(monitor.names).toEqual(SIGNALS);
  for (const [i, time] of signals.time.entries()) {
    monitor.row(
      time,
      [0, 1, 2].map((s) => signals.values[s]?.[i] ?? 0),
    );
    if (everyRow) monitor.lookAtAll();
    if (monitor.violated !== undefined) return i;
  }
  return -1;
}

describe("monitors", () => {
  it("[RQ16] a violation that is found stays one whatever comes, and none is missed", () => {
    let violated = 0;
    fc.assert(
      fc.property(randomFormula(), randomRows, randomRows, (f, begin, more) => {
        const n = begin.time.length;
        const longer = rows(
          [0, 1].map((s) => [
            ...(begin.values[s] as Float64Array),
            ...(more.values[s] as Float64Array),
          ]),
        );
        const formula = always(f);
        const found = foundAt(formula, begin, { everyRow: true });
        const whole = {
          time: longer.time,
          values: [...longer.values, longer.time],
          isStepwise: [false, false, false],
        };
        const prefix = (end: number): SampledSignals => ({
          time: whole.time.subarray(0, end),
          values: whole.values.map((one) => one.subarray(0, end)),
          isStepwise: whole.isStepwise,
        });
        const isSure = (end: number): boolean =>
          checkRequirement(requirement(formula), prefix(end), "anything").state === "violated";
        // As soon as it is sure, and not before.
        if (found < 0) expect(isSure(n)).toBe(false);
        else {
          expect(isSure(found + 1)).toBe(true);
          if (found > 0) expect(isSure(found)).toBe(false);
          expect(checkRequirement(requirement(formula), whole, "nothing").state).toBe("violated");
          violated++;
        }
      }),
      { numRuns: 300 },
    );
    expect(violated).toBeGreaterThan(20);
  });

  it("[RQ16] nor is any, where scopes look ahead, responses are not over and events share instants", () => {
    const response = fc
      .tuple(
        fc.constantFrom("settling" as const, "overshoot" as const),
        fc.constantFrom("<" as const, ">=" as const, "==" as const),
        fc.nat(6),
        fc.boolean(),
      )
      .map(([name, operator, limit, isDoubled]) => {
        const of = [x, number(0), ...(name === "settling" ? [number(2)] : [])];
        const one: NumberExpression<number> = { kind: "response", function: name, of, place };
        const double = {
          kind: "operation",
          operator: "*",
          left: number(2),
          right: one,
          place,
        } as const;
        return compare(isDoubled ? double : one, operator, limit);
      });
    const ofPast = fc
      .tuple(
        fc.constantFrom("derivative", "average", "delay", "minimum", "variation", "smoothness"),
        fc.constantFrom("<" as const, ">=" as const),
        fc.nat(4),
      )
      .map(([name, operator, limit]) =>
        compare(
          past(name as "derivative", x, name === "derivative" ? undefined : 2),
          operator,
          limit / 2,
        ),
      );
    const formula = fc.oneof(
      randomFormula(),
      ofPast,
      ofPast.map((f) => always(f)),
      response,
      response.map((f) => eventually(f, { from: 0, to: 3 })),
      fc.tuple(randomFormula(), response).map(([a, b]) => implies(a, not(b))),
    );
    const scope = fc
      .tuple(
        randomFormula(),
        randomFormula(),
        fc.constantFrom("globally", "before", "after", "between", "after-until"),
      )
      .map(([begin, end, kind]): Scope<number> => ({ kind, begin, end }) as Scope<number>);
    let violated = 0;
    const steps = fc.array(fc.nat(2), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(formula, scope, randomRows, steps, (f, s, { values }, apart) => {
        let now = 0;
        const time = Float64Array.from(values[0] as Float64Array, (_, i) => (now += apart[i] ?? 1));
        const whole = { time, values: [...values, time], isStepwise: [false, true, false] };
        const state = (end: number, beyond: "anything" | "nothing") =>
          checkRequirement(
            requirement(f, s),
            {
              ...whole,
              time: time.subarray(0, end),
              values: whole.values.map((v) => v.subarray(0, end)),
            },
            beyond,
          ).state;
        for (let end = 1; end < time.length; end++)
          if (state(end, "anything") === "violated") {
            violated++;
            for (let later = end; later <= time.length; later++)
              expect(state(later, "nothing"), `${end} of ${later} rows`).toBe("violated");
            break;
          }
      }),
      { numRuns: 500 },
    );
    expect(violated).toBeGreaterThan(50);
  });

  const n = 3000;
  const ramp = rows([[...Array(n).keys()], [...Array(n).keys()].map(() => 0)]);

  it("[RQ16] is soon enough: within a few rows of what always holds, a tenth of the rest", () => {
    const limit = always(compare(x, "<", 2000));
    expect(foundAt(limit, ramp)).toBeGreaterThanOrEqual(2000);
    expect(foundAt(limit, ramp)).toBeLessThan(2040);
    const smooth = always(compare(past("average", x, 10), "<", 1995));
    expect(foundAt(smooth, ramp)).toBeGreaterThanOrEqual(2000);
    expect(foundAt(smooth, ramp)).toBeLessThan(2060);
    // Seen from 1000 on, missed at 1100.
    const late = always(
      implies(compare(x, ">=", 1000), eventually(compare(y, ">", 1), { from: 0, to: 100 })),
    );
    expect(foundAt(late, ramp)).toBeGreaterThanOrEqual(1100);
    expect(foundAt(late, ramp)).toBeLessThan(1350);
    const scope = { kind: "after", begin: compare(x, ">", 1) } as const;
    expect(foundAt(limit, ramp, { scope })).toBeLessThan(2250);
  });

  it("[RQ16] what may still come is not a violation", () => {
    expect(foundAt(eventually(compare(x, ">", 1e9)), ramp)).toBe(-1);
    const until: Formula<number> = {
      kind: "until",
      interval: { from: 0 },
      left: compare(x, ">=", 0),
      right: compare(y, ">", 1),
      place,
    };
    expect(foundAt(until, ramp)).toBe(-1);
    expect(
      foundAt({ ...until, left: compare(x, "<", 1000) } as Formula<number>, ramp),
    ).toBeGreaterThan(999);
  });
});
