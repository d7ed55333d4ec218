/**
 * Runs the peers of a coordination in one process: a queue carries their parcels. Which of several
 * parcels is delivered first does not change the result (participant.ts); `pick` lets tests try all
 * orders.
 *
 * Units that work elsewhere (`beginAdvance`) are under way at the same time: a peer whose unit is
 * under way gets its parcels when that has stopped, which to it is a slow network, and nobody waits
 * for a unit as long as there is something else to do.
 *
 * A peer has turns: it sets out so often, then others go on, the earliest first. So no unit runs
 * far ahead of the others, and the caller of the coordinator can end it, and write rows, between
 * any two turns.
 */
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import { chooseOrder, type Ties } from "../unit/ties.ts";
import type { Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";
import { type Parcel, readParcel, writeParcel } from "./parcel.ts";
import { type Agreement, agree, Peer, type PeerOptions } from "./peer.ts";

export interface CoordinateOptions extends Omit<PeerOptions, "orderOf"> {
  readonly start: number;
  readonly stop: number;
  /** Where periods are counted from; default: the start. */
  readonly origin?: number;
  /**
   * Which of the messages under way is delivered next; default: the oldest. Messages between two
   * units keep their order.
   */
  readonly pick?: (count: number) => number;
  /**
   * What decides in which order values of one instant are delivered and applied; default:
   * connectors, as they are written.
   */
  readonly ties?: Ties;
  /** Every unit is waited for, also where it works elsewhere. */
  readonly isSequential?: boolean;
  /**
   * What waits for the slowest unit is as much as there may be: units that are under way are waited
   * for now.
   */
  readonly isFull?: () => boolean;
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

/** Initialized units from start to stop. */
export class Coordinator {
  private readonly units: readonly Unit[];
  private readonly options: CoordinateOptions;
  private readonly agreement: Agreement;
  private readonly peers: readonly Peer[];
  private parcels: Parcel[] = [];
  private next = 0;
  /**
   * Peers whose unit is under way, in the order in which they began, and parcels that wait for
   * them.
   */
  private underWay: Peer[] = [];
  private readonly kept = new Map<Peer, Parcel[]>();
  /** Peers that could go on, and are not allowed to. */
  private readonly held = new Set<Peer>();
  /** How many units were under way at once, at most. */
  together = 0;

  constructor(
    units: readonly Unit[],
    connectors: readonly Connector[],
    options: CoordinateOptions,
  ) {
    const { start, stop, origin, ties, pick: _, ...rest } = options;
    this.units = units;
    this.options = options;
    const leaders = (rest.endings ?? []).map(({ unit }) => unit);
    this.agreement = agree(units.length, connectors, { start, stop, origin, leaders });
    const orderOf = ties && ((list: readonly number[], at: number) => this.orderOf(list, at, ties));
    const common: PeerOptions = { ...rest, ...(orderOf && { orderOf }) };
    this.peers = this.agreement.groups.map((_, p) => new Peer(p, units, this.agreement, common));
  }

  /** How often units were advanced. */
  get advances(): number {
    let advances = 0;
    for (const peer of this.peers) advances += peer.advances;
    return advances;
  }

  /** The time that all units have reached. */
  get reached(): number {
    let reached = Number.POSITIVE_INFINITY;
    for (const { participant } of this.peers) reached = Math.min(reached, participant.now);
    return reached;
  }

  /**
   * Events that met another one of the same instant on an input that keeps its value, by connector.
   */
  get merged(): ReadonlyMap<number, number> {
    return new Map(this.peers.flatMap(({ merged }) => [...merged]));
  }

  /**
   * Groups of units that decide instants for each other, with how often one of them went too far.
   */
  get cycles(): readonly { readonly units: readonly string[]; readonly rollbacks: number }[] {
    return this.peers.flatMap(({ rollbacks }, p) =>
      rollbacks === undefined ? [] : [{ units: this.namesOf(p), rollbacks }],
    );
  }

  private namesOf(peer: number): string[] {
    return this.agreement.groups[peer].map((u) => this.units[u].name);
  }

  /** Sets all units in motion. */
  begin(): void {
    // Orders of ties are explored one step after the other.
    const mayBegin = this.options.ties === undefined && this.options.isSequential !== true;
    for (const peer of this.peers) {
      peer.mayBegin = mayBegin;
      // Orders are explored among all messages that can be under way.
      peer.allowance = this.options.ties === undefined ? 0 : Number.POSITIVE_INFINITY;
      this.send(peer, peer.begin());
    }
  }

  /** Messages that are not delivered yet. */
  get queued(): number {
    let queued = this.parcels.length - this.next;
    for (const kept of this.kept.values()) queued += kept.length;
    return queued;
  }

  /**
   * Delivers up to `count` messages; a unit that sets out by itself counts as one.
   * @returns whether the run is over.
   * @throws Deadlock, and UnitError where a unit fails or stops early.
   */
  run(count: number): boolean {
    for (let left = count; left > 0; left--) {
      if (this.next < this.parcels.length) this.hand(this.deliver());
      else {
        const isFull = this.underWay.length > 0 && this.options.isFull?.() === true;
        const next = isFull ? undefined : this.earliest();
        if (next !== undefined) left -= this.turn(next, Math.min(TURN, left));
        else if (this.underWay.length > 0) this.finishFirst();
        else break;
      }
    }
    if (this.underWay.length > 0) return false;
    if (this.next < this.parcels.length || this.earliest() !== undefined) return false;
    const nameOf = (peer: number): string => this.namesOf(peer).join(", ");
    const waiting = this.peers.flatMap(({ participant }, p) =>
      participant.hasFinished ? [] : [{ unit: nameOf(p), for: participant.waitsFor(nameOf) }],
    );
    if (waiting.length > 0) throw new Deadlock(waiting);
    return true;
  }

  /** Of the peers that could go on, the one at the earliest instant. */
  private earliest(): Peer | undefined {
    let found: Peer | undefined;
    for (const peer of this.held) {
      if (peer.isAhead) continue;
      if (found === undefined || peer.participant.now < found.participant.now) found = peer;
    }
    return found;
  }

  /** @returns how often its units set out. */
  private turn(peer: Peer, allowance: number): number {
    peer.allowance = allowance;
    this.send(peer, peer.goOn());
    return allowance - peer.allowance;
  }

  private hand(parcel: Parcel): void {
    const peer = this.peers[parcel.to];
    if (!peer.isUnderWay) this.send(peer, peer.receive(parcel));
    else this.keptFor(peer).push(parcel);
  }

  private send(peer: Peer, parcels: readonly Parcel[]): void {
    for (const sent of parcels) this.parcels.push(sent);
    if (peer.isHeld) this.held.add(peer);
    else this.held.delete(peer);
    if (!peer.isUnderWay) return;
    this.underWay.push(peer);
    this.together = Math.max(this.together, this.underWay.length);
  }

  /**
   * Waits for the unit that is under way for longest, and hands its peer what has come meanwhile.
   */
  private finishFirst(): void {
    const [peer, ...others] = this.underWay;
    this.underWay = others;
    try {
      this.send(peer, peer.finish());
    } catch (error) {
      this.abandon();
      throw error;
    }
    const waiting = this.keptFor(peer);
    this.kept.delete(peer);
    for (const parcel of waiting) this.hand(parcel);
  }

  /**
   * The run has failed: nothing may be called of a unit that is under way, so all are waited for.
   */
  private abandon(): void {
    for (const peer of this.underWay) {
      try {
        peer.mayBegin = false;
        peer.finish();
      } catch {
        // The first failure is the one that counts.
      }
    }
    this.underWay = [];
  }

  /** All units stand still. */
  private settle(): void {
    for (const peer of this.peers) peer.mayBegin = false;
    const isSplit = this.underWay.length > 0;
    while (this.underWay.length > 0) this.finishFirst();
    if (isSplit) for (const peer of this.peers) peer.mayBegin = true;
  }

  private keptFor(peer: Peer): Parcel[] {
    const known = this.kept.get(peer) ?? [];
    this.kept.set(peer, known);
    return known;
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
      message.kind === "set" ? this.agreement.connectors[message.connector].name : "",
    );
    const what = "which value arrives first";
    const choice = together.length < 2 ? -1 : ties.choose({ time, what, among });
    const parcel = together[choice] ?? this.parcels[0];
    this.parcels = this.parcels.filter((one) => one !== parcel);
    return parcel;
  }

  private orderOf(connectors: readonly number[], time: number, ties: Ties): readonly number[] {
    const names = connectors.map((connector) => this.agreement.connectors[connector].name);
    const order = chooseOrder(ties, time, "the order in which values are set", names);
    return order.map((k) => connectors[k]);
  }

  /** Between two calls of `run`: everything but the states of the units. */
  save(): Uint8Array {
    this.settle();
    const bytes = new ByteWriter();
    const parcels = this.parcels.slice(this.next);
    bytes.u32(parcels.length);
    for (const parcel of parcels) writeParcel(bytes, parcel);
    for (const peer of this.peers) peer.save(bytes);
    return bytes.take();
  }

  /** The opposite, on a coordinator of the same units and connectors that has not begun. */
  restore(saved: Uint8Array): void {
    const bytes = new ByteReader(saved);
    this.parcels = Array.from({ length: bytes.u32() }, () => readParcel(bytes));
    this.next = 0;
    for (const peer of this.peers) {
      peer.restore(bytes);
      peer.allowance = 0;
      if (!peer.participant.hasFinished) this.held.add(peer);
    }
  }
}

/** Delivered parcels are removed in bulk. */
const QUEUE_SLACK = 4096;

/** How often a peer sets out before others go on. */
const TURN = 128;
