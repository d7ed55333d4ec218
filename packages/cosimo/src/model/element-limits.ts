/**
 * How many elements units may have. A dimension is a number in a file of unknown origin, and every
 * element of every port takes memory: what could never run is refused before anything is allocated.
 */
import { type Port, portSize, type UnitDescription } from "./unit-description.ts";

/** Elements of all ports of a unit together. */
export const MAX_UNIT_ELEMENTS = 4_000_000;
/** Elements of all units of a scenario together, those of nested scenarios included. */
export const MAX_SCENARIO_ELEMENTS = 16_000_000;

type Sized = Pick<Port, "shape" | "start">;

/** NaN where a dimension is NaN. */
function elementsOf(port: Sized): number {
  return Math.max(1, portSize(port), port.start?.length ?? 0);
}

export function elementCount({ ports }: Pick<UnitDescription, "ports">): number {
  return ports.reduce((total, port) => total + elementsOf(port), 0);
}

/** The first port with which a unit becomes too large, and the number of elements up to it. */
export interface Excess<P> {
  readonly port: P;
  readonly index: number;
  readonly total: number;
}

export function excessOf<P extends Sized>(
  ports: readonly P[],
  limit: number = MAX_UNIT_ELEMENTS,
): Excess<P> | undefined {
  let total = 0;
  for (const [index, port] of ports.entries()) {
    total += elementsOf(port);
    if (!(total <= limit)) return { port, index, total };
  }
  return undefined;
}
