/**
 * The layout sees middles of cells, a reader sees ports. So every unit moves up or down to where a wire into it is straight, as far as its
 * neighbours in the column leave room.
 */
import type { GraphModel } from "./graph.ts";
import { portHeight } from "./graph-box.ts";
import type { Cell } from "./graph-cell.ts";
import { CELL_GAP, LANE, type LaidEdge, type Point } from "./layered-layout.ts";

/** What the layout has placed. */
interface Places {
  readonly middles: readonly Point[];
  /** Of wires, from left to right. */
  readonly lanes: ReadonlyMap<number, LaidEdge>;
  /** Of the drawing. */
  readonly height: number;
}

/** @returns the middles of cells, moved up or down. */
export function straighten(
  { wires }: GraphModel,
  isBack: readonly boolean[],
  cells: readonly Cell[],
  { middles, lanes, height }: Places,
): Point[] {
  const y = middles.map((middle) => middle.y);
  const halfOf = (unit: number): number => (cells[unit]?.height ?? 0) / 2;
  const portAt = (unit: number, side: "left" | "right", port: number): number => {
    const shape = cells[unit]?.shape;
    return (y[unit] ?? 0) - halfOf(unit) + (shape ? portHeight(shape, side, port) : 0);
  };
  const columns = [...new Set(middles.map(({ x }) => x))].sort((a, b) => a - b);
  /** How far a wire's last level piece before its target lies below the input. */
  const bend = (w: number): number => {
    const wire = wires[w];
    if (!wire) return 0;
    const { lane = [], label } = lanes.get(w) ?? {};
    const last = lane.findLast(({ x }) => columns.includes(x) || x === label?.x);
    const level = last?.y ?? portAt(wire.from.unit, "right", wire.from.port);
    return level - portAt(wire.to.unit, "left", wire.to.port);
  };
  const incoming = middles.map((_, unit) =>
    wires.flatMap(({ to }, w) => (to.unit === unit && !isBack[w] ? [w] : [])),
  );
  for (const x of columns) {
    const here = middles.flatMap((middle, unit) => (middle.x === x ? [unit] : []));
    const passing = [...lanes.values()].flatMap(({ lane }) => lane.filter((one) => one.x === x));
    for (const unit of here.sort((a, b) => (y[a] ?? 0) - (y[b] ?? 0))) {
      const at = y[unit] ?? 0;
      const half = halfOf(unit);
      const bends = (incoming[unit] ?? []).map(bend).sort((a, b) => a - b);
      const wanted = at + (bends[bends.length >> 1] ?? 0);
      const others = [
        ...here.map((other) => ({ at: y[other] ?? 0, room: halfOf(other) + CELL_GAP })),
        ...passing.map((point) => ({ at: point.y, room: LANE })),
      ];
      const above = others.filter((other) => other.at < at).map((one) => one.at + one.room);
      const below = others.filter((other) => other.at > at).map((one) => one.at - one.room);
      const least = Math.max(0, ...above) + half;
      const most = Math.min(height, ...below) - half;
      if (least <= most) y[unit] = Math.min(Math.max(wanted, least), most);
    }
  }
  return middles.map(({ x }, unit) => ({ x, y: y[unit] ?? 0 }));
}
