import { describe, expect, it } from "vitest";
import { compareExpected } from "./expected-trace.ts";
import type { Column, Trace } from "./trace.ts";

const trace = (
  time: number[],
  columns: Record<string, readonly unknown[]>,
): Pick<Trace, "time" | "columns"> => ({
  time: Float64Array.from(time),
  columns: Object.entries(columns).map(([name, data]): Column => {
    const isNumber = typeof data[0] === "number";
    return {
      name,
      type: isNumber ? "float64" : "string",
      data: isNumber ? Float64Array.from(data as number[]) : (data as string[]),
    };
  }),
});

describe("comparing traces", () => {
  const found = trace([0, 1, 1, 2], { x: [0, 10, 20, 30], name: ["a", "b", "c", "d"] });

  it("[RC29] the expected one may have fewer rows and columns; of an event the last rows count", () => {
    expect(compareExpected(found, trace([0, 1], { x: [0, 20] }), 0)).toEqual({
      isEqual: true,
      values: 2,
      worst: 0,
    });
    expect(compareExpected(found, trace([1, 1], { x: [10, 20] }), 0).isEqual).toBe(true);
    expect(compareExpected(found, trace([0, 2], { name: ["a", "d"] }), 0).isEqual).toBe(true);
  });

  it("[RC29] numbers may differ by the tolerance times the largest of their column", () => {
    const near = trace([0, 2], { x: [0.2, 30] });
    expect(compareExpected(found, near, 0.01)).toMatchObject({ isEqual: true, worst: 0.2 / 30 });
    expect(compareExpected(found, near, 0.001)).toEqual({
      isEqual: false,
      difference: "x is 0 at t=0, expected 0.2",
    });
  });

  it.each([
    [trace([0, 3], { x: [0, 1] }), "there is no row at t=3"],
    [trace([1, 1, 1], { x: [0, 10, 20] }), "there is no row at t=1"],
    [trace([0], { y: [0] }), "there is no column 'y'"],
    [trace([0], { name: ["z"] }), "name is a at t=0, expected z"],
    [trace([0], { x: [Number.NaN] }), "x is 0 at t=0, expected NaN"],
  ])("[RC29] the first difference is named", (expected, difference) => {
    expect(compareExpected(found, expected, 1e-6)).toEqual({ isEqual: false, difference });
  });
});
