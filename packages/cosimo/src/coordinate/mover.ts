/**
 * What a participant moves: one unit, or units that decide instants for each other (cycle.ts). Executes what participants order.
 */
import { UnitError } from "../base/outcome.ts";
import type { PortRef } from "../model/scenario.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { Unit } from "../unit/unit.ts";
import { type Connector, isInitiatedBySource } from "./connector.ts";
import type { Lines } from "./lines.ts";

export interface MoverStop {
  readonly time: number;
  /** It stopped by itself: outputs may have changed, and there may be more to do at this instant. */
  readonly isByItself: boolean;
  /** Connectors whose value it needs before it goes on. */
  readonly asks: readonly number[];
}

export interface Mover {
  readonly members: readonly number[];
  /** It reacts to what was written without moving in time. */
  readonly reacts: boolean;
  /** Something was written to an input of one of its units. */
  touch(unit: number): void;
  /** To `to`, which may be `from` where it reacts, or until one of its conditions holds. */
  advance(from: number, to: number): MoverStop;
  save(bytes: ByteWriter): void;
  restore(bytes: ByteReader): void;
}

export interface MoverContext {
  readonly units: readonly Unit[];
  readonly connectors: readonly Connector[];
  readonly lines: Lines;
  /** What each unit stops at besides time. */
  readonly conditions: readonly (readonly Predicate[])[];
  /** Called when a unit has moved. */
  readonly onMove: (unit: number, time: number) => void;
}

/** A unit by itself. */
export class SingleMover implements Mover {
  readonly members: readonly number[];
  readonly reacts: boolean;
  private readonly context: MoverContext;
  private readonly unit: number;

  constructor(unit: number, context: MoverContext) {
    this.members = [unit];
    this.unit = unit;
    this.context = context;
    this.reacts = context.units[unit].description.capabilities.zeroStep === true;
  }

  touch(): void {}

  advance(from: number, to: number): MoverStop {
    const { lines, onMove } = this.context;
    const stop = advanceUnit(this.context, this.unit, from, to);
    const { time, reason, port } = stop;
    lines.endPulses(this.unit);
    onMove(this.unit, time);
    return {
      time,
      isByItself: reason !== "time",
      asks: asksOf(this.context, this.unit, reason === "ready-to-read" ? port : -1),
    };
  }

  save(): void {}
  restore(): void {}
}

/** @throws UnitError where the unit does not get there. */
export function advanceUnit(
  { units, conditions }: MoverContext,
  u: number,
  from: number,
  to: number,
): Stop {
  const unit = units[u];
  const { switching } = unit;
  if (switching?.isDue()) {
    // A condition holds with what was just written: the instant is now, and outputs may have changed.
    switching.switch();
    return { reason: "updated", port: -1, time: from };
  }
  const end = Math.min(to, switching?.nextTime ?? Number.POSITIVE_INFINITY);
  const bound: Predicate = { kind: "time", time: end };
  const until: Predicate =
    conditions[u].length === 0 ? bound : { kind: "or", any: [bound, ...conditions[u]] };
  const stop = unit.advance(from, until);
  if (stop.reason === "discarded" || stop.reason === "terminated") {
    throw new UnitError({
      unit: unit.name,
      call: "advance",
      status: `${stop.reason} at t=${stop.time} on the way to t=${to}`,
      time: stop.time,
      log: [],
    });
  }
  if (!switching?.isDue()) return stop;
  switching.switch();
  const { reason, port, time } = stop;
  return { reason: reason === "time" ? "updated" : reason, port, time };
}

/** Connectors that a unit asks for: those to the input that it is about to read, those whose level it has crossed. */
export function asksOf({ connectors, lines }: MoverContext, unit: number, reads: number): number[] {
  const asks: number[] = [];
  connectors.forEach(({ to, from, trigger }, c) => {
    if (to.unit !== unit) return;
    if (trigger.kind === "ready-to-read" && to.port === reads) asks.push(c);
    const isOwn = trigger.kind === "threshold" && trigger.port.unit === unit && from.unit !== unit;
    if (isOwn && lines.notices(c)) asks.push(c);
  });
  return asks;
}

/** What makes a unit stop before its bound: what it sends, inputs that it reads, outputs that are recorded. */
export function conditionsFor(
  units: readonly Unit[],
  u: number,
  connectors: readonly Connector[],
  watched: readonly PortRef[],
): readonly Predicate[] {
  const found = new Map<string, Predicate>();
  for (const connector of connectors) {
    const { from, to, trigger } = connector;
    if (trigger.kind === "ready-to-read" && to.unit === u)
      found.set(`read ${to.port}`, { kind: "ready-to-read", port: to.port });
    if (trigger.kind === "threshold" && trigger.port.unit === u) {
      const { level: value, direction } = trigger;
      const { port } = trigger.port;
      found.set(`${port} ${direction} ${value}`, { kind: "threshold", port, value, direction });
    } else if (isInitiatedBySource(connector) && from.unit === u) {
      const kind = trigger.kind === "event" ? "event" : "updated";
      found.set(`${kind} ${from.port}`, { kind, port: from.port });
    }
  }
  const { ports, capabilities } = units[u].description;
  for (const { unit, port } of watched) {
    if (unit !== u) continue;
    const { nature, direction } = ports[port];
    if (direction !== "output" && direction !== "local") continue;
    const kind = nature === "transient" ? "event" : "updated";
    const isDiscrete = nature === "transient" || nature === "piecewise-constant";
    if (isDiscrete && capabilities.predicates.includes(kind))
      found.set(`${kind} ${port}`, { kind, port });
  }
  return [...found.values()];
}
