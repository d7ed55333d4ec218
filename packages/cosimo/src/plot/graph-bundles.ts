/**
 * Wires between the same two units, in either direction, share one edge of the layout and run beside each other.
 */
import type { GraphModel } from "./graph.ts";
import { LABEL_SIZE, portRow } from "./graph-box.ts";
import type { Cells } from "./graph-cell.ts";
import { LANE, type LaidEdge, type LayoutEdge } from "./layered-layout.ts";
import { textWidth } from "./text-width.ts";

export interface Bundle {
  /** The unit on the left, and the one on the right. */
  readonly first: number;
  readonly last: number;
  /** From top to bottom. */
  readonly wires: readonly number[];
}

const PITCH = 9;
/** What the wires of a bundle may take in a column. */
const BREADTH = 1.5 * LANE;
const LABEL_PITCH = 15;

export function bundleWires(
  { wires }: GraphModel,
  isBack: readonly boolean[],
  { cells, out }: Cells,
): Bundle[] {
  const bundles = new Map<string, { first: number; last: number; wires: number[] }>();
  wires.forEach(({ from, to }, w) => {
    if (from.unit === to.unit) return;
    const [first, last] = isBack[w] ? [to.unit, from.unit] : [from.unit, to.unit];
    const key = `${first} ${last}`;
    const known = bundles.get(key);
    if (known) known.wires.push(w);
    else bundles.set(key, { first, last, wires: [w] });
  });
  // As the ports follow each other, so that wires do not cross; those that lead back come from below their box.
  const level = (w: number): number => {
    const below = out.get(w)?.below;
    if (below !== undefined) return 1e6 + below;
    const { unit, port } = wires[w]?.from ?? { unit: -1, port: -1 };
    return portRow(cells[unit]?.shape.right ?? [], port);
  };
  return [...bundles.values()].map((bundle) => ({
    ...bundle,
    wires: bundle.wires.toSorted((a, b) => level(a) - level(b)),
  }));
}

export function bundleEdge({ wires }: GraphModel, { first, last, wires: all }: Bundle): LayoutEdge {
  const widths = all.flatMap((w) => {
    const label = wires[w]?.label;
    return label === undefined ? [] : [textWidth(label, LABEL_SIZE)];
  });
  return {
    from: String(first),
    to: String(last),
    weight: all.length,
    ...(widths.length === 0
      ? {}
      : { label: { width: Math.max(...widths) + 12, height: all.length * LABEL_PITCH } }),
  };
}

/** Lanes and places of labels of the wires of a bundle, by wire. */
export function bundleLanes(
  { wires }: GraphModel,
  bundle: Bundle,
  { lane, label }: LaidEdge,
): [wire: number, lane: LaidEdge][] {
  const count = bundle.wires.length;
  const pitch = Math.min(PITCH, BREADTH / Math.max(1, count - 1));
  return bundle.wires.map((w, i) => {
    const row = i - (count - 1) / 2;
    // Where there are labels, each has room above its wire.
    const points = lane.map(({ x, y }) => ({
      x,
      y: y + row * (label?.x === x ? LABEL_PITCH : pitch),
    }));
    if (!label || wires[w]?.label === undefined) return [w, { lane: points }];
    return [w, { lane: points, label: { x: label.x, y: label.y + row * LABEL_PITCH } }];
  });
}
