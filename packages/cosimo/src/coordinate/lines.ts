/**
 * Values on their way through connectors: what a source shows, whether that is something new, what the target makes of it. Times and
 * decisions are those of participants and cycles.
 */
import type { PortRef } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
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
  readonly access: Access;
  readonly sizes: Record<"f64" | "i64" | "obj", number>;
}

export class Lines {
  /** Events that met an earlier one of the same instant on an input that keeps its value, by connector: the unit saw one. */
  readonly merged: Float64Array;
  private readonly units: readonly Unit[];
  private readonly connectors: readonly Connector[];
  private readonly transfers: readonly Transfer[];
  private readonly onExchange: ((exchange: Exchange) => void) | undefined;
  private readonly sources: readonly PortAccess[];
  private readonly targets: readonly PortAccess[];
  /** What a threshold looks at. */
  private readonly signals: readonly (PortAccess | undefined)[];
  /** What the target port of a connector has. */
  private readonly received: readonly Banks[];
  /** What was last sent: an update is a change of it. */
  private readonly sent: Banks[];
  /** Whether the signal of a threshold is beyond it. */
  private readonly isBeyond: Uint8Array;
  /** Connectors whose event holds a lasting input of a unit until the unit has moved, by unit. */
  private readonly pulses: number[][];

  constructor(
    units: readonly Unit[],
    connectors: readonly Connector[],
    transfers: readonly Transfer[],
    onExchange?: (exchange: Exchange) => void,
  ) {
    this.units = units;
    this.connectors = connectors;
    this.transfers = transfers;
    this.onExchange = onExchange;
    this.sources = connectors.map(({ from }) => accessTo(units, from));
    this.targets = connectors.map(({ to }) => accessTo(units, to));
    this.signals = connectors.map(({ trigger }) =>
      trigger.kind === "threshold" ? accessTo(units, trigger.port) : undefined,
    );
    this.received = this.targets.map((target) => this.readPort(target));
    this.sent = connectors.map((_, c) => this.read(c));
    this.isBeyond = new Uint8Array(connectors.length);
    this.pulses = units.map(() => []);
    this.merged = new Float64Array(connectors.length);
  }

  /** All units are at the start. Events are delivered one by one, so what initialization left at their targets is removed. */
  begin(): void {
    this.connectors.forEach((_, c) => {
      this.notices(c);
      if (!this.isForEvents(c)) return;
      const target = this.received[c];
      if (target.f64.every((value) => value === 0)) return;
      target.f64.fill(0);
      this.units[this.targets[c].unit].write(this.targets[c].access, target);
    });
  }

  /** Whether the target takes one event at a time, as state machines do; clocks may tick together. */
  isSingle(connector: number): boolean {
    const { unit, port } = this.connectors[connector].to;
    const { nature, type } = this.units[unit].description.ports[port];
    return nature === "transient" && type !== "clock";
  }

  read(connector: number): Banks {
    return this.readPort(this.sources[connector]);
  }

  /** The value that is sent now. */
  take(connector: number): Banks {
    const value = this.read(connector);
    this.sent[connector] = value;
    return value;
  }

  /** Whether a connector has something to exchange: its event occurs, its output is not what was sent last, its level was crossed. */
  notices(connector: number): boolean {
    const { trigger } = this.connectors[connector];
    if (trigger.kind === "event") return this.read(connector).f64.some((element) => element !== 0);
    if (trigger.kind !== "threshold")
      return !areSameBanks(this.read(connector), this.sent[connector]);
    const { f64 } = this.readPort(this.signals[connector] as PortAccess);
    const value = f64[trigger.port.element];
    const isBeyond =
      trigger.direction === "rising" ? value >= trigger.level : value <= trigger.level;
    const wasBeyond = this.isBeyond[connector] === 1;
    this.isBeyond[connector] = isBeyond ? 1 : 0;
    return isBeyond && !wasBeyond;
  }

  /** A value reaches its target. */
  deliver(connector: number, value: Banks, time: number): void {
    const { unit, access } = this.targets[connector];
    const target = this.received[connector];
    this.transfers[connector](value, target);
    this.units[unit].write(access, target);
    if (this.isPulse(connector)) {
      if (this.pulses[unit].includes(connector)) this.merged[connector]++;
      else this.pulses[unit].push(connector);
    }
    this.onExchange?.({ connector, time, value: target.f64[0] });
  }

  /** The unit has seen its events. */
  endPulses(unit: number): void {
    for (const connector of this.pulses[unit]) {
      const target = this.received[connector];
      target.f64.fill(0);
      this.units[unit].write(this.targets[connector].access, target);
    }
    this.pulses[unit].length = 0;
  }

  /** An event for an input that keeps its value, such as a boolean of an FMU. */
  private isPulse(connector: number): boolean {
    const { trigger, interaction } = this.connectors[connector];
    return trigger.kind === "event" && interaction === undefined && !this.isForEvents(connector);
  }

  private isForEvents(connector: number): boolean {
    const { to } = this.connectors[connector];
    return this.units[to.unit].description.ports[to.port].nature === "transient";
  }

  private readPort({ unit, access, sizes }: PortAccess): Banks {
    const banks = makeBanks(sizes);
    this.units[unit].read(access, banks);
    return banks;
  }

  /** For checkpoints. */
  save(bytes: ByteWriter): void {
    for (const banks of [...this.received, ...this.sent]) bytes.banks(banks);
    for (const one of this.isBeyond) bytes.u8(one);
    bytes.f64s(this.merged);
    for (const pulses of this.pulses) {
      bytes.u32(pulses.length);
      for (const connector of pulses) bytes.u32(connector);
    }
  }

  restore(bytes: ByteReader): void {
    const count = this.connectors.length;
    for (let c = 0; c < count; c++) {
      const { f64, i64, obj } = bytes.banks();
      this.received[c].f64.set(f64);
      this.received[c].i64.set(i64);
      this.received[c].obj.splice(0, obj.length, ...obj);
    }
    for (let c = 0; c < count; c++) this.sent[c] = bytes.banks();
    for (let c = 0; c < count; c++) this.isBeyond[c] = bytes.u8();
    for (let c = 0; c < count; c++) this.merged[c] = bytes.f64();
    this.units.forEach((_, u) => {
      this.pulses[u] = Array.from({ length: bytes.u32() }, () => bytes.u32());
    });
  }
}

function accessTo(units: readonly Unit[], { unit, port }: PortRef): PortAccess {
  const described = units[unit].description.ports[port];
  const sizes = { f64: 0, i64: 0, obj: 0, [bankOf(described.type)]: portSize(described) };
  return { unit, access: units[unit].bind([{ port, slot: 0 }]), sizes };
}
