/**
 * Phase plots: one quantity over another, runs side by side on the same axes, so that one sees
 * which of them comes to rest.
 *
 * Curves are drawn in the order of time with points left out that lie on the same pixel; the zero
 * line of a function (a switching surface) is traced on a grid.
 */

import { type Axis, axisTitle, makeAxis } from "./axis.ts";
import { tenth } from "./curve.ts";
import { sample } from "./decimate.ts";
import { escapeMarkup } from "./escape.ts";
import { THEMES, type Theme, type ThemeName } from "./palette.ts";
import {
  CAPTION,
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

export interface PhaseCurve {
  readonly label: string;
  /** Place in the palette; curves with the same label share a legend entry. */
  readonly color: number;
  /** Gaps are values that are not numbers. */
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

export interface PhasePanel {
  readonly title: string;
  readonly curves: readonly PhaseCurve[];
  /** Where it begins and where it ends. */
  readonly start?: readonly [number, number];
  readonly end?: readonly [number, number];
}

export interface PhaseFigure {
  readonly title: string;
  readonly caption: string;
  readonly xName: string;
  readonly yName: string;
  readonly panels: readonly PhasePanel[];
  /** Its zero line is drawn in every panel. */
  readonly boundary?: { readonly label: string; value(x: number, y: number): number };
}

export interface PhaseOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
}

const GAP = 20;
const HEIGHT = 320;
const GRID = 80;

/** The figure as a standalone SVG document. */
export function phaseSvg(figure: PhaseFigure, options: PhaseOptions = {}): string {
  const theme = THEMES[options.theme ?? "light"];
  const width = options.width ?? 860;
  const { panels } = figure;
  const [xLow, xHigh] = rangeOf(panels.flatMap(({ curves }) => curves.map(({ x }) => x)));
  const [yLow, yHigh] = rangeOf(panels.flatMap(({ curves }) => curves.map(({ y }) => y)));
  const yAxis = makeAxis(yLow, yHigh, HEIGHT / 30, { padding: 0.06 });
  const labels = Math.max(24, ...yAxis.labels.map((label) => textWidth(label, TICK)));
  const left = MARGIN + LABEL + 8 + labels + 6;
  const count = Math.max(1, panels.length);
  const each = (width - MARGIN - left - GAP * (count - 1)) / count;
  const xAxis = makeAxis(xLow, xHigh, Math.max(2, each / 62), { padding: 0.06 });
  const body: string[] = [];
  let y = MARGIN + TITLE;
  const title = fitText(figure.title, TITLE * 1.08, width - 2 * MARGIN);
  body.push(text(title, MARGIN, y, TITLE, theme.text, 'font-weight="bold"'));
  y += 14;
  const legend = figureLegend(figure, theme, left, width - MARGIN, y);
  body.push(...legend.parts);
  y = legend.bottom + LABEL + 15;
  for (const [i, panel] of panels.entries()) {
    const from = left + i * (each + GAP);
    const place = { theme, left: from, right: from + each, top: y, xAxis, yAxis };
    body.push(...drawPanel(panel, figure, place, i === 0));
  }
  y += HEIGHT;
  const [middle, turned] = [y - HEIGHT / 2, MARGIN + LABEL * 0.8];
  const rotate = `${MIDDLE} transform="rotate(-90 ${turned} ${middle})"`;
  body.push(
    text(axisTitle(figure.yName, undefined, yAxis), turned, middle, LABEL, theme.text, rotate),
  );
  y += 12 + TICK + LABEL + 3;
  const xTitle = axisTitle(figure.xName, undefined, xAxis);
  body.push(text(xTitle, (left + width - MARGIN) / 2, y, LABEL, theme.text, MIDDLE));
  y += CAPTION + 9;
  body.push(
    text(fitText(figure.caption, CAPTION, width - 2 * MARGIN), MARGIN, y, CAPTION, theme.muted),
  );
  const total = Math.ceil(y + MARGIN * 0.8);
  return svgDocument(figure.title, width, total, theme, body);
}

interface Place {
  readonly theme: Theme;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly xAxis: Axis;
  readonly yAxis: Axis;
}

function drawPanel(panel: PhasePanel, figure: PhaseFigure, place: Place, first: boolean): string[] {
  const { theme, left, right, top, xAxis, yAxis } = place;
  const bottom = top + HEIGHT;
  const scaleX = scale(xAxis, left, right);
  const scaleY = scale(yAxis, bottom, top);
  const grid = [
    ...xAxis.ticks.map((tick) => `M${tenth(scaleX(tick))} ${tenth(top)}V${tenth(bottom)}`),
    ...yAxis.ticks.map((tick) => `M${tenth(left)} ${tenth(scaleY(tick))}H${tenth(right)}`),
  ];
  const box = `x="${tenth(left)}" y="${tenth(top)}" width="${tenth(right - left)}" height="${HEIGHT}"`;
  const parts = [
    text(fitText(panel.title, LABEL, right - left), left, top - 7, LABEL, theme.text),
    `<path d="${grid.join("")}" stroke="${theme.grid}" stroke-width="1" fill="none"/>`,
    ...xAxis.ticks.map((tick, i) =>
      text(xAxis.labels[i] ?? "", scaleX(tick), bottom + 6 + TICK, TICK, theme.muted, MIDDLE),
    ),
  ];
  if (first) {
    for (const [i, tick] of yAxis.ticks.entries())
      parts.push(
        text(yAxis.labels[i] ?? "", left - 6, scaleY(tick) + TICK * 0.36, TICK, theme.muted, END),
      );
  }
  if (figure.boundary !== undefined) {
    const line = zeroLine(figure.boundary.value, xAxis, yAxis, scaleX, scaleY);
    parts.push(`<path d="${line}" stroke="${theme.axis}" stroke-width="1.3" fill="none"/>`);
  }
  for (const curve of panel.curves) {
    const d = curvePath(curve, scaleX, scaleY);
    const stroke = `fill="none" stroke="${theme.colors[curve.color % theme.colors.length]}"`;
    const name = `<title>${escapeMarkup(curve.label)}</title>`;
    parts.push(
      `<path d="${d}" ${stroke} stroke-width="1.1" stroke-linejoin="round">${name}</path>`,
    );
  }
  if (panel.start) parts.push(dot(panel.start, scaleX, scaleY, theme.background, theme.text));
  if (panel.end) parts.push(dot(panel.end, scaleX, scaleY, theme.text, theme.background));
  parts.push(`<rect ${box} fill="none" stroke="${theme.axis}" stroke-width="1"/>`);
  return parts;
}

type Scale = (value: number) => number;

/** How far, in pixels, a stroke may pass beside a point that it leaves out. */
const SLACK = 0.08;

/**
 * The curve in as few strokes as the eye allows. From the last point drawn, every further one opens
 * a cone of directions that pass it closely; a stroke goes on as long as there is a direction
 * common to all of them.
 */
function curvePath({ x, y }: PhaseCurve, scaleX: Scale, scaleY: Scale): string {
  let d = "";
  let drawing = false;
  let [fromX, fromY] = [0, 0];
  let [keptX, keptY] = [0, 0];
  let [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  let forward = Number.NaN;
  const draw = (px: number, py: number): void => {
    d += `${drawing ? "L" : "M"}${tenth(px)} ${tenth(py)}`;
    [fromX, fromY, keptX, keptY] = [px, py, px, py];
    [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    forward = Number.NaN;
    drawing = true;
  };
  for (let i = 0; i < x.length; i++) {
    const px = scaleX(sample(x, i));
    const py = scaleY(sample(y, i));
    if (!Number.isFinite(px + py)) {
      if (drawing && (keptX !== fromX || keptY !== fromY)) draw(keptX, keptY);
      drawing = false;
      continue;
    }
    if (!drawing) {
      draw(px, py);
      continue;
    }
    const distance = Math.hypot(px - fromX, py - fromY);
    if (distance > 2 * SLACK) {
      const direction = Math.atan2(py - fromY, px - fromX);
      if (Number.isNaN(forward)) forward = direction;
      const turn = turned(direction - forward);
      const backwards = distance < Math.hypot(keptX - fromX, keptY - fromY);
      if (backwards || turn < least || turn > most) {
        draw(keptX, keptY);
        i--;
        continue;
      }
      const width = Math.asin(SLACK / distance);
      least = Math.max(least, turn - width);
      most = Math.min(most, turn + width);
    }
    [keptX, keptY] = [px, py];
  }
  if (drawing && (keptX !== fromX || keptY !== fromY)) draw(keptX, keptY);
  return d;
}

/** An angle between -π and π. */
function turned(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

/** Where `value` is zero: every cell of a grid gives the piece between two of its edges. */
function zeroLine(
  value: (x: number, y: number) => number,
  xAxis: Axis,
  yAxis: Axis,
  scaleX: Scale,
  scaleY: Scale,
): string {
  const at = (axis: Axis, i: number): number => axis.min + ((axis.max - axis.min) * i) / GRID;
  const rows = Array.from({ length: GRID + 1 }, (_, j) =>
    Array.from({ length: GRID + 1 }, (_, i) => value(at(xAxis, i), at(yAxis, j))),
  );
  const pieces: string[] = [];
  for (let j = 0; j < GRID; j++) {
    for (let i = 0; i < GRID; i++) {
      const ends: string[] = [];
      const edge = (i0: number, j0: number, i1: number, j1: number): void => {
        const [a, b] = [sample(rows[j0] ?? [], i0), sample(rows[j1] ?? [], i1)];
        if (a < 0 === b < 0) return;
        const s = a / (a - b);
        const x = at(xAxis, i0 + s * (i1 - i0));
        const y = at(yAxis, j0 + s * (j1 - j0));
        ends.push(`${tenth(scaleX(x))} ${tenth(scaleY(y))}`);
      };
      edge(i, j, i + 1, j);
      edge(i + 1, j, i + 1, j + 1);
      edge(i, j + 1, i + 1, j + 1);
      edge(i, j, i, j + 1);
      for (let k = 0; k + 1 < ends.length; k += 2) pieces.push(`M${ends[k]}L${ends[k + 1]}`);
    }
  }
  return pieces.join("");
}

function figureLegend(
  { panels, boundary }: PhaseFigure,
  theme: Theme,
  left: number,
  right: number,
  top: number,
): { parts: string[]; bottom: number } {
  const strokes = new Map<string, string>();
  for (const { label, color } of panels.flatMap(({ curves }) => curves)) {
    strokes.set(label, `stroke="${theme.colors[color % theme.colors.length]}" stroke-width="2"`);
  }
  if (boundary !== undefined)
    strokes.set(boundary.label, `stroke="${theme.axis}" stroke-width="1.3"`);
  const entries = Array.from(strokes, ([label, stroke]) => ({ label, stroke }));
  return drawLegend(entries, theme.text, left, right, top);
}

function dot(
  [x, y]: readonly [number, number],
  scaleX: Scale,
  scaleY: Scale,
  fill: string,
  stroke: string,
): string {
  const [cx, cy] = [tenth(scaleX(x)), tenth(scaleY(y))];
  return Number.isFinite(cx + cy)
    ? `<circle cx="${cx}" cy="${cy}" r="4" fill="${fill}" stroke="${stroke}" stroke-width="1.3"/>`
    : "";
}

function rangeOf(columns: readonly ArrayLike<number>[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const column of columns) {
    for (let i = 0; i < column.length; i++) {
      const value = sample(column, i);
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return [low, high];
}
