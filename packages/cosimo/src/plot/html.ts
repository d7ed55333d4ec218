/**
 * Plots as one HTML file that works offline: the data, a small script and the static picture for readers without
 * scripts. Nothing is loaded from anywhere, so the file can be mailed and kept.
 */
import { decimate, GAP } from "./decimate.ts";
import { escapeMarkup, scriptJson } from "./escape.ts";
import {
  type Figure,
  makeFigure,
  type Panel,
  type PlotInput,
  type PlotOptions,
  type Series,
} from "./figure.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import { DASHES, THEMES } from "./palette.ts";
import { plotSvg } from "./svg.ts";

/** How many values a page holds; longer signals keep the first, lowest, highest and last of every short interval. */
const MAX_VALUES = 300_000;

export function plotHtml(input: PlotInput, options: PlotOptions = {}): string {
  const figure = makeFigure(input, options, THEMES.light.colors.length);
  const { data, thinned } = pageData(figure);
  const title = escapeMarkup(figure.title || "plot");
  const notes = thinned
    ? [
        ...figure.notes,
        "long signals are thinned; extremes are kept, the trace file has every point",
      ]
    : figure.notes;
  const lines = [figure.caption, ...notes].filter((line) => line !== "");
  const theme = options.theme === undefined ? "" : ` data-theme="${options.theme}"`;
  return `<!doctype html>
<html lang="en"${theme}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
${pageStyle()}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<span id="readout" aria-live="off"></span>
<nav aria-label="view">
<button id="in" title="zoom in (+)">+</button>
<button id="out" title="zoom out (-)">−</button>
<button id="all" title="show all (0, double click)">all</button>
<button id="theme" title="light or dark">◐</button>
</nav>
</header>
<main id="panels"></main>
<noscript>
${plotSvg(input, { ...options, title: "", caption: "" })}</noscript>
<div id="time">time [s]</div>
<footer>
${lines.map((line) => `<p>${escapeMarkup(line)}</p>`).join("\n")}
<p class="help">drag: zoom · shift and drag: pan · wheel: zoom · double click: all · click a name: hide it</p>
</footer>
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

interface PageSeries {
  readonly label: string;
  readonly unit?: string;
  readonly stepwise: boolean;
  readonly color: number;
  readonly dash: number;
  /** How many digits the cursor shows. */
  readonly digits: number;
  /** Which of the page's time columns. */
  readonly time: number;
  readonly values: readonly (number | null)[];
}

function pageData(figure: Figure): { data: unknown; thinned: boolean } {
  const all = figure.panels.flatMap(({ series }) => series);
  const total = all.reduce((sum, { values }) => sum + values.length, 0);
  // A bucket keeps up to four rows, and a thinned series needs times of its own.
  const buckets = total <= MAX_VALUES ? undefined : Math.floor(MAX_VALUES / all.length / 8);
  const times: number[][] = [];
  const shared = new Map<Float64Array, number>();
  const share = (time: Float64Array): number => {
    const known = shared.get(time);
    if (known !== undefined) return known;
    times.push(Array.from(time, roundTime));
    shared.set(time, times.length - 1);
    return times.length - 1;
  };
  let thinned = false;
  const pageSeries = (series: Series): PageSeries => {
    const { label, unit, stepwise, color, dash, time, values } = series;
    const digits = usefulDigits(series);
    const round = (value: number): number | null =>
      Number.isFinite(value) ? Number(value.toPrecision(Math.min(17, digits + 1))) : null;
    const about = { label, stepwise, color, dash, digits, ...(unit === undefined ? {} : { unit }) };
    if (buckets === undefined || time.length <= 4 * buckets) {
      return { ...about, time: share(time), values: Array.from(values, round) };
    }
    thinned = true;
    const rows = decimate(time, values, buckets);
    const at = rows.map((row, i) => time[row === GAP ? rows[i - 1]! : row]!);
    times.push(at.map(roundTime));
    const kept = rows.map((row) => (row === GAP ? null : round(values[row]!)));
    return { ...about, time: times.length - 1, values: kept };
  };
  const panels = figure.panels.map((panel) => ({
    kind: panel.kind,
    title: panelTitle(panel),
    whole: panel.whole,
    series: panel.series.map(pageSeries),
  }));
  const { start, stop } = figure;
  return { data: { start, stop, themes: THEMES, dashes: DASHES, times, panels }, thinned };
}

/** The page names its signals in the legend; the axis says the unit. */
function panelTitle({ kind, unit, series, quantity }: Panel): string {
  if (kind === "lanes") return "";
  const name = series.length === 1 ? quantity : "";
  return [name, unit === undefined ? "" : `[${unit}]`].filter((part) => part !== "").join(" ");
}

/** How many digits tell a millionth of the signal's range. */
function usefulDigits({ low, high }: Series): number {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const extra = high > low ? Math.ceil(Math.log10(size / (high - low))) : 0;
  return Math.min(17, Math.max(6, extra + 6));
}

function roundTime(time: number): number {
  return Number(time.toPrecision(13));
}
