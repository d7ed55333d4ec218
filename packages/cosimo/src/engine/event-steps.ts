/**
 * A unit with event mode, seen as one without: its events are handled inside `advance`, index by
 * index of superdense time. So masters without event mode and coordinated runs drive it as they
 * drive a state machine.
 *
 * `advance` stops at each index that shows something which is waited for, with the unit still in
 * event mode and its output clocks ticking; the next `advance`, which may end at the same time
 * (`zeroStep`), first gives the unit what was written meanwhile and makes the discrete update of
 * that index. Writing a clock that ticks, or a discrete input that changes, puts the unit into
 * event mode where it is.
 */
import { areSameInstant } from "../base/instants.ts";
import { UnitError } from "../base/outcome.ts";
import { type Port, portSize, type UnitDescription } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { areSameBanks } from "../unit/banks.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "../unit/predicate.ts";
import {
  type Access,
  CapabilityError,
  type ClockServices,
  type DiscreteUpdate,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Unit,
} from "../unit/unit.ts";
import { ClockSchedule } from "./clock-schedule.ts";
import { MAX_EVENT_ROUNDS } from "./settle-events.ts";

type Condition = ReturnType<typeof conditionsOf>[number];

const NO_SERVICES: ClockServices = { getIntervals: () => [], setIntervals: () => undefined };
const ONE = makeBanks({ f64: 1 });
ONE.f64[0] = 1;

/**
 * A unit that runs without event mode, whether or not it has one. @param driven input clocks that
 * connections drive.
 */
export function withoutEventMode(unit: Unit, driven: ReadonlySet<number>): Unit {
  return unit.description.capabilities.eventMode ? new EventSteps(unit, driven) : unit;
}

interface SplitAccess extends Access {
  readonly values: Access;
  /** Clocks: they are read and written in event mode only. */
  readonly clocks: Access;
  /** Places of discrete inputs, which units take in event mode only. */
  readonly discrete: readonly Place[];
}

interface Place extends PortSlot {
  readonly bank: "f64" | "i64" | "obj";
  readonly size: number;
}

interface Saved extends Snapshot {
  readonly inner: Snapshot;
  readonly own: OwnState;
}

interface OwnState {
  isInEvent: boolean;
  /** Discrete updates at the present instant. */
  rounds: number;
  nextEvent: number;
  time: number;
  clocks: Float64Array;
  /** What discrete inputs were given last, by port. */
  given: ReadonlyMap<number, Banks>;
  ticked: readonly number[];
}

class EventSteps extends DelegatingUnit {
  private readonly ticks: ReadonlyMap<number, Access>;
  private readonly undriven: readonly Port[];
  private given = new Map<number, Banks>();
  private readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  /**
   * Output clocks and other outputs that carry events, and those that ticked in the last `advance`
   * without being waited for.
   */
  private readonly outputClocks: Access;
  private readonly clockBanks: Banks;
  private readonly ticked = new Set<number>();
  private schedule: ClockSchedule | undefined;
  private isInEvent = false;
  private rounds = 0;
  private nextEvent = Number.POSITIVE_INFINITY;
  private time = 0;
  /** What the watched outputs of the last `advance` were. */
  private watched:
    | { readonly key: string; readonly access: Access; readonly banks: Banks }
    | undefined;
  private last: Banks | undefined;

  constructor(unit: Unit, driven: ReadonlySet<number>) {
    super(unit, withoutEvents(unit.description));
    this.undriven = unit.description.ports.filter(
      ({ index, direction, clock }) =>
        clock !== undefined && direction === "input" && !driven.has(index),
    );
    const clocks = unit.description.ports.filter(
      (port) => isPulse(port) && port.direction === "output",
    );
    this.outputClocks = unit.bind(clocks.map(({ index: port }, slot) => ({ port, slot })));
    this.clockBanks = makeBanks({ f64: clocks.length });
    this.ticks = new Map(
      this.undriven.map(({ index }) => [index, unit.bind([{ port: index, slot: 0 }])]),
    );
  }

  override get phase(): Phase {
    return this.unit.phase === "event" ? "step" : this.unit.phase;
  }

  override enterInitialization(options: Parameters<Unit["enterInitialization"]>[0]): void {
    this.unit.enterInitialization(options);
    this.time = options.start;
  }

  /** The unit stays in its first event, whose outputs are there to be read. */
  override exitInitialization(): void {
    this.unit.exitInitialization();
    this.isInEvent = this.unit.phase === "event";
    this.rounds = 0;
    this.nextEvent = Number.POSITIVE_INFINITY;
    this.given.clear();
    if (this.undriven.length === 0) return;
    this.schedule = this.makeSchedule();
    this.schedule.begin();
    this.tick();
  }

  private makeSchedule(): ClockSchedule {
    const options = {
      services: this.unit.clocks ?? NO_SERVICES,
      intervals: new Map<number, number>(),
      triggers: new Map<number, readonly number[]>(),
    };
    return new ClockSchedule(this.undriven, options, this.time);
  }

  override advance(from: number, until: Predicate): Stop {
    if (this.phase !== "step") throw new PhaseError(this.name, "advance", this.phase, ["step"]);
    const bound = timeBound(until);
    if (from !== this.time || !(bound >= from && bound < Number.POSITIVE_INFINITY))
      throw new RangeError(
        `'${this.name}' is at t=${this.time} and cannot advance from t=${from} to t=${bound}`,
      );
    const conditions = conditionsOf(until);
    for (const { kind } of conditions)
      if (!this.description.capabilities.predicates.includes(kind))
        throw new CapabilityError(this.name, `the predicate '${kind}'`);
    this.watch(conditions);
    this.ticked.clear();
    for (;;) {
      if (this.isInEvent) {
        if (this.update()) return this.stopAt("terminated", -1);
      } else if (this.time < bound) {
        const stop = this.step(bound);
        if (stop !== undefined) return stop;
      } else return this.stopAt("time", -1);
      if (conditions.length === 0) this.noteTicks();
      const met = this.met(conditions);
      if (met !== undefined) return this.stopAt(met.kind, met.port);
    }
  }

  /** One discrete update at the present time. @returns whether the unit asks to end the run. */
  private update(): boolean {
    if (this.rounds++ === MAX_ROUNDS_AT_ONCE) throw this.endless();
    const { again, terminate, nextEventTime } = this.unit.updateDiscreteStates();
    this.nextEvent = nextEventTime ?? Number.POSITIVE_INFINITY;
    if (terminate) return true;
    if (again) return false;
    this.schedule?.askAgain(this.time);
    if (this.isTickDue()) {
      this.tick();
      return false;
    }
    this.unit.enterStepMode();
    this.isInEvent = false;
    return false;
  }

  /** To the next event or to the bound. @returns the stop where the unit did not get there. */
  private step(bound: number): Stop | undefined {
    const next = Math.min(bound, this.nextEvent, this.schedule?.next() ?? bound);
    const to = Math.max(next, this.time);
    this.rounds = 0;
    let isEvent = to === this.time;
    if (!isEvent) {
      const { reason, port, time } = this.unit.advance(this.time, { kind: "time", time: to });
      this.time = time;
      if (reason !== "time" && reason !== "event") return this.stopAt(reason, port);
      isEvent = reason === "event" || time >= this.nextEvent;
    }
    if (isEvent || this.isTickDue()) this.enter();
    return undefined;
  }

  private enter(): void {
    this.unit.enterEventMode();
    this.isInEvent = true;
    this.tick();
  }

  private isTickDue(): boolean {
    const tick = this.schedule?.next() ?? Number.POSITIVE_INFINITY;
    return tick <= this.time || areSameInstant(tick, this.time);
  }

  private tick(): void {
    if (this.schedule === undefined || !this.isTickDue()) return;
    for (const clock of this.schedule.take(this.time))
      this.unit.write(this.ticks.get(clock) as Access, ONE);
  }

  /** Where nothing is waited for, an event is seen at the end of the step in which it occurred. */
  private noteTicks(): void {
    if (!this.isInEvent || this.outputClocks.slots.length === 0) return;
    this.unit.read(this.outputClocks, this.clockBanks);
    for (const { port, slot } of this.outputClocks.slots)
      if (this.clockBanks.f64[slot] !== 0) this.ticked.add(port);
  }

  /** Remembers what the watched outputs are, where others are watched than before. */
  private watch(conditions: readonly Condition[]): void {
    const ports = [...new Set(conditions.map(({ port }) => port))].filter((port) => port >= 0);
    const key = ports.join(" ");
    if (this.watched?.key === key) return;
    const sizes = { f64: 0, i64: 0, obj: 0 };
    const slots = ports.map((port): PortSlot => {
      const described = this.description.ports[port];
      const bank = bankOf(described.type);
      sizes[bank] += portSize(described);
      return { port, slot: sizes[bank] - portSize(described) };
    });
    this.watched = { key, access: this.bind(slots), banks: makeBanks(sizes) };
    this.last = makeBanks(sizes);
    this.read(this.watched.access, this.last);
  }

  /**
   * A condition that holds at this index: a clock that ticks, an output that is another than
   * before.
   */
  private met(conditions: readonly Condition[]): Condition | undefined {
    const [watched, last] = [this.watched, this.last];
    if (watched === undefined || last === undefined || conditions.length === 0) return undefined;
    const { access, banks } = watched;
    this.read(access, banks);
    let found: Condition | undefined;
    for (const condition of conditions) {
      const place = access.slots.find(({ port }) => port === condition.port);
      if (place === undefined) continue;
      const { type } = this.description.ports[place.port];
      const bank = bankOf(type);
      const size = portSize(this.description.ports[place.port]);
      for (let i = place.slot; i < place.slot + size; i++) {
        const isMet =
          condition.kind === "event"
            ? this.isInEvent && banks.f64[i] !== 0
            : condition.kind === "updated" && !Object.is(banks[bank][i], last[bank][i]);
        if (isMet) found ??= condition;
      }
    }
    last.f64.set(banks.f64);
    last.i64.set(banks.i64);
    banks.obj.forEach((value, i) => {
      last.obj[i] = value;
    });
    return found;
  }

  private stopAt(reason: Stop["reason"], port: number): Stop {
    this.stop.reason = reason;
    this.stop.port = port;
    this.stop.time = this.time;
    return this.stop;
  }

  private endless(): UnitError {
    return new UnitError({
      unit: this.name,
      call: "updateDiscreteStates",
      status: `still not settled after ${MAX_ROUNDS_AT_ONCE} rounds at one instant: an endless cascade`,
      time: this.time,
      log: [],
    });
  }

  override enterEventMode(): void {
    throw new CapabilityError(this.name, "event mode");
  }
  override updateDiscreteStates(): DiscreteUpdate {
    throw new CapabilityError(this.name, "event mode");
  }
  override enterStepMode(): void {
    throw new CapabilityError(this.name, "event mode");
  }

  override setInputDerivatives(...given: Parameters<Unit["setInputDerivatives"]>): void {
    this.offer(this.description.capabilities.inputDerivativeOrder, "input derivatives");
    super.setInputDerivatives(...given);
  }
  override getOutputDerivatives(...asked: Parameters<Unit["getOutputDerivatives"]>): void {
    this.offer(this.description.capabilities.outputDerivativeOrder, "output derivatives");
    super.getOutputDerivatives(...asked);
  }

  /** The unit itself may be in event mode, and would speak of that. */
  private offer(order: number, capability: string): void {
    if (order === 0 && this.phase === "step") throw new CapabilityError(this.name, capability);
  }

  override bind(slots: readonly PortSlot[]): Access {
    const { ports } = this.description;
    const isClock = ({ port }: PortSlot): boolean => {
      const described = ports[port];
      return (
        described !== undefined &&
        (described.type === "clock" || (isPulse(described) && described.direction === "output"))
      );
    };
    const access: SplitAccess = {
      slots,
      values: this.unit.bind(slots.filter((slot) => !isClock(slot))),
      clocks: this.unit.bind(slots.filter(isClock)),
      discrete: slots.flatMap((slot): Place[] => {
        const port = ports[slot.port];
        if (port?.direction !== "input" || isClock(slot) || port.variability === "continuous")
          return [];
        return [{ ...slot, bank: bankOf(port.type), size: portSize(port) }];
      }),
    };
    return access;
  }

  override read(access: Access, banks: Banks): void {
    const { values, clocks } = access as SplitAccess;
    if (values.slots.length > 0 || clocks.slots.length === 0) this.unit.read(values, banks);
    if (clocks.slots.length === 0) return;
    if (this.isInEvent) this.unit.read(clocks, banks);
    else for (const { port, slot } of clocks.slots) banks.f64[slot] = this.ticked.has(port) ? 1 : 0;
  }

  override write(access: Access, banks: Banks): void {
    const { values, clocks, discrete } = access as SplitAccess;
    if (this.unit.phase === "step") {
      const ticks = clocks.slots.some(({ slot }) => banks.f64[slot] !== 0);
      // Both are evaluated: what was given is remembered.
      const changes = discrete.filter((place) => this.isNew(place, banks)).length > 0;
      if (ticks || changes) this.enter();
    }
    if (values.slots.length > 0 || clocks.slots.length === 0) this.unit.write(values, banks);
    if (clocks.slots.length > 0 && this.unit.phase === "event") this.unit.write(clocks, banks);
  }

  /** Whether the input was given something else last; it counts as given. */
  private isNew({ port, slot, bank, size }: Place, banks: Banks): boolean {
    // An event is new whenever it occurs.
    if (isPulse(this.description.ports[port])) return banks.f64[slot] !== 0;
    const given = makeBanks({ f64: 0, i64: 0, obj: 0, [bank]: size });
    for (let i = 0; i < size; i++) given[bank][i] = banks[bank][slot + i] as never;
    const before = this.given.get(port);
    this.given.set(port, given);
    return before === undefined || !areSameBanks(before, given);
  }

  override terminate(): void {
    this.unit.terminate();
    this.isInEvent = false;
  }

  override reset(): void {
    this.unit.reset();
    this.isInEvent = false;
    this.ticked.clear();
    this.watched = undefined;
    this.schedule = undefined;
  }

  override save(): Snapshot {
    const inner = this.unit.save();
    const saved: Saved = { time: inner.time, inner, own: this.own() };
    return saved;
  }

  private own(): OwnState {
    return {
      isInEvent: this.isInEvent,
      rounds: this.rounds,
      nextEvent: this.nextEvent,
      time: this.time,
      clocks: this.schedule?.save() ?? new Float64Array(0),
      given: new Map(this.given),
      ticked: [...this.ticked],
    };
  }

  override restore(snapshot: Snapshot): void {
    const { inner, own } = snapshot as Saved;
    this.unit.restore(inner);
    this.isInEvent = own.isInEvent;
    this.rounds = own.rounds;
    this.nextEvent = own.nextEvent;
    this.time = own.time;
    this.watched = undefined;
    this.given = new Map(own.given);
    this.ticked.clear();
    for (const port of own.ticked) this.ticked.add(port);
    if (own.clocks.length === 0) return;
    this.schedule ??= this.makeSchedule();
    this.schedule.restore(own.clocks);
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
    const saved: Saved = { time: inner.time, inner, own: readState(bytes) };
    return saved;
  }
}

/** Whether a port carries events: a clock, or a boolean that is true while one occurs. */
function isPulse({ type, nature }: Port): boolean {
  return type === "clock" || (type === "boolean" && nature === "transient");
}

function writeState(bytes: ByteWriter, own: OwnState): void {
  bytes.u8(own.isInEvent ? 1 : 0);
  bytes.f64(own.rounds);
  bytes.f64(own.nextEvent);
  bytes.f64(own.time);
  bytes.u32(own.clocks.length);
  bytes.f64s(own.clocks);
  bytes.u32(own.given.size);
  for (const [port, banks] of own.given) {
    bytes.u32(port);
    bytes.banks(banks);
  }
  bytes.u32(own.ticked.length);
  for (const port of own.ticked) bytes.u32(port);
}

function readState(bytes: ByteReader): OwnState {
  const isInEvent = bytes.u8() === 1;
  const [rounds, nextEvent, time] = [bytes.f64(), bytes.f64(), bytes.f64()];
  const clocks = Float64Array.from({ length: bytes.u32() }, () => bytes.f64());
  const given = new Map<number, Banks>();
  for (let left = bytes.u32(); left > 0; left--) {
    const port = bytes.u32();
    given.set(port, bytes.banks());
  }
  const ticked = Array.from({ length: bytes.u32() }, () => bytes.u32());
  return { isInEvent, rounds, nextEvent, time, clocks, given, ticked };
}

/**
 * A model may send many values at one instant, one per round: more than these are a cascade without
 * an end.
 */
const MAX_ROUNDS_AT_ONCE = 100 * MAX_EVENT_ROUNDS;

function withoutEvents(description: UnitDescription): UnitDescription {
  const { capabilities } = description;
  const predicates = new Set([...capabilities.predicates, "event", "updated"] as const);
  return {
    ...description,
    capabilities: {
      ...capabilities,
      eventMode: false,
      zeroStep: true,
      // Its own predicates are not passed on: `advance` goes from event to event.
      predicates: [...predicates].filter((kind) => kind === "event" || kind === "updated"),
    },
  };
}
