/**
 * Values on their way through the connectors of a peer: what its sources show, whether that is
 * something new, what its targets make of what arrives. Times and decisions are those of
 * participants and cycles.
 */
import type { PortRef } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks, type ValueType } from "../model/value-type.ts";
import { triggerPort } from "../plan/triggers.ts";
import { areSameBanks } from "../unit/banks.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Access, Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";
import type { Transfer } from "./transfer.ts";

export interface Exchange {
  readonly connector: number;
  readonly time: number;
  /** The first element, as a number: what a log shows. */
  readonly value: number;
}

interface PortAccess {
  readonly unit: number;
  readonly type: ValueType;
  readonly access: Access;
  readonly sizes: Record<"f64" | "i64" | "obj", number>;
}

/** What a peer knows of a connector: of its ends, what belongs to the peer. */
interface Line {
  readonly connector: Connector;
  readonly source: PortAccess | undefined;
  /** The port that says when it is time; the source, where no other one does. */
  readonly signal: PortAccess | undefined;
  readonly target: Target | undefined;
  /** What the signal was when it was last sent: an update is a change of it. */
  sent: Banks | undefined;
  /** Whether the signal of a threshold is beyond it. */
  isBeyond: boolean;
}

interface Target extends PortAccess {
  /** What the port has. */
  readonly received: Banks;
  readonly isForEvents: boolean;
  /** An event for an input that keeps its value, such as a boolean of an FMU. */
  readonly isPulse: boolean;
}

export class Lines {
  /**
   * Events that met an earlier one of the same instant on an input that keeps its value, by
   * connector: the unit saw one.
   */
  readonly merged: Map<number, number> = new Map();
  /**
   * Connectors whose target takes one event at a time, as state machines do; clocks may tick
   * together.
   */
  readonly singles: ReadonlySet<number>;
  private readonly units: readonly Unit[];
  private readonly transfers: readonly Transfer[];
  private readonly onExchange: ((exchange: Exchange) => void) | undefined;
  private readonly lines: readonly Line[];
  /** Connectors whose event holds a lasting input of a unit until the unit has moved, by unit. */
  private readonly pulses: Map<number, number[]>;

  /** @param units by number; only members are looked at. */
  constructor(
    units: readonly Unit[],
    members: readonly number[],
    connectors: readonly Connector[],
    transfers: readonly Transfer[],
    onExchange?: (exchange: Exchange) => void,
  ) {
    this.units = units;
    this.transfers = transfers;
    this.onExchange = onExchange;
    const access = (port: PortRef): PortAccess | undefined =>
      members.includes(port.unit) ? accessTo(units, port) : undefined;
    this.lines = connectors.map((connector): Line => {
      const { from, to, trigger } = connector;
      const port = trigger.kind === "threshold" ? trigger.port : triggerPort(connector, trigger);
      const signal = access(port ?? from);
      const target = access(to);
      return {
        connector,
        source: access(from),
        signal,
        target: target && this.targetOf(connector, target),
        sent: signal && this.readPort(signal),
        isBeyond: false,
      };
    });
    const isSingle = ({ target }: Line): boolean =>
      target?.isForEvents === true && target.type !== "clock";
    this.singles = new Set([...connectors.keys()].filter((c) => isSingle(this.lines[c])));
    this.pulses = new Map(members.map((unit) => [unit, []]));
  }

  private targetOf({ to, trigger, interaction }: Connector, access: PortAccess): Target {
    const { nature } = this.units[to.unit].description.ports[to.port];
    const isForEvents = nature === "transient";
    const isOwn = trigger.kind === "event" && trigger.port === undefined;
    const isPulse = isOwn && interaction === undefined && !isForEvents;
    return { ...access, received: this.readPort(access), isForEvents, isPulse };
  }

  /**
   * All units are at the start. Events are delivered one by one, so what initialization left at
   * their targets is removed.
   */
  begin(): void {
    this.lines.forEach(({ signal, target }, c) => {
      if (signal !== undefined) this.notices(c);
      if (target?.isForEvents !== true) return;
      const { received } = target;
      if (received.f64.every((value) => value === 0)) return;
      received.f64.fill(0);
      this.units[target.unit].write(target.access, received);
    });
  }

  /** The value that is sent now. */
  take(connector: number): Banks {
    return this.readPort(own(this.lines[connector].source));
  }

  /**
   * Whether a connector has something to exchange: its event occurs, its output is not what was
   * sent last, its level was crossed.
   */
  notices(connector: number): boolean {
    const line = this.lines[connector];
    const { trigger } = line.connector;
    const signal = this.readPort(own(line.signal));
    const { f64 } = signal;
    if (trigger.kind === "event") return f64.some((element) => element !== 0);
    if (trigger.kind !== "threshold") {
      if (areSameBanks(signal, own(line.sent))) return false;
      line.sent = signal;
      return true;
    }
    const value = f64[trigger.port.element];
    const wasBeyond = line.isBeyond;
    line.isBeyond =
      trigger.direction === "rising" ? value >= trigger.level : value <= trigger.level;
    return line.isBeyond && !wasBeyond;
  }

  /** A value reaches its target. */
  deliver(connector: number, value: Banks, time: number): void {
    const { unit, access, received, isPulse } = own(this.lines[connector].target);
    this.transfers[connector](value, received);
    this.units[unit].write(access, received);
    if (isPulse) {
      const pulses = this.pulsesOf(unit);
      if (pulses.includes(connector))
        this.merged.set(connector, (this.merged.get(connector) ?? 0) + 1);
      else pulses.push(connector);
    }
    this.onExchange?.({ connector, time, value: received.f64[0] });
  }

  /** The unit has seen its events. */
  endPulses(unit: number): void {
    const pulses = this.pulsesOf(unit);
    for (const connector of pulses) {
      const { access, received } = own(this.lines[connector].target);
      received.f64.fill(0);
      this.units[unit].write(access, received);
    }
    pulses.length = 0;
  }

  private pulsesOf(unit: number): number[] {
    return own(this.pulses.get(unit));
  }

  private readPort({ unit, access, sizes }: PortAccess): Banks {
    const banks = makeBanks(sizes);
    this.units[unit].read(access, banks);
    return banks;
  }

  /** For checkpoints. */
  save(bytes: ByteWriter): void {
    for (const { target, sent, isBeyond } of this.lines) {
      if (target !== undefined) bytes.banks(target.received);
      if (sent !== undefined) bytes.banks(sent);
      bytes.u8(isBeyond ? 1 : 0);
    }
    bytes.u32(this.merged.size);
    for (const [connector, count] of this.merged) {
      bytes.u32(connector);
      bytes.f64(count);
    }
    for (const pulses of this.pulses.values()) {
      bytes.u32(pulses.length);
      for (const connector of pulses) bytes.u32(connector);
    }
  }

  restore(bytes: ByteReader): void {
    for (const line of this.lines) {
      if (line.target !== undefined) copyInto(line.target.received, bytes.banks());
      if (line.sent !== undefined) line.sent = bytes.banks();
      line.isBeyond = bytes.u8() === 1;
    }
    this.merged.clear();
    for (let left = bytes.u32(); left > 0; left--) {
      const connector = bytes.u32();
      this.merged.set(connector, bytes.f64());
    }
    for (const pulses of this.pulses.values()) {
      pulses.length = 0;
      for (let left = bytes.u32(); left > 0; left--) pulses.push(bytes.u32());
    }
  }
}

/** What belongs to the peer. */
function own<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("internal: a port of another peer");
  return part;
}

function copyInto(target: Banks, { f64, i64, obj }: Banks): void {
  target.f64.set(f64);
  target.i64.set(i64);
  target.obj.splice(0, obj.length, ...obj);
}

function accessTo(units: readonly Unit[], { unit, port }: PortRef): PortAccess {
  const described = units[unit].description.ports[port];
  const sizes = { f64: 0, i64: 0, obj: 0, [bankOf(described.type)]: portSize(described) };
  const { type } = described;
  return { unit, type, access: units[unit].bind([{ port, slot: 0 }]), sizes };
}
