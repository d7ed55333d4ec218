/**
 * Units that decide instants for each other. None of them can promise anything before the others
 * do, so they move together: each goes as far as it would if nothing arrived, the earliest stop is
 * where all of them go, and those that went further are rolled back (optimistic synchronization, as
 * papers/004 §4.3.4 suggests for units with the rollback property). Among them may be units that
 * cannot roll back: one that stops at instants of its own, which moves when the time is known that
 * no other one stops before; and any number of those whose stops are known before they move,
 * because what happens in them is noticed at their communication points.
 *
 * At an instant they go index by index of superdense time: what the outputs are at one index is
 * delivered to all inputs, then all react, which is the next index.
 */
import { UnitError } from "../base/outcome.ts";
import type { Banks } from "../model/value-type.ts";
import { decidingUnit } from "../plan/triggers.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Snapshot } from "../unit/unit.ts";
import { cycleIn, exchangesUntil, exchangeTime, isNoticed } from "./connector.ts";
import { advanceUnit, asksOf, type Mover, type MoverContext, type MoverStop } from "./mover.ts";
import { WatchedUnit } from "./watched-unit.ts";

/** Indices at one instant before a cascade is taken to be without an end. */
const MAX_INDEX = 10_000;

interface Pending {
  readonly connector: number;
  readonly value: Banks;
}

export class Cycle implements Mover {
  readonly members: readonly number[];
  readonly reacts = true;
  /** How often a unit went too far. */
  rollbacks = 0;
  private readonly context: MoverContext;
  /** Where periods are counted from. */
  private readonly origin: number;
  /**
   * Those that can roll back, then the one whose stops are its own, then those whose stops are
   * known.
   */
  private readonly order: readonly number[];
  /**
   * Connectors between members: those that a source initiates, those that a target asks for, those
   * with a period.
   */
  private readonly changes: readonly number[];
  private readonly asked: ReadonlySet<number>;
  private readonly timed: readonly number[];
  /** How many instants of a timed connector are over. */
  private readonly counts = new Map<number, number>();
  /** What arrives at the next index. */
  private pending: Pending[] = [];
  /**
   * Units that got something, and units that stopped by themselves and may have more to do here.
   */
  private readonly touched = new Set<number>();
  private readonly restless = new Set<number>();
  private index = 0;

  constructor(
    members: readonly number[],
    context: MoverContext,
    { start, origin }: { readonly start: number; readonly origin: number },
  ) {
    const { units, connectors } = context;
    this.members = members;
    this.context = context;
    this.origin = origin;
    const rank = (u: number): number => {
      if (units[u].description.capabilities.rollback) return 0;
      return this.knownStop(u, start) === undefined ? 1 : 2;
    };
    this.order = [...members].sort((a, b) => rank(a) - rank(b) || a - b);
    const inner = [...connectors.keys()].filter(
      (c) => members.includes(connectors[c].from.unit) && members.includes(connectors[c].to.unit),
    );
    const isDecidedHere = (c: number): boolean =>
      members.includes(decidingUnit(connectors[c], connectors[c].trigger) ?? -1);
    this.timed = inner.filter((c) => connectors[c].trigger.kind === "every");
    const decided = inner.filter(isDecidedHere);
    this.changes = decided.filter((c) => isNoticed(connectors[c]));
    this.asked = new Set(decided.filter((c) => !this.changes.includes(c)));
    for (const c of this.timed) this.counts.set(c, exchangesUntil(connectors[c], origin, start));
  }

  touch(unit: number): void {
    this.touched.add(unit);
  }

  /** Events at the start. */
  begin(): void {
    this.collect(this.members);
  }

  advance(from: number, to: number): MoverStop {
    const isBusy = this.pending.length > 0 || this.touched.size > 0 || this.restless.size > 0;
    if (isBusy) {
      const asks = this.react(from);
      if (this.restless.size > 0 || this.pending.length > 0)
        return { time: from, isByItself: true, asks };
    }
    if (to === from) return { time: from, isByItself: false, asks: [] };
    return this.move(from, to);
  }

  /** The next index of the instant: what was sent arrives, and the units react to it. */
  private react(now: number): readonly number[] {
    const { units, lines, connectors, onMove } = this.context;
    if (this.index++ === MAX_INDEX) throw this.endless(now);
    const arriving = this.pending;
    this.pending = [];
    const served = new Set<number>();
    for (const one of arriving) {
      const { connector, value } = one;
      // What takes one event at a time gets the others of this index in the next ones.
      if (lines.singles.has(connector)) {
        const { unit } = connectors[connector].to;
        if (served.has(unit)) {
          this.pending.push(one);
          continue;
        }
        served.add(unit);
      }
      lines.deliver(connector, value, now);
      this.touched.add(connectors[connector].to.unit);
    }
    const active = this.members.filter((u) => this.touched.has(u) || this.restless.has(u));
    this.touched.clear();
    this.restless.clear();
    const stopped: number[] = [];
    const asks: number[] = [];
    for (const u of active) {
      if (units[u].description.capabilities.zeroStep !== true) {
        // It sees what arrived when it moves.
        onMove(u, now);
        continue;
      }
      const { reason, port } = advanceUnit(this.context, u, now, now);
      lines.endPulses(u);
      onMove(u, now);
      if (reason === "time") continue;
      stopped.push(u);
      const reads = reason === "ready-to-read" ? port : -1;
      asks.push(...asksOf(this.context, u, reads, this.members));
    }
    return this.stopped(stopped, asks, now);
  }

  /** Where a unit that cannot roll back stops next, where that is known. */
  private knownStop(u: number, now: number): number | undefined {
    const unit = this.context.units[u];
    if (unit.description.capabilities.rollback || !(unit instanceof WatchedUnit)) return undefined;
    return unit.nextStop(now);
  }

  /** To the earliest stop of any member, or to `to`. */
  private move(from: number, to: number): MoverStop {
    const { units, lines, onMove } = this.context;
    let next = to;
    for (const c of this.timed) next = Math.min(next, this.timeOf(c));
    for (const u of this.members) next = Math.min(next, this.knownStop(u, from) ?? next);
    const ends = new Map<number, { readonly time: number; readonly reads: number }>();
    const byItself = new Set<number>();
    const saved = new Map<number, Snapshot>();
    for (const u of this.order) {
      if (units[u].description.capabilities.rollback) saved.set(u, units[u].save());
      const { time, reason, port } = advanceUnit(this.context, u, from, next);
      ends.set(u, { time, reads: reason === "ready-to-read" ? port : -1 });
      if (reason !== "time") byItself.add(u);
      next = Math.min(next, time);
    }
    for (const u of this.members) {
      const snapshot = saved.get(u);
      const end = ends.get(u)?.time ?? next;
      if (snapshot !== undefined && end > next) {
        this.rollbacks++;
        byItself.delete(u);
        units[u].restore(snapshot);
        // Where it stopped is later, so it gets there.
        if (next > from) advanceUnit(this.context, u, from, next);
      }
      if (snapshot !== undefined) units[u].release(snapshot);
    }
    this.index = next > from ? 0 : this.index + 1;
    for (const u of this.members) {
      if (next > from || byItself.has(u)) lines.endPulses(u);
      onMove(u, next);
    }
    const stopped = this.members.filter((u) => byItself.has(u));
    const asks = stopped.flatMap((u) =>
      asksOf(this.context, u, ends.get(u)?.reads ?? -1, this.members),
    );
    this.exchangeTimed(next);
    const outer = this.stopped(stopped, asks, next);
    const isByItself = this.restless.size > 0 || this.pending.length > 0;
    return { time: next, isByItself, asks: outer };
  }

  /** @returns the connectors from outside that are asked for. */
  private stopped(
    stopped: readonly number[],
    asks: readonly number[],
    now: number,
  ): readonly number[] {
    const { lines } = this.context;
    for (const u of stopped) this.restless.add(u);
    this.collect(stopped);
    // All members are at this instant, so what one of them asks another for is there; formulas come
    // after their terms.
    for (const c of asks) if (this.asked.has(c)) lines.deliver(c, lines.take(c), now);
    return asks.filter((c) => !this.asked.has(c));
  }

  private collect(stopped: readonly number[]): void {
    const { lines, connectors } = this.context;
    for (const connector of this.changes) {
      const decides = decidingUnit(connectors[connector], connectors[connector].trigger) ?? -1;
      if (!stopped.includes(decides) || !lines.notices(connector)) continue;
      this.pending.push({ connector, value: lines.take(connector) });
    }
  }

  /** Timed values: read before anything is set, but for what an output follows at once. */
  private exchangeTimed(now: number): void {
    const { lines, connectors } = this.context;
    let due = this.timed.filter((c) => this.timeOf(c) === now);
    while (due.length > 0) {
      const waiting = due;
      const isFree = (c: number): boolean =>
        !(connectors[c].after ?? []).some((other) => other !== c && waiting.includes(other));
      const free = due.filter(isFree);
      const ready = free.length > 0 ? free : due;
      const values = ready.map((c) => lines.take(c));
      ready.forEach((c, i) => {
        lines.deliver(c, values[i], now);
        this.touched.add(connectors[c].to.unit);
        this.counts.set(c, (this.counts.get(c) ?? 0) + 1);
      });
      due = due.filter((c) => !ready.includes(c));
    }
  }

  private timeOf(connector: number): number {
    const next = (this.counts.get(connector) ?? 0) + 1;
    return exchangeTime(this.context.connectors[connector], this.origin, next);
  }

  private endless(time: number): UnitError {
    const { units } = this.context;
    const names = cycleIn(this.members, this.context.connectors).map((u) => units[u].name);
    const cycle = [...names, names[0]].join(" → ");
    return new UnitError({
      unit: names.join("', '"),
      call: "advance",
      status: `still reacting after ${MAX_INDEX} indices at one instant`,
      problem: `they still react to each other after ${MAX_INDEX} indices at one instant: an endless cascade ${cycle}`,
      time,
      log: ["let time pass on the way round, or let the cascade end"],
    });
  }

  save(bytes: ByteWriter): void {
    bytes.f64(this.rollbacks);
    bytes.u32(this.index);
    for (const c of this.timed) bytes.f64(this.counts.get(c) ?? 0);
    for (const set of [this.touched, this.restless]) {
      bytes.u32(set.size);
      for (const u of set) bytes.u32(u);
    }
    bytes.u32(this.pending.length);
    for (const { connector, value } of this.pending) {
      bytes.u32(connector);
      bytes.banks(value);
    }
  }

  restore(bytes: ByteReader): void {
    this.rollbacks = bytes.f64();
    this.index = bytes.u32();
    for (const c of this.timed) this.counts.set(c, bytes.f64());
    for (const set of [this.touched, this.restless]) {
      set.clear();
      for (let left = bytes.u32(); left > 0; left--) set.add(bytes.u32());
    }
    this.pending = Array.from({ length: bytes.u32() }, () => {
      const connector = bytes.u32();
      return { connector, value: bytes.banks() };
    });
  }
}
