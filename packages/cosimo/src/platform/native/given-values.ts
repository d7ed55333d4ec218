/**
 * Values written before initialization, kept until the FMU may get them.
 *
 * Some FMUs set every variable to its start value in fmi2SetupExperiment, and some refuse values
 * before it; the start time that this call needs is known only when initialization begins. So
 * values wait: parameters and start values follow the set-up of the experiment, inputs follow the
 * entry into initialization mode, where both standards allow them. Afterwards `lost` lists the
 * parameters that the FMU has forgotten all the same.
 */

import { type Port, portSize } from "../../model/unit-description.ts";
import { type Banks, bankOf, makeBanks, type Value } from "../../model/value-type.ts";
import { ByteReader, ByteWriter } from "../../unit/bytes.ts";
import type { PortSlot } from "../../unit/unit.ts";

/** One write: ports of one kind with values of their own. */
export interface GivenWrite {
  readonly slots: readonly PortSlot[];
  readonly banks: Banks;
}

/** A parameter with another value than it was given, as text. */
export interface LostValue {
  readonly parameter: string;
  readonly given: string;
  readonly found: string;
}

export class GivenValues {
  private readonly ports: readonly Port[];
  private writesSoFar: readonly GivenWrite[] = [];
  /** The last value that each parameter was given, until initialization is over. */
  private readonly parameters = new Map<number, readonly Value[]>();

  constructor(ports: readonly Port[]) {
    this.ports = ports;
  }

  /** What waits, in order. It is never changed in place: snapshots may hold it. */
  get writes(): readonly GivenWrite[] {
    return this.writesSoFar;
  }

  set writes(writes: readonly GivenWrite[]) {
    if (this.writesSoFar.length === 0 && writes.length === 0 && this.parameters.size === 0) return;
    this.forget();
    this.writesSoFar = writes;
    for (const { slots, banks } of writes) this.note(slots, banks);
  }

  forget(): void {
    this.writesSoFar = [];
    this.parameters.clear();
  }

  /** Keeps a copy of what `slots` hold. */
  keep(slots: readonly PortSlot[], from: Banks): void {
    const inputs = slots.filter(({ port }) => this.ports[port].direction === "input");
    const others = slots.filter((slot) => !inputs.includes(slot));
    const copies = [others, inputs].filter((part) => part.length > 0);
    this.writesSoFar = [...this.writesSoFar, ...copies.map((part) => this.copy(part, from))];
    this.note(slots, from);
  }

  /** Remembers what parameters were given, whenever that was before the end of initialization. */
  note(slots: readonly PortSlot[], banks: Banks): void {
    for (const { port, slot } of slots) {
      const { direction, type } = this.ports[port];
      if (direction !== "parameter") continue;
      const bank = banks[bankOf(type)];
      const size = portSize(this.ports[port]);
      this.parameters.set(port, Array.from<Value>(bank.slice(slot, slot + size)));
    }
  }

  /**
   * The writes for before, or for after, the entry into initialization mode; each is handed out
   * once.
   */
  take(when: "before" | "after"): GivenWrite[] {
    const isDue = ({ slots }: GivenWrite): boolean =>
      (this.ports[slots[0].port].direction === "input") === (when === "after");
    const due = this.writesSoFar.filter(isDue);
    this.writesSoFar = this.writesSoFar.filter((write) => !isDue(write));
    return due;
  }

  /**
   * The parameters that do not have the value that they were given, as `read` finds them. Asked
   * once.
   */
  lost(read: (slots: readonly PortSlot[], into: Banks) => boolean): LostValue[] {
    const given = [...this.parameters];
    this.parameters.clear();
    const { slots, banks } = this.room(given.map(([port]) => port));
    if (given.length === 0 || !read(slots, banks)) return [];
    return given.flatMap(([index, values], i) => {
      const port = this.ports[index];
      const { slot } = slots[i];
      const bank = banks[bankOf(port.type)];
      const found = Array.from<Value>(bank.slice(slot, slot + values.length));
      return values.every((value, k) => isKept(port, value, found[k]))
        ? []
        : [{ parameter: port.name, given: values.join(" "), found: found.join(" ") }];
    });
  }

  private copy(slots: readonly PortSlot[], from: Banks): GivenWrite {
    const room = this.room(slots.map(({ port }) => port));
    slots.forEach(({ port, slot }, i) => {
      const bank = bankOf(this.ports[port].type);
      for (let k = 0; k < portSize(this.ports[port]); k++)
        room.banks[bank][room.slots[i].slot + k] = from[bank][slot + k];
    });
    return room;
  }

  private room(ports: readonly number[]): GivenWrite {
    const sizes = { f64: 0, i64: 0, obj: 0 };
    const slots = ports.map((port) => {
      const bank = bankOf(this.ports[port].type);
      const slot = sizes[bank];
      sizes[bank] += portSize(this.ports[port]);
      return { port, slot };
    });
    return { slots, banks: makeBanks(sizes) };
  }
}

/** Waiting writes as bytes, for a snapshot of a unit that is not initialized yet. */
export function packWrites(writes: readonly GivenWrite[]): Uint8Array {
  const out = new ByteWriter();
  out.u32(writes.length);
  for (const { slots, banks } of writes) {
    out.u32(slots.length);
    for (const { port, slot } of slots) {
      out.u32(port);
      out.u32(slot);
    }
    out.banks(banks);
  }
  return out.take();
}

/** @throws RangeError when the bytes end early. */
export function unpackWrites(bytes: Uint8Array): GivenWrite[] {
  const from = new ByteReader(bytes);
  const writes: GivenWrite[] = [];
  for (let left = from.u32(); left > 0; left--) {
    const slots: PortSlot[] = [];
    for (let more = from.u32(); more > 0; more--)
      slots.push({ port: from.u32(), slot: from.u32() });
    writes.push({ slots, banks: from.banks() });
  }
  return writes;
}

/**
 * What a type cannot hold is not the FMU's doing: fractions of integers, digits that a float lacks.
 */
function isKept(port: Port, given: Value, found: Value): boolean {
  if (given instanceof Uint8Array || found instanceof Uint8Array)
    return Buffer.compare(Buffer.from(given as Uint8Array), Buffer.from(found as Uint8Array)) === 0;
  if (given === found || Object.is(given, found)) return true;
  if (typeof given !== "number") return false;
  if (port.type === "float32") return Math.fround(given) === found;
  if (port.type === "boolean") return (given !== 0) === (found !== 0);
  return port.type !== "float64" && Math.trunc(given) === found;
}
