import { describe, expect, it } from "vitest";
import { laneScale } from "../lanes.ts";
import type { PlotPageSeries } from "../page-data.ts";
import { pageSeries } from "../testing/page-series.ts";
import { inLane, makeCurve, nearestRow, rangeWithin, rowsWithin, valueAt } from "./curve.ts";

function series(values: readonly (number | null)[], stepwise = false): PlotPageSeries {
  return pageSeries("x", { values, stepwise });
}

describe("the curve of a page", () => {
  it("[PL9] of a signal that changes in steps has corners, and holds its values", () => {
    const curve = makeCurve(series([1, 1, 3, null, 2], true), [0, 1, 2, 3, 4]);
    expect(curve.x).toEqual([0, 1, 2, 2, 3, 4]);
    expect(curve.y).toEqual([1, 1, 1, 3, null, 2]);
    expect(valueAt(curve, 1.9)).toBe(1);
    expect(valueAt(curve, 2)).toBe(3);
    expect(valueAt(curve, 2.9)).toBe(3);
  });

  it("[PL19] has values between its points, none in gaps and outside", () => {
    const curve = makeCurve(series([0, 10, null, 4]), [0, 1, 2, 3]);
    expect([-0.1, 0, 0.5, 2.5, 3, 3.1].map((t) => valueAt(curve, t))).toEqual([
      null,
      0,
      5,
      null,
      4,
      null,
    ]);
  });

  it("[PL10] at a jump has the later value", () => {
    expect(valueAt(makeCurve(series([0, 1, 7, 8]), [0, 1, 1, 2]), 1)).toBe(7);
  });

  it("[PL5] knows the points that stand alone", () => {
    expect(makeCurve(series([1, null, 2, null, 3, 4]), [0, 1, 2, 3, 4, 5]).lonely).toEqual([0, 2]);
  });

  it("[PL19] has the range of what a window shows, where no point lies inside too", () => {
    const curve = makeCurve(series([0, 10, 0]), [0, 10, 20]);
    expect(rangeWithin(curve, 2, 4)).toEqual({ low: 2, high: 4 });
    expect(rangeWithin(curve, 8, 14)).toEqual({ low: 6, high: 10 });
    expect(rangeWithin(makeCurve(series([]), []), 0, 1)).toEqual({
      low: Number.POSITIVE_INFINITY,
      high: Number.NEGATIVE_INFINITY,
    });
  });

  it("[PL19] draws one point beyond each end of a window", () => {
    const curve = makeCurve(series([0, 1, 2, 3, 4]), [0, 1, 2, 3, 4]);
    expect(rowsWithin(curve, 2, 2.5)).toEqual([1, 3]);
    expect(rowsWithin(curve, 0, 4)).toEqual([0, 4]);
    const [first, last] = rowsWithin(makeCurve(series([]), []), 0, 1);
    expect(last).toBeLessThan(first);
  });

  it("[PL19] marks the point nearest to the cursor", () => {
    const curve = makeCurve(series([0, 1, null, 3]), [0, 1, 2, 3]);
    expect([-1, 0.4, 0.6, 1.9, 9].map((t) => nearestRow(curve, t))).toEqual([0, 0, 1, null, 3]);
  });

  it("[PL11] of a Boolean runs in its lane", () => {
    const height = laneScale({ low: 0, high: 1 }, 0, 4);
    expect(inLane(makeCurve(series([0, 1, null], true), [0, 1, 2]), height).y).toEqual([
      3,
      3,
      3.62,
      null,
    ]);
  });
});
