/**
 * Answers to questions on their way: one message where the server takes it, pieces (frames.ts)
 * behind a byte that says so where it does not. Several nodes may answer one question, so the
 * pieces of each answer have a number of their own.
 */
import { randomBytes } from "node:crypto";
import { Nonsense } from "../../remote/protocol.ts";
import { Assembly, FRAME, framesOf, MAX_BYTES, takeFrame } from "./frames.ts";

/** What begins a piece; whole answers begin as json-body.ts says. */
const PIECE = 2;
/** Answers that are on their way at once; the oldest ones are forgotten. */
const MAX_OPEN = 256;

/** @param limit bytes of one message. */
export function replyParts(body: Uint8Array, limit: number): Uint8Array[] {
  if (body.length <= limit) return [body];
  const channel = randomBytes(4).readUInt32LE();
  return framesOf(FRAME.reply, channel, 1, body, limit - 1).map((frame) =>
    Buffer.concat([Uint8Array.of(PIECE), frame]),
  );
}

/** The answers to one question. */
export class Replies {
  private readonly open = new Map<number, Assembly>();
  private bytes = 0;

  /** @returns an answer, with its last piece. @throws Nonsense */
  take(data: Uint8Array): Uint8Array | undefined {
    // What came is a part of a buffer that is used again.
    if (data[0] !== PIECE) return new Uint8Array(data);
    const frame = takeFrame(data.subarray(1));
    if (frame.kind !== FRAME.reply) throw new Nonsense(`a piece of kind ${frame.kind}`);
    this.bytes += frame.body.length;
    if (this.bytes > 2 * MAX_BYTES) throw new Nonsense("answers without an end");
    const assembly = this.open.get(frame.channel) ?? new Assembly();
    this.open.set(frame.channel, assembly);
    const [oldest] = this.open.keys();
    if (this.open.size > MAX_OPEN && oldest !== undefined) this.open.delete(oldest);
    const whole = assembly.take(frame);
    if (whole !== undefined) this.open.delete(frame.channel);
    return whole && new Uint8Array(whole);
  }
}
