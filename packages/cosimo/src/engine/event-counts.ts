/**
 * How many events every connection carried: how many its source sent, how many its target received.
 * The difference was lost, and a summary that gives both numbers shows it under every master,
 * because they are counted where every master passes: around the units.
 *
 * An event is a tick of a clock, an occurrence of a transient output, or a new value of an output
 * that keeps its values between events. What a unit sends is what it says about itself
 * (`eventsSent`), else what is read of it; what it receives is what is written to it and gets
 * through its faults (`eventsReceived`). Steps that are rolled back take their counts with them.
 */
import type { Connection, PortRef, Scenario } from "../model/scenario.ts";
import { portName } from "../model/scenario-ports.ts";
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, type ObjectValue } from "../model/value-type.ts";
import { isSameValue } from "../unit/banks.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { Access, DiscreteUpdate, PortSlot, Snapshot, Unit } from "../unit/unit.ts";

export interface ConnectionEvents {
  /** `unit.port -> unit.port`. */
  readonly connection: string;
  readonly sent: number;
  readonly received: number;
  /** Sent at the time at which the run ended, too late for the target to take another step. */
  readonly atEnd: number;
}

export interface PortCounts {
  readonly total: number;
  /** Of these, at the unit's present time. */
  readonly atLast: number;
}

export interface EventCounts {
  /** To run in place of those that were given; in the same order. */
  readonly units: readonly Unit[];
  /** So far, by connection that carries events. */
  counts(): ConnectionEvents[];
  /** By port: what those need to know who move the units from here on. */
  soFar(): CountedSoFar[];
  /** As `counts`, of what was counted elsewhere: of each port, in the order of `soFar`. */
  countsFrom(ports: readonly PortCounts[]): ConnectionEvents[];
}

type BankValue = number | bigint | ObjectValue;

/** A port whose events are counted, and what was counted and seen of it. */
export interface CountedSoFar extends PortRef {
  readonly kind: EventKind;
  readonly count: number;
  /** When it had its last event, and how many there. */
  readonly time: number;
  readonly atLast: number;
  /** A pulse was counted at the present instant. */
  readonly isCounted: boolean;
  /** What was last seen of it; empty: nothing yet. */
  readonly last: readonly BankValue[];
}

/**
 * @param onlyTransient count connections of transient outputs alone: where all values are exchanged
 * in every step, no new value gets lost, and units that are not counted run as they are.
 */
export function countEvents(
  scenario: Scenario,
  units: readonly Unit[],
  onlyTransient: boolean,
): EventCounts {
  const counted = scenario.connections.filter((connection) => {
    const { from, to } = connection;
    const { nature } = scenario.units[from.unit].description.ports[from.port];
    // Faults take note of events; they are not among those that receive them.
    if (scenario.units[to.unit].description.ports[to.port].observed) return false;
    if (isCountOfTranslation(scenario, connection)) return false;
    if (nature === "transient") return true;
    return nature === "piecewise-constant" && !onlyTransient && isPassedOn(connection);
  });
  const ports = units.map(() => new Map<number, EventKind>());
  for (const { from, to, interaction } of counted) {
    const { nature } = scenario.units[from.unit].description.ports[from.port];
    const kind = nature === "transient" ? "pulse" : "value";
    ports[from.unit].set(from.port, kind);
    // What an interaction makes of an event (toggle) is a value.
    ports[to.unit].set(to.port, interaction === undefined ? kind : "value");
  }
  const wrapped = units.map((unit, u) =>
    ports[u].size === 0 ? unit : new CountedUnit(unit, ports[u]),
  );
  const countsOf = ({ unit, port }: PortRef): PortCounts => {
    const found = wrapped[unit];
    if (!(found instanceof CountedUnit)) throw new Error("internal: a unit that is not counted");
    return found.countsOf(port);
  };
  const countsBy = (of: (port: PortRef) => PortCounts): ConnectionEvents[] =>
    counted.map(({ from, to }) => {
      const { total: sent, atLast } = of(from);
      const { total: received, atLast: arrived } = of(to);
      const connection = `${portName(scenario, from)} -> ${portName(scenario, to)}`;
      const atEnd = Math.max(0, Math.min(atLast - arrived, sent - received));
      return { connection, sent, received, atEnd };
    });
  const soFar = (): CountedSoFar[] =>
    wrapped.flatMap((one, unit) =>
      one instanceof CountedUnit ? one.soFar().map((port) => ({ unit, ...port })) : [],
    );
  return {
    units: wrapped,
    counts: () => countsBy(countsOf),
    soFar,
    countsFrom(found) {
      const places = new Map(soFar().map(({ unit, port }, k) => [`${unit} ${port}`, k]));
      const none = { total: 0, atLast: 0 };
      return countsBy(({ unit, port }) => found[places.get(`${unit} ${port}`) ?? -1] ?? none);
    },
  };
}

/**
 * Continues the counts of another counter. @param unit between two steps; `ports` are its own.
 */
export function countOn(unit: Unit, ports: readonly CountedSoFar[]): CountedUnit {
  return new CountedUnit(unit, new Map(ports.map(({ port, kind }) => [port, kind])), ports);
}

/**
 * Of the two halves of a connection between a counter and events, the events are what is counted.
 */
function isCountOfTranslation({ units }: Scenario, { from, to }: Connection): boolean {
  const [source, target] = [from, to].map(({ unit }) => units[unit].source);
  return (
    (target.kind === "formula" && target.translation === "ticks") ||
    (source.kind === "formula" && source.translation === "counts")
  );
}

/**
 * Whether the target gets the values of the source alone: not what a master makes of them to keep
 * an area, or between two of them.
 */
function isPassedOn({ integral, approximation = "hold" }: Connection): boolean {
  return integral === undefined && approximation === "hold";
}

/** `a.y -> b.u: 12 sent, 11 received, 1 lost`. */
export function eventsText({ connection, sent, received, atEnd }: ConnectionEvents): string {
  const lost = sent - received - atEnd;
  return [
    `${connection}: ${sent} sent`,
    `${received} received`,
    ...(atEnd > 0 ? [`${atEnd} sent where the run ended`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
  ].join(", ");
}

/** All of them, for the metadata of a trace. */
export function eventCountsText(counts: readonly ConnectionEvents[]): string {
  return counts.map(eventsText).join("; ");
}

/** The unit itself: counts are no part of its state on disk. */
export function uncounted(unit: Unit): Unit {
  return unit instanceof CountedUnit ? unit.counted : unit;
}

/**
 * A pulse is an event wherever it is not 0, once per instant; a value where it is another than
 * before.
 */
export const EVENT_KINDS = ["pulse", "value"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface CountedPort extends PortSlot {
  readonly kind: EventKind;
  readonly direction: Port["direction"];
  readonly bank: "f64" | "i64" | "obj";
  readonly size: number;
  /** Place among the counted ports. */
  readonly place: number;
}

interface Memory {
  readonly counts: Float64Array;
  /** By port: when it had its last event, and how many there. */
  readonly times: Float64Array;
  readonly atLast: Float64Array;
  /** By port: a pulse was counted at the present instant. */
  readonly isCounted: Uint8Array;
  /** By port: what was last seen of it. */
  readonly last: BankValue[][];
}

/**
 * Machine code that drives the unit inside tells it what it did and saw
 * (`masters/program-notes.ts`), in the order of the calls that it made in its place.
 */
export class CountedUnit extends DelegatingUnit {
  private readonly kinds: ReadonlyMap<number, EventKind>;
  private readonly places: ReadonlyMap<number, number>;
  private readonly accesses = new WeakMap<Access, readonly CountedPort[]>();
  private readonly saved = new Map<Snapshot, Memory>();
  /** The newest of them, apart: masters save and release in every step. */
  private newest: { readonly snapshot: Snapshot; readonly memory: Memory } | undefined;
  private memory: Memory;
  /** It belongs to snapshots too: copy it before changing it. */
  private isShared = false;
  private isRunning = false;
  private time = Number.NaN;

  /** @param begun of a unit that runs already: what was counted of it, by port. */
  constructor(
    unit: Unit,
    kinds: ReadonlyMap<number, EventKind>,
    begun?: readonly Omit<CountedSoFar, "unit">[],
  ) {
    super(unit);
    this.splitAdvance(undefined, (stop) => this.advanced(stop));
    this.kinds = kinds;
    this.places = new Map([...kinds.keys()].map((port, place) => [port, place]));
    this.memory = {
      counts: new Float64Array(kinds.size),
      times: new Float64Array(kinds.size).fill(Number.NaN),
      atLast: new Float64Array(kinds.size),
      isCounted: new Uint8Array(kinds.size),
      last: Array.from({ length: kinds.size }, () => []),
    };
    this.isRunning = begun !== undefined;
    for (const { port, count, time, atLast, isCounted, last } of begun ?? []) {
      const place = this.places.get(port) ?? 0;
      this.memory.counts[place] = count;
      this.memory.times[place] = time;
      this.memory.atLast[place] = atLast;
      this.memory.isCounted[place] = isCounted ? 1 : 0;
      this.memory.last[place] = [...last];
    }
  }

  soFar(): Omit<CountedSoFar, "unit">[] {
    const { counts, times, atLast, isCounted, last } = this.memory;
    return [...this.kinds].map(([port, kind], place) => ({
      ...{ port, kind, count: counts[place], time: times[place], atLast: atLast[place] },
      ...{ isCounted: isCounted[place] === 1, last: last[place] },
    }));
  }

  get counted(): Unit {
    return this.unit;
  }

  countsOf(port: number): PortCounts {
    const { counts, times, atLast } = this.memory;
    const place = this.places.get(port) ?? 0;
    return {
      total: this.unit.eventsSent?.(port) ?? this.unit.eventsReceived?.(port) ?? counts[place],
      atLast: times[place] === this.time ? atLast[place] : 0,
    };
  }

  override exitInitialization(): void {
    this.unit.exitInitialization();
    this.isRunning = true;
  }

  override advance(from: number, until: Predicate): Stop {
    return this.advanced(this.unit.advance(from, until));
  }

  private advanced(stop: Stop): Stop {
    this.cameTo(stop.time);
    return stop;
  }

  /** The unit has taken a step that ended there. */
  cameTo(time: number): void {
    this.time = time;
    this.forgetPulses();
  }

  private forgetPulses(): void {
    if (this.memory.isCounted.includes(1)) this.own().isCounted.fill(0);
  }

  private own(): Memory {
    if (this.isShared) this.memory = copyOf(this.memory);
    this.isShared = false;
    return this.memory;
  }

  override enterEventMode(): void {
    this.unit.enterEventMode();
    this.forgetPulses();
  }

  override updateDiscreteStates(): DiscreteUpdate {
    const update = this.unit.updateDiscreteStates();
    this.forgetPulses();
    return update;
  }

  override bind(slots: readonly PortSlot[]): Access {
    const access = this.unit.bind(slots);
    const counted = slots.flatMap(({ port, slot }): CountedPort[] => {
      const kind = this.kinds.get(port);
      if (kind === undefined) return [];
      const described: Port = this.description.ports[port];
      const place = this.places.get(port) ?? 0;
      const [bank, size] = [bankOf(described.type), portSize(described)];
      return [{ port, slot, kind, direction: described.direction, bank, size, place }];
    });
    if (counted.length > 0) this.accesses.set(access, counted);
    return access;
  }

  override read(access: Access, banks: Banks): void {
    this.unit.read(access, banks);
    this.look(access, banks, "output");
  }

  override write(access: Access, banks: Banks): void {
    this.unit.write(access, banks);
    this.look(access, banks, "input");
  }

  private look(access: Access, banks: Banks, direction: Port["direction"]): void {
    const counted = this.accesses.get(access);
    if (counted === undefined) return;
    for (let k = 0; k < counted.length; k++)
      if (counted[k].direction === direction) this.lookAt(counted[k], banks);
  }

  /** What is counted of an access. */
  countedOf(access: Access, direction: Port["direction"]): readonly CountedPort[] {
    return this.accesses.get(access)?.filter((port) => port.direction === direction) ?? [];
  }

  /** A port was read or written, and its value is in the banks. */
  lookAt(port: CountedPort, banks: Banks): void {
    const isEvent =
      port.kind === "pulse" ? this.hasPulse(port, banks) : this.hasChanged(port, banks);
    if (isEvent && this.isRunning) this.note(port.place);
  }

  private note(place: number): void {
    const { counts, times, atLast } = this.own();
    counts[place]++;
    atLast[place] = times[place] === this.time ? atLast[place] + 1 : 1;
    times[place] = this.time;
  }

  private hasPulse({ slot, place }: CountedPort, { f64 }: Banks): boolean {
    if (f64[slot] === 0 || this.memory.isCounted[place] === 1) return false;
    this.own().isCounted[place] = 1;
    return true;
  }

  private hasChanged({ slot, place, bank, size }: CountedPort, banks: Banks): boolean {
    let last = this.memory.last[place];
    const isFirst = last.length === 0;
    let hasChanged = false;
    for (let i = 0; i < size; i++) {
      const value = banks[bank][slot + i];
      if (isSameValue(value, last[i])) continue;
      if (!hasChanged) last = this.own().last[place];
      last[i] = value;
      hasChanged = true;
    }
    return hasChanged && !isFirst;
  }

  override save(): Snapshot {
    const snapshot = this.unit.save();
    this.wasSaved(snapshot);
    return snapshot;
  }

  override restore(snapshot: Snapshot): void {
    this.unit.restore(snapshot);
    this.wasRestored(snapshot);
  }

  override release(snapshot: Snapshot): void {
    this.unit.release(snapshot);
    this.wasReleased(snapshot);
  }

  wasSaved(snapshot: Snapshot): void {
    if (this.newest !== undefined) this.saved.set(this.newest.snapshot, this.newest.memory);
    this.newest = { snapshot, memory: this.memory };
    this.isShared = true;
  }

  wasRestored(snapshot: Snapshot): void {
    this.time = snapshot.time;
    const { newest } = this;
    const memory = newest?.snapshot === snapshot ? newest.memory : this.saved.get(snapshot);
    // One that came from bytes knows nothing of counts.
    if (memory === undefined) return;
    this.memory = memory;
    this.isShared = true;
  }

  wasReleased(snapshot: Snapshot): void {
    if (this.newest?.snapshot === snapshot) this.newest = undefined;
    else this.saved.delete(snapshot);
  }
}

function copyOf({ counts, times, atLast, isCounted, last }: Memory): Memory {
  return {
    counts: counts.slice(),
    times: times.slice(),
    atLast: atLast.slice(),
    isCounted: isCounted.slice(),
    last: last.map((values) => values.slice()),
  };
}
