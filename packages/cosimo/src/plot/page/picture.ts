/**
 * What a page saves: the curves that are shown, in the window that is shown, as a picture like
 * those of `cosimo plot` or as a table.
 */
import type { Figure, Series } from "../figure.ts";
import type { PlotPageData, PlotPageSeries } from "../page-data.ts";
import { makeCurve, valueAt } from "./curve.ts";
import type { PanelGroup, PanelMember } from "./grouping.ts";
import type { Span } from "./time-window.ts";

/** The static figure of `panels`. */
export function shownFigure(
  data: PlotPageData,
  panels: readonly PanelGroup[],
  { from, to }: Span,
): Figure {
  return {
    title: data.title,
    caption: data.caption,
    notes: [],
    start: from,
    stop: to,
    panels: panels.map(({ members, ...panel }) => ({
      ...panel,
      quantity: panel.quantity || [...new Set(members.map((m) => m.series.signal))].join(", "),
      series: members.map((member) => cutSeries(data, member, from, to)),
    })),
  };
}

/** A series between two times, where it has the values that lie on its curve. */
function cutSeries(
  data: PlotPageData,
  { series, color, dash }: PanelMember,
  from: number,
  to: number,
): Series {
  const time = data.times[series.time] ?? [];
  const curve = makeCurve(series, time);
  const points: (readonly [number, number | null])[] = [];
  if ((time[0] ?? to) < from) points.push([from, valueAt(curve, from)]);
  time.forEach((t, row) => {
    if (t >= from && t <= to) points.push([t, series.values[row] ?? null]);
  });
  if ((time.at(-1) ?? from) > to) points.push([to, valueAt(curve, to)]);
  const { label, signal, run, unit, items, stepwise, isEvent } = series;
  const values = Float64Array.from(points, ([, value]) => value ?? Number.NaN);
  const finite = values.filter(Number.isFinite);
  return {
    label,
    signal,
    run,
    stepwise,
    isEvent,
    color,
    dash,
    time: Float64Array.from(points, ([t]) => t),
    values,
    low: finite.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    high: finite.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
    ...(unit === undefined ? {} : { unit }),
    ...(items === undefined ? {} : { items }),
  };
}

/**
 * The same as a table. Signals that share their times are written row by row; where times differ
 * (runs that are compared, thinned signals) there is a row for every time, with values on the
 * curves. An event is 1 in the first row of its time.
 */
export function shownCsv(
  { times, series: all }: PlotPageData,
  panels: readonly PanelGroup[],
  { from, to }: Span,
): string {
  const chosen = panels.flatMap(({ members }) => members).sort((a, b) => a.index - b.index);
  const series = chosen.map(({ index }) => all[index]!);
  const own = new Set(series.filter(({ isEvent }) => !isEvent).map(({ time }) => time));
  const only = own.size === 1 ? [...own][0] : undefined;
  const rows =
    only === undefined
      ? [...new Set(series.flatMap(({ time }) => times[time] ?? []))].sort((a, b) => a - b)
      : (times[only] ?? []);
  const readers = series.map((one) => cellsOf(one, times[one.time] ?? [], one.time === only));
  const lines = rows.flatMap((t, row) => {
    if (t < from || t > to) return [];
    const isFirst = rows[row - 1] !== t;
    return [[t, ...readers.map((read) => read(t, row, isFirst))].join(",")];
  });
  const names = ["time", ...series.map(({ label }) => label)];
  return `${[names.map(quoted).join(","), ...lines].join("\n")}\n`;
}

type CellReader = (t: number, row: number, isFirst: boolean) => number | string;

function cellsOf(series: PlotPageSeries, time: readonly number[], isByRow: boolean): CellReader {
  const { values, isEvent } = series;
  if (isEvent) {
    const marks = new Set(time.filter((_, row) => values[row] === 1));
    return (t, _row, isFirst) => Number(isFirst && marks.has(t));
  }
  if (isByRow) return (_t, row) => values[row] ?? "NaN";
  const curve = makeCurve(series, time);
  return (t) => valueAt(curve, t) ?? "NaN";
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** A name for a file from the title of the page. */
export function fileName(title: string, ending: string): string {
  const name = title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  return `${name.slice(0, 80) || "plot"}.${ending}`;
}
