/**
 * Rows of a coordinated run. Units stop at times of their own, so what each showed is kept until
 * all units are past that time; then there is one row per instant, in order. A unit that did not
 * stop at an instant shows what it had when it last did.
 *
 * Where events are recorded, every index of superdense time at which one occurs has a row of its
 * own before the row of its instant.
 */
import { eventSlots, type PlanState } from "../engine/signals.ts";
import type { PortRef } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { type BankName, type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { OP_WIDTH, Op } from "../plan/plan.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Access, Unit } from "../unit/unit.ts";

interface ShownPort {
  readonly port: number;
  readonly bank: BankName;
  readonly size: number;
  /** Where it lies in the banks of its unit, and in those of the plan. */
  readonly own: number;
  readonly slot: number;
  readonly isEvent: boolean;
}

interface ShownUnit {
  readonly ports: readonly ShownPort[];
  readonly access: Access;
  readonly sizes: Record<BankName, number>;
  /** Banks that are free to be used again. */
  readonly free: Banks[];
}

/** What a unit showed at an index of an instant. */
export interface Shown {
  readonly unit: number;
  readonly time: number;
  readonly index: number;
  readonly banks: Banks;
}

export class Rows {
  count = 0;
  private readonly state: PlanState;
  private readonly onRow: (time: number, banks: Banks) => void;
  private readonly units: readonly ShownUnit[];
  private readonly eventSlots: readonly number[];
  private pending: Shown[] = [];

  constructor(state: PlanState, onRow: (time: number, banks: Banks) => void) {
    this.state = state;
    this.onRow = onRow;
    this.eventSlots = state.plan.index === undefined ? [] : eventSlots(state);
    this.units = state.units.map((_, unit) => shownUnit(state, unit, new Set(this.eventSlots)));
  }

  /** How often units have stopped that are not in a row yet. */
  get waiting(): number {
    return this.pending.length;
  }

  /** Ports of units that are recorded. */
  recordedPorts(): PortRef[] {
    const { columns } = this.state.plan.record;
    return this.units.flatMap(({ ports }, unit) =>
      ports.flatMap(({ port, bank, slot, size }) => {
        const isRecorded = columns.some(
          (column) => column.bank === bank && column.slot >= slot && column.slot < slot + size,
        );
        return isRecorded ? [{ unit, port }] : [];
      }),
    );
  }

  /** The first row: all units are at the start. */
  begin(): void {
    const { start } = this.state.plan;
    this.units.forEach((_, unit) => {
      this.take(unit, start, 0);
    });
    this.flushReached(start);
  }

  /** A unit stands at an index of an instant. */
  take(unit: number, time: number, index: number): void {
    const { access, sizes, free } = this.units[unit];
    const banks = free.pop() ?? makeBanks(sizes);
    this.state.units[unit].read(access, banks);
    this.put({ unit, time, index, banks });
  }

  /** What was read elsewhere. */
  put(shown: Shown): void {
    this.pending.push(shown);
  }

  /** Of what is taken of a unit. */
  sizesOf(unit: number): Readonly<Record<BankName, number>> {
    return this.units[unit].sizes;
  }

  /** By unit: the ports whose values are taken, in the order in which they are packed. */
  shownPorts(): number[][] {
    return this.units.map(({ ports }) => ports.map(({ port }) => port));
  }

  /** Rows of instants before `time`, which all units have reached and some may still be at. */
  flush(time: number): void {
    this.writeRows((one) => one.time < time);
  }

  /** Those of `time` itself too, though more may follow. */
  flushReached(time: number): void {
    this.writeRows((one) => one.time <= time);
  }

  private writeRows(isReady: (shown: Shown) => boolean): void {
    const ready = this.pending.filter(isReady);
    if (ready.length === 0) return;
    this.pending = this.pending.filter((one) => !isReady(one));
    // What one unit showed is in order already, and stays so.
    ready.sort((a, b) => a.time - b.time || a.index - b.index);
    for (let k = 0; k < ready.length; k++) {
      const { time: now, index, unit, banks } = ready[k];
      this.show(ready[k]);
      this.units[unit].free.push(banks);
      const next = ready[k + 1];
      const isLastOfInstant = next?.time !== now;
      const isLastOfIndex = isLastOfInstant || next.index !== index;
      const hadEvents = isLastOfIndex && this.recordEvents(now, index);
      // Events are over at the next index.
      if (isLastOfInstant) this.record(now, hadEvents ? index + 1 : index);
    }
  }

  /** A row for the events of an index, which are over in the next row. */
  private recordEvents(time: number, index: number): boolean {
    const { f64 } = this.state.banks;
    if (!this.eventSlots.some((slot) => f64[slot] !== 0)) return false;
    this.record(time, index);
    for (const slot of this.eventSlots) f64[slot] = 0;
    return true;
  }

  private record(time: number, index: number): void {
    const { plan, banks } = this.state;
    if (plan.index !== undefined) banks.f64[plan.index] = index;
    this.count++;
    this.onRow(time, banks);
  }

  private show({ unit, banks }: Shown): void {
    const target = this.state.banks;
    for (const { bank, size, own, slot, isEvent } of this.units[unit].ports) {
      for (let i = 0; i < size; i++) {
        if (bank === "f64") {
          // Two stops of a unit at one index are one event.
          const value = banks.f64[own + i];
          target.f64[slot + i] = isEvent && target.f64[slot + i] !== 0 ? 1 : value;
        } else if (bank === "i64") target.i64[slot + i] = banks.i64[own + i];
        else target.obj[slot + i] = banks.obj[own + i];
      }
    }
  }

  /** For checkpoints: what is shown and not in a row yet. */
  save(bytes: ByteWriter): void {
    bytes.f64(this.count);
    bytes.u32(this.pending.length);
    for (const { unit, time, index, banks } of this.pending) {
      bytes.u32(unit);
      bytes.f64(time);
      bytes.u32(index);
      bytes.banks(banks);
    }
  }

  restore(bytes: ByteReader): void {
    this.count = bytes.f64();
    this.pending = Array.from({ length: bytes.u32() }, () => {
      const unit = bytes.u32();
      const time = bytes.f64();
      const index = bytes.u32();
      return { unit, time, index, banks: bytes.banks() };
    });
  }
}

/** The ports of a unit that the plan reads, and those of its inputs that are recorded, packed. */
function shownUnit(
  { plan, units }: PlanState,
  unit: number,
  events: ReadonlySet<number>,
): ShownUnit {
  const { segments, record, accesses } = plan;
  const isRecorded = new Set(record.columns.map(({ bank, slot }) => `${bank} ${slot}`));
  const places = new Map<number, number>();
  for (const ops of [segments.start, segments.resolve, segments.step]) {
    for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
      const access = accesses[ops[pc + 1]];
      if ((ops[pc] !== Op.Read && ops[pc] !== Op.Write) || access.unit !== unit) continue;
      for (const { port, slot } of access.slots) {
        const bank = bankOf(units[unit].description.ports[port].type);
        if (ops[pc] === Op.Read || isRecorded.has(`${bank} ${slot}`)) places.set(port, slot);
      }
    }
  }
  const packed = packPorts(units[unit], [...places.keys()]);
  const ports = packed.access.slots.map(({ port: index, slot: own }): ShownPort => {
    const port = units[unit].description.ports[index];
    const slot = places.get(index) as number;
    const bank = bankOf(port.type);
    const isEvent = bank === "f64" && events.has(slot);
    return { port: index, bank, size: portSize(port), own, slot, isEvent };
  });
  return { ports, ...packed, free: [] };
}

export interface PackedPorts {
  readonly access: Access;
  readonly sizes: Record<BankName, number>;
}

/** Ports one after the other, in banks of their own. */
export function packPorts(unit: Unit, ports: readonly number[]): PackedPorts {
  const sizes = { f64: 0, i64: 0, obj: 0 };
  const slots = ports.map((index) => {
    const port = unit.description.ports[index];
    const bank = bankOf(port.type);
    sizes[bank] += portSize(port);
    return { port: index, slot: sizes[bank] - portSize(port) };
  });
  return { access: unit.bind(slots), sizes };
}
