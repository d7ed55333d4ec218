/**
 * Where boxes go, by the layered algorithm of the Eclipse Layout Kernel in a worker: the page stays
 * responsive however large the scenario. What has a place keeps it; what is new goes beside what it
 * is connected to. Options as in plot/graph-layout.ts.
 */
import ELK, { type ElkExtendedEdge, type ElkNode, type ElkPort } from "elkjs/lib/elk-api.js";
import elkWorker from "elkjs/lib/elk-worker.min.js?url";
import type { BoxShape, PortRow } from "./box-shape.ts";
import { largeLayout } from "./large-layout.ts";
import type { Graph, Layout, Position, Route } from "./model.ts";

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.spacing.nodeNode": "32",
  "elk.spacing.edgeNode": "18",
  "elk.spacing.edgeEdge": "12",
  "elk.layered.spacing.nodeNodeBetweenLayers": "64",
  "elk.layered.spacing.edgeNodeBetweenLayers": "22",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "12",
  "elk.layered.feedbackEdges": "true",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
};

/** Beyond this many boxes or wires the kernel takes too long (large-layout.ts). */
const LARGE = 150;
const LARGE_WIRES = 600;

let elk: InstanceType<typeof ELK> | undefined;

function kernel(): InstanceType<typeof ELK> {
  elk ??= new ELK({ workerFactory: () => new Worker(elkWorker) });
  return elk;
}

export function isLarge({ units, wires }: Graph): boolean {
  return units.length > LARGE || wires.length > LARGE_WIRES;
}

/** Of a large graph whose boxes all have places there is nothing to compute: its wires are straight. */
export function knownLayout(
  graph: Graph,
  places: ReadonlyMap<string, Position>,
): Layout | undefined {
  if (!isLarge(graph)) return undefined;
  const positions = new Map<string, Position>();
  for (const { name } of graph.units) {
    const place = places.get(name);
    if (place === undefined) return undefined;
    positions.set(name, place);
  }
  return { positions, routes: new Map() };
}

export async function layoutGraph(
  graph: Graph,
  shapes: ReadonlyMap<string, BoxShape>,
): Promise<Layout> {
  if (isLarge(graph)) return largeLayout(graph, shapes);
  const known = new Set<string>();
  const children = graph.units.map((unit, index): ElkNode => {
    const shape = shapes.get(unit.name);
    const width = shape?.width ?? 120;
    const port = (side: "in" | "out", { port: { name }, y }: PortRow): ElkPort => {
      const id = portId(unit.name, side, name);
      known.add(id);
      const options = { "elk.port.side": side === "in" ? "WEST" : "EAST" };
      return { id, x: side === "in" ? 0 : width, y, layoutOptions: options };
    };
    return {
      id: `${index}`,
      width,
      height: shape?.height ?? 60,
      ports: [
        ...(shape?.inputs ?? []).map((row) => port("in", row)),
        ...(shape?.outputs ?? []).map((row) => port("out", row)),
      ],
      layoutOptions: { "elk.portConstraints": "FIXED_POS" },
    };
  });
  const edges = portEdges(graph, known);
  const placed = await kernel().layout({ id: "graph", layoutOptions: OPTIONS, children, edges });
  const positions = new Map<string, Position>();
  placed.children?.forEach(({ x = 0, y = 0 }, index) => {
    const unit = graph.units[index];
    if (unit) positions.set(unit.name, { x: Math.round(x), y: Math.round(y) });
  });
  const routes = new Map<string, Route>();
  for (const { id, sections = [] } of (placed.edges ?? []) as ElkExtendedEdge[]) {
    const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]);
    routes.set(
      id,
      points.map(({ x, y }) => ({ x, y })),
    );
  }
  return { positions, routes };
}

function portEdges({ wires }: Graph, known: ReadonlySet<string>): ElkExtendedEdge[] {
  return wires.flatMap(({ id, from, to }) => {
    const source = portId(from.unit, "out", from.port);
    const target = portId(to.unit, "in", to.port);
    return known.has(source) && known.has(target)
      ? [{ id, sources: [source], targets: [target] }]
      : [];
  });
}

function portId(unit: string, side: "in" | "out", port: string): string {
  return `${side} ${unit} ${port}`;
}

/**
 * `fresh` with the places that are kept: boxes of `kept` stay, new ones go where the layout puts
 * them beside their first placed neighbour, or below everything. A route holds where both of its
 * boxes moved by the same way.
 */
export function keepPlaces(
  graph: Graph,
  fresh: Layout,
  kept: ReadonlyMap<string, Position>,
  shapes: ReadonlyMap<string, BoxShape>,
): Layout {
  if (kept.size === 0) return fresh;
  const positions = new Map<string, Position>();
  for (const { name } of graph.units) {
    const place = kept.get(name);
    if (place) positions.set(name, place);
  }
  for (const { name } of graph.units) {
    if (positions.has(name)) continue;
    positions.set(name, freePlace(name, graph, fresh, positions, shapes));
  }
  const shifts = new Map<string, Position>();
  for (const [name, place] of positions) {
    const from = fresh.positions.get(name) ?? place;
    shifts.set(name, { x: place.x - from.x, y: place.y - from.y });
  }
  const routes = new Map<string, Route>();
  for (const { id, from, to } of graph.wires) {
    const route = fresh.routes.get(id);
    const a = shifts.get(from.unit);
    const b = shifts.get(to.unit);
    if (!route || !a || !b || a.x !== b.x || a.y !== b.y) continue;
    routes.set(
      id,
      route.map(({ x, y }) => ({ x: x + a.x, y: y + a.y })),
    );
  }
  return { positions, routes };
}

function freePlace(
  name: string,
  { wires }: Graph,
  fresh: Layout,
  placed: ReadonlyMap<string, Position>,
  shapes: ReadonlyMap<string, BoxShape>,
): Position {
  const wanted = fresh.positions.get(name) ?? { x: 0, y: 0 };
  const neighbour = wires
    .flatMap(({ from, to }) =>
      from.unit === name ? [to.unit] : to.unit === name ? [from.unit] : [],
    )
    .find((unit) => placed.has(unit));
  const there = neighbour === undefined ? undefined : placed.get(neighbour);
  const meant = neighbour === undefined ? undefined : fresh.positions.get(neighbour);
  let place =
    there && meant ? { x: there.x + wanted.x - meant.x, y: there.y + wanted.y - meant.y } : wanted;
  const size = shapes.get(name) ?? { width: 120, height: 60 };
  for (let tries = 0; tries < 200 && overlaps(place, size, placed, shapes); tries++)
    place = { x: place.x, y: place.y + 40 };
  return place;
}

function overlaps(
  { x, y }: Position,
  { width, height }: Pick<BoxShape, "width" | "height">,
  placed: ReadonlyMap<string, Position>,
  shapes: ReadonlyMap<string, BoxShape>,
): boolean {
  for (const [name, other] of placed) {
    const shape = shapes.get(name);
    if (!shape) continue;
    const apart =
      x + width + 16 < other.x ||
      other.x + shape.width + 16 < x ||
      y + height + 16 < other.y ||
      other.y + shape.height + 16 < y;
    if (!apart) return true;
  }
  return false;
}
