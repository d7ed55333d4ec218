/**
 * Places that a package has for its units. Its drawing has a scale and boxes of its own; ours are
 * as large as their ports need, so the drawing is widened until no two of them meet.
 */
import type { BoxShape } from "./box-shape.ts";
import type { Graph, Position } from "./model.ts";

const GAP = 24;
/** Boxes that a drawing puts on each other do not come apart by widening it. */
const WIDEST = 60;

/** @returns undefined where the file does not draw all units, or draws them on each other. */
export function drawnPlaces(
  { units }: Graph,
  shapes: ReadonlyMap<string, BoxShape>,
): ReadonlyMap<string, Position> | undefined {
  const corners = units.flatMap(({ name, drawnAt }) =>
    drawnAt === undefined ? [] : [[name, { x: drawnAt.x, y: -drawnAt.y }] as const],
  );
  if (corners.length === 0 || corners.length < units.length) return undefined;
  for (let scale = 1; scale <= WIDEST; scale *= 1.15) {
    const places = new Map(
      corners.map(([name, { x, y }]) => [
        name,
        { x: Math.round(scale * x), y: Math.round(scale * y) },
      ]),
    );
    if (areApart(places, shapes)) return places;
  }
  return undefined;
}

function areApart(
  places: ReadonlyMap<string, Position>,
  shapes: ReadonlyMap<string, BoxShape>,
): boolean {
  const boxes = [...places].map(([name, { x, y }]) => {
    const { width, height } = shapes.get(name) ?? { width: 120, height: 60 };
    return { x, y, right: x + width + GAP, below: y + height + GAP };
  });
  return boxes.every((a, i) =>
    boxes
      .slice(i + 1)
      .every((b) => a.right <= b.x || b.right <= a.x || a.below <= b.y || b.below <= a.y),
  );
}
