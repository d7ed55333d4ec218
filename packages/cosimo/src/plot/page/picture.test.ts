import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { parseCsv } from "../../record/csv-read.ts";
import { figureSvg } from "../figure-svg.ts";
import type { PlotPageSeries } from "../page-data.ts";
import { pageSeries, plotPageData } from "../testing/page-series.ts";
import { groupPanels } from "./grouping.ts";
import { fileName, shownCsv, shownFigure } from "./picture.ts";

const TIMES = [
  [0, 1, 1, 2],
  [0, 2],
];

function figure(series: readonly PlotPageSeries[], from: number, to: number) {
  const data = plotPageData(series, { times: TIMES });
  return shownFigure(data, groupPanels(data, "unit"), { from, to });
}

function csv(series: readonly PlotPageSeries[], from = 0, to = 2): string[] {
  const data = plotPageData(series, { times: TIMES });
  return shownCsv(data, groupPanels(data, "unit"), { from, to }).trim().split("\n");
}

describe("what a page saves", () => {
  it("[PL27] is the picture of the window, with what lies on its edges", () => {
    const { panels, start, stop } = figure(
      [pageSeries("x", { values: [0, 10, 20, 30] })],
      0.5,
      1.5,
    );
    expect([start, stop]).toEqual([0.5, 1.5]);
    const [x] = panels[0]!.series;
    expect([...x!.time]).toEqual([0.5, 1, 1, 1.5]);
    expect([...x!.values]).toEqual([5, 10, 20, 25]);
    expect([x!.low, x!.high]).toEqual([5, 25]);
  });

  it("[PL27] has gaps where values are missing, and draws none of nothing", () => {
    const [x] = figure([pageSeries("x", { values: [0, null, null, 4] })], 0.5, 2).panels[0]!.series;
    expect([...x!.values]).toEqual([0, Number.NaN, Number.NaN, 4]);
    const svg = figureSvg(figure([pageSeries("x", { values: [] })], 0, 1), {});
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("[PL27] is a table with the rows that the signals share", () => {
    const event = pageSeries("beat", { isEvent: true, isLane: true, time: 1, values: [0, 1] });
    const x = pageSeries("x", { values: [0, 10, null, 30] });
    expect(csv([x, event])).toEqual(['"time","x","beat"', "0,0,0", "1,10,0", "1,NaN,0", "2,30,1"]);
    expect(csv([x], 1, 1)).toEqual(['"time","x"', "1,10", "1,NaN"]);
  });

  it("[PL27] is a table of all times where they differ", () => {
    const x = pageSeries('x "1"', { values: [0, 10, 20, 30] });
    const y = pageSeries("y", { time: 1, values: [0, 4] });
    const lines = csv([x, y]);
    expect(lines).toEqual(['"time","x ""1""","y"', "0,0,0", "1,20,2", "2,30,4"]);
    const read = unwrap(parseCsv(lines.join("\n"), "saved.csv"));
    expect(read.columns.map(({ name }) => name)).toEqual(['x "1"', "y"]);
  });

  it.each([
    ["two masses", "two-masses.svg"],
    ["../../etc/passwd", "etc-passwd.svg"],
    ["größe", "größe.svg"],
    ["", "plot.svg"],
    ["///", "plot.svg"],
  ])("[PL27] calls the file of '%s' %s", (title, name) => {
    expect(fileName(title, "svg")).toBe(name);
  });
});
