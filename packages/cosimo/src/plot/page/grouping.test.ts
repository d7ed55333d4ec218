import { describe, expect, it } from "vitest";
import { pageSeries, plotPageData } from "../testing/page-series.ts";
import { type Grouping, groupPanels, listedBy, ownerOf, shownFirst } from "./grouping.ts";

const SERIES = [
  pageSeries("left.x", { unit: "m", panel: 0 }),
  pageSeries("right.x", { unit: "m", panel: 0 }),
  pageSeries("left.v", { unit: "m/s", panel: 1 }),
  pageSeries("right.on", { panel: 2, isLane: true }),
];

/** `unit: names` panel by panel. */
function panels(grouping: Grouping, series = SERIES): string[] {
  return groupPanels(plotPageData(series), grouping).map(({ kind, quantity, unit, members }) => {
    const names = members.map(({ series: { label } }) => label).join(" ");
    return `${kind} ${quantity} [${unit ?? ""}]: ${names}`;
  });
}

describe("panels of a page", () => {
  it("[PL26] are those of the picture, one per physical unit", () => {
    expect(panels("unit")).toEqual([
      "values  [m]: left.x right.x",
      "values left.v [m/s]: left.v",
      "lanes  []: right.on",
    ]);
  });

  it("[PL26] can be those of every simulation unit alone", () => {
    expect(panels("owner")).toEqual([
      "values left [m]: left.x",
      "values left [m/s]: left.v",
      "values right [m]: right.x",
      "lanes  []: right.on",
    ]);
  });

  it("[PL26] can be one per signal, which compared runs share", () => {
    const runs = [0, 1].map((run) => pageSeries(`x (${run})`, { signal: "x", run }));
    expect(panels("signal", [...runs, pageSeries("y")])).toEqual([
      "values x []: x (0) x (1)",
      "values y []: y",
    ]);
    const [first] = groupPanels(plotPageData(runs, { compares: true }), "signal");
    expect(first?.members.map(({ color, dash }) => [color, dash])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it("[PL8] give every curve its own pair of colour and dash", () => {
    const many = Array.from({ length: 28 }, (_, i) => pageSeries(`s${i}`));
    const [panel] = groupPanels(plotPageData(many), "unit");
    const looks = panel!.members.map(({ color, dash }) => `${color} ${dash}`);
    expect(new Set(looks).size).toBe(28);
  });

  it.each([
    ["left.x", "left"],
    ["plant.motor.speed", "plant.motor"],
    ["speed", ""],
    ["left.A[1.5]", "left"],
    ["der(left.x)", ""],
  ])("[PL26] %s belongs to '%s'", (signal, owner) => {
    expect(ownerOf(signal)).toBe(owner);
  });
});

describe("what a page shows at first", () => {
  it("[PL26] is everything, or as many signals of every panel", () => {
    const counts = (shown: number) => shownFirst(plotPageData(SERIES, { shown })).map(Number);
    expect(counts(4)).toEqual([1, 1, 1, 1]);
    expect(counts(3)).toEqual([1, 0, 1, 1]);
    expect(counts(1)).toEqual([1, 0, 1, 1]);
  });
});

describe("the filter of a page", () => {
  const labels = ["left.x", "left.v", "right.x", "A[1,1]"];
  it.each([
    ["", labels],
    [" , ", labels],
    ["x", ["left.x", "right.x"]],
    ["LEFT", ["left.x", "left.v"]],
    ["left.?", ["left.x", "left.v"]],
    ["*.v, right", ["left.v", "right.x"]],
    ["[1", ["A[1,1]"]],
    ["(", []],
  ])("[PL26] '%s' lists %j", (filter, listed) => {
    expect(labels.filter(listedBy(filter))).toEqual(listed);
  });
});
