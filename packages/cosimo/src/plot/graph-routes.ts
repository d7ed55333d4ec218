/**
 * From lanes to paths: every wire begins and ends at its ports, crosses columns of cells on the level of its lane and bends in the gaps
 * between them. Nothing else is in the gaps, and nothing in the columns but cells and lanes, so no wire passes through a box.
 */
import type { GraphModel, GraphWire } from "./graph.ts";
import { type GraphBox, LABEL_SIZE, portPlace } from "./graph-box.ts";
import type { Cells } from "./graph-cell.ts";
import { backwardPath, forwardPath, type Level } from "./graph-path.ts";
import type { LaidEdge, Point } from "./layered-layout.ts";
import { textWidth } from "./text-width.ts";

export interface PlacedWire {
  readonly wire: number;
  /** SVG path data. */
  readonly path: string;
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

export interface PlacedCell extends Column {
  readonly box: GraphBox;
}

/** Cells below each other. */
interface Column {
  readonly middle: number;
  readonly left: number;
  readonly right: number;
}

interface Crossing {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** @param lanes of wires that leave their unit, from left to right. */
export function routeWires(
  model: GraphModel,
  cells: readonly PlacedCell[],
  lanes: ReadonlyMap<number, LaidEdge>,
  turns: Cells,
): PlacedWire[] {
  const columns = columnsOf(cells);
  return model.wires.flatMap((wire, w) => {
    const [source, target] = [cells[wire.from.unit], cells[wire.to.unit]];
    if (!source || !target) return [];
    const ends = {
      start: portPlace(source.box, "right", wire.from.port),
      end: portPlace(target.box, "left", wire.to.port),
      first: columnAt(columns, source.middle) ?? source,
      last: columnAt(columns, target.middle) ?? target,
    };
    const lane = lanes.get(w) ?? { lane: [] };
    const crossings = crossingsOf(lane, columns, textWidth(wire.label ?? "", LABEL_SIZE));
    const out = turns.out.get(w);
    const into = turns.in.get(w);
    if (!out || !into) {
      const path = forward(ends, crossings);
      return [{ wire: w, path, ...labelOf(wire, lane.label) }];
    }
    const round = {
      outX: ends.start.x + out.aside,
      outY: bottom(source.box) + out.below,
      inX: ends.end.x - into.aside,
      inY: bottom(target.box) + into.below,
    };
    const path = backward(ends, round, wire.from.unit === wire.to.unit, crossings);
    const middle = { x: source.box.x + source.box.width / 2, y: round.outY };
    return [{ wire: w, path, ...labelOf(wire, lane.label ?? middle) }];
  });
}

function bottom({ y, height }: GraphBox): number {
  return y + height;
}

function labelOf({ label }: GraphWire, at: Point | undefined): Pick<PlacedWire, "label"> {
  return label === undefined || !at ? {} : { label: { text: label, x: at.x, y: at.y - 4 } };
}

function columnsOf(cells: readonly PlacedCell[]): Column[] {
  const columns: Column[] = [];
  for (const { middle, left, right } of cells) {
    const i = columns.findIndex((column) => isSame(column.middle, middle));
    const known = columns[i];
    if (known)
      columns[i] = {
        middle,
        left: Math.min(known.left, left),
        right: Math.max(known.right, right),
      };
    else columns.push({ middle, left, right });
  }
  return columns;
}

function columnAt(columns: readonly Column[], x: number): Column | undefined {
  return columns.find(({ middle }) => isSame(middle, x));
}

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.5;
}

function crossingsOf(
  { lane, label }: LaidEdge,
  columns: readonly Column[],
  labelWidth: number,
): Crossing[] {
  return lane.flatMap(({ x, y }) => {
    const column = columnAt(columns, x);
    if (column) return [{ left: column.left, right: column.right, y }];
    // In a gap a wire is level only under its label.
    if (!label || !isSame(label.x, x)) return [];
    return [{ left: x - labelWidth / 2, right: x + labelWidth / 2, y }];
  });
}

interface Ends {
  readonly start: Point;
  readonly end: Point;
  /** The columns of its two units. */
  readonly first: Column;
  readonly last: Column;
}

function forward({ start, end, first, last }: Ends, crossings: readonly Crossing[]): string {
  return forwardPath([
    { from: start.x, to: first.right, y: start.y },
    ...crossings.map(({ left, right, y }): Level => ({ from: left, to: right, y })),
    { from: last.left, to: end.x, y: end.y },
  ]);
}

/** Where a wire that leads back turns, and how far down it passes its boxes. */
interface Round {
  readonly outX: number;
  readonly outY: number;
  readonly inX: number;
  readonly inY: number;
}

function backward(
  { start, end, first, last }: Ends,
  { outX, outY, inX, inY }: Round,
  isLoop: boolean,
  crossings: readonly Crossing[],
): string {
  const between = crossings
    .map(({ left, right, y }): Level => ({ from: right, to: left, y }))
    .toReversed();
  const levels = isLoop
    ? [{ from: outX, to: (outX + inX) / 2, y: outY }]
    : [
        { from: outX, to: first.left, y: outY },
        ...between,
        { from: last.right, to: last.right, y: inY },
      ];
  return backwardPath({ start, end, outX, inX }, levels);
}
