/**
 * Plots in a terminal: braille characters carry two by four dots each, enough to recognise a curve
 * at a glance.
 */
import { makeAxis } from "./axis.ts";
import { decimate, GAP, sample } from "./decimate.ts";
import { makeFigure, type Panel, type PlotInput, type Series } from "./figure.ts";
import { laneAxis, laneScale } from "./lanes.ts";

export interface TextPlotOptions {
  /** Columns of the whole plot; default: 72. */
  readonly width?: number;
  /** Lines of one panel's drawing area; default: 8. */
  readonly height?: number;
  /** Panels at most; a line counts the rest. Default: 4. */
  readonly maxPanels?: number;
  /** Colours by ANSI sequences, for a terminal that shows them. */
  readonly color?: boolean;
}

/** Bits of a braille character by row and column of its dots. */
const DOTS = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];
const ANSI = [34, 33, 32, 35, 36, 31, 37];
const LABELS = 9;

/**
 * The panels of `input` as lines of text, without a line end at the end. Colours are not needed to
 * read it.
 */
export function plotText(input: PlotInput, options: TextPlotOptions = {}): string {
  const figure = makeFigure(input, {}, ANSI.length);
  const columns = Math.max(8, (options.width ?? 72) - LABELS - 2);
  const rows = options.height ?? 8;
  const color = options.color ?? false;
  const panels = figure.panels.slice(0, options.maxPanels ?? 4);
  const lines: string[] = [];
  for (const panel of panels) {
    lines.push(...panelLines(panel, figure.start, figure.stop, columns, rows, color));
  }
  if (panels.length > 0) {
    const [from, to] = [`${short(figure.start)} s`, `${short(figure.stop)} s`];
    lines.push(`${" ".repeat(LABELS + 1)}${from}${to.padStart(columns - from.length)}`);
  }
  const left = figure.panels.length - panels.length;
  if (left > 0) lines.push(`${left} more panels are not shown`);
  return [...lines, ...figure.notes].join("\n");
}

function panelLines(
  panel: Panel,
  start: number,
  stop: number,
  columns: number,
  wantedRows: number,
  color: boolean,
): string[] {
  const lanes = panel.kind === "lanes" ? panel.series.length : 0;
  const rows = lanes > 0 ? lanes : wantedRows;
  const low = Math.min(...panel.series.map((series) => series.low));
  const high = Math.max(...panel.series.map((series) => series.high));
  const names = lanes > 0 ? panel.series.map(({ label }) => label) : [];
  const { min, max } = lanes > 0 ? laneAxis(names, 1) : makeAxis(low, high, rows);
  const cells = new Uint8Array(columns * rows);
  const owners = new Uint8Array(columns * rows);
  for (const [i, series] of panel.series.entries()) {
    const values = lanes > 0 ? series.values.map(laneScale(series, i, lanes)) : series.values;
    drawSeries({ ...series, values }, { cells, owners, columns, rows, start, stop, min, max });
  }
  const [top, bottom] = lanes > 0 ? ["", ""] : edgeLabels(min, max);
  const lines = [`${" ".repeat(LABELS + 1)}${panelTitle(panel, columns, color)}`];
  for (let row = 0; row < rows; row++) {
    const edge = row === 0 ? top : row === rows - 1 ? bottom : "";
    const label = lanes > 0 ? shortName(names[row]) : edge;
    let line = `${label.padStart(LABELS)} `;
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const char = String.fromCharCode(0x2800 + sample(cells, at));
      line += cells[at] === 0 ? " " : paint(char, sample(owners, at), color);
    }
    lines.push(line.trimEnd());
  }
  return lines;
}

function shortName(name = ""): string {
  const chars = [...name];
  return chars.length <= LABELS ? name : `…${chars.slice(1 - LABELS).join("")}`;
}

function panelTitle({ series, unit }: Panel, columns: number, color: boolean): string {
  const end = unit === undefined ? "" : ` [${unit}]`;
  let room = columns - end.length;
  const names: string[] = [];
  for (const { label, color: own } of series) {
    room -= label.length + 2;
    if (names.length > 0 && room < 0) {
      names.push("…");
      break;
    }
    names.push(paint(label, own, color));
  }
  return `${names.join(", ")}${end}`;
}

interface Canvas {
  readonly cells: Uint8Array;
  /** Which colour a cell has: that of the last series that drew into it. */
  readonly owners: Uint8Array;
  readonly columns: number;
  readonly rows: number;
  readonly start: number;
  readonly stop: number;
  readonly min: number;
  readonly max: number;
}

function drawSeries(series: Series, canvas: Canvas): void {
  const { columns, rows, start, stop, min, max } = canvas;
  const { time, values, stepwise, color } = series;
  const wide = columns * 2 - 1;
  const tall = rows * 4 - 1;
  const dotX = (t: number): number => Math.round(((t - start) / (stop - start || 1)) * wide);
  const dotY = (v: number): number => Math.round(((max / 2 - v / 2) / (max / 2 - min / 2)) * tall);
  let [lastX, lastY] = [-1, -1];
  for (const row of decimate(time, values, wide)) {
    if (row === GAP) {
      lastX = -1;
      continue;
    }
    const [x, y] = [dotX(sample(time, row)), dotY(sample(values, row))];
    if (lastX < 0) setDot(canvas, x, y, color);
    else if (stepwise) {
      drawLine(canvas, lastX, lastY, x, lastY, color);
      drawLine(canvas, x, lastY, x, y, color);
    } else drawLine(canvas, lastX, lastY, x, y, color);
    [lastX, lastY] = [x, y];
  }
}

function drawLine(
  canvas: Canvas,
  fromX: number,
  fromY: number,
  toX: number,
  toY: number,
  color: number,
): void {
  const steps = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY), 1);
  for (let i = 0; i <= steps; i++) {
    const x = Math.round(fromX + ((toX - fromX) * i) / steps);
    const y = Math.round(fromY + ((toY - fromY) * i) / steps);
    setDot(canvas, x, y, color);
  }
}

function setDot({ cells, owners, columns }: Canvas, x: number, y: number, color: number): void {
  const at = (y >> 2) * columns + (x >> 1);
  cells[at] = sample(cells, at) | sample(DOTS, (y & 3) * 2 + (x & 1));
  owners[at] = color;
}

function paint(text: string, color: number, on: boolean): string {
  return on ? `\u001b[${ANSI[color % ANSI.length]}m${text}\u001b[39m` : text;
}

/** As many digits as distinguish the two, if they fit. */
function edgeLabels(min: number, max: number): [string, string] {
  for (let digits = 4; digits < LABELS; digits++) {
    const [top, bottom] = [short(max, digits), short(min, digits)];
    if (top !== bottom) return [top, bottom];
  }
  return [short(max), short(min)];
}

function short(value: number, digits = 4): string {
  const text = String(Number(value.toPrecision(digits)));
  return text.length <= LABELS ? text : value.toExponential(1);
}
