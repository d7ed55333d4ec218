/**
 * What one process of a distributed run has to do with a network: a link to every other process,
 * packets as bytes, long payloads in pieces. The network may lose, repeat, delay and reorder
 * packets; payloads arrive once and in order. No clock and no socket: its owner calls `tick`, and
 * takes packets away.
 */
import { Link } from "../base/link.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";

export interface Packet {
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** Payloads under way to one process, ticks between repetitions at most, bytes of one piece. */
const WINDOW = 64;
const SLOWEST = 16;
const PIECE_BYTES = 256 * 1024;
/** No payload is longer. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Way {
  readonly link: Link<Uint8Array>;
  /** Pieces of a payload that is not complete. */
  pieces: Uint8Array[];
  size: number;
}

export class Carrier {
  private readonly ways = new Map<number, Way>();
  private readonly pieceBytes: number;

  /** @param others processes. */
  constructor(others: readonly number[], pieceBytes: number = PIECE_BYTES) {
    this.pieceBytes = pieceBytes;
    for (const other of others)
      this.ways.set(other, {
        link: new Link({ window: WINDOW, slowest: SLOWEST }),
        pieces: [],
        size: 0,
      });
  }

  send(to: number, payload: Uint8Array): void {
    const { link } = this.way(to);
    const { pieceBytes } = this;
    for (let at = 0; ; at += pieceBytes) {
      const isLast = at + pieceBytes >= payload.length;
      const piece = new Uint8Array(1 + Math.min(pieceBytes, payload.length - at));
      piece[0] = isLast ? 1 : 0;
      piece.set(payload.subarray(at, at + pieceBytes), 1);
      link.send(piece);
      if (isLast) return;
    }
  }

  /** @returns payloads that are complete. @throws RangeError for bytes that are not packet. */
  receive(from: number, bytes: Uint8Array): Uint8Array[] {
    const way = this.way(from);
    const reader = new ByteReader(bytes);
    const [number, seen, asks] = [reader.u32(), reader.u32(), reader.u8() === 1];
    const payload = number === 0 ? undefined : reader.rest();
    if (payload?.length === 0) throw new RangeError("a packet without a payload");
    const whole: Uint8Array[] = [];
    for (const piece of way.link.receive({ number, seen, asks, ...(payload && { payload }) })) {
      way.pieces.push(piece.subarray(1));
      way.size += piece.length - 1;
      if (way.size > MAX_BYTES) throw new RangeError("a payload without an end");
      if (piece[0] !== 1) continue;
      whole.push(joined(way.pieces, way.size));
      way.pieces = [];
      way.size = 0;
    }
    return whole;
  }

  tick(): void {
    for (const { link } of this.ways.values()) link.tick();
  }

  take(): Packet[] {
    return [...this.ways].flatMap(([to, { link }]) =>
      link.take().map(({ number, seen, asks, payload }) => {
        const bytes = new ByteWriter();
        bytes.u32(number);
        bytes.u32(seen);
        bytes.u8(asks ? 1 : 0);
        if (payload !== undefined) bytes.raw(payload);
        return { to, bytes: bytes.take() };
      }),
    );
  }

  /** Payloads to a process that it has not acknowledged. */
  pendingTo(to: number): number {
    return this.way(to).link.pending;
  }

  /** Ticks since something came from a process. */
  silenceOf(from: number): number {
    return this.way(from).link.silence;
  }

  private way(other: number): Way {
    const way = this.ways.get(other);
    if (way === undefined) throw new RangeError(`no process ${other}`);
    return way;
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
