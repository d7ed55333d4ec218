/**
 * How many events every connection carried: how many its source sent, how many its target received. The difference was lost, and a summary
 * that gives both numbers shows it under every master, because they are counted where every master passes: around the units.
 *
 * An event is a tick of a clock, an occurrence of a transient output, or a new value of an output that keeps its values between events. What a unit
 * sends is what it says about itself (`eventsSent`), else what is read of it; what it receives is what is written to it. Steps that are rolled
 * back take their counts with them.
 */
import type { PortRef, Scenario } from "../model/scenario.ts";
import { portName } from "../model/scenario-ports.ts";
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf } from "../model/value-type.ts";
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

interface PortCounts {
  readonly total: number;
  /** Of these, at the unit's present time. */
  readonly atLast: number;
}

export interface EventCounts {
  /** To run in place of those that were given; in the same order. */
  readonly units: readonly Unit[];
  /** So far, by connection that carries events. */
  counts(): ConnectionEvents[];
}

/**
 * @param onlyTransient count connections of transient outputs alone: where all values are exchanged in every step, no new value gets lost,
 * and units that are not counted run as they are.
 */
export function countEvents(
  scenario: Scenario,
  units: readonly Unit[],
  onlyTransient: boolean,
): EventCounts {
  const counted = scenario.connections.filter(({ from }) => {
    const { nature } = scenario.units[from.unit].description.ports[from.port];
    return nature === "transient" || (nature === "piecewise-constant" && !onlyTransient);
  });
  const ports = units.map(() => new Map<number, Kind>());
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
  return {
    units: wrapped,
    counts: () =>
      counted.map(({ from, to }) => {
        const { total: sent, atLast } = countsOf(from);
        const { total: received, atLast: arrived } = countsOf(to);
        const connection = `${portName(scenario, from)} -> ${portName(scenario, to)}`;
        const atEnd = Math.max(0, Math.min(atLast - arrived, sent - received));
        return { connection, sent, received, atEnd };
      }),
  };
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

/** A pulse is an event wherever it is not 0, once per instant; a value where it is another than before. */
type Kind = "pulse" | "value";

interface CountedPort extends PortSlot {
  readonly kind: Kind;
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
  readonly last: unknown[][];
}

class CountedUnit extends DelegatingUnit {
  readonly #kinds: ReadonlyMap<number, Kind>;
  readonly #places: ReadonlyMap<number, number>;
  readonly #accesses = new WeakMap<Access, readonly CountedPort[]>();
  readonly #saved = new Map<Snapshot, Memory>();
  #memory: Memory;
  #isRunning = false;
  #time = Number.NaN;

  constructor(unit: Unit, kinds: ReadonlyMap<number, Kind>) {
    super(unit);
    this.#kinds = kinds;
    this.#places = new Map([...kinds.keys()].map((port, place) => [port, place]));
    this.#memory = {
      counts: new Float64Array(kinds.size),
      times: new Float64Array(kinds.size).fill(Number.NaN),
      atLast: new Float64Array(kinds.size),
      isCounted: new Uint8Array(kinds.size),
      last: Array.from({ length: kinds.size }, () => []),
    };
  }

  get counted(): Unit {
    return this.unit;
  }

  countsOf(port: number): PortCounts {
    const { counts, times, atLast } = this.#memory;
    const place = this.#places.get(port) ?? 0;
    return {
      total: this.unit.eventsSent?.(port) ?? counts[place],
      atLast: times[place] === this.#time ? atLast[place] : 0,
    };
  }

  override exitInitialization(): void {
    this.unit.exitInitialization();
    this.#isRunning = true;
  }

  override advance(from: number, until: Predicate): Stop {
    const stop = this.unit.advance(from, until);
    this.#time = stop.time;
    this.#memory.isCounted.fill(0);
    return stop;
  }

  override enterEventMode(): void {
    this.unit.enterEventMode();
    this.#memory.isCounted.fill(0);
  }

  override updateDiscreteStates(): DiscreteUpdate {
    const update = this.unit.updateDiscreteStates();
    this.#memory.isCounted.fill(0);
    return update;
  }

  override bind(slots: readonly PortSlot[]): Access {
    const access = this.unit.bind(slots);
    const counted = slots.flatMap(({ port, slot }): CountedPort[] => {
      const kind = this.#kinds.get(port);
      if (kind === undefined) return [];
      const described: Port = this.description.ports[port];
      const place = this.#places.get(port) ?? 0;
      const [bank, size] = [bankOf(described.type), portSize(described)];
      return [{ port, slot, kind, direction: described.direction, bank, size, place }];
    });
    if (counted.length > 0) this.#accesses.set(access, counted);
    return access;
  }

  override read(access: Access, banks: Banks): void {
    this.unit.read(access, banks);
    this.#look(access, banks, "output");
  }

  override write(access: Access, banks: Banks): void {
    this.unit.write(access, banks);
    this.#look(access, banks, "input");
  }

  #look(access: Access, banks: Banks, direction: Port["direction"]): void {
    const counted = this.#accesses.get(access);
    if (counted === undefined) return;
    for (let k = 0; k < counted.length; k++) {
      const port = counted[k];
      if (port.direction !== direction) continue;
      const isEvent =
        port.kind === "pulse" ? this.#hasPulse(port, banks) : this.#hasChanged(port, banks);
      if (isEvent && this.#isRunning) this.#note(port.place);
    }
  }

  #note(place: number): void {
    const { counts, times, atLast } = this.#memory;
    counts[place]++;
    atLast[place] = times[place] === this.#time ? atLast[place] + 1 : 1;
    times[place] = this.#time;
  }

  #hasPulse({ slot, place }: CountedPort, { f64 }: Banks): boolean {
    const { isCounted } = this.#memory;
    if (f64[slot] === 0 || isCounted[place] === 1) return false;
    isCounted[place] = 1;
    return true;
  }

  #hasChanged({ slot, place, bank, size }: CountedPort, banks: Banks): boolean {
    const last = this.#memory.last[place];
    const isFirst = last.length === 0;
    let hasChanged = false;
    for (let i = 0; i < size; i++) {
      const value = banks[bank][slot + i];
      if (Object.is(value, last[i])) continue;
      last[i] = value;
      hasChanged = true;
    }
    return hasChanged && !isFirst;
  }

  override save(): Snapshot {
    const snapshot = this.unit.save();
    this.#saved.set(snapshot, copyOf(this.#memory));
    return snapshot;
  }

  override restore(snapshot: Snapshot): void {
    this.unit.restore(snapshot);
    this.#time = snapshot.time;
    const memory = this.#saved.get(snapshot);
    // One that came from bytes knows nothing of counts.
    if (memory !== undefined) this.#memory = copyOf(memory);
  }

  override release(snapshot: Snapshot): void {
    this.unit.release(snapshot);
    this.#saved.delete(snapshot);
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
