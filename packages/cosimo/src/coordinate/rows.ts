/**
 * Rows of a coordinated run. Units stop at times of their own, so what each showed is kept until all units are past that time; then
 * there is one row per instant, in order. A unit that did not stop at an instant shows what it had when it last did.
 */
import type { PlanState } from "../engine/signals.ts";
import type { PortRef } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { type BankName, type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { OP_WIDTH, Op } from "../plan/plan.ts";
import type { Access } from "../unit/unit.ts";

interface ShownPort {
  readonly port: number;
  readonly bank: BankName;
  readonly size: number;
  /** Where it lies in the banks of its unit, and in those of the plan. */
  readonly own: number;
  readonly slot: number;
}

interface ShownUnit {
  readonly ports: readonly ShownPort[];
  readonly access: Access;
  readonly sizes: Record<BankName, number>;
}

interface Shown {
  readonly unit: number;
  readonly time: number;
  readonly banks: Banks;
}

export class Rows {
  count = 0;
  readonly #state: PlanState;
  readonly #onRow: (time: number, banks: Banks) => void;
  readonly #units: readonly ShownUnit[];
  #pending: Shown[] = [];

  constructor(state: PlanState, onRow: (time: number, banks: Banks) => void) {
    this.#state = state;
    this.#onRow = onRow;
    this.#units = state.units.map((_, unit) => shownUnit(state, unit));
  }

  /** Ports of units that are recorded. */
  recordedPorts(): PortRef[] {
    const { columns } = this.#state.plan.record;
    return this.#units.flatMap(({ ports }, unit) =>
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
    const { start } = this.#state.plan;
    this.#units.forEach((_, unit) => {
      this.take(unit, start);
    });
    this.flush(start);
  }

  /** A unit has stopped. */
  take(unit: number, time: number): void {
    const { access, sizes } = this.#units[unit];
    const banks = makeBanks(sizes);
    this.#state.units[unit].read(access, banks);
    this.#pending.push({ unit, time, banks });
  }

  /** Rows up to `time`, which all units have reached. */
  flush(time: number): void {
    const ready = this.#pending.filter((one) => one.time <= time);
    this.#pending = this.#pending.filter((one) => one.time > time);
    // Stops of one unit are in order already, and stay so.
    ready.sort((a, b) => a.time - b.time);
    ready.forEach((one, k) => {
      this.#show(one);
      if (ready[k + 1]?.time === one.time) return;
      this.count++;
      this.#onRow(one.time, this.#state.banks);
    });
  }

  #show({ unit, banks }: Shown): void {
    const target = this.#state.banks;
    for (const { bank, size, own, slot } of this.#units[unit].ports) {
      for (let i = 0; i < size; i++) {
        if (bank === "f64") target.f64[slot + i] = banks.f64[own + i];
        else if (bank === "i64") target.i64[slot + i] = banks.i64[own + i];
        else target.obj[slot + i] = banks.obj[own + i];
      }
    }
  }
}

/** The ports of a unit that the plan reads, and those of its inputs that are recorded, packed. */
function shownUnit({ plan, units }: PlanState, unit: number): ShownUnit {
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
  const sizes = { f64: 0, i64: 0, obj: 0 };
  const own: { port: number; slot: number }[] = [];
  const ports = [...places].map(([index, slot]): ShownPort => {
    const port = units[unit].description.ports[index];
    const [bank, size] = [bankOf(port.type), portSize(port)];
    own.push({ port: index, slot: sizes[bank] });
    sizes[bank] += size;
    return { port: index, bank, size, own: sizes[bank] - size, slot };
  });
  return { ports, access: units[unit].bind(own), sizes };
}
