/**
 * Runs the participants of a coordination in one process: a queue carries their messages, orders are executed on the units.
 * Which of several messages is delivered first does not change the result (participant.ts); `pick` lets tests try all orders.
 */
import type { PortRef } from "../model/scenario.ts";
import type { Banks } from "../model/value-type.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import { chooseOrder, type Ties } from "../unit/ties.ts";
import type { Unit } from "../unit/unit.ts";
import { type Connector, groupsOf, isCycle } from "./connector.ts";
import { Cycle } from "./cycle.ts";
import { type Exchange, Lines } from "./lines.ts";
import {
  conditionsFor,
  type Mover,
  type MoverContext,
  type MoverStop,
  SingleMover,
} from "./mover.ts";
import { type Message, type Order, Participant, type ParticipantState } from "./participant.ts";
import type { Transfer } from "./transfer.ts";

export interface CoordinateOptions {
  readonly start: number;
  readonly stop: number;
  /** Where periods are counted from; default: the start. */
  readonly origin?: number;
  /** What a value becomes on its way, by connector. */
  readonly transfers: readonly Transfer[];
  /** Outputs whose changes and events a unit stops at as well, though nothing is connected to them. */
  readonly watched?: readonly PortRef[];
  /** Called when a unit has moved, or stands at an instant with other inputs than before. */
  readonly onMove?: (unit: number, time: number, index: number) => void;
  /** Called when a unit that moves by itself has stopped. */
  readonly onStop?: (unit: number, time: number, isByItself: boolean) => void;
  /** Called when a value has reached its target. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Which of the messages under way is delivered next; default: the oldest. Messages between two units keep their order. */
  readonly pick?: (count: number) => number;
  /** What decides in which order values of one instant are delivered and applied; default: connectors, as they are written. */
  readonly ties?: Ties;
}

/** Units are waited for that never come: connectors decide instants for each other in a cycle. */
export class Deadlock extends Error {
  readonly waiting: readonly { readonly unit: string; readonly for: readonly string[] }[];
  constructor(waiting: Deadlock["waiting"]) {
    const lines = waiting.map((one) => `'${one.unit}' waits for ${one.for.join(" and ")}`);
    super(`the coordination is stuck: ${lines.join("; ")}`);
    this.name = "Deadlock";
    this.waiting = waiting;
  }
}

/** A message with its value, where it carries one. */
interface Parcel {
  readonly from: number;
  readonly to: number;
  readonly message: Message;
  readonly value?: Banks;
}

/** Initialized units from start to stop. Participants are numbered by groups of units that move together; most have one. */
export class Coordinator {
  /** How often units were advanced. */
  advances = 0;
  private readonly units: readonly Unit[];
  private readonly connectors: readonly Connector[];
  private readonly options: CoordinateOptions;
  private readonly lines: Lines;
  private readonly movers: readonly Mover[];
  private readonly participants: readonly Participant[];
  private readonly groupOf: readonly number[];
  /** Values that were set and not applied yet, by connector. */
  private readonly values: Banks[][];
  private parcels: Parcel[] = [];
  private next = 0;

  constructor(
    units: readonly Unit[],
    connectors: readonly Connector[],
    options: CoordinateOptions,
  ) {
    this.units = units;
    this.connectors = connectors;
    this.options = options;
    const { start, stop, origin = start, watched = [], ties } = options;
    this.lines = new Lines(units, connectors, options.transfers, options.onExchange);
    const context: MoverContext = {
      units,
      connectors,
      lines: this.lines,
      conditions: units.map((_, u) => conditionsFor(units, u, connectors, watched)),
      onMove: (unit, time) => {
        this.advances++;
        options.onMove?.(unit, time, this.participants[this.groupOf[unit]].indexAt(time));
      },
    };
    const groups = groupsOf(units.length, connectors);
    this.movers = groups.map((group) =>
      isCycle(group, connectors)
        ? new Cycle(group, context, { start, origin })
        : new SingleMover(group[0] as number, context),
    );
    const groupOf = units.map((_, u) => groups.findIndex((group) => group.includes(u)));
    this.groupOf = groupOf;
    const between = connectors.map((connector) => betweenGroups(connector, groupOf, this.movers));
    const singles = new Set([...connectors.keys()].filter((c) => this.lines.isSingle(c)));
    const common = { connectors: between, start, stop, origin, singles };
    const orderOf = ties && ((list: readonly number[], at: number) => this.orderOf(list, at, ties));
    this.participants = this.movers.map(
      ({ reacts }, unit) =>
        new Participant({ ...common, unit, reacts, ...(orderOf && { orderOf }) }),
    );
    this.values = connectors.map(() => []);
  }

  /** The time that all units have reached. */
  get reached(): number {
    let reached = Number.POSITIVE_INFINITY;
    for (const { now } of this.participants) reached = Math.min(reached, now);
    return reached;
  }

  /** Events that met another one of the same instant on an input that keeps its value, by connector. */
  get merged(): Float64Array {
    return this.lines.merged;
  }

  /** Groups of units that decide instants for each other, with how often one of them went too far. */
  get cycles(): readonly { readonly units: readonly string[]; readonly rollbacks: number }[] {
    return this.movers.flatMap((mover) =>
      mover instanceof Cycle
        ? [{ units: mover.members.map((u) => this.units[u].name), rollbacks: mover.rollbacks }]
        : [],
    );
  }

  /** Sets all units in motion. */
  begin(): void {
    this.lines.begin();
    for (const mover of this.movers) if (mover instanceof Cycle) mover.begin();
    for (const participant of this.participants) this.execute(participant, participant.begin());
  }

  /**
   * Delivers up to `count` messages.
   * @returns whether the run is over.
   * @throws Deadlock, and UnitError where a unit fails or stops early.
   */
  run(count: number): boolean {
    for (let k = 0; k < count && this.next < this.parcels.length; k++) {
      const { to, message, value } = this.deliver();
      if (message.kind === "set" && value) this.values[message.connector].push(value);
      this.execute(this.participants[to], this.participants[to].receive(message));
    }
    if (this.next < this.parcels.length) return false;
    const nameOf = (group: number): string =>
      this.movers[group].members.map((u) => this.units[u].name).join(", ");
    const waiting = this.participants
      .filter(({ hasFinished }) => !hasFinished)
      .map((one) => ({ unit: nameOf(one.unit), for: one.waitsFor(nameOf) }));
    if (waiting.length > 0) throw new Deadlock(waiting);
    return true;
  }

  /** One of the parcels that are first between their two units. */
  private deliver(): Parcel {
    const { pick, ties } = this.options;
    if (ties !== undefined) return this.deliverBy(ties);
    if (pick === undefined) {
      const parcel = this.parcels[this.next++];
      if (this.next === QUEUE_SLACK) {
        this.parcels = this.parcels.slice(this.next);
        this.next = 0;
      }
      return parcel;
    }
    const routes = new Set<string>();
    const first = this.parcels.filter(({ from, to }) => {
      const route = `${from} ${to}`;
      return !routes.has(route) && routes.add(route);
    });
    const parcel = first[pick(first.length)];
    this.parcels = this.parcels.filter((one) => one !== parcel);
    return parcel;
  }

  /** Of values of one instant that are under way, the one that `ties` chooses. */
  private deliverBy(ties: Ties): Parcel {
    const [{ message: next }] = this.parcels;
    const time = next.kind === "set" ? next.time : Number.NaN;
    const together = this.parcels.filter(
      ({ from, to, message }, k) =>
        message.kind === "set" &&
        message.time === time &&
        this.parcels.findIndex((one) => one.from === from && one.to === to) === k,
    );
    const among = together.map(({ message }) =>
      message.kind === "set" ? this.connectors[message.connector].name : "",
    );
    const what = "which value arrives first";
    const choice = together.length < 2 ? -1 : ties.choose({ time, what, among });
    const parcel = together[choice] ?? this.parcels[0];
    this.parcels = this.parcels.filter((one) => one !== parcel);
    return parcel;
  }

  private orderOf(connectors: readonly number[], time: number, ties: Ties): readonly number[] {
    const names = connectors.map((connector) => this.connectors[connector].name);
    const order = chooseOrder(ties, time, "the order in which values are set", names);
    return order.map((k) => connectors[k]);
  }

  private execute(participant: Participant, orders: readonly Order[]): void {
    const queue = [...orders];
    for (let k = 0; k < queue.length; k++) {
      const order = queue[k];
      switch (order.kind) {
        case "send":
          this.parcels.push({ from: participant.unit, to: order.to, message: order.message });
          break;
        case "publish":
          this.publish(order);
          break;
        case "publish-changed":
          if (this.lines.notices(order.connector)) this.publish(order);
          break;
        case "apply":
          for (const connector of order.connectors)
            this.apply(participant.unit, connector, order.time);
          break;
        case "advance":
          queue.push(...participant.stopped(this.advance(participant.unit, order)));
          break;
        case "finish":
          break;
      }
    }
  }

  private advance(
    group: number,
    { from, time }: { readonly from: number; readonly time: number },
  ): MoverStop {
    const mover = this.movers[group];
    const stop = mover.advance(from, time);
    const [unit, ...others] = mover.members;
    if (unit !== undefined && others.length === 0)
      this.options.onStop?.(unit, stop.time, stop.isByItself);
    return stop;
  }

  private publish({
    connector,
    time,
    index,
  }: Extract<Order, { readonly kind: "publish" | "publish-changed" }>): void {
    const { from, to } = this.connectors[connector];
    const message: Message = { kind: "set", connector, time, index };
    const value = this.lines.take(connector);
    const [source, target] = [this.groupOf[from.unit], this.groupOf[to.unit]];
    this.parcels.push({ from: source, to: target, message, value });
  }

  private apply(group: number, connector: number, time: number): void {
    const value = this.values[connector].shift();
    if (value === undefined) return;
    const { unit } = this.connectors[connector].to;
    this.lines.deliver(connector, value, time);
    this.movers[group].touch(unit);
    const { now, index } = this.participants[group];
    this.options.onMove?.(unit, now, index);
  }

  /** Between two calls of `run`: everything but the states of the units. */
  save(): Uint8Array {
    const bytes = new ByteWriter();
    bytes.f64(this.advances);
    bytes.text(encode(this.participants.map((one) => one.save())));
    const parcels = this.parcels.slice(this.next);
    bytes.text(encode(parcels.map(({ from, to, message }) => ({ from, to, message }))));
    for (const { value } of parcels) {
      bytes.u8(value === undefined ? 0 : 1);
      if (value !== undefined) bytes.banks(value);
    }
    for (const values of this.values) {
      bytes.u32(values.length);
      for (const value of values) bytes.banks(value);
    }
    this.lines.save(bytes);
    for (const mover of this.movers) mover.save(bytes);
    return bytes.take();
  }

  /** The opposite, on a coordinator of the same units and connectors that has not begun. */
  restore(saved: Uint8Array): void {
    const bytes = new ByteReader(saved);
    this.advances = bytes.f64();
    const participants = decode(bytes.text()) as ParticipantState[];
    this.participants.forEach((one, p) => {
      one.restore(participants[p] as ParticipantState);
    });
    const parcels = decode(bytes.text()) as Parcel[];
    this.parcels = parcels.map((parcel) =>
      bytes.u8() === 0 ? parcel : { ...parcel, value: bytes.banks() },
    );
    this.next = 0;
    this.values.forEach((values) => {
      values.length = 0;
      for (let left = bytes.u32(); left > 0; left--) values.push(bytes.banks());
    });
    this.lines.restore(bytes);
    for (const mover of this.movers) mover.restore(bytes);
  }
}

/** Delivered parcels are removed in bulk. */
const QUEUE_SLACK = 4096;

/** As participants see it; what is between members of one group is no concern of theirs. */
function betweenGroups(
  connector: Connector,
  groupOf: readonly number[],
  movers: readonly Mover[],
): Connector {
  const { from, to, trigger } = connector;
  const [source, target] = [groupOf[from.unit] as number, groupOf[to.unit] as number];
  if (source === target && movers[source] instanceof Cycle)
    return { ...connector, from: NOWHERE, to: NOWHERE, trigger: { kind: "event" } };
  return {
    ...connector,
    from: { ...from, unit: source },
    to: { ...to, unit: target },
    trigger:
      trigger.kind === "threshold"
        ? { ...trigger, port: { ...trigger.port, unit: groupOf[trigger.port.unit] as number } }
        : trigger,
  };
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
