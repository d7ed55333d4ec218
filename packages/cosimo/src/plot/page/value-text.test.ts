import { describe, expect, it } from "vitest";
import type { PlotPageSeries } from "../page-data.ts";
import { pageSeries } from "../testing/page-series.ts";
import { valueText, valueWidth } from "./value-text.ts";

describe("the value under the cursor", () => {
  it("[PL25] is the name of an item, where there is one", () => {
    const mode = pageSeries("mode", { isLane: true, items: { "1": "off", "2": "running" } });
    expect([1, 2, 3, null].map((value) => valueText(mode, value))).toEqual([
      "off",
      "running",
      "3",
      "–",
    ]);
  });

  it.each<[string, Partial<PlotPageSeries>, readonly number[]]>([
    ["a real", { low: -1.5, high: 2, unit: "m/s" }, [-1.23456789, 1 / 3, 0, -0.000123456]],
    ["a tiny one", { low: -1e-9, high: 1e-9 }, [-1.23456789e-10, 1e-9 / 3]],
    ["a huge one", { low: 0, high: 1e22 }, [1e22 / 3, 1e5]],
    ["a whole one", { low: -200, high: 31, whole: true }, [-200, -17, 31]],
    ["a boolean", { isLane: true }, [0, 1]],
    ["an enumeration", { isLane: true, items: { "1": "a", "2": "longer" } }, [1, 2]],
  ])("[PL28] of %s never takes more room than it was given", (_what, given, values) => {
    const series = pageSeries("x", given);
    for (const value of values)
      expect(valueText(series, value).length).toBeLessThanOrEqual(valueWidth(series));
  });
});
