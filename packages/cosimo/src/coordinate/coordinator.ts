/**
 * Runs the participants of a coordination in one process: a queue carries their messages, orders are executed on the units.
 * Which of several messages is delivered first does not change the result (participant.ts); `pick` lets tests try all orders.
 */
import { UnitError } from "../base/outcome.ts";
import type { PortRef } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import { chooseOrder, type Ties } from "../unit/ties.ts";
import type { Access, Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";
import { type Message, type Order, Participant } from "./participant.ts";
import { type Transfer, transferOf } from "./transfer.ts";

export interface Exchange {
  readonly connector: number;
  readonly time: number;
  /** The first element, as a number: what a log shows. */
  readonly value: number;
}

export interface CoordinateOptions {
  readonly start: number;
  readonly stop: number;
  /** Where periods are counted from; default: the start. */
  readonly origin?: number;
  /** What a value becomes on its way, by connector; default: it is copied. */
  readonly transfers?: readonly Transfer[];
  /** Outputs whose changes and events a unit stops at as well, though nothing is connected to them. */
  readonly watched?: readonly PortRef[];
  /** Called when a unit has stopped. */
  readonly onStop?: (unit: number, time: number, reason: Stop["reason"]) => void;
  /** Called when a unit stands at an instant with other inputs than before. */
  readonly onApply?: (unit: number, time: number) => void;
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

/**
 * Runs initialized units from start to stop.
 * @throws Deadlock, and UnitError where a unit fails or stops early.
 */
export function coordinate(
  units: readonly Unit[],
  connectors: readonly Connector[],
  options: CoordinateOptions,
): void {
  const coordinator = new Coordinator(units, connectors, options);
  coordinator.begin();
  coordinator.run(Number.POSITIVE_INFINITY);
}

/** A message with its value, where it carries one. */
interface Parcel {
  readonly from: number;
  readonly to: number;
  readonly message: Message;
  readonly value?: Banks;
}

export class Coordinator {
  readonly #units: readonly Unit[];
  readonly #connectors: readonly Connector[];
  readonly #options: CoordinateOptions;
  readonly #participants: readonly Participant[];
  readonly #conditions: readonly (readonly Predicate[])[];
  readonly #sources: readonly PortAccess[];
  readonly #targets: readonly PortAccess[];
  /** Values that were set and not applied yet, by connector. */
  readonly #values: Banks[][];
  /** What the target port of a connector has. */
  readonly #received: readonly Banks[];
  readonly #transfers: readonly Transfer[];
  /** Connectors whose event holds a lasting input of a unit until the unit has moved, by unit. */
  readonly #pulses: number[][];
  /** What was last sent through a connector: an update is a change of it. */
  readonly #sent: (Banks | undefined)[];
  #parcels: Parcel[] = [];

  constructor(
    units: readonly Unit[],
    connectors: readonly Connector[],
    options: CoordinateOptions,
  ) {
    this.#units = units;
    this.#connectors = connectors;
    this.#options = options;
    const { start, stop, origin = start } = options;
    this.#participants = units.map(
      (_, unit) => new Participant({ unit, connectors, start, stop, origin }),
    );
    this.#conditions = units.map((one, unit) => [
      ...conditionsOf(unit, connectors),
      ...(options.watched ?? []).flatMap((ref) => (ref.unit === unit ? watchOf(one, ref) : [])),
    ]);
    this.#sources = connectors.map(({ from }) => accessTo(units, from));
    this.#targets = connectors.map(({ to }) => accessTo(units, to));
    this.#values = connectors.map(() => []);
    this.#pulses = units.map(() => []);
    this.#received = this.#targets.map(({ unit, access, sizes }) => {
      const banks = makeBanks(sizes);
      units[unit].read(access, banks);
      return banks;
    });
    this.#transfers = options.transfers ?? connectors.map((one) => plainTransfer(units, one));
    this.#sent = connectors.map(() => undefined);
  }

  /** The time that all units have reached. */
  get reached(): number {
    return Math.min(...this.#participants.map(({ now }) => now));
  }

  /** Sets all units in motion. */
  begin(): void {
    this.#connectors.forEach((_, c) => {
      this.#sent[c] = this.#read(c);
    });
    for (const participant of this.#participants) this.#execute(participant, participant.begin());
  }

  /**
   * Delivers up to `count` messages.
   * @returns whether the run is over.
   * @throws Deadlock, and UnitError where a unit fails or stops early.
   */
  run(count: number): boolean {
    for (let k = 0; k < count && this.#parcels.length > 0; k++) {
      const { to, message, value } = this.#deliver();
      if (message.kind === "set" && value) this.#values[message.connector].push(value);
      this.#execute(this.#participants[to], this.#participants[to].receive(message));
    }
    if (this.#parcels.length > 0) return false;
    const nameOf = (unit: number): string => this.#units[unit].name;
    const waiting = this.#participants
      .filter(({ hasFinished }) => !hasFinished)
      .map((one) => ({ unit: nameOf(one.unit), for: one.waitsFor(nameOf) }));
    if (waiting.length > 0) throw new Deadlock(waiting);
    return true;
  }

  /** One of the parcels that are first between their two units. */
  #deliver(): Parcel {
    const { pick, ties } = this.#options;
    if (ties !== undefined) return this.#deliverBy(ties);
    if (pick === undefined) return this.#parcels.shift() as Parcel;
    const routes = new Set<string>();
    const first = this.#parcels.filter(({ from, to }) => {
      const route = `${from} ${to}`;
      return !routes.has(route) && routes.add(route);
    });
    const parcel = first[pick(first.length)];
    this.#parcels = this.#parcels.filter((one) => one !== parcel);
    return parcel;
  }

  /** Of values of one instant that are under way, the one that `ties` chooses. */
  #deliverBy(ties: Ties): Parcel {
    const [{ message: next }] = this.#parcels;
    const time = next.kind === "set" ? next.time : Number.NaN;
    const together = this.#parcels.filter(
      ({ from, to, message }, k) =>
        message.kind === "set" &&
        message.time === time &&
        this.#parcels.findIndex((one) => one.from === from && one.to === to) === k,
    );
    if (together.length < 2) return this.#parcels.shift() as Parcel;
    const among = together.map(({ message }) => this.#connectors[connectorOf(message)].name);
    const parcel = together[ties.choose({ time, what: "which value arrives first", among })];
    this.#parcels = this.#parcels.filter((one) => one !== parcel);
    return parcel;
  }

  /** The connectors in the order in which their values are applied; those of one connector stay in theirs. */
  #orderOf(connectors: readonly number[], time: number): readonly number[] {
    const { ties } = this.#options;
    const different = [...new Set(connectors)];
    if (ties === undefined || different.length < 2) return connectors;
    const names = different.map((connector) => this.#connectors[connector].name);
    const order = chooseOrder(ties, time, "the order in which values are set", names);
    return order.flatMap((k) => connectors.filter((connector) => connector === different[k]));
  }

  #execute(participant: Participant, orders: readonly Order[]): void {
    const queue = [...orders];
    for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
      switch (order.kind) {
        case "send":
          this.#parcels.push({ from: participant.unit, to: order.to, message: order.message });
          break;
        case "publish":
          this.#publish(order.connector, order.time);
          break;
        case "publish-changed":
          if (this.#hasChanged(order.connector)) this.#publish(order.connector, order.time);
          break;
        case "apply":
          for (const connector of this.#orderOf(order.connectors, order.time))
            this.#apply(connector, order.time);
          this.#options.onApply?.(participant.unit, order.time);
          break;
        case "advance":
          queue.push(...this.#advance(participant, order.from, order.time));
          break;
        case "finish":
          break;
      }
    }
  }

  #advance(participant: Participant, from: number, time: number): Order[] {
    const unit = this.#units[participant.unit];
    const conditions = this.#conditions[participant.unit];
    const bound: Predicate = { kind: "time", time };
    const until: Predicate =
      conditions.length === 0 ? bound : { kind: "or", any: [bound, ...conditions] };
    const stop = unit.advance(from, until);
    this.#endPulses(participant.unit);
    this.#options.onStop?.(participant.unit, stop.time, stop.reason);
    if (
      stop.reason === "discarded" ||
      stop.reason === "terminated" ||
      stop.reason === "threshold"
    ) {
      throw new UnitError({
        unit: unit.name,
        call: "advance",
        status: `${stop.reason} at t=${stop.time} on the way to t=${time}`,
        time: stop.time,
        log: [],
      });
    }
    return participant.stopped({ reason: stop.reason, port: stop.port, time: stop.time });
  }

  #read(connector: number): Banks {
    const { unit, access, sizes } = this.#sources[connector];
    const banks = makeBanks(sizes);
    this.#units[unit].read(access, banks);
    return banks;
  }

  #publish(connector: number, time: number): void {
    const { from, to } = this.#connectors[connector];
    const value = this.#read(connector);
    this.#sent[connector] = value;
    const message: Message = { kind: "set", connector, time };
    this.#parcels.push({ from: from.unit, to: to.unit, message, value });
  }

  /** An event that occurred, or an output that is not what was sent last. */
  #hasChanged(connector: number): boolean {
    const { trigger } = this.#connectors[connector];
    const value = this.#read(connector);
    const sent = this.#sent[connector];
    if (trigger.kind === "event") return value.f64.some((element) => element !== 0);
    return sent === undefined || !sameBanks(value, sent);
  }

  /** An event for an input that keeps its value, such as a boolean of an FMU. */
  #isPulse(connector: number): boolean {
    const { trigger, interaction, to } = this.#connectors[connector];
    const { nature } = this.#units[to.unit].description.ports[to.port];
    return trigger.kind === "event" && interaction === undefined && nature !== "transient";
  }

  /** The unit has seen its events. */
  #endPulses(unit: number): void {
    for (const connector of this.#pulses[unit]) {
      const target = this.#received[connector];
      target.f64.fill(0);
      this.#units[unit].write(this.#targets[connector].access, target);
    }
    this.#pulses[unit].length = 0;
  }

  #apply(connector: number, time: number): void {
    const value = this.#values[connector].shift();
    if (value === undefined) return;
    const { unit, access } = this.#targets[connector];
    const target = this.#received[connector];
    this.#transfers[connector](value, target);
    this.#units[unit].write(access, target);
    if (this.#isPulse(connector)) this.#pulses[unit].push(connector);
    this.#options.onExchange?.({ connector, time, value: target.f64[0] });
  }
}

const connectorOf = (message: Message): number =>
  message.kind === "promise" ? -1 : message.connector;

interface PortAccess {
  readonly unit: number;
  readonly access: Access;
  readonly sizes: Record<"f64" | "i64" | "obj", number>;
}

function accessTo(units: readonly Unit[], { unit, port }: PortRef): PortAccess {
  const described = units[unit].description.ports[port];
  const sizes = { f64: 0, i64: 0, obj: 0, [bankOf(described.type)]: portSize(described) };
  return { unit, access: units[unit].bind([{ port, slot: 0 }]), sizes };
}

/** What makes a unit stop before its bound: updates and events that it sends, inputs that it reads. */
function conditionsOf(unit: number, connectors: readonly Connector[]): Predicate[] {
  const found = new Map<string, Predicate>();
  for (const { from, to, trigger } of connectors) {
    const { kind } = trigger;
    if (kind === "ready-to-read" && to.unit === unit)
      found.set(`read ${to.port}`, { kind, port: to.port });
    if ((kind === "updated" || kind === "event") && from.unit === unit)
      found.set(`${kind} ${from.port}`, { kind, port: from.port });
  }
  return [...found.values()];
}

/** A unit that reports changes of an output stops there. */
function watchOf({ description }: Unit, { port }: PortRef): Predicate[] {
  const { nature } = description.ports[port];
  const kind = nature === "transient" ? "event" : "updated";
  const isDiscrete = nature === "transient" || nature === "piecewise-constant";
  return isDiscrete && description.capabilities.predicates.includes(kind) ? [{ kind, port }] : [];
}

function sameBanks(a: Banks, b: Banks): boolean {
  return (
    a.f64.every((x, i) => Object.is(x, b.f64[i])) &&
    a.i64.every((x, i) => x === b.i64[i]) &&
    a.obj.every((x, i) => x === b.obj[i])
  );
}

/** The whole port, as it is. */
function plainTransfer(units: readonly Unit[], { from, to, interaction }: Connector): Transfer {
  const [source, target] = [from, to].map(({ unit, port }) => units[unit].description.ports[port]);
  const whole = { fromElement: 0, toElement: 0, count: portSize(target), factor: 1, offset: 0 };
  const place = { file: "" };
  return transferOf(
    { from, to, ...whole, ...(interaction !== undefined && { interaction }), place },
    source,
    target,
  );
}
