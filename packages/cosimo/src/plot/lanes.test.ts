import { describe, expect, it } from "vitest";
import { LIFT, laneAxis, laneScale, segmentsOf } from "./lanes.ts";

describe("lanes", () => {
  it("[PL11] have the first signal on top, and its name beside it", () => {
    const { ticks, labels, min, max } = laneAxis(["on", "off"], 10);
    expect(ticks).toEqual([1, 0]);
    expect(labels).toEqual(["on", "off"]);
    expect(min).toBeLessThan(0);
    expect(max).toBeGreaterThan(1 + LIFT);
    const [long = ""] = laneAxis(["controller.".repeat(20)], 10).labels;
    expect(long).toMatch(/^contr.*….*oller\.$/);
    expect(long.length).toBeLessThan(40);
  });

  it("[PL11] hold booleans between 0 and 1, and enumerations between what occurs", () => {
    expect([0, 1].map(laneScale({ low: 1, high: 1 }, 0, 3))).toEqual([2, 2 + LIFT]);
    const items = { "3": "idle", "4": "busy", "7": "off" };
    const scale = laneScale({ items, low: 3, high: 7 }, 2, 3);
    expect([3, 5, 7].map(scale)).toEqual([0, LIFT / 2, LIFT]);
    expect(laneScale({ items, low: 4, high: 4 }, 2, 3)(4)).toBe(0);
  });

  it("[PL25] know where which item holds, within a window", () => {
    const time = [0, 1, 1, 2, 3];
    const values = [1, 1, 2, null, 1];
    expect(segmentsOf(time, values, 0, 3)).toEqual([
      { from: 0, to: 1, value: 1 },
      { from: 1, to: 2, value: 2 },
    ]);
    expect(segmentsOf(time, values, 0.5, 1.5)).toEqual([
      { from: 0.5, to: 1, value: 1 },
      { from: 1, to: 1.5, value: 2 },
    ]);
    expect(segmentsOf([0, 5], [2, 2], 0, 9)).toEqual([{ from: 0, to: 5, value: 2 }]);
    expect(segmentsOf([], [], 0, 1)).toEqual([]);
  });
});
