/**
 * Messages of the unit protocol on their way through a network that may lose them, repeat them and
 * limit their length. A frame is 20 bytes, then a piece of the message:
 *
 *   u8 version, u8 kind, u16 0, u32 channel, u32 number, u32 piece, u32 pieces
 *
 * A channel is one unit of a session; its messages are numbered from 1, and the answer has the
 * number of its question. So a question that is repeated is answered once, and an answer that comes
 * twice is used once.
 */
import { Nonsense } from "../../remote/protocol.ts";

export const FRAME = { call: 1, answer: 2, keep: 3, close: 4, end: 5, ended: 6, reply: 7 } as const;

/** Letters of the key of a session, which comes before the words in `ended`. */
export const KEY_LENGTH = 32;

export interface Frame {
  readonly kind: number;
  readonly channel: number;
  readonly number: number;
  readonly piece: number;
  readonly pieces: number;
  readonly body: Uint8Array;
}

const VERSION = 1;
const HEAD_BYTES = 20;
/** Of a whole message: snapshots of large units are the longest. */
export const MAX_BYTES: number = 256 * 1024 * 1024;
const MAX_PIECES = 1 << 16;

export function putFrame({ kind, channel, number, piece, pieces, body }: Frame): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint8(1, kind);
  view.setUint32(4, channel, true);
  view.setUint32(8, number, true);
  view.setUint32(12, piece, true);
  view.setUint32(16, pieces, true);
  bytes.set(body, HEAD_BYTES);
  return bytes;
}

/** @throws Nonsense */
export function takeFrame(bytes: Uint8Array): Frame {
  if (bytes.length < HEAD_BYTES) throw new Nonsense("a frame that is too short");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint8(0) !== VERSION) throw new Nonsense(`a frame of version ${view.getUint8(0)}`);
  const [piece, pieces] = [view.getUint32(12, true), view.getUint32(16, true)];
  if (pieces === 0 || pieces > MAX_PIECES || piece >= pieces)
    throw new Nonsense(`piece ${piece} of ${pieces}`);
  return {
    kind: view.getUint8(1),
    channel: view.getUint32(4, true),
    number: view.getUint32(8, true),
    piece,
    pieces,
    body: bytes.subarray(HEAD_BYTES),
  };
}

/** A message as frames of at most `limit` bytes. */
export function framesOf(
  kind: number,
  channel: number,
  number: number,
  message: Uint8Array,
  limit: number,
): Uint8Array[] {
  if (message.length > MAX_BYTES)
    throw new Error(`a message of ${message.length} bytes is too long for the network`);
  const size = Math.max(1, limit - HEAD_BYTES);
  const pieces = Math.max(1, Math.ceil(message.length / size));
  return Array.from({ length: pieces }, (_, piece) =>
    putFrame({
      kind,
      channel,
      number,
      piece,
      pieces,
      body: message.subarray(piece * size, (piece + 1) * size),
    }),
  );
}

/**
 * Puts the pieces of one channel together. Pieces of another message than the newest are forgotten.
 */
export class Assembly {
  private number = -1;
  private parts: (Uint8Array | undefined)[] = [];
  /** Pieces of the newest message that have not come. */
  missing = 0;
  private bytes = 0;

  /** @returns the whole message with its last piece. @throws Nonsense */
  take({ number, piece, pieces, body }: Frame): Uint8Array | undefined {
    if (pieces === 1) return body;
    if (number !== this.number || pieces !== this.parts.length) {
      this.number = number;
      this.parts = new Array<Uint8Array | undefined>(pieces).fill(undefined);
      this.missing = pieces;
      this.bytes = 0;
    }
    if (this.parts[piece] !== undefined) return undefined;
    this.bytes += body.length;
    if (this.bytes > MAX_BYTES) throw new Nonsense("a message without an end");
    // What came is a part of a buffer that is used again.
    this.parts[piece] = new Uint8Array(body);
    if (--this.missing > 0) return undefined;
    const whole = new Uint8Array(this.bytes);
    let at = 0;
    for (const part of this.parts) {
      whole.set(part ?? new Uint8Array(0), at);
      at += part?.length ?? 0;
    }
    this.number = -1;
    this.parts = [];
    return whole;
  }
}
