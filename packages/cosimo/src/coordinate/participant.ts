/**
 * One unit in a coordination without a master: Algorithm 4 of the CoSim20 thesis (§4.4.2) as pure steps. Messages and stops of
 * the unit go in, orders come out; no clock, no values, no network. The same code runs over a queue in one process and over peers.
 *
 * Time in three rules:
 *   - A participant *arrives* at an instant when its unit stops there, and publishes what is due; values are those before anything is
 *     set at this instant, but for timed values that an output follows at once (feed-through), which are applied first.
 *   - It *leaves* the instant, and only then applies what was set there, once nothing more can come: timed values have arrived, its own
 *     requests are answered, and every unit that decides instants for it (its initiators) has promised to be past this one.
 *   - It goes no further than the earliest promise (the temporal horizon), so that it is never asked to act in its past.
 * So the order in which messages of different peers arrive changes nothing.
 */
import type { Connector } from "./connector.ts";
import { rolesOf } from "./connector.ts";

export type Message =
  /** A value for the target of `connector` at `time`; what it is, the carrier knows. */
  | { readonly kind: "set"; readonly connector: number; readonly time: number }
  /** The target wants the value of the source at `time`. */
  | { readonly kind: "request"; readonly connector: number; readonly time: number }
  /** No later message of `unit` is about an instant before `time`. */
  | { readonly kind: "promise"; readonly unit: number; readonly time: number };

export type Order =
  /** Read the source of the connector now, and send the value to its target. */
  | { readonly kind: "publish"; readonly connector: number; readonly time: number }
  /** As `publish`, where the output has a new value or its event occurred at this instant. */
  | { readonly kind: "publish-changed"; readonly connector: number; readonly time: number }
  | { readonly kind: "send"; readonly to: number; readonly message: Message }
  /** Write what was set through these connectors, in this order. */
  | { readonly kind: "apply"; readonly connectors: readonly number[]; readonly time: number }
  /** Advance until `time`, or until one of the participant's conditions holds. */
  | { readonly kind: "advance"; readonly from: number; readonly time: number }
  | { readonly kind: "finish" };

export interface Stopped {
  readonly reason: "time" | "updated" | "event" | "ready-to-read";
  readonly port: number;
  readonly time: number;
}

export interface ParticipantOptions {
  readonly unit: number;
  readonly connectors: readonly Connector[];
  readonly start: number;
  readonly stop: number;
  /** Where periods are counted from; default: the start. Instants up to the start are behind. */
  readonly origin?: number;
}

export class Participant {
  readonly unit: number;
  /** Where the unit is, or where it set out from. */
  now: number;
  readonly #connectors: readonly Connector[];
  readonly #origin: number;
  readonly #stop: number;
  /** Connectors by what this unit has to do with them. */
  readonly #timedOut: readonly number[];
  readonly #timedIn: readonly number[];
  readonly #changes: readonly number[];
  readonly #followers: readonly number[];
  readonly #promises: Map<number, number>;
  /** How many instants of a timed connector are behind its source, and behind its target. */
  readonly #published = new Map<number, number>();
  readonly #taken = new Map<number, number>();
  #state: "stopped" | "advancing" | "finished" = "stopped";
  /** Requests of this unit that are not answered yet. */
  readonly #asked = new Set<number>();
  /** Requests of others for instants that this unit has not reached. */
  #requests: { readonly connector: number; readonly time: number }[] = [];
  /** What was set, by connector, until it is applied. */
  readonly #sets = new Map<number, number[]>();

  constructor({ unit, connectors, start, stop, origin = start }: ParticipantOptions) {
    this.unit = unit;
    this.now = start;
    this.#connectors = connectors;
    this.#origin = origin;
    this.#stop = stop;
    const having = (test: (connector: Connector) => boolean): number[] =>
      [...connectors.keys()].filter((c) => test(connectors[c]));
    const isTimed = ({ trigger }: Connector): boolean => trigger.kind === "every";
    this.#timedOut = having((c) => isTimed(c) && c.from.unit === unit);
    this.#timedIn = having((c) => isTimed(c) && c.to.unit === unit);
    this.#changes = having(
      ({ from, trigger }) =>
        from.unit === unit && (trigger.kind === "updated" || trigger.kind === "event"),
    );
    const roles = connectors.flatMap((connector) => rolesOf(connector) ?? []);
    const initiators = roles.filter(({ follower }) => follower === unit);
    const followers = roles.filter(({ initiator }) => initiator === unit);
    this.#promises = new Map(initiators.map(({ initiator }) => [initiator, start]));
    this.#followers = [...new Set(followers.map(({ follower }) => follower))];
    for (const c of this.#timedOut) this.#published.set(c, this.#countUntil(c, start));
    for (const c of this.#timedIn) this.#taken.set(c, this.#countUntil(c, start));
  }

  get hasFinished(): boolean {
    return this.#state === "finished";
  }

  /** Who is waited for, in words; empty where it does not wait. */
  waitsFor(nameOf: (unit: number) => string): string[] {
    if (this.#state !== "stopped") return [];
    const { now } = this;
    const answers = [...this.#asked].map(
      (c) => `the value of '${this.#connectors[c].name}' that it asked for`,
    );
    const values = this.#timedIn
      .filter((c) => this.#lacks(c))
      .map((c) => `the value of '${this.#connectors[c].name}' at t=${now}`);
    const promises = [...this.#promises]
      .filter(([, time]) => !(time > now))
      .map(([unit]) => `'${nameOf(unit)}' to pass t=${now}`);
    return [...answers, ...values, ...promises];
  }

  /** The first instant: nothing has moved yet. */
  begin(): Order[] {
    return [...this.#promise(), ...this.#goOn()];
  }

  receive(message: Message): Order[] {
    switch (message.kind) {
      case "promise":
        this.#promises.set(message.unit, message.time);
        return this.#goOn();
      case "request":
        if (message.time < this.now) throw this.#past(message.connector, message.time);
        this.#requests.push(message);
        return this.#goOn();
      case "set": {
        const { connector, time } = message;
        if (time < this.now) throw this.#past(connector, time);
        this.#sets.set(connector, [...(this.#sets.get(connector) ?? []), time]);
        if (!this.#asked.delete(connector)) return this.#goOn();
        // What was asked for is read at once: it does not wait for others of this instant.
        this.#sets.delete(connector);
        return [{ kind: "apply", connectors: [connector], time }, ...this.#goOn()];
      }
    }
  }

  /** The unit has stopped. */
  stopped({ reason, port, time }: Stopped): Order[] {
    this.#state = "stopped";
    this.now = time;
    const orders: Order[] = [];
    if (reason === "updated" || reason === "event") {
      for (const connector of this.#changes)
        orders.push({ kind: "publish-changed", connector, time });
    } else if (reason === "ready-to-read") {
      this.#connectors.forEach(({ to, from, trigger }, connector) => {
        if (trigger.kind !== "ready-to-read" || to.unit !== this.unit || to.port !== port) return;
        this.#asked.add(connector);
        const message: Message = { kind: "request", connector, time };
        orders.push({ kind: "send", to: from.unit, message });
      });
    }
    orders.push(...this.#promise(), ...this.#goOn());
    return orders;
  }

  /** Everything that can be done now. */
  #goOn(): Order[] {
    if (this.#state === "advancing") return [];
    const orders = [...this.#arrive(), ...this.#answer()];
    if (this.#state === "finished" || !this.#mayLeave()) return orders;
    const { now } = this;
    const due = this.#takeSets();
    if (due.length > 0) orders.push({ kind: "apply", connectors: due, time: now });
    if (now >= this.#stop) {
      this.#state = "finished";
      orders.push(...this.#promise(Number.POSITIVE_INFINITY), { kind: "finish" });
    } else {
      this.#state = "advancing";
      orders.push({ kind: "advance", from: now, time: this.#bound() });
    }
    return orders;
  }

  /** Publishes what is due by time, once. */
  #arrive(): Order[] {
    const { now } = this;
    const orders: Order[] = [];
    for (const connector of this.#timedOut) {
      if (this.#timeOf(connector, this.#published) !== now) continue;
      const { after = [] } = this.#connectors[connector];
      const needed = after.filter((c) => this.#timeOf(c, this.#taken) === now);
      if (needed.some((c) => !this.#sets.has(c))) continue;
      for (const c of needed) {
        this.#takeFirst(c);
        count(this.#taken, c);
      }
      if (needed.length > 0) orders.push({ kind: "apply", connectors: needed, time: now });
      count(this.#published, connector);
      orders.push({ kind: "publish", connector, time: now });
    }
    return orders;
  }

  #takeFirst(connector: number): void {
    const [, ...later] = this.#sets.get(connector) ?? [];
    if (later.length === 0) this.#sets.delete(connector);
    else this.#sets.set(connector, later);
  }

  /** What was set for this instant, in the order of the connectors, as often as it was set. */
  #takeSets(): number[] {
    const due: number[] = [];
    for (const c of [...this.#sets.keys()].sort((a, b) => a - b)) {
      const times = this.#sets.get(c) ?? [];
      const ready = times.filter((time) => time <= this.now);
      for (const _ of ready) due.push(c);
      if (ready.length === times.length) this.#sets.delete(c);
      else this.#sets.set(c, times.slice(ready.length));
    }
    for (const c of this.#timedIn)
      if (this.#timeOf(c, this.#taken) === this.now) count(this.#taken, c);
    return due;
  }

  /** Requests of others for this instant. */
  #answer(): Order[] {
    const { now } = this;
    const [ready, later] = [
      this.#requests.filter(({ time }) => time === now),
      this.#requests.filter(({ time }) => time !== now),
    ];
    this.#requests = later;
    return ready.map(({ connector, time }) => ({ kind: "publish", connector, time }));
  }

  #mayLeave(): boolean {
    const { now } = this;
    if (this.#asked.size > 0) return false;
    if (this.#timedIn.some((c) => this.#lacks(c))) return false;
    for (const time of this.#promises.values()) if (!(time > now)) return false;
    return true;
  }

  /** A timed value of this instant is not there yet. */
  #lacks(connector: number): boolean {
    return this.#timeOf(connector, this.#taken) === this.now && !this.#sets.has(connector);
  }

  /** How far it may go: the next timed exchange, the temporal horizon, the end. */
  #bound(): number {
    let bound = this.#stop;
    for (const c of this.#timedOut) bound = Math.min(bound, this.#timeOf(c, this.#published));
    for (const c of this.#timedIn) bound = Math.min(bound, this.#timeOf(c, this.#taken));
    for (const time of this.#promises.values()) bound = Math.min(bound, time);
    return bound;
  }

  /** The next instant of a timed connector: counted, so that both ends compute the same number. */
  #timeOf(connector: number, done: ReadonlyMap<number, number>): number {
    const { trigger } = this.#connectors[connector];
    if (trigger.kind !== "every") return Number.POSITIVE_INFINITY;
    return this.#origin + ((done.get(connector) ?? 0) + 1) * trigger.seconds;
  }

  /** Instants of a timed connector up to `time`. */
  #countUntil(connector: number, time: number): number {
    const { trigger } = this.#connectors[connector];
    if (trigger.kind !== "every") return 0;
    let passed = Math.floor((time - this.#origin) / trigger.seconds);
    while (this.#origin + (passed + 1) * trigger.seconds <= time) passed++;
    return passed;
  }

  /** Messages about earlier instants will not come any more. */
  #promise(time: number = this.now): Order[] {
    const message: Message = { kind: "promise", unit: this.unit, time };
    return this.#followers.map((to) => ({ kind: "send", to, message }));
  }

  #past(connector: number, time: number): Error {
    const { name } = this.#connectors[connector];
    return new Error(
      `internal: unit ${this.unit} is at t=${this.now} and '${name}' asks it to act at t=${time}`,
    );
  }
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
