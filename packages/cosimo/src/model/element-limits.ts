/**
 * How many elements units may have. A dimension is a number in a file that somebody else wrote, and memory is taken for every element
 * of every port: what could never run is refused while it is still a number.
 */
import { type Port, portSize, type UnitDescription } from "./unit-description.ts";

/** Elements of all ports of a unit together. */
export const MAX_UNIT_ELEMENTS = 4_000_000;
/** Elements of all units of a scenario together, those of nested scenarios included. */
export const MAX_SCENARIO_ELEMENTS = 16_000_000;

type Sized = Pick<Port, "shape" | "start">;

/** A port whose dimensions are no numbers has no number of elements. */
function elementsOf(port: Sized): number {
  return Math.max(1, portSize(port), port.start?.length ?? 0);
}

export function elementCount({ ports }: Pick<UnitDescription, "ports">): number {
  return ports.reduce((total, port) => total + elementsOf(port), 0);
}

/** What makes a unit too large: the first port that does not fit any more, and how many elements there are up to it. */
export interface Excess {
  readonly index: number;
  readonly total: number;
}

export function excessOf(
  ports: readonly Sized[],
  limit: number = MAX_UNIT_ELEMENTS,
): Excess | undefined {
  let total = 0;
  for (const [index, port] of ports.entries()) {
    total += elementsOf(port);
    if (!(total <= limit)) return { index, total };
  }
  return undefined;
}
