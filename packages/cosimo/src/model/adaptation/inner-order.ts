/**
 * In which order the inner units of an adaptation are executed, so that each finds what it needs of the others. The language writes it
 * into explicit form and adaptations step by it, so it is found in one place.
 */
import { followsInput, type Port, type UnitDescription } from "../unit-description.ts";

/** A port of one of several units, by position. */
export interface InnerPort {
  readonly unit: number;
  readonly port: number;
}

export interface InnerWire {
  readonly from: InnerPort;
  readonly to: InnerPort;
}

/** Whether some output follows this input without a step. */
export function actsAtOnce(unit: UnitDescription, input: number): boolean {
  return unit.ports.some(
    ({ direction, feedThrough }) =>
      direction === "output" && (feedThrough === undefined || feedThrough.includes(input)),
  );
}

/** Whether the unit can be told how this input goes on within a step. */
export function takesSlopes(unit: UnitDescription, input: Port): boolean {
  const { type, variability } = input;
  if (unit.capabilities.inputDerivativeOrder === 0 || variability !== "continuous") return false;
  return (type === "float64" || type === "float32") && followsInput(unit, input);
}

/**
 * An order in which every unit comes after those it depends on: at an instant those that feed an input which acts at once, over a
 * step also those that feed a reactive one, and where nothing forbids it those that feed an input of which nobody knows the kind.
 * Units that do not wait for each other keep their order. A unit that nobody describes waits for all that feed it.
 * @returns undefined where dependencies form a circle.
 */
export function innerOrder(
  units: readonly (UnitDescription | undefined)[],
  wires: readonly InnerWire[],
  over: "step" | "instant",
): readonly number[] | undefined {
  const needs = units.map(() => new Set<number>());
  const likes = units.map(() => new Set<number>());
  for (const { from, to } of wires) {
    const unit = units[to.unit];
    const port = unit?.ports[to.port];
    if (unit === undefined || port === undefined) needs[to.unit]!.add(from.unit);
    else if (actsAtOnce(unit, to.port) || (over === "step" && port.reactive === true))
      needs[to.unit]!.add(from.unit);
    else if (port.reactive === undefined && from.unit !== to.unit) likes[to.unit]!.add(from.unit);
  }
  const order: number[] = [];
  const done = new Set<number>();
  const isReady = (sets: readonly Set<number>[], unit: number): boolean => {
    for (const other of sets[unit]!) if (!done.has(other)) return false;
    return true;
  };
  let first = 0;
  while (order.length < units.length) {
    while (done.has(first)) first++;
    let next = -1;
    for (let u = first; u < units.length; u++) {
      if (done.has(u) || !isReady(needs, u)) continue;
      if (next < 0) next = u;
      if (!isReady(likes, u)) continue;
      next = u;
      break;
    }
    if (next < 0) return undefined;
    done.add(next);
    order.push(next);
  }
  return order;
}
