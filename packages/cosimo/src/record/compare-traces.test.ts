/** Traces in a notation: rows of `time value`, two of one time are an event. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { type CompareOptions, compareTraces, differenceTrace } from "./compare-traces.ts";
import type { Column, Trace } from "./trace.ts";

function trace(rows: string, more: Partial<Column> = {}): Trace {
  const table = rows.split(",").map((row) => row.trim().split(" ").map(Number));
  return {
    meta: { title: "test", entries: {} },
    time: Float64Array.from(table, ([t]) => t!),
    columns: [
      { name: "x", type: "float64", data: Float64Array.from(table, ([, x]) => x!), ...more },
    ],
  };
}

const tolerances = (relative: number, absolute = 0, timeTolerance = 0): CompareOptions => ({
  tolerance: () => ({ relative, absolute }),
  timeTolerance,
});
const compare = (a: Trace, b: Trace, options = tolerances(0)) => compareTraces(a, b, options);
const only = (a: Trace, b: Trace, options = tolerances(0)) => compare(a, b, options).signals[0]!;

describe("two traces", () => {
  it("[CM1] agree where one has rows that the other interpolates", () => {
    const coarse = trace("0 0, 2 4, 4 0");
    const fine = trace("0 0, 1 2, 2 4, 3 2, 4 0");
    expect(only(coarse, fine)).toEqual({ name: "x", isWithin: true, largest: 0, allowed: 0 });
    expect(only(fine, coarse).isWithin).toBe(true);
    expect(compare(coarse, fine).instants).toBe(5);
  });

  it("[CM1] hold signals that are stepwise, and those that are not continuous", () => {
    const coarse = trace("0 0, 2 1", { stepwise: true });
    expect(only(coarse, trace("0 0, 1 0, 2 1", { stepwise: true })).isWithin).toBe(true);
    expect(only(coarse, trace("0 0, 1 0.5, 2 1", { stepwise: true })).largest).toBe(0.5);
    const whole = { type: "int32" } as const;
    expect(only(trace("0 0, 2 4", whole), trace("0 0, 1 0, 2 4", whole)).isWithin).toBe(true);
  });

  it("[CM2] compare both values of an event", () => {
    const jump = trace("0 0, 1 1, 1 5, 2 6");
    expect(only(jump, jump)).toMatchObject({ isWithin: true, largest: 0 });
    expect(only(jump, trace("0 0, 1 1, 1 4, 2 6"))).toMatchObject({
      largest: 1,
      at: 1,
      values: [5, 4],
      firstOutside: 1,
    });
    expect(only(jump, trace("0 0, 1 2, 1 5, 2 6"))).toMatchObject({ largest: 1, values: [1, 2] });
    // Without the event the other trace has one value there.
    expect(only(jump, trace("0 0, 1 1, 2 6"))).toMatchObject({ largest: 4, values: [5, 1] });
  });

  it("[CM3] allow a share of the largest magnitude, and an absolute difference", () => {
    const [a, b] = [trace("0 0, 1 -10, 2 0"), trace("0 0.05, 1 -10, 2 0")];
    expect(only(a, b, tolerances(0.005))).toMatchObject({ isWithin: true, allowed: 0.05 });
    expect(only(a, b, tolerances(0.0049))).toMatchObject({ isWithin: false, firstOutside: 0 });
    expect(only(a, b, tolerances(0, 0.05)).isWithin).toBe(true);
    expect(only(a, b, tolerances(0.004, 0.01)).isWithin).toBe(true);
  });

  it("[CM4] accept an event that is a little earlier or later, and no other value", () => {
    const jump = (at: number): Trace => trace(`0 0, ${at} 0, ${at} 5, 2 5`);
    expect(only(jump(1), jump(1.001)).largest).toBe(5);
    expect(only(jump(1), jump(1.001), tolerances(0, 0, 0.01)).isWithin).toBe(true);
    expect(only(jump(1), jump(1.02), tolerances(0, 0, 0.01)).isWithin).toBe(false);
    const higher = trace("0 0, 1.001 0, 1.001 6, 2 6");
    expect(only(jump(1), higher, tolerances(0, 0, 0.01))).toMatchObject({ largest: 1 });
  });

  it("[CM5] know NaN and infinities, and what is not a number", () => {
    expect(only(trace("0 NaN, 1 1"), trace("0 NaN, 1 1")).isWithin).toBe(true);
    expect(only(trace("0 NaN, 1 1"), trace("0 1, 1 1")).largest).toBe(Number.POSITIVE_INFINITY);
    expect(only(trace("0 Infinity"), trace("0 Infinity")).isWithin).toBe(true);
    const texts = (...data: string[]): Trace => trace("0 0, 1 0", { type: "string", data });
    expect(only(texts("a", "b"), texts("a", "b")).isWithin).toBe(true);
    expect(only(texts("a", "b"), texts("a", "c"))).toMatchObject({ at: 1, values: ["b", "c"] });
    const big = (...data: bigint[]): Trace =>
      trace("0 0, 1 0", { type: "int64", data: BigInt64Array.from(data) });
    expect(only(big(1n, 2n), big(1n, 3n)).largest).toBe(1);
  });

  it("[CM6] convert units, and say where they measure different things", () => {
    const metres = trace("0 1, 1 2", { unit: "m" });
    expect(only(metres, trace("0 1000, 1 2000", { unit: "mm" })).isWithin).toBe(true);
    expect(only(metres, trace("0 1, 1 2")).isWithin).toBe(true);
    const wrong = only(metres, trace("0 1, 1 2", { unit: "s" }));
    expect(wrong.isWithin).toBe(false);
    expect(wrong.reason).toContain("measure different things");
  });

  it("[CM7] name signals and time that only one of them has", () => {
    const [a, b] = [trace("0 0, 2 2"), trace("1 1, 3 3", { name: "y" })];
    const found = compare(a, b);
    expect(found).toMatchObject({
      missing: { first: ["y"], second: ["x"] },
      from: 1,
      to: 2,
      sameSpan: false,
      signals: [],
    });
    expect(compare(a, trace("0 0, 2.0000000001 2")).sameSpan).toBe(true);
  });

  it("[CM1] never differ from themselves with other rows in between", () => {
    const time = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(time, fc.infiniteStream(fc.integer({ min: -8, max: 8 })), (steps, values) => {
        const rows = steps.map((_, i): readonly [number, number] => [
          steps.slice(0, i).reduce((sum, step) => sum + step, 0),
          values.next().value!,
        ]);
        const denser = rows.flatMap(([at, x], i) => {
          const [next, y] = rows[i + 1] ?? [at, x];
          // Halves of small whole numbers are exact.
          return next > at
            ? [
                [at, x],
                [(at + next) / 2, (x + y) / 2],
              ]
            : [[at, x]];
        });
        const text = (list: readonly (readonly number[])[]): string =>
          list.map((row) => row.join(" ")).join(",");
        const found = only(trace(text(rows)), trace(text(denser)));
        expect(found.largest).toBe(0);
      }),
      { numRuns: cases(200) },
    );
  });

  it("[CM8] have a difference that is a trace, with events where one of them has some", () => {
    const found = differenceTrace(trace("0 0, 1 1, 1 5, 2 6"), trace("0 0, 2 2"), ["x"]);
    expect([...found.time]).toEqual([0, 1, 1, 2]);
    expect(found.columns[0]).toMatchObject({ name: "x", unit: "difference" });
    expect([...(found.columns[0]!.data as Float64Array)]).toEqual([0, 0, -4, -4]);
  });
});
