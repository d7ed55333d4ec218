/**
 * The box of a unit in a drawing: which ports it shows, how large it is, and where its ports are
 * once it has a place.
 */
import type { GraphModel, GraphPort, GraphUnit } from "./graph.ts";
import { fitText, textWidth } from "./text-width.ts";

export interface GraphBox {
  readonly unit: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly caption: string;
  readonly ports: readonly PlacedPort[];
}

export interface PlacedPort {
  readonly side: "left" | "right";
  /** Index into the unit's inputs or outputs; -1 for a line about ports that are not shown. */
  readonly port: number;
  readonly label: string;
  readonly connected: boolean;
  readonly x: number;
  readonly y: number;
}

export const PORT_SIZE = 11;
export const TITLE_SIZE = 13;
export const CAPTION_SIZE = 10.5;
export const LABEL_SIZE = 10;
const HEADER = 40;
const ROW = 18;
const MIN_WIDTH = 110;
const MAX_PORT_TEXT = 130;
/** Ports on one side of a box beyond the connected ones. */
const SHOWN_OPEN = 4;

interface Row {
  /** How far it lies below the upper edge of its box. */
  readonly y: number;
  readonly port: number;
  readonly label: string;
  readonly connected: boolean;
}

/** A box without a place. */
export interface BoxShape {
  readonly left: readonly Row[];
  readonly right: readonly Row[];
  readonly width: number;
  readonly height: number;
}

export function boxShapes(model: GraphModel): BoxShape[] {
  const inputs = model.units.map(() => new Set<number>());
  const outputs = model.units.map(() => new Set<number>());
  for (const { from, to } of model.wires) {
    outputs[from.unit]?.add(from.port);
    inputs[to.unit]?.add(to.port);
  }
  const none: ReadonlySet<number> = new Set();
  return model.units.map((unit, u) => shapeOf(unit, inputs[u] ?? none, outputs[u] ?? none));
}

/** The last argument is the upper left corner. */
export function placeBox(
  unit: number,
  { name, caption }: GraphUnit,
  shape: BoxShape,
  { x, y }: Pick<GraphBox, "x" | "y">,
): GraphBox {
  const { width, height } = shape;
  const placed = (side: "left" | "right", edge: number): PlacedPort[] =>
    shape[side].map((row) => ({ ...row, side, x: edge, y: y + row.y }));
  return {
    unit,
    x,
    y,
    width,
    height,
    title: fitText(name, TITLE_SIZE, width - 16),
    caption: fitText(caption, CAPTION_SIZE, width - 16),
    ports: [...placed("left", x), ...placed("right", x + width)],
  };
}

function shapeOf(
  unit: GraphUnit,
  inputs: ReadonlySet<number>,
  outputs: ReadonlySet<number>,
): BoxShape {
  const left = rowsOf(unit.inputs, inputs);
  const right = rowsOf(unit.outputs, outputs);
  const widest = (rows: readonly Row[]): number =>
    Math.max(0, ...rows.map(({ label }) => textWidth(label, PORT_SIZE)));
  const width = Math.max(
    MIN_WIDTH,
    Math.min(textWidth(unit.name, TITLE_SIZE), 240) + 20,
    Math.min(textWidth(unit.caption, CAPTION_SIZE), 240) + 20,
    widest(left) + widest(right) + 44,
  );
  const rows = Math.max(left.length, right.length);
  return { left, right, width: Math.ceil(width), height: HEADER + rows * ROW + 8 };
}

/** All that are connected, a few that are not, and how many were left out. */
function rowsOf(ports: readonly GraphPort[], connected: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  let open = 0;
  ports.forEach(({ name, unit }, port) => {
    if (!connected.has(port) && ++open > SHOWN_OPEN) return;
    const label = unit === undefined ? name : `${name} [${unit}]`;
    rows.push({
      y: rowHeight(rows.length),
      port,
      label: fitText(label, PORT_SIZE, MAX_PORT_TEXT),
      connected: connected.has(port),
    });
  });
  if (open > SHOWN_OPEN)
    rows.push({
      y: rowHeight(rows.length),
      port: -1,
      label: `… ${open - SHOWN_OPEN} more`,
      connected: false,
    });
  return rows;
}

function rowHeight(row: number): number {
  return HEADER + (row + 0.5) * ROW;
}
