/**
 * A participant with the units that it moves: parcels in, parcels out. It executes the orders of
 * its participant on units of its own and sees no others, no clock and no network, so that one
 * process can hold all peers of a run (coordinator.ts), or each its own.
 *
 * Peers are numbered by groups of units that move together (connector.ts); most groups have one
 * unit. Everything that a peer knows is data: between two parcels it can be saved, and restored
 * elsewhere beside the same units.
 */
import type { Ending } from "../engine/run-plan.ts";
import type { PortRef, Trigger } from "../model/scenario.ts";
import type { Banks } from "../model/value-type.ts";
import { decidingUnit } from "../plan/triggers.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Unit } from "../unit/unit.ts";
import { type Connector, groupsOf, isCycle } from "./connector.ts";
import { Cycle } from "./cycle.ts";
import { Flow } from "./flow.ts";
import { type Exchange, Lines } from "./lines.ts";
import {
  conditionsFor,
  type Mover,
  type MoverContext,
  type MoverStop,
  SingleMover,
} from "./mover.ts";
import type { Parcel } from "./parcel.ts";
import {
  type Order,
  Participant,
  type ParticipantOptions,
  type ParticipantState,
} from "./participant.ts";
import type { Transfer } from "./transfer.ts";

/** What all peers of a run agree on. */
export interface Agreement {
  readonly connectors: readonly Connector[];
  /** Units that move together, by peer. */
  readonly groups: readonly (readonly number[])[];
  /** The peer of each unit. */
  readonly groupOf: readonly number[];
  /** Connectors as participants see them: between peers. */
  readonly between: readonly Connector[];
  /** Peers that may end the run: all others follow them. */
  readonly leaders: readonly number[];
  readonly start: number;
  readonly stop: number;
  readonly origin: number;
}

export interface PeerOptions {
  /** What a value becomes on its way, by connector; of those that lead to units of this peer. */
  readonly transfers: readonly Transfer[];
  /**
   * Outputs whose changes and events a unit stops at as well, though nothing is connected to them.
   */
  readonly watched?: readonly PortRef[];
  /** Called when a unit has moved, or stands at an instant with other inputs than before. */
  readonly onMove?: (unit: number, time: number, index: number) => void;
  /** Called when a unit that moves by itself has stopped. */
  readonly onStop?: (unit: number, time: number, isByItself: boolean) => void;
  /** Called when a value has reached its target. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** What ends the run before its stop. */
  readonly endings?: readonly Ending[];
  readonly orderOf?: ParticipantOptions["orderOf"];
}

type PublishOrder = Extract<Order, { readonly kind: "publish" | "publish-changed" }>;

export interface Terms {
  readonly start: number;
  readonly stop: number;
  /** Where periods are counted from; default: the start. */
  readonly origin?: number | undefined;
  /** Units that may end the run. */
  readonly leaders?: readonly number[];
}

/** @param count of the units. */
export function agree(
  count: number,
  connectors: readonly Connector[],
  { start, stop, origin = start, leaders: leading = [] }: Terms,
): Agreement {
  const groups = groupsOf(count, connectors, leading);
  const groupOf = Array.from({ length: count }, (_, u) =>
    groups.findIndex((group) => group.includes(u)),
  );
  const cycles = groups.map((group) => isCycle(group, connectors));
  const between = connectors.map((connector) => betweenGroups(connector, groupOf, cycles));
  const leaders = [...new Set(leading.map((u) => groupOf[u] as number))];
  return { connectors, groups, groupOf, between, leaders, start, stop, origin };
}

export class Peer {
  readonly number: number;
  readonly participant: Participant;
  /** How often units were advanced. */
  advances = 0;
  /**
   * How often its units may still set out; what carries its parcels handles time limits and rows
   * meanwhile.
   */
  allowance: number = Number.POSITIVE_INFINITY;
  /**
   * Its unit may be started on its way without being waited for, where it works elsewhere; then
   * `isUnderWay`, until `finish`.
   */
  mayBegin = false;
  isUnderWay = false;
  private readonly agreement: Agreement;
  private readonly options: PeerOptions;
  private readonly lines: Lines;
  private readonly flow = new Flow();
  private readonly mover: Mover;
  /** Those that its units meet. */
  private readonly endings: readonly Ending[];
  /** Values that were set and not applied yet, by connector. */
  private readonly values = new Map<number, Banks[]>();
  private outbox: Parcel[] = [];

  /** @param units by number; only those of the peer's group are looked at. */
  constructor(number: number, units: readonly Unit[], agreement: Agreement, options: PeerOptions) {
    this.number = number;
    this.agreement = agreement;
    this.options = options;
    const { connectors, groups, between, leaders, start, stop, origin } = agreement;
    const members = groups[number];
    this.endings = (options.endings ?? []).filter(({ unit }) => members.includes(unit));
    this.lines = new Lines(units, members, connectors, options.transfers, options.onExchange);
    const conditions = new Map(
      members.map((u) => [
        u,
        [
          ...conditionsFor(units, u, connectors, options.watched ?? []),
          ...this.endings.flatMap(({ unit, condition }) => (unit === u ? [condition] : [])),
        ],
      ]),
    );
    const context: MoverContext = {
      units,
      connectors,
      lines: this.lines,
      conditions,
      onMove: (unit, time) => {
        this.advances++;
        options.onMove?.(unit, time, this.participant.indexAt(time));
      },
    };
    this.mover = isCycle(members, connectors)
      ? new Cycle(members, context, { start, origin })
      : new SingleMover(members[0] as number, context);
    const { reacts } = this.mover;
    const { orderOf } = options;
    this.participant = new Participant({
      unit: number,
      connectors: between,
      start,
      stop,
      origin,
      reacts,
      leads: leaders.includes(number) ? [...groups.keys()].filter((p) => p !== number) : [],
      ledBy: leaders.filter((p) => p !== number),
      singles: this.lines.singles,
      ...(orderOf && { orderOf }),
      mayGo: () => this.allowance > 0 && !this.isAhead,
    });
  }

  /** Whether it waits until another peer has come to what it was sent. */
  get isAhead(): boolean {
    return this.flow.isFull;
  }

  /** Peers that are so far behind. */
  get slowest(): readonly number[] {
    return this.flow.slowest;
  }

  /** Whether it could go on, and was not allowed to. */
  get isHeld(): boolean {
    return this.participant.isHeld;
  }

  /** Goes on from where it was held. @returns what it sends. */
  goOn(): readonly Parcel[] {
    return this.execute(this.participant.goOn());
  }

  /**
   * Events that met another one of the same instant on an input that keeps its value, by connector.
   */
  get merged(): ReadonlyMap<number, number> {
    return this.lines.merged;
  }

  /** How often one of its units went too far; undefined: it moves a single one. */
  get rollbacks(): number | undefined {
    return this.mover instanceof Cycle ? this.mover.rollbacks : undefined;
  }

  /** Sets its units in motion. All peers must be there to take what it sends. */
  begin(): readonly Parcel[] {
    this.lines.begin();
    if (this.mover instanceof Cycle) this.mover.begin();
    return this.execute(this.participant.begin());
  }

  /**
   * @returns what it sends, in this order.
   * @throws UnitError where a unit fails or stops early.
   */
  receive({ from, message, value }: Parcel): readonly Parcel[] {
    if (message.kind === "passed") {
      this.flow.take(from, message.count);
      return this.isHeld ? this.goOn() : [];
    }
    if (from !== this.number) this.flow.note(from, message.time);
    if (message.kind === "set" && value) this.valuesOf(message.connector).push(value);
    return this.execute(this.participant.receive(message));
  }

  private execute(orders: readonly Order[]): readonly Parcel[] {
    const { number: from } = this;
    this.outbox = [];
    const queue = [...orders];
    for (let k = 0; k < queue.length; k++) {
      const order = queue[k];
      switch (order.kind) {
        case "send":
          this.send({ from, to: order.to, message: order.message });
          break;
        case "publish":
          this.publish(order);
          break;
        case "publish-changed":
          if (this.lines.notices(order.connector)) this.publishOrRequest(order);
          break;
        case "apply":
          for (const connector of order.connectors) this.apply(connector, order.time);
          break;
        case "advance":
          this.allowance--;
          this.isUnderWay =
            this.mayBegin && this.mover.beginMove?.(order.from, order.time) === true;
          if (!this.isUnderWay) queue.push(...this.move(order.from, order.time));
          break;
        case "finish":
          break;
      }
    }
    for (const [to, count] of this.flow.passed(this.participant.now))
      this.outbox.push({ from, to, message: { kind: "passed", count } });
    return this.outbox;
  }

  private send(parcel: Parcel): void {
    this.outbox.push(parcel);
    if (parcel.to !== this.number) this.flow.sent(parcel.to);
  }

  /**
   * Waits for its unit, which is under way.
   * @returns what it sends then.
   * @throws UnitError where the unit fails or stops early.
   */
  finish(): readonly Parcel[] {
    this.isUnderWay = false;
    const stop = this.mover.finishMove?.();
    return stop === undefined ? [] : this.execute(this.after(this.noted(stop)));
  }

  private move(from: number, time: number): Order[] {
    return this.after(this.noted(this.mover.advance(from, time)));
  }

  private after(stop: MoverStop): Order[] {
    const isOver = this.endings.some((ending) => ending.isMet());
    const orders = isOver ? this.participant.endAt(stop.time) : [];
    return [...orders, ...this.participant.stopped(stop)];
  }

  private noted(stop: MoverStop): MoverStop {
    const { members } = this.mover;
    const [unit] = members;
    if (unit !== undefined && members.length === 1)
      this.options.onStop?.(unit, stop.time, stop.isByItself);
    return stop;
  }

  /** Where another peer has the value, that one publishes it. */
  private publishOrRequest(order: PublishOrder): void {
    const { connector, time, index } = order;
    const { connectors, groupOf } = this.agreement;
    const to = groupOf[connectors[connector].from.unit];
    const message = { kind: "request", connector, time, index } as const;
    if (to === this.number) this.publish(order);
    else this.send({ from: this.number, to, message });
  }

  private publish({ connector, time, index }: PublishOrder): void {
    const { connectors, groupOf } = this.agreement;
    const { to, trigger } = connectors[connector];
    const value = this.lines.take(connector);
    const target = groupOf[to.unit];
    // It knows already, and leaves the instant with it.
    if (target === this.number && trigger.kind !== "every") this.valuesOf(connector).push(value);
    else {
      const message = { kind: "set", connector, time, index } as const;
      this.send({ from: this.number, to: target, message, value });
    }
  }

  private apply(connector: number, time: number): void {
    const value = this.valuesOf(connector).shift();
    if (value === undefined) return;
    const { unit } = this.agreement.connectors[connector].to;
    this.lines.deliver(connector, value, time);
    this.mover.touch(unit);
    const { now, index } = this.participant;
    this.options.onMove?.(unit, now, index);
  }

  private valuesOf(connector: number): Banks[] {
    const known = this.values.get(connector);
    if (known !== undefined) return known;
    const values: Banks[] = [];
    this.values.set(connector, values);
    return values;
  }

  /** Between two parcels: everything but the states of the units. */
  save(bytes: ByteWriter): void {
    bytes.f64(this.advances);
    bytes.text(encode(this.participant.save()));
    bytes.u32(this.values.size);
    for (const [connector, values] of this.values) {
      bytes.u32(connector);
      bytes.u32(values.length);
      for (const value of values) bytes.banks(value);
    }
    this.flow.save(bytes);
    this.lines.save(bytes);
    this.mover.save(bytes);
  }

  /** The opposite, on a peer of the same agreement that has not begun. */
  restore(bytes: ByteReader): void {
    this.advances = bytes.f64();
    this.participant.restore(decode(bytes.text()) as ParticipantState);
    this.values.clear();
    for (let left = bytes.u32(); left > 0; left--) {
      const values = this.valuesOf(bytes.u32());
      for (let more = bytes.u32(); more > 0; more--) values.push(bytes.banks());
    }
    this.flow.restore(bytes);
    this.lines.restore(bytes);
    this.mover.restore(bytes);
  }
}

/** As participants see it; what is between members of one group is no concern of theirs. */
function betweenGroups(
  connector: Connector,
  groupOf: readonly number[],
  cycles: readonly boolean[],
): Connector {
  const { from, to, trigger } = connector;
  const [source, target] = [groupOf[from.unit] as number, groupOf[to.unit] as number];
  const decides = decidingUnit(connector, trigger);
  const isInside = decides === undefined || groupOf[decides] === source;
  if (source === target && isInside && cycles[source])
    return { ...connector, from: NOWHERE, to: NOWHERE, trigger: { kind: "event" } };
  return {
    ...connector,
    from: { ...from, unit: source },
    to: { ...to, unit: target },
    trigger: triggerBetween(trigger, groupOf),
  };
}

function triggerBetween(trigger: Trigger, groupOf: readonly number[]): Trigger {
  if (trigger.kind === "every" || trigger.port === undefined) return trigger;
  const unit = groupOf[trigger.port.unit] as number;
  return trigger.kind === "threshold"
    ? { ...trigger, port: { ...trigger.port, unit } }
    : { ...trigger, port: { ...trigger.port, unit } };
}

const NOWHERE: PortRef = { unit: -1, port: -1 };

/** JSON keeps every finite number bit for bit but -0, which no time is. */
function encode(data: unknown): string {
  return JSON.stringify(data, (_, value: unknown) =>
    value === Number.POSITIVE_INFINITY ? "∞" : value,
  );
}

function decode(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) =>
    value === "∞" ? Number.POSITIVE_INFINITY : value,
  );
}
