/**
 * Ops for inputs that vary within a step: what is written in place of their signals, and the slopes that go with it. Straight plans
 * and masters that decide at run time choose the values differently and hand them over alike.
 */
import { portSize } from "../model/unit-description.ts";
import type { OpWriter } from "./op-writer.ts";
import { Op, type SlopeGroup } from "./plan.ts";
import type { SignalLayout } from "./signal-layout.ts";

/** An element of an input with slots of its own for its derivatives. */
export interface VaryingElement {
  readonly port: number;
  readonly element: number;
  /** First slot of its derivatives. */
  readonly slope: number;
  /** Highest derivative that it has. */
  readonly degree: number;
}

/** Writes the values of `ports`; elements that do not vary come along with their signals. */
export function emitValues(
  w: OpWriter,
  layout: SignalLayout,
  unit: number,
  ports: readonly number[],
  varying: ReadonlySet<number>,
): void {
  if (ports.length === 0) return;
  for (const port of ports) {
    for (let element = 0; element < portSize(layout.port(unit, port)); element++) {
      const value = layout.value(unit, port) + element;
      if (!varying.has(value)) w.add(Op.Copy, layout.signal(unit, port) + element, value, 1);
    }
  }
  w.add(
    Op.Write,
    layout.access(
      unit,
      ports.map((port) => ({ port, slot: layout.value(unit, port) })),
    ),
  );
}

/** One entry per port and order, in the order of `elements`; elements that do not vary have slope 0. */
export function emitSlopes(
  w: OpWriter,
  layout: SignalLayout,
  unit: number,
  elements: readonly VaryingElement[],
  slopes: SlopeGroup[],
): void {
  const group = { unit, ports: [] as number[], orders: [] as number[], slots: [] as number[] };
  for (const port of new Set(elements.map((one) => one.port))) {
    const own = elements.filter((one) => one.port === port);
    const degree = Math.max(...own.map((one) => one.degree));
    for (let order = 1; order <= degree; order++) {
      group.ports.push(port);
      group.orders.push(order);
      for (let element = 0; element < portSize(layout.port(unit, port)); element++) {
        const found = own.find((one) => one.element === element);
        group.slots.push(found ? found.slope + order - 1 : layout.zero());
      }
    }
  }
  if (group.ports.length === 0) return;
  w.add(Op.Slopes, slopes.length);
  slopes.push(group);
}
