/**
 * An access of a unit that is elsewhere: how values lie in the caller's banks, how they lie one
 * after the other in a message, and those that were read last.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf } from "../model/value-type.ts";
import type { Access, Phase, PortSlot } from "../unit/unit.ts";
import { banksOf, compactLayout } from "./values.ts";

export interface RemoteAccess extends Access {
  readonly id: number;
  readonly ports: readonly number[];
  /**
   * For every port: its bank, its slot in the caller's bank, its slot in a message, its elements.
   */
  readonly parts: Int32Array;
  readonly outgoing: Banks;
  readonly incoming: Banks;
  /** What had been done to the unit when `incoming` was read (remote-unit.ts). */
  state: number;
  /** Advances since it was read. */
  idle: number;
  writableIn: Phase | undefined;
}

const PART = 4;
const BANKS = ["f64", "i64", "obj"] as const;

/** @throws RangeError for a port or slot that cannot be. */
export function bindRemote(
  unit: string,
  ports: readonly Port[],
  id: number,
  slots: readonly PortSlot[],
): RemoteAccess {
  const indices = slots.map(({ port }) => port);
  const layout = compactLayout(unit, ports, indices);
  const parts = new Int32Array(slots.length * PART);
  for (const [i, { port, slot }] of slots.entries()) {
    if (!Number.isInteger(slot) || slot < 0)
      throw new RangeError(`'${unit}': port ${port} cannot be bound to slot ${slot}`);
    const { type } = ports[port];
    const { slot: own } = layout.slots[i];
    parts.set([BANKS.indexOf(bankOf(type)), slot, own, portSize(ports[port])], i * PART);
  }
  return {
    slots,
    id,
    ports: indices,
    parts,
    outgoing: banksOf(layout),
    incoming: banksOf(layout),
    state: -1,
    idle: 0,
    writableIn: undefined,
  };
}

/** From the caller's banks to those of a message. */
export function copyIn({ parts, outgoing }: RemoteAccess, banks: Banks): void {
  for (let p = 0; p < parts.length; p += PART) {
    const [from, to, count] = [parts[p + 1], parts[p + 2], parts[p + 3]];
    switch (parts[p]) {
      case 0:
        for (let i = 0; i < count; i++) outgoing.f64[to + i] = banks.f64[from + i];
        break;
      case 1:
        for (let i = 0; i < count; i++) outgoing.i64[to + i] = banks.i64[from + i];
        break;
      default:
        for (let i = 0; i < count; i++) outgoing.obj[to + i] = banks.obj[from + i];
    }
  }
}

/** From what was read to the caller's banks. */
export function copyOut({ parts, incoming }: RemoteAccess, banks: Banks): void {
  for (let p = 0; p < parts.length; p += PART) {
    const [to, from, count] = [parts[p + 1], parts[p + 2], parts[p + 3]];
    switch (parts[p]) {
      case 0:
        for (let i = 0; i < count; i++) banks.f64[to + i] = incoming.f64[from + i];
        break;
      case 1:
        for (let i = 0; i < count; i++) banks.i64[to + i] = incoming.i64[from + i];
        break;
      default:
        for (let i = 0; i < count; i++) banks.obj[to + i] = incoming.obj[from + i];
    }
  }
}
