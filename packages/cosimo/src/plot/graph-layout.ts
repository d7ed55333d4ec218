/**
 * Where everything of a drawing lies, in pixels: boxes, ports, wires, labels.
 *
 * Placed by the layered algorithm of the Eclipse Layout Kernel, which is made for data-flow
 * diagrams: it knows ports (Schulze, Spönemann, von Hanxleden: "Drawing layered graphs with port
 * constraints", Journal of Visual Languages and Computing 25, 2014). Columns by network simplex,
 * wires that lead back reversed by the heuristic of Eades, Lin and Smyth (1993), few crossings by
 * sweeps, level and upright pieces of wires. The same input gives the same places.
 */
import elk, { type ElkExtendedEdge, type ElkNode } from "elkjs/lib/elk.bundled.js";
import { tenth } from "./curve.ts";
import type { GraphModel, GraphWire } from "./graph.ts";
import { type BoxShape, boxShapes, type GraphBox, LABEL_SIZE, placeBox } from "./graph-box.ts";
import { textWidth } from "./text-width.ts";

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly GraphBox[];
  readonly wires: readonly PlacedWire[];
}

export interface PlacedWire {
  readonly wire: number;
  /** SVG path data. */
  readonly path: string;
  /** Where the middle of the text's baseline lies. */
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const MARGIN = 24;
const CORNER = 7;
const LABEL_HEIGHT = 14;

/** https://eclipse.dev/elk/reference/options.html */
const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.padding": `[top=0,left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]`,
  "elk.spacing.nodeNode": "28",
  "elk.spacing.edgeNode": "16",
  "elk.spacing.edgeEdge": "10",
  "elk.layered.spacing.nodeNodeBetweenLayers": "48",
  "elk.layered.spacing.edgeNodeBetweenLayers": "20",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "10",
  "elk.layered.feedbackEdges": "true",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.edgeLabels.sideSelection": "ALWAYS_UP",
} as const;

/**
 * Of drawings with more boxes than this: fewer sweeps against crossings, in two thirds of the time.
 */
const LARGE = 100;
const QUICK = {
  "elk.layered.thoroughness": "1",
  "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
} as const;

/** @param top is how far down the drawing begins. */
export async function layoutGraph(model: GraphModel, top: number): Promise<GraphLayout> {
  const shapes = boxShapes(model);
  const graph: ElkNode = {
    id: "drawing",
    layoutOptions: model.units.length > LARGE ? { ...OPTIONS, ...QUICK } : OPTIONS,
    children: shapes.map((shape, unit) => nodeOf(shape, unit, isSource(model, unit))),
    edges: model.wires.map(edgeOf),
  };
  const {
    width = 0,
    height = 0,
    children = [],
    edges = [],
  } = await new elk.default().layout(graph);
  return {
    width,
    height: top + height,
    boxes: model.units.map((unit, u) => {
      const { x = 0, y = 0 } = children[u];
      return placeBox(u, unit, shapes[u], { x, y: y + top });
    }),
    wires: edges.map((edge, wire) => wireOf(edge, wire, top)),
  };
}

/** It feeds others and is fed by none, itself included. */
function isSource({ wires }: GraphModel, unit: number): boolean {
  return wires.some(({ from }) => from.unit === unit) && wires.every(({ to }) => to.unit !== unit);
}

/** @param isFirst in the first column, however late its values are used. */
function nodeOf({ left, right, width, height }: BoxShape, unit: number, isFirst: boolean): ElkNode {
  const ports = (side: "WEST" | "EAST", rows: BoxShape["left"]) =>
    rows
      .filter(({ connected }) => connected)
      .map(({ port, y }) => ({
        id: portId(side, unit, port),
        x: side === "WEST" ? 0 : width,
        y,
        layoutOptions: { "elk.port.side": side },
      }));
  return {
    id: `${unit}`,
    width,
    height,
    ports: [...ports("WEST", left), ...ports("EAST", right)],
    layoutOptions: {
      "elk.portConstraints": "FIXED_POS",
      ...(isFirst && { "elk.layered.layering.layerConstraint": "FIRST" }),
    },
  };
}

function edgeOf({ from, to, label }: GraphWire, wire: number): ElkExtendedEdge {
  return {
    id: `wire ${wire}`,
    sources: [portId("EAST", from.unit, from.port)],
    targets: [portId("WEST", to.unit, to.port)],
    ...(label !== undefined && {
      labels: [{ text: label, width: textWidth(label, LABEL_SIZE) + 12, height: LABEL_HEIGHT }],
    }),
  };
}

function portId(side: "WEST" | "EAST", unit: number, port: number): string {
  return `${side} ${unit} ${port}`;
}

function wireOf(
  { sections = [], labels = [] }: ElkExtendedEdge,
  wire: number,
  top: number,
): PlacedWire {
  const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({ x, y: y + top })),
  );
  const path = roundedPath(points);
  const [label] = labels;
  if (label?.text === undefined) return { wire, path };
  const { text, x = 0, y = 0, width = 0, height = 0 } = label;
  return { wire, path, label: { text, x: x + width / 2, y: y + height - 4 + top } };
}

/** Level and upright pieces with round corners. */
function roundedPath(points: readonly Point[]): string {
  let path = `M${tenth(points[0].x)} ${tenth(points[0].y)}`;
  for (let i = 1; i < points.length; i++) {
    const [last, corner] = [points[i - 1], points[i]];
    const next = points.at(i + 1) ?? corner;
    const r = Math.min(CORNER, distance(last, corner) / 2, distance(corner, next) / 2);
    const before = shifted(corner, last, r);
    const after = shifted(corner, next, r);
    path += corner.y === last.y ? ` H${tenth(before.x)}` : ` V${tenth(before.y)}`;
    if (r > 0)
      path += ` Q${tenth(corner.x)} ${tenth(corner.y)} ${tenth(after.x)} ${tenth(after.y)}`;
  }
  return path;
}

/** Of points on a level or an upright line. */
function distance(a: Point, b: Point): number {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
}

/** `point`, moved by `by` on the level or upright line to `target`. */
function shifted(point: Point, target: Point, by: number): Point {
  const { sign } = Math;
  return {
    x: point.x + by * sign(target.x - point.x),
    y: point.y + by * sign(target.y - point.y),
  };
}
