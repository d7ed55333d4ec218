/**
 * Inputs that an FMU does not hand out while it is initialized. Both standards let a caller read
 * them there; some FMUs return an error all the same, though nothing is wrong with them. Their
 * value is then the one that they were given last, or their start value.
 */
import { type Port, portSize } from "../../model/unit-description.ts";
import { type Banks, bankOf, storeValue, type Value } from "../../model/value-type.ts";
import type { PortSlot } from "../../unit/unit.ts";
import type { Group } from "./transfer.ts";

export class RefusedInputs {
  private readonly ports: readonly Port[];
  private readonly given = new Map<number, readonly Value[]>();

  constructor(ports: readonly Port[]) {
    this.ports = ports;
  }

  /** Remembers what inputs were given before the first step. */
  note(slots: readonly PortSlot[], banks: Banks): void {
    for (const { port, slot } of slots) {
      const one = this.ports[port];
      if (one.direction !== "input") continue;
      const bank = banks[bankOf(one.type)];
      this.given.set(port, Array.from<Value>(bank.slice(slot, slot + portSize(one))));
    }
  }

  /** Whether these are inputs alone, of which all values are known. */
  knows({ ports }: Group): boolean {
    return ports.every((port) => {
      const { direction, start } = this.ports[port];
      return direction === "input" && (start !== undefined || this.given.has(port));
    });
  }

  /** The names of the inputs of a group. */
  names({ ports }: Group): string {
    return ports.map((port) => `'${this.ports[port].name}'`).join(", ");
  }

  /** Writes the known values of a group into the slots that its caller reads. */
  fill(group: Group, banks: Banks): void {
    let element = 0;
    for (const port of group.ports) {
      const { type, start = [] } = this.ports[port];
      const values = this.given.get(port) ?? start;
      for (let i = 0; i < portSize(this.ports[port]); i++, element++)
        storeValue(banks, type, group.slots[element], values[values.length === 1 ? 0 : i]);
    }
  }
}
