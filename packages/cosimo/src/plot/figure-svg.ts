/**
 * A figure as an SVG document. HTML pages draw with it what they save.
 */
import { type Axis, axisTitle, makeAxis } from "./axis.ts";
import { curvePaths, type Scale, tenth } from "./curve.ts";
import { escapeMarkup } from "./escape.ts";
import type { Figure, Panel, PlotOptions, Series } from "./figure.ts";
import { laneAxis, laneScale, NAME_LIFT, segmentsOf } from "./lanes.ts";
import { colorOf, DASHES, THEMES, type Theme } from "./palette.ts";
import {
  CAPTION,
  dashed,
  drawLegend,
  END,
  LABEL,
  MARGIN,
  MIDDLE,
  scale,
  svgDocument,
  TICK,
  TITLE,
  text,
} from "./svg-parts.ts";
import { fitText, textWidth } from "./text-width.ts";

const LANE_HEIGHT = 30;

export function figureSvg(
  figure: Figure,
  options: Pick<PlotOptions, "theme" | "width" | "panelHeight" | "along">,
): string {
  const theme = THEMES[options.theme ?? "light"];
  const width = options.width ?? 860;
  const height = options.panelHeight ?? defaultPanelHeight(figure.panels.length);
  const drafts = figure.panels.map((panel) => draftPanel(panel, height));
  const labelWidth = Math.max(24, ...drafts.map(({ axis }) => widest(axis.labels)));
  const left = MARGIN + LABEL + 8 + labelWidth + 6;
  // Beside the numbers, which take less room than the names of lanes.
  const numbers = drafts.filter(({ panel }) => panel.kind === "values");
  const numberWidth = Math.max(24, ...numbers.map(({ axis }) => widest(axis.labels)));
  const titleX = left - 6 - numberWidth - 8 - LABEL * 0.2;
  const right = width - MARGIN;
  const time = makeAxis(figure.start, figure.stop, Math.max(2, (right - left) / 85));
  const scaleX = scale(time, left, right);
  const body: string[] = [];
  let y = MARGIN;

  if (figure.title !== "") {
    y += TITLE;
    const title = fitText(figure.title, TITLE * 1.08, width - 2 * MARGIN);
    body.push(text(title, MARGIN, y, TITLE, theme.text, 'font-weight="bold"'));
    y += 8;
  }
  for (const [i, draft] of drafts.entries()) {
    const drawn = drawPanel(draft, { theme, left, right, titleX, top: y, time, scaleX });
    body.push(...drawn.parts);
    y = drawn.bottom + (i < drafts.length - 1 ? 12 : 0);
  }
  if (drafts.length > 0) {
    const labels = time.ticks.map((tick, i) =>
      text(time.labels[i] ?? "", scaleX(tick), y + 6 + TICK, TICK, theme.muted, MIDDLE),
    );
    y += 12 + TICK + LABEL + 3;
    const { name, unit } = options.along ?? { name: "time", unit: "s" };
    const title = axisTitle(name, unit, time);
    body.push(...labels, text(title, (left + right) / 2, y, LABEL, theme.text, MIDDLE));
    y += 4;
  }
  for (const line of [figure.caption, ...figure.notes].filter((one) => one !== "")) {
    for (const row of wrap(line, CAPTION, width - 2 * MARGIN)) {
      y += CAPTION + 5;
      body.push(text(row, MARGIN, y, CAPTION, theme.muted));
    }
  }
  const total = Math.ceil(y + MARGIN * 0.8);
  return svgDocument(figure.title || "plot", width, total, theme, body);
}

/** A panel with its axis, before it has a place. */
interface PanelDraft {
  readonly panel: Panel;
  readonly axis: Axis;
  readonly height: number;
  readonly title: string;
  /** Curves are named above the panel unless the axis title already does it. */
  readonly legend: boolean;
}

function draftPanel(panel: Panel, wanted: number): PanelDraft {
  if (panel.kind === "lanes") {
    const height = panel.series.length * LANE_HEIGHT + 10;
    const names = panel.series.map(({ label }) => label);
    const axis = laneAxis(names, TICK);
    // A name that was shortened stands in full above.
    const legend = axis.labels.some((name, lane) => name !== names[lane]);
    return { panel, axis, height, title: "", legend };
  }
  const low = Math.min(...panel.series.map((series) => series.low));
  const high = Math.max(...panel.series.map((series) => series.high));
  // A crowd of curves needs room.
  const height = panel.series.length > 4 ? Math.round(wanted * 1.35) : wanted;
  const axis = makeAxis(low, high, Math.max(3, height / 27), { padding: 0.05, whole: panel.whole });
  const full = axisTitle(panel.quantity, panel.unit, axis);
  const fits = textWidth(full, LABEL) <= height;
  const title = fits ? full : axisTitle("", panel.unit, axis);
  return { panel, axis, height, title, legend: panel.series.length > 1 || !fits };
}

interface Place {
  readonly theme: Theme;
  readonly left: number;
  readonly right: number;
  /** Where titles of value axes have their baseline. */
  readonly titleX: number;
  readonly top: number;
  readonly time: Axis;
  readonly scaleX: Scale;
}

function drawPanel(draft: PanelDraft, place: Place): { parts: string[]; bottom: number } {
  const { panel, axis, height } = draft;
  const { theme, left, right, time, scaleX } = place;
  const parts: string[] = [];
  let top = place.top + 6;
  if (draft.legend) {
    const legend = panelLegend(panel.series, theme, left, right, top);
    parts.push(...legend.parts);
    top = legend.bottom;
  }
  const bottom = top + height;
  const scaleY = scale(axis, bottom, top);
  const box = `x="${left}" y="${top}" width="${tenth(right - left)}" height="${height}"`;
  const isLanes = panel.kind === "lanes";
  const [lift, label] = isLanes ? [NAME_LIFT, theme.text] : [0, theme.muted];
  const grid: string[] = [];
  for (const tick of time.ticks) grid.push(`M${tenth(scaleX(tick))} ${top}V${bottom}`);
  for (const tick of axis.ticks) grid.push(`M${left} ${tenth(scaleY(tick))}H${right}`);
  parts.push(
    `<g class="panel">`,
    `<path d="${grid.join("")}" stroke="${theme.grid}" stroke-width="1" fill="none"/>`,
    ...axis.ticks.map((tick, i) =>
      text(axis.labels[i] ?? "", left - 6, scaleY(tick + lift) + TICK * 0.36, TICK, label, END),
    ),
  );
  if (draft.title !== "") {
    const [x, y] = [tenth(place.titleX), tenth((top + bottom) / 2)];
    const turned = `${MIDDLE} transform="rotate(-90 ${x} ${y})"`;
    parts.push(text(draft.title, x, y, LABEL, theme.text, turned));
  }
  for (const [i, series] of panel.series.entries()) {
    const height = isLanes ? laneScale(series, i, panel.series.length) : (value: number) => value;
    const toY: Scale = (value) => scaleY(height(value));
    parts.push(
      series.isEvent
        ? drawTrack(series, theme, scaleX, toY)
        : drawCurve(series, theme, scaleX, toY, right - left),
    );
    if (isLanes) parts.push(...itemTexts(series, theme, time, scaleX, toY));
  }
  parts.push(`<rect ${box} fill="none" stroke="${theme.axis}" stroke-width="1"/>`, "</g>");
  return { parts, bottom };
}

function drawCurve(
  series: Series,
  theme: Theme,
  scaleX: Scale,
  scaleY: Scale,
  width: number,
): string {
  const { main, jumps } = curvePaths(series, scaleX, scaleY, width);
  const color = colorOf(theme, series.color);
  const stroke = `fill="none" stroke="${color}" stroke-linejoin="round"`;
  const name = `<title>${escapeMarkup(series.label)}</title>`;
  const thin =
    jumps === "" ? "" : `<path d="${jumps}" ${stroke} stroke-width="0.8" opacity="0.55"/>`;
  const cap = series.dash % DASHES.length === 0 ? "round" : "butt";
  return (
    `<g class="series">${name}${thin}` +
    `<path d="${main}" ${stroke} stroke-width="1.6" stroke-linecap="${cap}"${dashed(series.dash)}/></g>`
  );
}

const ITEM = 9;

/** Names of an enumeration's items beside the line, where a segment has room for them. */
function itemTexts(
  { items, time, values, low, high }: Series,
  theme: Theme,
  { min, max }: Axis,
  scaleX: Scale,
  scaleY: Scale,
): string[] {
  if (items === undefined) return [];
  return segmentsOf(time, values, min, max).flatMap(({ from, to, value }) => {
    const name = items[String(value)];
    const room = scaleX(to) - scaleX(from) - 6;
    if (name === undefined || textWidth(name, ITEM) > room) return [];
    // Above a low line and below a high one: inside the lane.
    const below = value > (low + high) / 2 ? ITEM + 1 : -3;
    return [text(name, scaleX(from) + 4, scaleY(value) + below, ITEM, theme.muted)];
  });
}

/**
 * Marks on a line, one per event; where they lie closer than the picture shows, one stands for
 * several.
 */
function drawTrack(
  { label, color, time, values }: Series,
  theme: Theme,
  scaleX: Scale,
  scaleY: Scale,
): string {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const marks = new Map<number, number>();
  values.forEach((value, row) => {
    if (value > low) marks.set(tenth(Math.round(2 * scaleX(time[row])) / 2), value);
  });
  const base = tenth(scaleY(low));
  const ends = time.length === 0 ? [] : [scaleX(time[0]), scaleX(time[time.length - 1])].map(tenth);
  const line = ends.length === 0 ? "" : `M${ends[0]} ${base}H${ends[1]}`;
  const path = [...marks].map(([x, value]) => `M${x} ${base}V${tenth(scaleY(value))}`).join("");
  const dots = [...marks].map(
    ([x, value]) => `<circle cx="${x}" cy="${tenth(scaleY(value))}" r="1.8"/>`,
  );
  const stroke = `fill="none" stroke="${colorOf(theme, color)}"`;
  return (
    `<g class="track"><title>${escapeMarkup(label)}</title>` +
    `<path d="${line}" ${stroke} stroke-width="0.8" opacity="0.55"/>` +
    `<path d="${path}" ${stroke} stroke-width="1.6"/>` +
    `<g fill="${colorOf(theme, color)}">${dots.join("")}</g></g>`
  );
}

/** Names with a piece of their line, in rows above the panel: a legend inside would cover data. */
function panelLegend(
  all: readonly Series[],
  theme: Theme,
  left: number,
  right: number,
  top: number,
): { parts: string[]; bottom: number } {
  const entries = all.map((series) => ({
    label: fitText(series.label, LABEL, right - left - 32),
    stroke: `stroke="${theme.colors[series.color]}" stroke-width="2"${dashed(series.dash)}`,
  }));
  const { parts, bottom } = drawLegend(entries, theme.text, left, right, top);
  return { parts, bottom: Math.ceil(bottom + 5) };
}

function defaultPanelHeight(panels: number): number {
  if (panels <= 1) return 340;
  if (panels === 2) return 220;
  return panels <= 4 ? 165 : 120;
}

function widest(labels: readonly string[]): number {
  return Math.max(0, ...labels.map((label) => textWidth(label, TICK)));
}

/** Breaks `line` at blanks so that every row fits into `width`. */
function wrap(line: string, size: number, width: number): string[] {
  const rows: string[] = [];
  let row = "";
  for (const word of line.split(" ")) {
    const longer = row === "" ? word : `${row} ${word}`;
    if (row !== "" && textWidth(longer, size) > width) {
      rows.push(row.trimEnd());
      row = word;
    } else {
      row = longer;
    }
  }
  rows.push(row);
  return rows.map((one) => fitText(one, size, width));
}
