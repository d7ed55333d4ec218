/**
 * A network between peers that share nothing: parcels travel as bytes, each with a delay of its
 * own, so that messages of different peers overtake each other; those between two peers keep their
 * order (FIFO per pair). Time on the network is simulated, and chance has a seed, so that every run
 * can be repeated. A peer may be restarted from its bytes between two parcels.
 */
import { ByteReader, ByteWriter } from "../../unit/bytes.ts";
import { type Parcel, readParcel, writeParcel } from "../parcel.ts";
import type { Peer } from "../peer.ts";

export interface NetworkOptions {
  readonly seed: number;
  /** The longest delay of a parcel, in units of the network's own time; 0: none. */
  readonly delay?: number;
  /** How likely it is that a peer is restarted before a parcel. */
  readonly restarts?: number;
  /** A new peer of the same number beside the same units. */
  readonly reopen?: (peer: number) => Peer;
}

interface Travelling {
  readonly due: number;
  readonly order: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/**
 * Delivers parcels until none is under way. @returns how many there were, how many overtook one
 * that was sent before, and how many were under way at once.
 */
export function runOverNetwork(
  peers: Peer[],
  { seed, delay = 10, restarts = 0, reopen }: NetworkOptions,
): { readonly delivered: number; readonly overtaking: number; readonly most: number } {
  const random = randomFrom(seed);
  const lastOfPair = new Map<string, number>();
  let travelling: Travelling[] = [];
  let [now, order, delivered, overtaking, latest, most] = [0, 0, 0, 0, -1, 0];
  const send = (parcels: readonly Parcel[]): void => {
    for (const parcel of parcels) {
      const pair = `${parcel.from} ${parcel.to}`;
      const due = Math.max(lastOfPair.get(pair) ?? 0, now + delay * random());
      lastOfPair.set(pair, due);
      const bytes = new ByteWriter();
      writeParcel(bytes, parcel);
      travelling.push({ due, order: order++, to: parcel.to, bytes: bytes.take() });
    }
  };
  for (const peer of peers) send(peer.begin());
  while (travelling.length > 0) {
    most = Math.max(most, travelling.length);
    const next = travelling.reduce((a, b) =>
      b.due < a.due || (b.due === a.due && b.order < a.order) ? b : a,
    );
    travelling = travelling.filter((one) => one !== next);
    now = next.due;
    delivered++;
    if (next.order < latest) overtaking++;
    latest = Math.max(latest, next.order);
    if (reopen && random() < restarts) peers[next.to] = restarted(peers[next.to], reopen);
    send(peers[next.to].receive(readParcel(new ByteReader(next.bytes))));
  }
  return { delivered, overtaking, most };
}

function restarted(peer: Peer, reopen: (peer: number) => Peer): Peer {
  const bytes = new ByteWriter();
  peer.save(bytes);
  const made = reopen(peer.number);
  made.restore(new ByteReader(bytes.take()));
  return made;
}

/** Numbers in [0, 1): a linear congruential generator (Numerical Recipes). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
