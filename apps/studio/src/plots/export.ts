/**
 * What is shown, as a file: a picture as `cosimo plot` draws it, or a table. Made in the page from
 * the curves that it has.
 */
import type { Figure, Series } from "@cosimo/plot/figure.ts";
import { figureSvg } from "@cosimo/plot/figure-svg.ts";
import { rowAt, valueAt } from "@cosimo/plot/page/curve.ts";
import { fileName } from "@cosimo/plot/page/picture.ts";
import { savePng, saveText } from "@cosimo/plot/page/save.ts";
import type { PlotCurve } from "./curves.ts";
import type { PlotBoard } from "./plot-board.ts";
import { isLane } from "./source.ts";

export type PictureFormat = "svg" | "png" | "csv";

export async function saveShown(board: PlotBoard, format: PictureFormat): Promise<void> {
  const { sources } = board.state.get();
  const title = sources.map((source) => source.title).join(", ") || "plot";
  const name = fileName(title, format);
  if (format === "csv") return saveText(shownCsv(board), "text/csv", name);
  const svg = figureSvg(shownFigure(board, title), { theme: board.themeName, width: 960 });
  if (format === "svg") saveText(svg, "image/svg+xml", name);
  else await savePng(svg, name);
}

function shownFigure(board: PlotBoard, title: string): Figure {
  const { panels } = board.state.get();
  const { from, to } = board.view.span;
  return {
    title,
    caption: "",
    notes: [],
    start: from,
    stop: to,
    panels: panels.flatMap((panel) => {
      const curves = board.chart(panel.id)?.curves ?? [];
      if (curves.length === 0) return [];
      return [
        {
          kind: panel.kind,
          ...(panel.unit === undefined || panel.kind === "lanes" ? {} : { unit: panel.unit }),
          quantity: curves.map(({ label }) => label).join(", "),
          whole: false,
          series: curves.map((curve) => seriesOf(curve, panel.signals, from, to)),
        },
      ];
    }),
  };
}

function seriesOf(
  { label, signal, source, info, curve }: PlotCurve,
  signals: readonly string[],
  from: number,
  to: number,
): Series {
  const first = Math.max(0, rowAt(curve.x, from));
  const last = Math.min(curve.x.length - 1, rowAt(curve.x, to) + 1);
  const values = Float64Array.from(curve.y.slice(first, last + 1), (y) => y ?? Number.NaN);
  const time = Float64Array.from(curve.x.slice(first, last + 1), (t) =>
    Math.min(to, Math.max(from, t)),
  );
  const finite = values.filter(Number.isFinite);
  return {
    label,
    signal,
    run: source,
    stepwise: isLane(info) || info.stepwise === true,
    isEvent: info.isEvent === true,
    time,
    values,
    low: finite.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    high: finite.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
    color: Math.max(0, signals.indexOf(signal)),
    dash: source,
    ...(info.unit === undefined ? {} : { unit: info.unit }),
    ...(info.items === undefined ? {} : { items: info.items }),
  };
}

/** A row for every time of a curve in the window. */
function shownCsv(board: PlotBoard): string {
  const { from, to } = board.view.span;
  const curves = board.state.get().panels.flatMap(({ id }) => board.chart(id)?.curves ?? []);
  const times = [...new Set(curves.flatMap(({ curve }) => curve.x))]
    .filter((t) => t >= from && t <= to)
    .sort((a, b) => a - b);
  const head = ["time", ...curves.map(({ label }) => label)].map(
    (text) => `"${text.replaceAll('"', '""')}"`,
  );
  const lines = times.map((t) =>
    [t, ...curves.map(({ curve }) => valueAt(curve, t) ?? "NaN")].join(","),
  );
  return `${[head.join(","), ...lines].join("\n")}\n`;
}
