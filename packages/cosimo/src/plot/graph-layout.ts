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
  const placed = model.units.flatMap((unit, u): PlacedCell[] => {
    const cell = cells.cells[u];
    const middle = places.nodes[u];
    if (!cell || !middle) return [];
    const left = middle.x - cell.width / 2;
    const box = placeBox(u, unit, cell.shape, left + cell.left, middle.y - cell.height / 2 + top);
    return [{ box, middle: middle.x, left, right: left + cell.width }];
  });
  const lanes = new Map(
    bundles.flatMap((bundle, b) =>
      bundleLanes(model, bundle, moved(places.edges[b] ?? { lane: [] }, top)),
    ),
  );
  return {
    width: places.width,
    height: top + places.height + MARGIN,
    boxes: placed.map(({ box }) => box),
    wires: routeWires(model, placed, lanes, cells),
  };
}

function moved({ lane, label }: LaidEdge, by: number): LaidEdge {
  const down = ({ x, y }: Point): Point => ({ x, y: y + by });
  return { lane: lane.map(down), ...(label ? { label: down(label) } : {}) };
}
