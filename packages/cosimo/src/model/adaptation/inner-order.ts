/**
 * The order in which the inner units of an adaptation are executed, so that each finds what it
 * needs of the others. The language writes it into the explicit form and adaptations step by it, so
 * it is computed in one place.
 */
import { addTo } from "../../base/collections.ts";
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

/** Whether some output depends directly on this input. */
export function actsAtOnce(unit: UnitDescription, input: number): boolean {
  return unit.ports.some(
    ({ direction, feedThrough }) =>
      direction === "output" && (feedThrough === undefined || feedThrough.includes(input)),
  );
}

/** Whether the unit takes derivatives of this input. */
export function takesSlopes(unit: UnitDescription, input: Port): boolean {
  const { type, variability } = input;
  if (unit.capabilities.inputDerivativeOrder === 0 || variability !== "continuous") return false;
  return (type === "float64" || type === "float32") && followsInput(unit, input);
}

/**
 * An order in which every unit comes after those it depends on: at an instant those that feed an
 * input with feed-through, over a step also those that feed a reactive one, and where possible
 * those that feed an input of undeclared kind. Independent units keep their order. A unit without a
 * description waits for all that feed it.
 * @returns undefined where dependencies form a loop.
 */
export function innerOrder(
  units: readonly (UnitDescription | undefined)[],
  wires: readonly InnerWire[],
  over: "step" | "instant",
): readonly number[] | undefined {
  const needed = new Map<number, number[]>();
  const preferred = new Map<number, number[]>();
  for (const { from, to } of wires) {
    const unit = units[to.unit];
    const port = unit?.ports[to.port];
    const isNeeded =
      unit === undefined ||
      port === undefined ||
      actsAtOnce(unit, to.port) ||
      (over === "step" && port.reactive === true);
    if (isNeeded) addTo(needed, to.unit, from.unit);
    else if (port.reactive === undefined && from.unit !== to.unit)
      addTo(preferred, to.unit, from.unit);
  }
  const order: number[] = [];
  const done = new Set<number>();
  const isReady = (sources: Map<number, number[]>, unit: number): boolean =>
    (sources.get(unit) ?? []).every((other) => done.has(other));
  let first = 0;
  while (order.length < units.length) {
    while (done.has(first)) first++;
    let next = -1;
    for (let u = first; u < units.length; u++) {
      if (done.has(u) || !isReady(needed, u)) continue;
      if (next < 0) next = u;
      if (!isReady(preferred, u)) continue;
      next = u;
      break;
    }
    if (next < 0) return undefined;
    done.add(next);
    order.push(next);
  }
  return order;
}
