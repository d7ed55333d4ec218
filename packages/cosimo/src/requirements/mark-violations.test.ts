import { describe, expect, it } from "vitest";
import type { Trace } from "../record/trace.ts";
import type { Verdict } from "./check-requirement.ts";
import { withMarks } from "./mark-violations.ts";

const trace: Trace = {
  meta: { title: "t", entries: {} },
  time: Float64Array.from([0, 1, 2, 2, 3]),
  columns: [],
};
const verdict = (violations: Verdict["violations"]): Verdict => ({
  name: "limit",
  text: "always …",
  state: violations.length > 0 ? "violated" : "satisfied",
  robustness: 0,
  isVacuous: false,
  violations,
});

describe("violations in plots", () => {
  it("[RQ23] are a lane each, high where something is violated", () => {
    const { columns } = withMarks(trace, [
      verdict([
        { from: 1, to: 1 },
        { from: 2, to: 2 },
      ]),
      verdict([]),
    ]);
    expect(columns.map(({ name, type }) => [name, type])).toEqual([["violated: limit", "boolean"]]);
    expect(columns[0]?.data).toEqual(Float64Array.from([0, 1, 1, 1, 0]));
  });

  it("[RQ23] a run without violations is drawn as before", () => {
    expect(withMarks(trace, [verdict([])])).toBe(trace);
  });
});
