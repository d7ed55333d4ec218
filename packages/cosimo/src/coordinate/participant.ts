/**
 * One unit in a coordination without a master: Algorithm 4 of the CoSim20 thesis (§4.4.2) as pure
 * steps. Messages and stops of the unit go in, orders come out; no clock, no values, no network.
 * The same code runs over a queue in one process and over peers.
 *
 * Time in four rules:
 *   - A participant *arrives* at an instant when its unit stops there, and publishes what is due; values are those before anything is
 *     set at this instant, but for timed values that an output follows at once (feed-through), which are applied first.
 *   - It *leaves* the instant, and only then applies what was set there, once nothing more can come: timed values have arrived, its own
 *     requests are answered, and every unit that decides instants for it (its initiators) has promised to be past this one.
 *   - It goes no further than the earliest promise (the temporal horizon), so that it is never asked to act in its past; and it stops at
 *     each of them, however many have arrived, so that where it stops does not depend on when messages do.
 *   - An instant has indices (superdense time): each stop of a unit at the same time is one. What was set at one index is applied together, and
 *     a unit that can react without moving (`reacts`) does so before the next index arrives. So two events of one instant are two.
 * So the order in which messages of different peers arrive changes nothing.
 *
 * A connector with a synchronization tolerance τ lets its two units be up to τ apart: its follower
 * goes up to τ beyond a promise of its initiator, unless it stops before, and a value is applied
 * where its target stops first.
 */
import { decidingUnit } from "../plan/triggers.ts";
import { type Connector, exchangesUntil, exchangeTime, isNoticed, rolesOf } from "./connector.ts";

export type Message =
  /**
   * A value for the target of `connector` at `time`, index `index`; what it is, the carrier knows.
   */
  | {
      readonly kind: "set";
      readonly connector: number;
      readonly time: number;
      readonly index: number;
    }
  /**
   * The target is to get the value of the source at `time`; `index` is that of the unit which says
   * so.
   */
  | {
      readonly kind: "request";
      readonly connector: number;
      readonly time: number;
      readonly index: number;
    }
  /** No later message of `unit` is about an instant before `time`. */
  | { readonly kind: "promise"; readonly unit: number; readonly time: number }
  /** The run ends at `time`: from a unit that all others follow. */
  | { readonly kind: "end"; readonly time: number };

export type Order =
  /** Read the source of the connector now, and send the value to its target. */
  | {
      readonly kind: "publish";
      readonly connector: number;
      readonly time: number;
      readonly index: number;
    }
  /**
   * As `publish`, where the port of the trigger has a new value, its event occurs or its level was
   * crossed; the source may be another unit.
   */
  | {
      readonly kind: "publish-changed";
      readonly connector: number;
      readonly time: number;
      readonly index: number;
    }
  | { readonly kind: "send"; readonly to: number; readonly message: Message }
  /** Write what was set through these connectors, in this order. */
  | { readonly kind: "apply"; readonly connectors: readonly number[]; readonly time: number }
  /**
   * Advance until `time`, or until one of the participant's conditions holds. `time` may be `from`.
   */
  | { readonly kind: "advance"; readonly from: number; readonly time: number }
  | { readonly kind: "finish" };

export interface Stopped {
  readonly time: number;
  /** The unit stopped by itself, before its bound or at it. */
  readonly isByItself: boolean;
  /** Connectors whose value is wanted now. */
  readonly asks: readonly number[];
}

interface Request {
  readonly connector: number;
  readonly time: number;
  readonly index: number;
}

export interface ParticipantOptions {
  /** Its number: `from.unit` and `to.unit` of the connectors. */
  readonly unit: number;
  readonly connectors: readonly Connector[];
  readonly start: number;
  readonly stop: number;
  /** The unit reacts without moving in time. */
  readonly reacts: boolean;
  /**
   * Peers that follow this one whatever connects them, because it may end the run; and those that
   * it follows so.
   */
  readonly leads?: readonly number[];
  readonly ledBy?: readonly number[];
  /**
   * Connectors whose target takes one event at a time: simultaneous ones follow each other, in the
   * order of the connectors.
   */
  readonly singles?: ReadonlySet<number>;
  /** Where periods are counted from; default: the start. Instants up to the start are behind. */
  readonly origin?: number;
  /**
   * In which order values of different connectors are applied that arrived at one instant; default:
   * that of the connectors.
   */
  readonly orderOf?: (connectors: readonly number[], time: number) => readonly number[];
  /**
   * Asked before it leaves an instant; where not, it stays until `goOn`. When it goes changes
   * nothing but the order of messages.
   */
  readonly mayGo?: () => boolean;
}

interface Arrival {
  readonly connector: number;
  readonly time: number;
  readonly index: number;
}

/** What a participant knows, as data. Infinity is written as a text. */
export interface ParticipantState {
  readonly now: number;
  readonly stop: number;
  readonly index: number;
  readonly state: "stopped" | "finished";
  readonly isRestless: boolean;
  readonly hasRead: boolean;
  readonly promises: readonly (readonly [number, readonly number[]])[];
  readonly published: readonly (readonly [number, number])[];
  readonly taken: readonly (readonly [number, number])[];
  readonly asked: readonly number[];
  readonly requests: readonly Request[];
  readonly sets: readonly Arrival[];
}

export class Participant {
  readonly unit: number;
  /** Where the unit is, or where it set out from. */
  now: number;
  /** Stops at this time so far. */
  index = 0;
  /** It could leave the instant, and was not allowed to. */
  isHeld = false;
  private readonly connectors: readonly Connector[];
  private readonly start: number;
  private readonly origin: number;
  private readonly orderOf: ParticipantOptions["orderOf"];
  private readonly mayGo: () => boolean;
  private stop: number;
  private readonly reacts: boolean;
  private readonly singles: ReadonlySet<number>;
  /** Connectors by what this unit has to do with them. */
  private readonly timedOut: readonly number[];
  private readonly timedIn: readonly number[];
  private readonly changes: readonly number[];
  private readonly thresholds: readonly number[];
  private readonly followers: readonly number[];
  /** Synchronization tolerance by initiator: the smallest of its connectors. */
  private readonly tolerances: ReadonlyMap<number, number>;
  /**
   * Instants that each initiator has promised and this unit has not reached, in order; the last
   * promise is always among them.
   */
  private promises: Map<number, number[]>;
  /** How many instants of a timed connector are behind its source, and behind its target. */
  private published = new Map<number, number>();
  private taken = new Map<number, number>();
  private state: "stopped" | "advancing" | "finished" = "stopped";
  /** The unit stopped by itself, so there may be more to do at this instant. */
  private isRestless = false;
  /** The last stop was for a value, which is part of the same index. */
  private hasRead = false;
  /** Requests of this unit that are not answered yet. */
  private readonly asked = new Set<number>();
  /** Requests of others for instants that this unit has not reached. */
  private requests: Request[] = [];
  /** What was set and is not applied yet, in order of time, index and connector. */
  private sets: Arrival[] = [];

  constructor(options: ParticipantOptions) {
    const { unit, connectors, start, stop, reacts, singles, origin = start } = options;
    this.origin = origin;
    this.orderOf = options.orderOf;
    this.mayGo = options.mayGo ?? (() => true);
    this.unit = unit;
    this.now = start;
    this.connectors = connectors;
    this.start = start;
    this.stop = stop;
    this.reacts = reacts;
    this.singles = singles ?? new Set();
    const having = (test: (connector: Connector) => boolean): number[] =>
      [...connectors.keys()].filter((c) => test(connectors[c]));
    const isTimed = ({ trigger }: Connector): boolean => trigger.kind === "every";
    this.timedOut = having((c) => isTimed(c) && c.from.unit === unit);
    this.timedIn = having((c) => isTimed(c) && c.to.unit === unit);
    this.changes = having((c) => isNoticed(c) && decidingUnit(c, c.trigger) === unit);
    this.thresholds = this.changes.filter((c) => connectors[c].trigger.kind === "threshold");
    const { leads = [], ledBy = [] } = options;
    const tolerances = new Map<number, number>(ledBy.map((leader) => [leader, 0]));
    const followers = new Set<number>(leads);
    for (const connector of connectors) {
      for (const { initiator, follower } of rolesOf(connector)) {
        if (initiator === follower) continue;
        if (initiator === unit) followers.add(follower);
        if (follower !== unit) continue;
        const { tolerance = 0 } = connector;
        tolerances.set(initiator, Math.min(tolerance, tolerances.get(initiator) ?? tolerance));
      }
    }
    this.tolerances = tolerances;
    this.promises = new Map([...tolerances.keys()].map((initiator) => [initiator, [start]]));
    this.followers = [...followers];
    const behind = (c: number): number => exchangesUntil(connectors[c], origin, start);
    for (const c of this.timedOut) this.published.set(c, behind(c));
    for (const c of this.timedIn) this.taken.set(c, behind(c));
  }

  get hasFinished(): boolean {
    return this.state === "finished";
  }

  /** Who is waited for, in words; empty where it does not wait. */
  waitsFor(nameOf: (unit: number) => string): string[] {
    if (this.state !== "stopped") return [];
    const { now } = this;
    const answers = [...this.asked].map(
      (c) => `the value of '${this.connectors[c].name}' that it asked for`,
    );
    const values = this.timedIn
      .filter((c) => this.lacks(c))
      .map((c) => `the value of '${this.connectors[c].name}' at t=${now}`);
    const promises = [...this.promises.keys()]
      .filter((unit) => !this.isPast(unit))
      .map((unit) => `'${nameOf(unit)}' to pass t=${now}`);
    return [...answers, ...values, ...promises];
  }

  /** The first instant: nothing has moved yet. Events of the first instant are sent. */
  begin(): Order[] {
    return [...this.publishChanges(true), ...this.promise(), ...this.goOn()];
  }

  receive(message: Message): Order[] {
    switch (message.kind) {
      case "promise":
        this.hear(message.unit, message.time);
        return this.goOn();
      case "end":
        this.stop = Math.min(this.stop, message.time);
        return this.goOn();
      case "request":
        if (message.time < this.now - this.tolerance(message.connector))
          throw this.past(message.connector, message.time);
        this.requests.push(message);
        return this.goOn();
      case "set": {
        const { connector, time, index } = message;
        if (time < this.now - this.tolerance(connector)) throw this.past(connector, time);
        if (this.asked.delete(connector))
          // What was asked for is read at once: it does not wait for others of this instant.
          return [{ kind: "apply", connectors: [connector], time }, ...this.goOn()];
        this.put({ connector, time, index });
        return this.goOn();
      }
    }
  }

  /**
   * The unit has met what ends the run: before `stopped`, so that others hear of it before they may
   * pass the instant.
   */
  endAt(time: number): Order[] {
    if (time >= this.stop) return [];
    this.stop = time;
    return this.followers.map((to) => ({ kind: "send", to, message: { kind: "end", time } }));
  }

  private hear(initiator: number, time: number): void {
    const known = this.promises.get(initiator) ?? [];
    if (time > (known.at(-1) ?? Number.NEGATIVE_INFINITY)) known.push(time);
    // What is behind says nothing any more, but for the last one.
    while (known.length > 1 && known[0] <= this.now) known.shift();
  }

  /** The index of a stop at `time`. */
  indexAt(time: number): number {
    if (time > this.now) return 0;
    return this.hasRead ? this.index : this.index + 1;
  }

  /** The unit has stopped. */
  stopped({ time, isByItself, asks }: Stopped): Order[] {
    this.state = "stopped";
    const index = this.indexAt(time);
    // Where it has nothing to do by itself, it goes straight to what arrives next.
    const isIdle = !isByItself && time === this.now;
    const next = isIdle ? this.sets.find((one) => one.time <= time)?.index : undefined;
    this.index = Math.max(index, next ?? 0);
    this.now = time;
    this.isRestless = isByItself;
    this.hasRead = asks.length > 0;
    const orders: Order[] = this.publishChanges(isByItself);
    for (const connector of asks) {
      const { from, to } = this.connectors[connector];
      if (to.unit === this.unit) this.asked.add(connector);
      const message: Message = { kind: "request", connector, time, index: this.index };
      orders.push({ kind: "send", to: from.unit, message });
    }
    orders.push(...this.promise(), ...this.goOn());
    return orders;
  }

  private publishChanges(isByItself: boolean): Order[] {
    const { now: time, index } = this;
    return (isByItself ? this.changes : this.thresholds).map((connector) => ({
      kind: "publish-changed",
      connector,
      time,
      index,
    }));
  }

  /** Everything that can be done now. */
  goOn(): Order[] {
    if (this.state === "advancing") return [];
    const orders = [...this.arrive(), ...this.answer()];
    this.isHeld = false;
    if (this.state === "finished" || !this.mayLeave()) return orders;
    this.isHeld = !this.mayGo();
    if (this.isHeld) return orders;
    const { now } = this;
    const due = this.takeSets();
    if (due.length > 0) orders.push({ kind: "apply", connectors: due, time: now });
    const hasMore = this.sets.length > 0 && this.sets[0].time <= now;
    const isLast = now >= this.stop;
    if (isLast && !(this.reacts && (hasMore || due.length > 0 || this.isRestless))) {
      this.state = "finished";
      orders.push(...this.promise(Number.POSITIVE_INFINITY), { kind: "finish" });
      return orders;
    }
    this.state = "advancing";
    const stays = this.reacts && (hasMore || isLast);
    orders.push({ kind: "advance", from: now, time: stays ? now : this.bound() });
    return orders;
  }

  /** Publishes what is due by time, once. */
  private arrive(): Order[] {
    const { now, index } = this;
    const orders: Order[] = [];
    for (const connector of this.timedOut) {
      if (this.timeOf(connector, this.published) !== now) continue;
      const { after = [] } = this.connectors[connector];
      const needed = after.filter(
        (c) => this.timeOf(c, this.taken) === now && this.tolerance(c) === 0,
      );
      if (needed.some((c) => !this.hasSet(c))) continue;
      this.sets = this.sets.filter((one) => one.time > now || !needed.includes(one.connector));
      for (const c of needed) count(this.taken, c);
      if (needed.length > 0) orders.push({ kind: "apply", connectors: needed, time: now });
      count(this.published, connector);
      orders.push({ kind: "publish", connector, time: now, index });
    }
    return orders;
  }

  private hasSet(connector: number): boolean {
    return this.sets.some((one) => one.connector === connector && one.time <= this.now);
  }

  /**
   * What is applied now: all that was set for this instant, or, where the unit can react in
   * between, what belongs to the earliest index of it that has come.
   */
  private takeSets(): number[] {
    const { now, index } = this;
    const [first] = this.sets;
    if (first === undefined || first.time > now) return [];
    if (this.reacts && first.time === now && first.index > index) return [];
    this.reorder(first);
    let hasSingle = false;
    const isDue = (one: Arrival): boolean => {
      if (!this.reacts) return one.time <= now;
      if (one.time !== first.time || one.index !== first.index) return false;
      if (!this.singles.has(one.connector)) return true;
      if (hasSingle) return false;
      hasSingle = true;
      return true;
    };
    const due = this.sets.filter(isDue);
    this.sets = this.sets.filter((one) => !due.includes(one));
    for (const { connector } of due) if (this.taken.has(connector)) count(this.taken, connector);
    return due.map(({ connector }) => connector);
  }

  /** Puts what arrived together with `first` into the order that is asked for. */
  private reorder({ time, index }: Arrival): void {
    if (this.orderOf === undefined) return;
    const isTogether = (one: Arrival): boolean => one.time === time && one.index === index;
    const connectors = [...new Set(this.sets.filter(isTogether).map(({ connector }) => connector))];
    if (connectors.length < 2) return;
    const order = this.orderOf(connectors, time);
    this.sets.sort((a, b) =>
      isTogether(a) && isTogether(b) ? order.indexOf(a.connector) - order.indexOf(b.connector) : 0,
    );
  }

  /** Requests for this instant, once the values that the answer is computed from are there. */
  private answer(): Order[] {
    const { now } = this;
    const needs = ({ connector, time }: Request): readonly number[] => {
      const { trigger, after = [] } = this.connectors[connector];
      if (trigger.kind !== "ready-to-read") return [];
      // Those that were asked for together with it, and have not been applied yet.
      return after.filter(
        (c) => !this.sets.some((one) => one.connector === c && one.time === time),
      );
    };
    const isReady = (one: Request): boolean => one.time <= now && needs(one).length === 0;
    const ready = this.requests.filter(isReady);
    this.requests = this.requests.filter((one) => !isReady(one));
    return ready.flatMap(({ connector, time, index }): Order[] => {
      const { trigger, to, after = [] } = this.connectors[connector];
      const fresh = trigger.kind === "ready-to-read" ? after : [];
      this.sets = this.sets.filter((one) => one.time !== time || !fresh.includes(one.connector));
      if (to.unit === this.unit) this.put({ connector, time, index });
      return [
        ...(fresh.length > 0 ? [{ kind: "apply", connectors: fresh, time } as const] : []),
        { kind: "publish", connector, time, index },
      ];
    });
  }

  private put(arrival: Arrival): void {
    this.sets.push(arrival);
    this.sets.sort((a, b) => a.time - b.time || a.index - b.index || a.connector - b.connector);
  }

  private mayLeave(): boolean {
    if (this.asked.size > 0) return false;
    if (this.timedIn.some((c) => this.lacks(c))) return false;
    for (const initiator of this.promises.keys()) if (!this.isPast(initiator)) return false;
    return true;
  }

  /** Whether an initiator has promised to be past this instant. */
  private isPast(initiator: number): boolean {
    return (this.promises.get(initiator)?.at(-1) ?? this.start) > this.now;
  }

  /** How far this unit may go for the sake of an initiator that is past this instant. */
  private horizon(initiator: number): number {
    const known = this.promises.get(initiator) ?? [];
    const next = known.find((time) => time > this.now) ?? this.now;
    return next + (this.tolerances.get(initiator) ?? 0);
  }

  /**
   * A timed value of this instant, or of one that lies within its tolerance before it, is not there
   * yet.
   */
  private lacks(connector: number): boolean {
    const instant = this.timeOf(connector, this.taken);
    return instant <= this.now && !this.hasSet(connector);
  }

  /**
   * When the next value of a timed connector has to be there: before the run ends, where it belongs
   * to the run.
   */
  private deadline(connector: number): number {
    const instant = this.timeOf(connector, this.taken);
    const latest = instant + this.tolerance(connector);
    return instant <= this.stop ? Math.min(latest, this.stop) : latest;
  }

  private tolerance(connector: number): number {
    return this.connectors[connector].tolerance ?? 0;
  }

  /**
   * How far it may go: the next timed exchange, the temporal horizon, the end. What is sent or
   * requested for later has been promised.
   */
  private bound(): number {
    let bound = this.stop;
    for (const c of this.timedOut) bound = Math.min(bound, this.timeOf(c, this.published));
    for (const c of this.timedIn) bound = Math.min(bound, this.deadline(c));
    for (const unit of this.promises.keys()) bound = Math.min(bound, this.horizon(unit));
    return bound;
  }

  /** The next instant of a timed connector: counted, so that both ends compute the same number. */
  private timeOf(connector: number, done: ReadonlyMap<number, number>): number {
    return exchangeTime(this.connectors[connector], this.origin, (done.get(connector) ?? 0) + 1);
  }

  /** Messages about earlier instants will not come any more. */
  private promise(time: number = this.now): Order[] {
    const message: Message = { kind: "promise", unit: this.unit, time };
    return this.followers.map((to) => ({ kind: "send", to, message }));
  }

  private past(connector: number, time: number): Error {
    const { name } = this.connectors[connector];
    return new Error(
      `internal: unit ${this.unit} is at t=${this.now} and '${name}' asks it to act at t=${time}`,
    );
  }

  /** Between messages, when the unit stands still. */
  save(): ParticipantState {
    if (this.state === "advancing") throw new Error("internal: a participant on its way");
    return {
      now: this.now,
      stop: this.stop,
      index: this.index,
      state: this.state,
      isRestless: this.isRestless,
      hasRead: this.hasRead,
      promises: [...this.promises].map(([unit, times]) => [unit, [...times]]),
      published: [...this.published],
      taken: [...this.taken],
      asked: [...this.asked],
      requests: this.requests,
      sets: this.sets,
    };
  }

  restore(saved: ParticipantState): void {
    this.now = saved.now;
    this.stop = saved.stop;
    this.index = saved.index;
    this.state = saved.state;
    this.isRestless = saved.isRestless;
    this.hasRead = saved.hasRead;
    this.promises = new Map(saved.promises.map(([unit, times]) => [unit, [...times]]));
    this.published = new Map(saved.published);
    this.taken = new Map(saved.taken);
    this.asked.clear();
    for (const connector of saved.asked) this.asked.add(connector);
    this.requests = [...saved.requests];
    this.sets = [...saved.sets];
  }
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
