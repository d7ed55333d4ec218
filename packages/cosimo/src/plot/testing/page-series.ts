/**
 * Signals of a page, for tests.
 */
import type { PlotPageData, PlotPageSeries } from "../page-data.ts";
import { DASHES, THEMES } from "../palette.ts";

/** A signal that says nothing of itself but what is given. */
export function pageSeries(label: string, given: Partial<PlotPageSeries> = {}): PlotPageSeries {
  return {
    label,
    signal: label,
    run: 0,
    panel: 0,
    isLane: false,
    isEvent: false,
    whole: false,
    stepwise: false,
    low: 0,
    high: 1,
    digits: 6,
    time: 0,
    values: [0, 1],
    ...given,
  };
}

export function plotPageData(
  series: readonly PlotPageSeries[],
  given: Partial<PlotPageData> = {},
): PlotPageData {
  return {
    title: "a run",
    caption: "",
    start: 0,
    stop: 1,
    themes: THEMES,
    dashes: DASHES,
    compares: false,
    shown: 60,
    times: [[0, 1]],
    series,
    ...given,
  };
}
