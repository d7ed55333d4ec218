/**
 * Plots as one HTML file that works offline: the data, the script (page/plot-page.ts with uPlot,
 * bundled at build time) and the static picture for readers without scripts. Nothing is loaded from
 * anywhere, so the file can be mailed and kept.
 */
import { present } from "../base/present.ts";
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
import type { PlotPageData, PlotPageSeries } from "./page-data.ts";
import { DASHES, THEMES, type ThemeName } from "./palette.ts";
import { plotSvg } from "./svg.ts";

/**
 * How many values a page holds; longer signals keep the first, lowest, highest and last of every
 * short interval.
 */
const MAX_VALUES = 300_000;

/** How many signals a page holds: its reader chooses among them. */
const MAX_SIGNALS = 500;

/** And how many of them it shows at first. */
const SHOWN = 60;

/** The page of a plot. Asynchronous, because the script is loaded with the first page. */
export async function plotHtml(input: PlotInput, options: PlotOptions = {}): Promise<string> {
  const { PLOT_PAGE } = await import("#pages");
  const figure = makeFigure(
    input,
    { ...options, maxSignals: options.maxSignals ?? MAX_SIGNALS },
    THEMES.light.colors.length,
  );
  const { data, thinned } = pageData(figure, options.maxSignals ?? SHOWN);
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
${themeVariables()}
${PLOT_PAGE.style}
</style>
</head>
<body>
<header>
<h1>${title}</h1>
<span id="readout" aria-live="off"></span>
<nav aria-label="view">
${button("in", "+", "zoom in (+)")}
${button("out", "−", "zoom out (-)")}
${button("all", "all", "show the whole time (0, double click)")}
${button("theme", "◐", "light or dark")}
</nav>
<nav aria-label="save">
<span aria-hidden="true">save</span>
${button("png", "PNG", "save what is shown as a PNG picture")}
${button("svg", "SVG", "save what is shown as an SVG picture")}
${button("csv", "CSV", "save what is shown as a CSV table")}
</nav>
<nav aria-label="signals" id="choose">
<input id="filter" type="search" placeholder="filter signals" aria-label="filter signals by name; commas separate, * and ? match any text">
${button("on", "show", "switch the listed signals on")}
${button("off", "hide", "switch the listed signals off")}
<label>panels <select id="group">
<option value="unit">by physical unit</option>
<option value="owner">by simulation unit</option>
<option value="signal">one per signal</option>
</select></label>
<output id="counted"></output>
</nav>
</header>
<main id="panels"></main>
<noscript>
${plotSvg(input, { ...options, title: "", caption: "" })}</noscript>
<footer>
${lines.map((line) => `<p>${escapeMarkup(line)}</p>`).join("\n")}
<p class="help">drag: zoom · shift and drag: pan · wheel: zoom · double click: all · click a name: hide it, with alt: see it alone</p>
</footer>
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${PLOT_PAGE.script}</script>
</body>
</html>
`;
}

/** What a button does is its label too: a sign is read out as its name, or not at all. */
function button(id: string, sign: string, what: string): string {
  return `<button id="${id}" type="button" title="${what}" aria-label="${what}">${sign}</button>`;
}

/**
 * Colours come from the palette, so that page and picture agree. A theme that the reader chose wins
 * over the screen's.
 */
function themeVariables(): string {
  return [
    variables(":root", "light"),
    `@media (prefers-color-scheme: dark) { ${variables(':root:not([data-theme="light"])', "dark")} }`,
    variables(':root[data-theme="dark"]', "dark"),
  ].join("\n");
}

function variables(selector: string, name: ThemeName): string {
  const { background, text, muted, grid, axis, colors } = THEMES[name];
  const values = { background, text, muted, grid, axis };
  const lines = [
    ...Object.entries(values).map(([key, value]) => `--${key}: ${value};`),
    ...colors.map((color, i) => `--color-${i}: ${color};`),
  ];
  return `${selector} { color-scheme: ${name}; ${lines.join(" ")} }`;
}

function pageData(figure: Figure, shown: number): { data: PlotPageData; thinned: boolean } {
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
  const pageSeries = (series: Series, { kind, whole }: Panel, panel: number): PlotPageSeries => {
    const { label, signal, run, unit, items, stepwise, isEvent, low, high, time, values } = series;
    const digits = usefulDigits(series);
    const round = (value: number): number | null =>
      Number.isFinite(value) ? Number(value.toPrecision(Math.min(17, digits + 1))) : null;
    const about = {
      label,
      signal,
      run,
      panel,
      isLane: kind === "lanes",
      isEvent,
      whole,
      stepwise,
      low: Number.isFinite(low) ? low : 0,
      high: Number.isFinite(high) ? high : 0,
      digits,
      ...present({ unit, items }),
    };
    if (buckets === undefined || time.length <= 4 * buckets) {
      return { ...about, time: share(time), values: Array.from(values, round) };
    }
    thinned = true;
    const rows = decimate(time, values, buckets);
    const kept: (number | null)[] = [];
    const at: number[] = [];
    let now = time[0] ?? 0;
    for (const row of rows) {
      // A gap begins where the last value stands.
      if (row !== GAP) now = time[row] ?? now;
      at.push(roundTime(now));
      kept.push(row === GAP ? null : round(values[row] ?? Number.NaN));
    }
    times.push(at);
    return { ...about, time: times.length - 1, values: kept };
  };
  const series = figure.panels.flatMap((panel, p) =>
    panel.series.map((one) => pageSeries(one, panel, p)),
  );
  const { title, caption, start, stop } = figure;
  const compares = series.some(({ run }) => run > 0);
  const look = { themes: THEMES, dashes: DASHES };
  return {
    data: { title, caption, start, stop, ...look, compares, shown, times, series },
    thinned,
  };
}

/** How many digits show a millionth of the signal's range. */
function usefulDigits({ low, high }: Series): number {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const extra = high > low ? Math.ceil(Math.log10(size / (high - low))) : 0;
  return Math.min(17, Math.max(6, extra + 6));
}

function roundTime(time: number): number {
  return Number(time.toPrecision(13));
}
