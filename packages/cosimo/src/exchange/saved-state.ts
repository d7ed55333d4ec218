/**
 * Snapshots of an integrating unit: the state of its model, as the model saves it, and what the
 * integrator knows. A model that cannot save its state is saved from outside where nothing but
 * time, states, inputs and parameters decides what follows; an event in between, whose effects
 * cannot be undone like that, is noticed and refused.
 */
import { UnitError } from "../base/outcome.ts";
import { portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { copyBanks } from "../unit/banks.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import {
  type Access,
  CapabilityError,
  type Phase,
  PhaseError,
  type Snapshot,
} from "../unit/unit.ts";
import { isDiscreteInput } from "./discrete-writes.ts";
import type { EventOde } from "./event-ode.ts";

/** What a unit knows besides the state of its model, as numbers. */
export interface OwnMemory {
  readonly memorySize: number;
  /** Events so far. */
  readonly eventCount: number;
  remember(into: Float64Array): void;
  recall(from: Float64Array): void;
}

interface Saved extends Snapshot {
  readonly memory: Float64Array;
  readonly phase: Phase;
  /** Of models that save their state. */
  readonly inner?: Snapshot;
  /** Of the others. */
  readonly states?: Float64Array;
  readonly values?: Banks;
}

const MARK = 0x31454d43;
const PHASES: readonly Phase[] = ["step", "event"];
/** Where the number of events is in the memory. */
const EVENTS = 3;
const MOST_UPDATES = 1000;

export class SavedStates {
  private readonly model: EventOde;
  private readonly own: OwnMemory;
  private readonly live = new Set<Saved>();
  private readonly access: Access;
  private readonly discrete: Access;
  private readonly sizes: { readonly f64: number; readonly i64: number; readonly obj: number };

  constructor(model: EventOde, own: OwnMemory) {
    this.model = model;
    this.own = own;
    const sizes = { f64: 0, i64: 0, obj: 0 };
    const settable = model.description.ports
      .filter((port) => port.type !== "clock")
      .filter((port) => port.direction === "input" || isDiscreteInput(port))
      .map((port) => {
        const bank = bankOf(port.type);
        const slot = sizes[bank];
        sizes[bank] += portSize(port);
        return { port, slot };
      });
    const bind = (all: typeof settable): Access =>
      model.bind(all.map(({ port, slot }) => ({ port: port.index, slot })));
    this.access = bind(settable);
    this.discrete = bind(settable.filter(({ port }) => isDiscreteInput(port)));
    this.sizes = sizes;
  }

  /** Whether the model must expect to be set back. */
  get isUsed(): boolean {
    return this.live.size > 0;
  }

  forget(): void {
    this.live.clear();
  }

  save(time: number): Snapshot {
    const { model } = this;
    const { phase } = model;
    this.offer("save");
    const memory = new Float64Array(this.own.memorySize);
    this.own.remember(memory);
    if (model.description.capabilities.rollback)
      return this.keep({ time, memory, phase, inner: model.save() });
    if (!PHASES.includes(phase)) throw new PhaseError(model.name, "save", phase, PHASES);
    const states = new Float64Array(model.structure.states);
    model.getStates(states);
    const values = makeBanks(this.sizes);
    model.read(this.access, values);
    return this.keep({ time, memory, phase, states, values });
  }

  restore(snapshot: Snapshot): void {
    const saved = this.owned("restore", snapshot);
    if (saved.inner !== undefined) this.model.restore(saved.inner);
    else this.restoreFromOutside(saved);
    this.own.recall(saved.memory);
  }

  private restoreFromOutside({ time, memory, phase, states, values }: Saved): void {
    const { model, own } = this;
    if (memory[EVENTS] !== own.eventCount)
      throw new UnitError({
        unit: model.name,
        call: "restore",
        status: "an event happened since the snapshot, and its FMU cannot save its state",
        time,
        log: [
          "use a master that does not roll back ('jacobi', 'gauss-seidel'), or an FMU that can get and set its state",
        ],
      });
    if (!PHASES.includes(model.phase))
      throw new PhaseError(model.name, "restore", model.phase, PHASES);
    if (this.discrete.slots.length > 0) {
      if (model.phase === "step") model.enterEventMode();
      model.write(this.discrete, values!);
      for (let round = 0; round < MOST_UPDATES && model.updateDiscreteStates().again; round++);
    }
    if (model.phase === "event") model.enterStepMode();
    model.setTime(time);
    this.writeContinuous(values!);
    if (states!.length > 0) model.setStates(states!);
    if (phase === "event") model.enterEventMode();
  }

  private continuous: Access | undefined;

  private writeContinuous(values: Banks): void {
    if (this.continuous === undefined) {
      const discrete = new Set(this.discrete.slots.map(({ port }) => port));
      this.continuous = this.model.bind(
        this.access.slots.filter(({ port }) => !discrete.has(port)),
      );
    }
    if (this.continuous.slots.length > 0) this.model.write(this.continuous, values);
  }

  release(snapshot: Snapshot): void {
    const saved = this.owned("release", snapshot);
    this.live.delete(saved);
    if (saved.inner !== undefined) this.model.release(saved.inner);
  }

  serialize(snapshot: Snapshot): Uint8Array {
    const { inner, memory, phase, states, values, time } = this.owned("serialize", snapshot);
    const bytes = new ByteWriter();
    bytes.u32(MARK);
    bytes.u8(inner === undefined ? PHASES.indexOf(phase) : PHASES.length);
    bytes.banks({ ...makeBanks({}), f64: Float64Array.of(time, ...memory, ...(states ?? [])) });
    bytes.banks(values ?? makeBanks({}));
    const own = bytes.take();
    if (inner === undefined) return own;
    const state = this.model.serialize(inner);
    const all = new Uint8Array(4 + own.length + state.length);
    new DataView(all.buffer).setUint32(0, own.length, true);
    all.set(own, 4);
    all.set(state, 4 + own.length);
    return all;
  }

  deserialize(bytes: Uint8Array): Snapshot {
    this.offer("deserialize");
    const { model } = this;
    const hasInner = model.description.capabilities.rollback;
    const refuse = (): never => {
      throw new Error(`'${model.name}': these bytes are not a snapshot of it`);
    };
    if (bytes.length < 8) refuse();
    const length = hasInner
      ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
      : bytes.length;
    const from = hasInner ? 4 : 0;
    try {
      const reader = new ByteReader(bytes.subarray(from, from + length));
      if (reader.u32() !== MARK) refuse();
      const phase = PHASES[reader.u8()] ?? "step";
      const { f64 } = reader.banks();
      const values = reader.banks();
      const size = this.own.memorySize;
      if (f64.length !== 1 + size + (hasInner ? 0 : model.structure.states)) refuse();
      const [time] = f64;
      const memory = f64.slice(1, 1 + size);
      if (!hasInner)
        return this.keep({
          time,
          memory,
          phase,
          states: f64.slice(1 + size),
          values: copyBanks(values),
        });
      const inner = model.deserialize(bytes.subarray(from + length));
      return this.keep({ time, memory, phase, inner });
    } catch (error) {
      if (error instanceof RangeError) return refuse();
      throw error;
    }
  }

  private keep(saved: Saved): Snapshot {
    this.live.add(saved);
    return saved;
  }

  private owned(call: string, snapshot: Snapshot): Saved {
    this.offer(call);
    const saved = snapshot as Saved;
    if (!this.live.has(saved))
      throw new Error(`'${this.model.name}': the snapshot was released or belongs to another unit`);
    return saved;
  }

  private offer(call: string): void {
    const { phase, description, structure, name } = this.model;
    if (phase === "disposed") throw new PhaseError(name, call, phase, ["step", "event"]);
    if (!description.capabilities.rollback && !structure.isContinuous)
      throw new CapabilityError(name, "rollback");
    if (
      (call === "serialize" || call === "deserialize") &&
      description.capabilities.rollback &&
      !description.capabilities.serialize
    )
      throw new CapabilityError(name, "serialization of its state");
  }
}
