/**
 * Ops for inputs that vary within a step: the values that are written in place of their signals,
 * and their slopes. Straight plans and masters that decide at run time choose the values
 * differently and hand them to units in the same way.
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

/** Writes the values of `ports`; an element without a value of its own takes its signal. */
export function emitValues(
  w: OpWriter,
  layout: SignalLayout,
  unit: number,
  ports: readonly number[],
  hasValue: (port: number, element: number) => boolean,
): void {
  if (ports.length === 0) return;
  emitCopies(w, layout, unit, ports, (port, element) => !hasValue(port, element));
  const slots = ports.map((port) => ({ port, slot: layout.value(unit, port) }));
  w.add(Op.Write, layout.access(unit, slots));
}

const COPY = { f64: Op.Copy, i64: Op.CopyI64, obj: Op.CopyObj } as const;

/** Copies the signals of these elements to their values. */
export function emitCopies(
  w: OpWriter,
  layout: SignalLayout,
  unit: number,
  ports: readonly number[],
  isWanted: (port: number, element: number) => boolean,
): void {
  for (const port of ports) {
    const copy = COPY[layout.bank(unit, port)];
    for (let element = 0; element < portSize(layout.port(unit, port)); element++) {
      if (isWanted(port, element))
        w.add(copy, layout.signal(unit, port) + element, layout.value(unit, port) + element, 1);
    }
  }
}

/**
 * One entry per port and order, in the order of `elements`; elements that do not vary have slope 0.
 */
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
