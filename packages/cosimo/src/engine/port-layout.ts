/**
 * Lays ports out in banks one after the other: the slots to bind, and how large the banks must be.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import type { PortSlot } from "../unit/unit.ts";

export interface PortLayout {
  readonly slots: readonly PortSlot[];
  readonly sizes: { readonly f64: number; readonly i64: number; readonly obj: number };
}

export function layoutPorts(ports: readonly Port[]): PortLayout {
  const sizes = { f64: 0, i64: 0, obj: 0 };
  const slots = ports.map((port): PortSlot => {
    const bank = bankOf(port.type);
    const slot = sizes[bank];
    sizes[bank] += portSize(port);
    return { port: port.index, slot };
  });
  return { slots, sizes };
}

export function banksFor(layout: PortLayout): Banks {
  return makeBanks(layout.sizes);
}
