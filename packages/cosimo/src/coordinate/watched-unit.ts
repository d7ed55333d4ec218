/**
 * A unit that does not report updates, events or crossings, watched from outside: it takes its
 * communication steps, and its outputs are compared between them; an event is at the end of the
 * step in which it occurred. Where it can roll back and takes steps of any size, the instant is
 * located by repeating the step with other ends; otherwise it is the end of the step. An output
 * that changes however little its unit moves has no such instant: it is noticed at the end, too.
 */
import type { Ending } from "../engine/run-plan.ts";
import type { Trigger } from "../model/scenario.ts";
import { portSize, type UnitDescription } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { decidingUnit } from "../plan/triggers.ts";
import { areSameBanks } from "../unit/banks.ts";
import { nextPoint, RESOLUTION, untilOf } from "../unit/communication-points.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "../unit/predicate.ts";
import type { Access, Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";

type Condition = ReturnType<typeof conditionsOf>[number];
type Kind = "updated" | "event" | "threshold";

export interface WatchOptions {
  readonly start: number;
  /** The communication step, seconds. */
  readonly step: number;
  /** What the unit does not report by itself. */
  readonly kinds: ReadonlySet<Kind>;
}

interface Look {
  readonly condition: Condition;
  readonly access: Access;
  /** The outputs where the step began. */
  readonly before: Banks;
  readonly now: Banks;
}

export class WatchedUnit extends DelegatingUnit {
  readonly step: number;
  private readonly kinds: ReadonlySet<Kind>;
  private readonly looks = new Map<string, Look>();
  private readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  readonly start: number;
  /** Outputs that turned out to change all the time, although they are declared to be held. */
  readonly unheld: Set<number> = new Set();

  constructor(unit: Unit, { start, step, kinds }: WatchOptions) {
    super(unit, reporting(unit.description, kinds));
    this.start = start;
    this.step = step;
    this.kinds = kinds;
  }

  override advance(from: number, until: Predicate): Stop {
    const bound = timeBound(until);
    const conditions = conditionsOf(until);
    const looks = conditions.filter((one) => this.isWatched(one)).map((one) => this.look(one));
    if (looks.length === 0) return this.unit.advance(from, until);
    const own = conditions.filter((one) => !this.isWatched(one));
    if (!(bound > from)) return this.unit.advance(from, untilOf(bound, own));
    for (let now = from; ; ) {
      const to = Math.min(bound, this.nextPoint(now));
      for (const { access, before } of looks) this.unit.read(access, before);
      const stop = this.try(now, to, own, looks);
      if (stop.reason !== "time" || stop.time >= bound) return stop;
      now = stop.time;
    }
  }

  /**
   * Where the unit stops next if nothing arrives, where that is known before it moves: it reports
   * nothing by itself, so what happens in it is noticed at its communication points.
   */
  nextStop(now: number): number | undefined {
    const { predicates, eventMode } = this.unit.description.capabilities;
    if (predicates.length > 0 || eventMode) return undefined;
    const { switching } = this.unit;
    if (switching?.isDue()) return now;
    return Math.min(this.nextPoint(now), switching?.nextTime ?? Number.POSITIVE_INFINITY);
  }

  private nextPoint(now: number): number {
    return nextPoint(now, this);
  }

  /** One step, and where something is seen to have happened in it, the instant of that. */
  private try(from: number, to: number, own: readonly Condition[], looks: readonly Look[]): Stop {
    const { unit } = this;
    const { rollback, variableStep } = unit.description.capabilities;
    const snapshot = rollback && variableStep ? unit.save() : undefined;
    try {
      const { reason, port, time } = unit.advance(from, untilOf(to, own));
      let met = this.met(looks);
      // A unit that ends a step where it has an event has located it, and goes on from there.
      const isLocated = reason === "discarded" && time > from;
      if (met === undefined) return this.stopAt(isLocated ? "time" : reason, port, time);
      if (isLocated) return this.stopAt(met.kind, met.port, time);
      let [low, high] = [from, time];
      let at = time;
      while (snapshot !== undefined && high - low > RESOLUTION * this.step) {
        const middle = low + (high - low) / 2;
        if (!(middle > low && middle < high)) break;
        unit.restore(snapshot);
        const end = unit.advance(from, untilOf(middle, own));
        at = end.time;
        const found = this.met(looks);
        if (found === undefined) low = middle;
        else {
          high = end.time;
          met = found;
        }
      }
      // Events are mostly at decimal instants: of those that are left, that of fewest digits.
      const decimal = decimalIn(low, high);
      if (snapshot !== undefined && met.kind === "event" && decimal < high) {
        unit.restore(snapshot);
        at = unit.advance(from, untilOf(decimal, own)).time;
        if (this.met(looks) !== undefined) high = at;
      }
      // The last attempt may have ended before it happened.
      if (snapshot !== undefined && at !== high) {
        unit.restore(snapshot);
        unit.advance(from, untilOf(high, own));
      }
      if (snapshot !== undefined && low === from && met.kind === "updated") {
        const isHeld = !this.changesAgain(high, time, met);
        unit.restore(snapshot);
        if (!isHeld) {
          unit.advance(from, untilOf(time, own));
          this.unheld.add(met.port);
          return this.stopAt(met.kind, met.port, time);
        }
        unit.advance(from, untilOf(high, own));
      }
      return this.stopAt(met.kind, met.port, high);
    } finally {
      if (snapshot !== undefined) unit.release(snapshot);
    }
  }

  /**
   * Whether an output that changed as soon as its unit moved changes again as soon as it moves on:
   * then it has no instants of change, whatever is declared, and is not to be chased. Leaves the
   * unit where it looked, at most at the end of the step.
   */
  private changesAgain(at: number, end: number, condition: Condition): boolean {
    const next = Math.min(at + 2 * RESOLUTION * this.step, end);
    if (!(next > at)) return false;
    const { access, before, now } = this.look(condition);
    this.unit.read(access, before);
    this.unit.advance(at, untilOf(next, []));
    this.unit.read(access, now);
    return !areSameBanks(now, before);
  }

  /** A condition that holds now and did not where the step began. */
  private met(looks: readonly Look[]): Condition | undefined {
    for (const { condition, access, before, now } of looks) {
      this.unit.read(access, now);
      if (condition.kind === "threshold") {
        const { value, direction } = condition;
        const isBeyond = (x: number): boolean =>
          direction === "falling" ? x <= value : x >= value;
        if (isBeyond(now.f64[0]) && !isBeyond(before.f64[0])) return condition;
      } else if (condition.kind === "event") {
        // It is over when the next step begins, so each is one of this step.
        if (now.f64.some((value) => value !== 0)) return condition;
      } else if (!areSameBanks(now, before)) return condition;
    }
    return undefined;
  }

  private isWatched({ kind }: Condition): boolean {
    return kind !== "ready-to-read" && this.kinds.has(kind);
  }

  private look(condition: Condition): Look {
    const key = JSON.stringify(condition);
    const known = this.looks.get(key);
    if (known !== undefined) return known;
    const port = this.description.ports[condition.port];
    const sizes = { f64: 0, i64: 0, obj: 0, [bankOf(port.type)]: portSize(port) };
    const look: Look = {
      condition,
      access: this.unit.bind([{ port: port.index, slot: 0 }]),
      before: makeBanks(sizes),
      now: makeBanks(sizes),
    };
    this.looks.set(key, look);
    return look;
  }

  private stopAt(reason: Stop["reason"], port: number, time: number): Stop {
    this.stop.reason = reason;
    this.stop.port = port;
    this.stop.time = time;
    return this.stop;
  }
}

/** Of the decimals of up to nine digits in (low, high] the shortest one; `high` where none is. */
function decimalIn(low: number, high: number): number {
  for (let perSecond = 1; perSecond <= 1e9; perSecond *= 10) {
    const decimal = Math.floor(high * perSecond) / perSecond;
    if (decimal > low && decimal <= high) return decimal;
  }
  return high;
}

function reporting(description: UnitDescription, kinds: ReadonlySet<Kind>): UnitDescription {
  const { capabilities } = description;
  const predicates = [...new Set([...capabilities.predicates, ...kinds])];
  return { ...description, capabilities: { ...capabilities, predicates } };
}

/** A unit that does not report what a trigger waits for is watched from outside. */
export function watchedBy(
  unit: Unit,
  u: number,
  connectors: readonly Connector[],
  given: Omit<WatchOptions, "kinds"> & { readonly endings?: readonly Ending[] },
): Unit {
  const { start, step, endings = [] } = given;
  const kinds = kindsWatched(unit, u, connectors, endings);
  return kinds.size === 0 ? unit : new WatchedUnit(unit, { start, step, kinds });
}

/** What is to be noticed of a unit that does not report it. */
function kindsWatched(
  unit: Unit,
  u: number,
  connectors: readonly Connector[],
  endings: readonly Ending[],
): ReadonlySet<Kind> {
  const { predicates } = unit.description.capabilities;
  const kinds = new Set<Kind>();
  const watch = (kind: Predicate["kind"] | Trigger["kind"]): void => {
    if (kind !== "updated" && kind !== "event" && kind !== "threshold") return;
    if (!predicates.includes(kind)) kinds.add(kind);
  };
  for (const { from, to, trigger } of connectors)
    if (decidingUnit({ from, to }, trigger) === u) watch(trigger.kind);
  for (const { unit: one, condition } of endings) if (one === u) watch(condition.kind);
  return kinds;
}
