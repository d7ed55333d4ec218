/**
 * A model whose parts compute when clocks activate them (FMI 3.0 Scheduled Execution) as a unit
 * with event mode. Time passes without it; a clock that ticks in event mode lets its partition
 * wait, and every discrete update activates the most urgent one that waits: smallest priority
 * first, then as described. What was written to an input is handed over right before a partition
 * that it belongs to is activated, because such models refuse to be read between a value that they
 * got and the computation that uses it.
 *
 * An output clock ticks for the index of superdense time that follows the activation in which it
 * did.
 */

import { UnitError } from "../base/outcome.ts";
import { type Port, portSize, type UnitDescription } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { copyBanks } from "./banks.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { DelegatingUnit } from "./delegating-unit.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "./predicate.ts";
import {
  type Access,
  CapabilityError,
  type ClockServices,
  type DiscreteUpdate,
  type InitializationOptions,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Unit,
} from "./unit.ts";

/** What a model says about its clocks while a partition is computed; ports by index. */
export interface ClockNews {
  /** Output clocks that ticked. */
  readonly ticks: readonly number[];
  /** Input clocks that are to tick after so many seconds. */
  readonly countdowns: ReadonlyMap<number, number>;
}

/**
 * The model: a unit without event mode, whose partitions are activated while it is in phase `step`.
 */
export interface PartitionedUnit extends Unit {
  readonly clocks: ClockServices;
  activatePartition(clock: number, time: number): void;
  /** What it said since it was last asked. */
  takeNews(): ClockNews;
}

interface SplitAccess extends Access {
  readonly values: Access;
  readonly plain: readonly PortSlot[];
  readonly clocks: readonly PortSlot[];
}

interface OwnState {
  time: number;
  isInEvent: boolean;
  /** Input clocks whose partitions wait. */
  waiting: number[];
  /** Output clocks that tick now. */
  ticking: number[];
  /** Clocks to their intervals that nobody has asked for yet. */
  countdowns: Map<number, number>;
  /** Clocks to the time of their last activation. */
  activated: Map<number, number>;
  /** Inputs to what was written and not yet handed over. */
  written: Map<number, Banks>;
}

interface Saved extends Snapshot {
  readonly inner: Snapshot;
  readonly own: OwnState;
}

const READABLE: readonly Phase[] = ["initialization", "step", "event", "terminated"];
const NOTHING_NEXT: Omit<DiscreteUpdate, "again"> = {
  terminate: false,
  nominalsChanged: false,
  statesChanged: false,
  nextEventTime: undefined,
};

export class ScheduledUnit extends DelegatingUnit {
  override readonly clocks: ClockServices;
  protected override readonly unit: PartitionedUnit;
  private readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  /** By port: how it is handed over, from the first slots of banks of its own. */
  private readonly handing = new Map<number, Access>();
  private own: OwnState = newState(0);

  /** @param description with event mode, and priorities of the clocks. */
  constructor(unit: PartitionedUnit, description: UnitDescription) {
    super(unit, description);
    this.unit = unit;
    this.clocks = {
      getIntervals: (clocks) => clocks.map((clock) => this.intervalOf(clock)),
      setIntervals: (clocks, seconds) => unit.clocks.setIntervals(clocks, seconds),
    };
  }

  private intervalOf(clock: number): { seconds: number; qualifier: string } {
    if (this.description.ports[clock]?.clock?.interval !== "countdown")
      return this.unit.clocks.getIntervals([clock])[0];
    const { countdowns } = this.own;
    const seconds = countdowns.get(clock);
    countdowns.delete(clock);
    return seconds === undefined
      ? { seconds: 0, qualifier: "not-yet-known" }
      : { seconds, qualifier: "changed" };
  }

  override get phase(): Phase {
    const { phase } = this.unit;
    return phase === "step" && this.own.isInEvent ? "event" : phase;
  }

  override enterInitialization(options: InitializationOptions): void {
    this.unit.enterInitialization(options);
    this.own = newState(options.start);
  }

  override exitInitialization(): void {
    this.unit.exitInitialization();
    this.own.isInEvent = true;
    this.listen();
  }

  override advance(from: number, until: Predicate): Stop {
    this.require("advance", ["step"]);
    const [condition] = conditionsOf(until);
    if (condition !== undefined)
      throw new CapabilityError(this.name, `the predicate '${condition.kind}'`);
    const { own, stop } = this;
    const to = timeBound(until);
    if (from !== own.time || !(to > from && to < Number.POSITIVE_INFINITY))
      throw new RangeError(
        `'${this.name}' is at t=${own.time} and cannot advance from t=${from} until t=${to}`,
      );
    own.time = to;
    stop.time = to;
    return stop;
  }

  override enterEventMode(): void {
    this.require("enterEventMode", ["step"]);
    this.own.isInEvent = true;
  }

  override updateDiscreteStates(): DiscreteUpdate {
    this.require("updateDiscreteStates", ["event"]);
    const { own } = this;
    own.ticking = [];
    const clock = this.mostUrgent();
    if (clock !== undefined) this.activate(clock);
    return { ...NOTHING_NEXT, again: own.waiting.length > 0 || own.ticking.length > 0 };
  }

  private mostUrgent(): number | undefined {
    const { ports } = this.description;
    const priorityOf = (clock: number): number => ports[clock]?.clock?.priority ?? 0;
    let found: number | undefined;
    for (const clock of this.own.waiting) {
      const lead = found === undefined ? -1 : priorityOf(clock) - priorityOf(found);
      if (found === undefined || lead < 0 || (lead === 0 && clock < found)) found = clock;
    }
    return found;
  }

  private activate(clock: number): void {
    const { own } = this;
    own.waiting = own.waiting.filter((other) => other !== clock);
    if (own.activated.get(clock) === own.time) throw this.twice(clock);
    this.handOver(clock);
    own.activated.set(clock, own.time);
    this.unit.activatePartition(clock, own.time);
    this.listen();
  }

  /** The model may be activated once at an instant; an event is not lost in silence. */
  private twice(clock: number): UnitError {
    const { name = "" } = this.description.ports[clock] ?? {};
    const status = `clock '${name}' ticks again at the instant of its last tick, and a partition is activated once at an instant; let time pass between the two, or drive them with clocks of their own`;
    const { time } = this.own;
    return new UnitError({
      unit: this.name,
      call: "activate",
      status,
      problem: status,
      time,
      log: [],
    });
  }

  /** What the partition is to see: its own inputs, and those that belong to no input clock. */
  private handOver(clock: number): void {
    const { ports } = this.description;
    for (const [port, banks] of this.own.written) {
      const clocks = ports[port]?.clocks?.filter((c) => ports[c]?.direction === "input") ?? [];
      if (clocks.length > 0 && !clocks.includes(clock)) continue;
      this.own.written.delete(port);
      this.unit.write(this.handingOf(port), banks);
    }
  }

  private handingOf(port: number): Access {
    let access = this.handing.get(port);
    if (access === undefined) {
      access = this.unit.bind([{ port, slot: 0 }]);
      this.handing.set(port, access);
    }
    return access;
  }

  private listen(): void {
    const { ticks, countdowns } = this.unit.takeNews();
    this.own.ticking.push(...ticks);
    for (const [clock, seconds] of countdowns) this.own.countdowns.set(clock, seconds);
  }

  override enterStepMode(): void {
    this.require("enterStepMode", ["event"]);
    this.own.isInEvent = false;
    this.own.ticking = [];
  }

  override terminate(): void {
    this.require("terminate", ["step", "event"]);
    this.unit.terminate();
  }

  override reset(): void {
    this.unit.reset();
    this.own = newState(0);
  }

  override bind(slots: readonly PortSlot[]): Access {
    const isClock = ({ port }: PortSlot): boolean => this.description.ports[port]?.type === "clock";
    const plain = slots.filter((slot) => !isClock(slot));
    const access: SplitAccess = {
      slots,
      values: this.unit.bind(plain),
      plain,
      clocks: slots.filter(isClock),
    };
    return access;
  }

  override read(access: Access, banks: Banks): void {
    const { values, plain, clocks } = access as SplitAccess;
    const { waiting, ticking, written } = this.own;
    if (plain.length > 0 || clocks.length === 0) this.unit.read(values, banks);
    else this.require("read", READABLE);
    for (const { port, slot } of clocks)
      banks.f64[slot] = waiting.includes(port) || ticking.includes(port) ? 1 : 0;
    if (written.size === 0) return;
    for (const { port, slot } of plain) {
      const given = written.get(port);
      if (given !== undefined) copyPort(this.portAt(port), given, 0, banks, slot);
    }
  }

  override write(access: Access, banks: Banks): void {
    const { values, plain, clocks } = access as SplitAccess;
    const { phase } = this;
    if (phase !== "step" && phase !== "event") {
      if (plain.length > 0 || clocks.length === 0) this.unit.write(values, banks);
      if (clocks.length > 0) this.refuse(clocks[0].port, "clocks tick in event mode only");
      return;
    }
    for (const { port } of access.slots) this.requireWritable(this.portAt(port), phase);
    for (const { port, slot } of plain) {
      const described = this.portAt(port);
      const given = makeBanks({ [bankOf(described.type)]: portSize(described) });
      copyPort(described, banks, slot, given, 0);
      this.own.written.set(port, given);
    }
    for (const { port, slot } of clocks) this.wait(port, banks.f64[slot] !== 0);
  }

  private wait(clock: number, ticks: boolean): void {
    const { own } = this;
    if (ticks && !own.waiting.includes(clock)) own.waiting.push(clock);
  }

  private portAt(index: number): Port {
    return this.description.ports[index];
  }

  private requireWritable({ index, direction, type, variability }: Port, phase: Phase): void {
    if (direction === "input") {
      if (type === "clock" && phase !== "event")
        this.refuse(index, "clocks tick in event mode only");
    } else if (direction !== "parameter") this.refuse(index, "it is not an input");
    else if (variability !== "tunable")
      this.refuse(
        index,
        "it is fixed after initialization; only tunable parameters change during a run",
      );
  }

  private refuse(port: number, why: string): never {
    const { name } = this.portAt(port);
    throw new Error(`'${this.name}': '${name}' cannot be written in phase '${this.phase}': ${why}`);
  }

  override save(): Snapshot {
    const inner = this.unit.save();
    const saved: Saved = { time: this.own.time, inner, own: copyState(this.own) };
    return saved;
  }

  override restore(snapshot: Snapshot): void {
    const { inner, own } = snapshot as Saved;
    this.unit.restore(inner);
    this.own = copyState(own);
  }

  override release(snapshot: Snapshot): void {
    this.unit.release((snapshot as Saved).inner);
  }

  override serialize(snapshot: Snapshot): Uint8Array {
    const { inner, own } = snapshot as Saved;
    const bytes = new ByteWriter();
    bytes.bytes(this.unit.serialize(inner));
    writeState(bytes, own);
    return bytes.take();
  }

  override deserialize(given: Uint8Array): Snapshot {
    const bytes = new ByteReader(given);
    const inner = this.unit.deserialize(bytes.bytes());
    const own = readState(bytes);
    const saved: Saved = { time: own.time, inner, own };
    return saved;
  }

  override setInputDerivatives(): void {
    this.require("setInputDerivatives", ["step"]);
    throw new CapabilityError(this.name, "input derivatives");
  }

  override getOutputDerivatives(): void {
    this.require("getOutputDerivatives", ["step"]);
    throw new CapabilityError(this.name, "output derivatives");
  }

  private require(call: string, allowed: readonly Phase[]): void {
    if (!allowed.includes(this.phase)) throw new PhaseError(this.name, call, this.phase, allowed);
  }
}

function newState(time: number): OwnState {
  return {
    time,
    isInEvent: false,
    waiting: [],
    ticking: [],
    countdowns: new Map(),
    activated: new Map(),
    written: new Map(),
  };
}

function copyState(own: OwnState): OwnState {
  return {
    ...own,
    waiting: [...own.waiting],
    ticking: [...own.ticking],
    countdowns: new Map(own.countdowns),
    activated: new Map(own.activated),
    written: new Map([...own.written].map(([port, banks]) => [port, copyBanks(banks)])),
  };
}

function copyPort(port: Port, from: Banks, at: number, to: Banks, slot: number): void {
  const bank = bankOf(port.type);
  for (let i = 0; i < portSize(port); i++) to[bank][slot + i] = from[bank][at + i] as never;
}

function writeState(bytes: ByteWriter, own: OwnState): void {
  bytes.f64(own.time);
  bytes.u8(own.isInEvent ? 1 : 0);
  for (const clocks of [own.waiting, own.ticking]) {
    bytes.u32(clocks.length);
    for (const clock of clocks) bytes.u32(clock);
  }
  for (const times of [own.countdowns, own.activated]) {
    bytes.u32(times.size);
    for (const [clock, time] of times) {
      bytes.u32(clock);
      bytes.f64(time);
    }
  }
  bytes.u32(own.written.size);
  for (const [port, banks] of own.written) {
    bytes.u32(port);
    bytes.banks(banks);
  }
}

function readState(bytes: ByteReader): OwnState {
  const time = bytes.f64();
  const isInEvent = bytes.u8() === 1;
  const clocks = (): number[] => Array.from({ length: bytes.u32() }, () => bytes.u32());
  const times = (): Map<number, number> =>
    new Map(Array.from({ length: bytes.u32() }, () => [bytes.u32(), bytes.f64()] as const));
  const [waiting, ticking, countdowns, activated] = [clocks(), clocks(), times(), times()];
  const written = new Map(
    Array.from({ length: bytes.u32() }, () => [bytes.u32(), bytes.banks()] as const),
  );
  return { time, isInEvent, waiting, ticking, countdowns, activated, written };
}
