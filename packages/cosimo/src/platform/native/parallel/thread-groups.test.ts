import { describe, expect, it } from "vitest";
import { type ClusterCost, chooseThreadGroups } from "./thread-groups.ts";

const clusters = (micro: readonly number[], pinned: readonly number[] = []): ClusterCost[] =>
  micro.map((cost, unit) => ({
    units: [unit],
    seconds: cost * 1e-6,
    isPinned: pinned.includes(unit),
  }));

describe("threads", () => {
  it("[PA3] share the work, the longest first", () => {
    const { groups, why } = chooseThreadGroups(clusters([50, 30, 100, 40]), 2, "limit");
    expect(groups).toEqual([[2], [0, 1, 3]]);
    expect(why).toBe("limit");
  });

  it("[PA3] are as many as pay, not as many as there may be", () => {
    const { groups, why } = chooseThreadGroups(clusters([100, 1, 1]), 3, "limit");
    expect(groups).toHaveLength(1);
    expect(why).toBe(
      "a step takes 100 µs, its longest part 100 µs: more threads would gain too little",
    );
    expect(chooseThreadGroups(clusters([100, 60, 40]), 3, "limit").groups).toHaveLength(2);
  });

  it("[PA3] are not worth their meeting where steps are short", () => {
    expect(chooseThreadGroups(clusters([2, 2]), 2, "limit").groups).toHaveLength(1);
    expect(chooseThreadGroups(clusters([4, 4]), 2, "limit").groups).toHaveLength(2);
  });

  it("[PA3] are no more than there are independent units", () => {
    const { groups, why } = chooseThreadGroups(clusters([50, 50]), 8, "limit");
    expect(groups).toHaveLength(2);
    expect(why).toBe("2 units or groups of units are independent");
  });

  it("[PA4] leave what is pinned to the first of them", () => {
    const { groups } = chooseThreadGroups(clusters([100, 20, 90, 10], [1, 3]), 2, "limit");
    expect(groups[0]).toContain(1);
    expect(groups[0]).toContain(3);
    expect(groups).toHaveLength(2);
  });
});
