/**
 * What a participant moves: one unit, or units that decide instants for each other (cycle.ts).
 * Executes what participants order.
 */
import { UnitError } from "../base/outcome.ts";
import type { PortRef } from "../model/scenario.ts";
import { decidingUnit, triggerPort } from "../plan/triggers.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";
import type { Lines } from "./lines.ts";

export interface MoverStop {
  readonly time: number;
  /**
   * It stopped by itself: outputs may have changed, and there may be more to do at this instant.
   */
  readonly isByItself: boolean;
  /** Connectors whose value is wanted now: it waits for those that lead to itself. */
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
  /**
   * Starts its unit on the way, where that works elsewhere; `finishMove` is the rest of `advance`.
   * @returns whether it has.
   */
  beginMove?(from: number, to: number): boolean;
  finishMove?(): MoverStop;
  save(bytes: ByteWriter): void;
  restore(bytes: ByteReader): void;
}

export interface MoverContext {
  readonly units: readonly Unit[];
  readonly connectors: readonly Connector[];
  readonly lines: Lines;
  /** What each of the peer's units stops at besides time. */
  readonly conditions: ReadonlyMap<number, readonly Predicate[]>;
  /** Called when a unit has moved. */
  readonly onMove: (unit: number, time: number) => void;
}

/** A unit by itself. */
export class SingleMover implements Mover {
  readonly members: readonly number[];
  readonly reacts: boolean;
  private readonly context: MoverContext;
  private readonly unit: number;
  private way = { from: 0, to: 0 };

  constructor(unit: number, context: MoverContext) {
    this.members = [unit];
    this.unit = unit;
    this.context = context;
    this.reacts = context.units[unit].description.capabilities.zeroStep === true;
  }

  touch(): void {}

  advance(from: number, to: number): MoverStop {
    return this.stopped(advanceUnit(this.context, this.unit, from, to));
  }

  beginMove(from: number, to: number): boolean {
    const unit = this.context.units[this.unit];
    if (unit.beginAdvance === undefined || unit.switching !== undefined || !(to > from))
      return false;
    unit.beginAdvance(from, untilOf(this.context, this.unit, to));
    this.way = { from, to };
    return true;
  }

  finishMove(): MoverStop {
    const unit = this.context.units[this.unit];
    const ended = unit.finishAdvance?.();
    if (ended === undefined) throw new Error(`internal: '${unit.name}' is not under way`);
    return this.stopped(stopOf(unit, ended, this.way.from, this.way.to));
  }

  private stopped(stop: Stop): MoverStop {
    const { lines, onMove } = this.context;
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
export function advanceUnit(context: MoverContext, u: number, from: number, to: number): Stop {
  const unit = context.units[u];
  const { switching } = unit;
  if (switching?.isDue()) {
    // A condition holds with what was just written: the instant is now, and outputs may have
    // changed.
    switching.switch();
    return { reason: "updated", port: -1, time: from };
  }
  for (let at = from; ; ) {
    const look = switching?.nextLook?.(at) ?? Number.POSITIVE_INFINITY;
    const end = Math.min(to, look, switching?.nextTime ?? Number.POSITIVE_INFINITY);
    const stop = stopOf(unit, unit.advance(at, untilOf(context, u, end)), at, to);
    const { reason, port, time } = stop;
    if (switching?.isDue()) {
      switching.switch();
      return { reason: reason === "time" ? "updated" : reason, port, time };
    }
    if (time !== look || reason !== "time" || !(look < to)) return stop;
    at = time;
  }
}

function untilOf({ conditions }: MoverContext, u: number, time: number): Predicate {
  const bound: Predicate = { kind: "time", time };
  const own = conditions.get(u) ?? [];
  return own.length === 0 ? bound : { kind: "or", any: [bound, ...own] };
}

/** @throws UnitError where the unit did not get there. */
function stopOf(unit: Unit, ended: Stop, from: number, to: number): Stop {
  // Where a unit ends steps at its events by refusing the rest, it has stopped by itself.
  const isOwnStop = ended.time > from && unit.description.capabilities.refusesSteps === true;
  const stop: Stop =
    ended.reason === "discarded" && isOwnStop ? { ...ended, reason: "updated", port: -1 } : ended;
  if (stop.reason === "discarded" || stop.reason === "terminated") {
    throw new UnitError({
      unit: unit.name,
      call: "advance",
      status: `${stop.reason} at t=${stop.time} on the way to t=${to}`,
      time: stop.time,
      log: [],
    });
  }
  return stop;
}

/**
 * Connectors that a unit asks for: those that wait for the input that it is about to read, and
 * those to its group whose event, update or crossing it has.
 * @param members the units that move together with it.
 */
export function asksOf(
  { connectors, lines }: MoverContext,
  unit: number,
  reads: number,
  members: readonly number[] = [unit],
): number[] {
  const asks: number[] = [];
  connectors.forEach(({ from, to, trigger }, c) => {
    if (decidingUnit({ from, to }, trigger) !== unit) return;
    if (trigger.kind === "ready-to-read") {
      if ((trigger.port ?? to).port === reads) asks.push(c);
      return;
    }
    const isOwn = to.unit === unit && from.unit !== unit;
    const isForGroup = members.includes(to.unit) && !members.includes(from.unit);
    if ((isOwn || isForGroup) && lines.notices(c)) asks.push(c);
  });
  return asks;
}

/**
 * What makes a unit stop before its bound: what it sends, inputs that it reads, outputs that are
 * recorded.
 */
export function conditionsFor(
  units: readonly Unit[],
  u: number,
  connectors: readonly Connector[],
  watched: readonly PortRef[],
): readonly Predicate[] {
  const found = new Map<string, Predicate>();
  for (const connector of connectors) {
    const { trigger } = connector;
    if (trigger.kind === "every" || decidingUnit(connector, trigger) !== u) continue;
    if (trigger.kind === "threshold") {
      const { level: value, direction } = trigger;
      const { port } = trigger.port;
      found.set(`${port} ${direction} ${value}`, { kind: "threshold", port, value, direction });
      continue;
    }
    const { kind } = trigger;
    const { port } = triggerPort(connector, trigger) as PortRef;
    found.set(`${kind} ${port}`, { kind, port });
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
