/**
 * Coupled units as a drawing: boxes from left to right in the direction of the signals, wires that
 * run back around them.
 */

import { tenth } from "./curve.ts";
import { escapeMarkup } from "./escape.ts";
import type { GraphModel, GraphPort, GraphUnit, GraphWire } from "./graph.ts";
import {
  CAPTION_SIZE,
  type GraphBox,
  LABEL_SIZE,
  type PlacedPort,
  PORT_SIZE,
  TITLE_SIZE,
} from "./graph-box.ts";
import type { PlacedWire } from "./graph-layout.ts";
import { THEMES, type Theme, type ThemeName } from "./palette.ts";
import { textWidth } from "./text-width.ts";

export interface GraphOptions {
  readonly theme?: ThemeName;
}

const HEAD = 68;
const LEGEND_HEIGHT = 44;
const FONT = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif';

/** A standalone SVG document. Asynchronous, because the layout is loaded with the first drawing. */
export async function graphSvg(model: GraphModel, options: GraphOptions = {}): Promise<string> {
  const { layoutGraph } = await import("./graph-layout.ts");
  const layout = await layoutGraph(model, HEAD);
  const legend = legendItems(model);
  const legendWidth = legend.reduce((sum, { text }) => sum + textWidth(text, PORT_SIZE) + 46, 48);
  const titleWidth = Math.max(textWidth(model.title, 18), textWidth(model.subtitle, 12)) + 48;
  const width = Math.ceil(Math.max(layout.width, legendWidth, titleWidth, 320));
  const height = Math.ceil(layout.height + LEGEND_HEIGHT);
  // Wires that matter lie on top of the others.
  const wires = layout.wires.toSorted((a, b) => weight(model, a) - weight(model, b));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeMarkup(model.title)}</title>`,
    `<style>${graphStyle(THEMES[options.theme ?? "light"])}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    `<text class="title" x="24" y="32">${escapeMarkup(model.title)}</text>`,
    `<text class="muted subtitle" x="24" y="51">${escapeMarkup(model.subtitle)}</text>`,
    ...wires.map((wire) => wireMarkup(model.wires[wire.wire], wire)),
    ...layout.boxes.map((box) => boxMarkup(model.units[box.unit], box)),
    ...layout.wires.map((wire) => labelMarkup(wire)),
    legendMarkup(legend, height - LEGEND_HEIGHT / 2),
    "</svg>",
    "",
  ].join("\n");
}

/** The look of a drawing by class, so that a page can change it. */
export function graphStyle(theme: Theme): string {
  const [blue, orange] = theme.colors;
  return (
    `text{font-family:${FONT};fill:${theme.text}}` +
    `.page{fill:${theme.background}}.title{font-size:18px;font-weight:600}.subtitle{font-size:12px}` +
    `.muted{fill:${theme.muted}}` +
    `.box{fill:${theme.panel};stroke:${theme.axis};stroke-width:1.2}` +
    `.rule{stroke:${theme.grid};stroke-width:1}` +
    `.name{font-size:${TITLE_SIZE}px;font-weight:600}.caption{font-size:${CAPTION_SIZE}px;fill:${theme.muted}}` +
    `.port{font-size:${PORT_SIZE}px}.open{fill:${theme.muted}}` +
    `.glyph{stroke:${theme.text};stroke-width:1.2;fill:${theme.background}}.solid{fill:${theme.text}}` +
    `.wire{fill:none;stroke:${theme.muted};stroke-width:1.5}` +
    `.varying{stroke:${blue};stroke-width:1.8}` +
    `.loop{stroke:${orange};stroke-width:2.4}` +
    ".late{stroke-dasharray:6 4}" +
    `.label{font-size:${LABEL_SIZE}px;text-anchor:middle;paint-order:stroke;stroke:${theme.background};stroke-width:4px;stroke-linejoin:round}`
  );
}

function weight({ wires }: GraphModel, { wire }: PlacedWire): number {
  const { inLoop, varying } = wires[wire];
  return inLoop ? 2 : Number(varying);
}

function wireClass({ inLoop, late, varying }: GraphWire): string {
  return `wire${varying ? " varying" : ""}${inLoop ? " loop" : ""}${late ? " late" : ""}`;
}

function wireMarkup(wire: GraphWire, { wire: number, path }: PlacedWire): string {
  return (
    `<path class="${wireClass(wire)}" data-wire="${number}" data-from="${wire.from.unit}" ` +
    `data-to="${wire.to.unit}" d="${path}">${hover(wire.about)}</path>`
  );
}

function labelMarkup({ label, wire }: PlacedWire): string {
  if (!label) return "";
  return `<text class="label" data-label="${wire}" x="${tenth(label.x)}" y="${tenth(label.y)}">${escapeMarkup(label.text)}</text>`;
}

function boxMarkup(unit: GraphUnit, box: GraphBox): string {
  const { x, y, width, height, title, caption } = box;
  return [
    `<g data-unit="${box.unit}">`,
    `<rect class="box" x="${tenth(x)}" y="${tenth(y)}" width="${width}" height="${height}" rx="7">${hover([unit.name, ...unit.about])}</rect>`,
    `<text class="name" x="${tenth(x + width / 2)}" y="${tenth(y + 17)}" text-anchor="middle">${escapeMarkup(title)}</text>`,
    `<text class="caption" x="${tenth(x + width / 2)}" y="${tenth(y + 31)}" text-anchor="middle">${escapeMarkup(caption)}</text>`,
    `<path class="rule" d="M${tenth(x)} ${tenth(y + 37)}h${width}"/>`,
    ...box.ports.map((port) => portMarkup(unit, port)),
    "</g>",
  ].join("\n");
}

/** Inputs are triangles that point into the box, outputs circles. */
function portMarkup(unit: GraphUnit, { side, port, label, connected, x, y }: PlacedPort): string {
  const left = side === "left";
  const known: GraphPort | undefined = (left ? unit.inputs : unit.outputs)[port];
  const text =
    `<text class="port${connected ? "" : " open"}" x="${tenth(x + (left ? 11 : -11))}" y="${tenth(y + 3.8)}" ` +
    `text-anchor="${left ? "start" : "end"}">${escapeMarkup(label)}</text>`;
  if (!known) return text;
  const glyph = left
    ? `<path class="glyph${known.solid ? " solid" : ""}" d="M${tenth(x - 4)} ${tenth(y - 4.5)}l8.5 4.5l-8.5 4.5z"/>`
    : `<circle class="glyph${known.solid ? " solid" : ""}" cx="${tenth(x)}" cy="${tenth(y)}" r="4"/>`;
  return `<g>${hover([`${unit.name}.${known.name}`, ...known.about])}${glyph}${text}</g>`;
}

function hover(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<title>${escapeMarkup(lines.join("\n"))}</title>`;
}

interface LegendItem {
  readonly text: string;
  readonly draw: (x: number, y: number) => string;
}

/** Only what the drawing contains. */
function legendItems({ units, wires }: GraphModel): LegendItem[] {
  const line =
    (look: string) =>
    (x: number, y: number): string =>
      `<path class="wire${look}" d="M${x} ${y}h24"/>`;
  const triangle =
    (look: string) =>
    (x: number, y: number): string =>
      `<path class="glyph${look}" d="M${x + 8} ${y - 4.5}l8.5 4.5l-8.5 4.5z"/>`;
  const circle =
    (look: string) =>
    (x: number, y: number): string =>
      `<circle class="glyph${look}" cx="${x + 12}" cy="${y}" r="4"/>`;
  const inputs = units.flatMap((unit) => unit.inputs);
  const outputs = units.flatMap((unit) => unit.outputs);
  const items: [boolean, LegendItem][] = [
    [inputs.some((p) => p.solid), { text: "reactive input", draw: triangle(" solid") }],
    [inputs.some((p) => !p.solid), { text: "input that is not reactive", draw: triangle("") }],
    [outputs.some((p) => p.solid), { text: "output with feed-through", draw: circle(" solid") }],
    [outputs.some((p) => !p.solid), { text: "output of the state", draw: circle("") }],
    [wires.some((w) => !w.varying && !w.inLoop), { text: "held over a step", draw: line("") }],
    [wires.some((w) => w.varying), { text: "varies within a step", draw: line(" varying") }],
    [wires.some((w) => w.inLoop), { text: "algebraic loop", draw: line(" loop") }],
    [wires.some((w) => w.late), { text: "one step late", draw: line(" loop late") }],
  ];
  return items.flatMap(([there, item]) => (there ? [item] : []));
}

function legendMarkup(items: readonly LegendItem[], y: number): string {
  let x = 24;
  return items
    .map(({ text, draw }) => {
      const markup = `${draw(x, y)}<text class="port muted" x="${x + 31}" y="${y + 4}">${text}</text>`;
      x += textWidth(text, PORT_SIZE) + 46;
      return markup;
    })
    .join("\n");
}
