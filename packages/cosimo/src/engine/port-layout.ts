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

/** Names of a port's elements as people write them: `x`, or `A[1,1]`, `A[1,2]`, … row by row. */
export function elementNames(port: Pick<Port, "name" | "shape">): string[] {
  if (port.shape.length === 0) return [port.name];
  let indices: number[][] = [[]];
  for (const size of port.shape) {
    indices = indices.flatMap((prefix) =>
      Array.from({ length: size }, (_, i) => [...prefix, i + 1]),
    );
  }
  return indices.map((index) => `${port.name}[${index.join(",")}]`);
}
