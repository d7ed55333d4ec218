/**
 * Where everything of a drawing lies, in pixels: boxes, ports, wires, labels. The layered layout places cells, one for each unit, and
 * lanes for the bundles of wires between them; a wire that leads back has a lane from its target to its source.
 */
import type { GraphModel } from "./graph.ts";
import { type GraphBox, placeBox } from "./graph-box.ts";
import { bundleEdge, bundleLanes, bundleWires } from "./graph-bundles.ts";
import { makeCells } from "./graph-cell.ts";
import { wiresBack } from "./graph-cycles.ts";
import { type PlacedCell, type PlacedWire, routeWires } from "./graph-routes.ts";
import { straighten } from "./graph-straighten.ts";
import { type LaidEdge, layeredLayout, type Point } from "./layered-layout.ts";

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly GraphBox[];
  readonly wires: readonly PlacedWire[];
}

const MARGIN = 24;

/** @param top is how far down the drawing begins. */
export function layoutGraph(model: GraphModel, top: number): GraphLayout {
  const isBack = wiresBack(model);
  const cells = makeCells(model, isBack);
  const bundles = bundleWires(model, isBack, cells);
  const places = layeredLayout(
    cells.cells.map(({ width, height }, u) => ({ id: String(u), width, height })),
    bundles.map((bundle) => bundleEdge(model, bundle)),
    MARGIN,
  );
  const lanes = new Map(
    bundles.flatMap((bundle, b) => bundleLanes(model, bundle, places.edges[b] ?? { lane: [] })),
  );
  const { nodes, height } = places;
  const middles = straighten(model, isBack, cells.cells, { middles: nodes, lanes, height });
  const placed = model.units.flatMap((unit, u): PlacedCell[] => {
    const cell = cells.cells[u];
    const middle = middles[u];
    if (!cell || !middle) return [];
    const left = middle.x - cell.width / 2;
    const corner = { x: left + cell.left, y: middle.y - cell.height / 2 + top };
    const box = placeBox(u, unit, cell.shape, corner);
    return [{ box, middle: middle.x, left, right: left + cell.width }];
  });
  const movedLanes = new Map(Array.from(lanes, ([w, lane]) => [w, moved(lane, top)]));
  return {
    width: places.width,
    height: top + height + MARGIN,
    boxes: placed.map(({ box }) => box),
    wires: routeWires(model, placed, movedLanes, cells),
  };
}

function moved({ lane, label }: LaidEdge, by: number): LaidEdge {
  const down = ({ x, y }: Point): Point => ({ x, y: y + by });
  return { lane: lane.map(down), ...(label ? { label: down(label) } : {}) };
}
