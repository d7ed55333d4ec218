/**
 * dagre behind the types that we use of it: nodes with sizes and edges in, places out. The types that it ships name their files without
 * extension, so the compiler finds none of them.
 *
 * The layout is layered (Gansner, Koutsofios, North, Vo: "A technique for drawing directed graphs", 1993): columns by network simplex, few
 * crossings by sweeps, straight edges by Brandes and Köpf. The same input gives the same places.
 */
import dagre from "@dagrejs/dagre";

export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** At most one from a node to another: dagre fails on some graphs with parallel edges. */
export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
  /** How much it wants to be short and straight. */
  readonly weight: number;
  /** Room for a text on it. */
  readonly label?: { readonly width: number; readonly height: number };
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LaidEdge {
  /** Where it crosses columns and gaps on its way, from left to right. */
  readonly lane: readonly Point[];
  /** The middle of its label. */
  readonly label?: Point;
}

export interface LayeredLayout {
  readonly width: number;
  readonly height: number;
  /** Middles of the nodes given. All nodes of a column have the same `x`. */
  readonly nodes: readonly Point[];
  /** In the order of the edges given. */
  readonly edges: readonly LaidEdge[];
}

/** Half of what is kept free around a lane. */
export const LANE = 12;
/** Between nodes of a column. */
export const CELL_GAP = 28;
const SPACING = { rankdir: "LR", nodesep: CELL_GAP, edgesep: 2 * LANE, ranksep: 76 };

/** What dagre writes into the label of an edge. */
interface EdgeResult {
  readonly points?: readonly Point[];
  readonly x?: number;
  readonly y?: number;
}

/** @param margin left and right of everything, in pixels. */
export function layeredLayout(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  margin = 0,
): LayeredLayout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ ...SPACING, marginx: margin });
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const { from, to, weight, label } of edges)
    graph.setEdge(from, to, { labelpos: "c", weight, ...label });
  dagre.layout(graph);
  const places = nodes.map(({ id }) => graph.node(id) as Point);
  const laid = edges.map(({ from, to }) => laidEdge(graph.edge(from, to) as EdgeResult));
  // dagre measures nodes and labels, not lanes.
  const tops = nodes.map(({ height }, i) => (places[i]?.y ?? 0) - height / 2);
  const bottoms = nodes.map(({ height }, i) => (places[i]?.y ?? 0) + height / 2);
  const levels = laid.flatMap(({ lane }) => lane.map(({ y }) => y));
  const top = Math.min(...tops, ...levels.map((y) => y - LANE));
  const bottom = Math.max(...bottoms, ...levels.map((y) => y + LANE));
  const up = ({ x, y }: Point): Point => ({ x, y: y - top });
  const { width } = graph.graph() as { width?: number };
  return {
    width: finite(width),
    height: finite(bottom - top),
    nodes: places.map(up),
    edges: laid.map(({ lane, label }) => ({
      lane: lane.map(up),
      ...(label ? { label: up(label) } : {}),
    })),
  };
}

/** Without the two ends, which dagre puts on the borders of the nodes. */
function laidEdge({ points = [], x, y }: EdgeResult): LaidEdge {
  const lane = points.slice(1, -1);
  return x === undefined || y === undefined ? { lane } : { lane, label: { x, y } };
}

/** The size of a graph without nodes is not. */
function finite(size = 0): number {
  return Number.isFinite(size) ? size : 0;
}
