/**
 * The room that a unit takes in the layout: its box, and around it the wires that lead back. Such a wire leaves its box on the right,
 * turns, and passes below the box; at its target it arrives below the box and turns into it from the left. All of that happens
 * inside the two cells, so that between them it is a wire like any other, drawn the other way round.
 */
import type { GraphModel } from "./graph.ts";
import { type BoxShape, boxShapes, portRow } from "./graph-box.ts";

/** Between wires beside each other. */
const PITCH = 9;
/** From a box to the first of them. */
const FIRST = 12;

/** Where a wire passes its box: distances from the box's side and from its lower edge. */
export interface Turn {
  readonly aside: number;
  readonly below: number;
}

export interface Cell {
  readonly shape: BoxShape;
  readonly width: number;
  readonly height: number;
  /** From the cell's left edge to that of the box; the box begins at the cell's upper edge. */
  readonly left: number;
}

export interface Cells {
  readonly cells: readonly Cell[];
  /** Of wires that lead back, behind their first box and before their last. */
  readonly out: ReadonlyMap<number, Turn>;
  readonly in: ReadonlyMap<number, Turn>;
}

export function makeCells(model: GraphModel, isBack: readonly boolean[]): Cells {
  const out = new Map<number, Turn>();
  const into = new Map<number, Turn>();
  const cells = boxShapes(model).map((shape, unit): Cell => {
    const back = model.wires.flatMap((wire, w) => (isBack[w] ? [{ ...wire, w }] : []));
    const leaving = back
      .filter(({ from }) => from.unit === unit)
      .sort((a, b) => portRow(shape.right, b.from.port) - portRow(shape.right, a.from.port));
    const arriving = back
      .filter(({ to }) => to.unit === unit)
      .sort((a, b) => portRow(shape.left, b.to.port) - portRow(shape.left, a.to.port));
    // The lowest port goes nearest round the box, so that turns lie inside each other. Wires that stay here are the innermost.
    const lanes = [
      ...arriving.filter(({ from }) => from.unit === unit),
      ...arriving.filter(({ from }) => from.unit !== unit),
      ...leaving.filter(({ to }) => to.unit !== unit),
    ].map(({ w }) => w);
    const below = (w: number): number => FIRST + lanes.indexOf(w) * PITCH;
    leaving.forEach(({ w }, i) => {
      out.set(w, { aside: FIRST + i * PITCH, below: below(w) });
    });
    arriving.forEach(({ w }, i) => {
      into.set(w, { aside: FIRST + i * PITCH, below: below(w) });
    });
    const left = room(arriving.length);
    return {
      shape,
      left,
      width: left + shape.width + room(leaving.length),
      height: shape.height + room(lanes.length),
    };
  });
  return { cells, out, in: into };
}

function room(wires: number): number {
  return wires === 0 ? 0 : FIRST + (wires - 1) * PITCH;
}
