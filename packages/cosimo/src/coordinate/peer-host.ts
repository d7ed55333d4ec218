/**
 * The peers that one process of a distributed run has: parcels between them stay here, others are
 * given away, and parcels from elsewhere come in whenever they come. It is asked for some work at a
 * time, so that its owner can listen in between. No clock, no network.
 */
import type { Parcel } from "./parcel.ts";
import type { Peer } from "./peer.ts";

export interface PeerHostOptions {
  /** Peers of this process. */
  readonly peers: readonly Peer[];
  /** Takes what is for peers of other processes. */
  readonly onParcel: (parcel: Parcel) => void;
  /** Whether what takes note of a peer has room for more of it. */
  readonly mayGo: (peer: number) => boolean;
}

export class PeerHost {
  private readonly peers: ReadonlyMap<number, Peer>;
  private readonly onParcel: (parcel: Parcel) => void;
  private readonly mayGo: (peer: number) => boolean;
  private queue: Parcel[] = [];

  constructor({ peers, onParcel, mayGo }: PeerHostOptions) {
    this.mayGo = mayGo;
    this.peers = new Map(peers.map((peer) => [peer.number, peer]));
    this.onParcel = onParcel;
  }

  begin(): void {
    for (const peer of this.peers.values()) {
      peer.allowance = 0;
      this.send(peer.begin());
    }
  }

  /** What has come for a peer and was not delivered, in order. */
  waitingFor(peer: number): readonly Parcel[] {
    return this.queue.filter(({ to }) => to === peer);
  }

  /** In place of `begin`, with peers that were restored and what was waiting for them. */
  goOn(waiting: readonly Parcel[]): void {
    this.queue = [...waiting];
    for (const peer of this.peers.values()) {
      peer.allowance = 0;
      if (!peer.participant.hasFinished) this.send(peer.goOn());
    }
  }

  /** From another process. @throws RangeError where it is for a peer of another process. */
  receive(parcel: Parcel): void {
    if (!this.peers.has(parcel.to)) throw new RangeError(`a message for peer ${parcel.to}`);
    this.queue.push(parcel);
  }

  /** The instant that all peers have reached. */
  get reached(): number {
    let reached = Number.POSITIVE_INFINITY;
    for (const { participant } of this.peers.values())
      if (!participant.hasFinished) reached = Math.min(reached, participant.now);
    return reached;
  }

  get hasFinished(): boolean {
    for (const { participant } of this.peers.values()) if (!participant.hasFinished) return false;
    return this.queue.length === 0;
  }

  get advances(): number {
    let advances = 0;
    for (const peer of this.peers.values()) advances += peer.advances;
    return advances;
  }

  /** Whether `work` would do something. */
  get isReady(): boolean {
    return this.queue.length > 0 || this.earliest() !== undefined;
  }

  /**
   * Delivers what has come; then, where nothing is left of that, lets the earliest peer set out so
   * often.
   * @throws UnitError where a unit fails or stops early.
   */
  work(allowance: number): void {
    const come = this.queue;
    this.queue = [];
    for (const parcel of come) this.send((this.peers.get(parcel.to) as Peer).receive(parcel));
    if (this.queue.length > 0) return;
    const next = this.earliest();
    if (next === undefined) return;
    next.allowance = allowance;
    this.send(next.goOn());
  }

  /** Of the peers that could go on, the one at the earliest instant. */
  private earliest(): Peer | undefined {
    let found: Peer | undefined;
    for (const peer of this.peers.values()) {
      if (!peer.isHeld || peer.isAhead || !this.mayGo(peer.number)) continue;
      if (found === undefined || peer.participant.now < found.participant.now) found = peer;
    }
    return found;
  }

  private send(parcels: readonly Parcel[]): void {
    for (const parcel of parcels)
      if (this.peers.has(parcel.to)) this.queue.push(parcel);
      else this.onParcel(parcel);
  }
}
