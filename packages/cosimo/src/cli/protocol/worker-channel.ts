/**
 * What the process that holds the FMUs says to its supervisor, on a pipe of its own.
 *
 * Why not the channel that Node offers: an FMU shares the worker's process, and with it every open
 * file. It may write into the channel, close it, or hand it to a process that it starts. Node's
 * channel then throws in the supervisor, loses what is queued when the worker exits, and stays open
 * as long as any process holds it. Here every message is written before the worker goes on, and
 * what is not ours is skipped.
 *
 * A message is: token (16 random bytes that the supervisor chose), length of the payload (uint32,
 * little-endian), payload (JSON, see `encode`), the token with all bits inverted. Bytes that
 * another writer puts in between shift that end, so a damaged message is noticed, and the next one
 * is found by its token; the end is not taken for the beginning of another.
 */
import { appendFileSync, fstatSync, writeSync } from "node:fs";

export const TOKEN_BYTES = 16;
/** Below the longest string that the engine can hold. */
const MAX_PAYLOAD_BYTES: number = 256 * 1024 * 1024;
/** The worker's end. */
export const CHANNEL_FD = 3;
/** Where workers read that take orders while they run. */
export const ORDERS_FD = 4;
/** In the run's folder: messages of a worker whose channel was taken from it. */
export const STRAY_MESSAGES = "messages.bin";

export function frame(token: Buffer, message: unknown): Buffer {
  const payload = Buffer.from(encode(message), "utf8");
  if (payload.length > MAX_PAYLOAD_BYTES)
    throw new Error(`an answer of ${payload.length} bytes is more than can be passed on`);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(payload.length);
  return Buffer.concat([token, length, payload, inverse(token)]);
}

function inverse(token: Buffer): Buffer {
  return Buffer.from(token.map((byte) => ~byte & 0xff));
}

/** Takes bytes as they come and finds the messages among them. */
export class FrameReader {
  /** Bytes that belong to no message. */
  noise = 0;
  private readonly token: Buffer;
  private readonly endMark: Buffer;
  private pieces: Buffer[] = [];
  private length = 0;
  /** No message ends before so many bytes are there. */
  private wanted: number;

  constructor(token: Buffer) {
    this.token = token;
    this.endMark = inverse(token);
    this.wanted = TOKEN_BYTES + 4;
  }

  /** @returns the messages that `bytes` complete; what is not JSON counts as noise. */
  push(bytes: Buffer): unknown[] {
    this.pieces.push(bytes);
    this.length += bytes.length;
    if (this.length < this.wanted) return [];
    let rest = this.pieces.length === 1 ? bytes : Buffer.concat(this.pieces);
    const messages: unknown[] = [];
    for (;;) {
      rest = this.skipNoise(rest);
      this.wanted = TOKEN_BYTES + 4;
      if (rest.length < this.wanted) break;
      const length = rest.readUInt32LE(TOKEN_BYTES);
      if (length <= MAX_PAYLOAD_BYTES) {
        const end = TOKEN_BYTES + 4 + length;
        this.wanted = end + TOKEN_BYTES;
        if (rest.length < this.wanted) break;
        const message = this.endMark.equals(rest.subarray(end, end + TOKEN_BYTES))
          ? decode(rest.toString("utf8", TOKEN_BYTES + 4, end))
          : undefined;
        if (message !== undefined) {
          messages.push(message.value);
          rest = rest.subarray(end + TOKEN_BYTES);
          continue;
        }
      }
      this.noise += TOKEN_BYTES;
      rest = rest.subarray(TOKEN_BYTES);
    }
    this.pieces = [rest];
    this.length = rest.length;
    return messages;
  }

  /**
   * Nothing comes any more. Where a damaged length made us wait for what never came, whole messages
   * may stand behind it.
   * @returns these. Without them, the beginning of a message is what a crash leaves, and no noise.
   */
  end(): unknown[] {
    const messages: unknown[] = [];
    const before = this.noise;
    const first = Buffer.concat(this.pieces).subarray(0, TOKEN_BYTES);
    const isCut = first.equals(this.token.subarray(0, first.length));
    while (this.length >= TOKEN_BYTES) {
      const rest = Buffer.concat(this.pieces).subarray(TOKEN_BYTES);
      this.noise += TOKEN_BYTES;
      this.pieces = [];
      this.length = 0;
      this.wanted = 0;
      messages.push(...this.push(rest));
    }
    this.noise = isCut && messages.length === 0 ? before : this.noise + this.length;
    this.pieces = [];
    this.length = 0;
    return messages;
  }

  private skipNoise(bytes: Buffer): Buffer {
    const at = bytes.indexOf(this.token);
    // The beginning of a token may be the end of what has come so far.
    const from = at >= 0 ? at : Math.max(0, bytes.length - TOKEN_BYTES + 1);
    this.noise += from;
    return bytes.subarray(from);
  }
}

/** The worker's end. */
export class ChannelWriter {
  private readonly token: Buffer;
  private readonly strayPath: string;
  private readonly inode: number;
  private readonly parent: number = process.ppid;

  /** @param strayPath where messages go when an FMU has closed the channel. */
  constructor(token: Buffer, strayPath: string) {
    this.token = token;
    this.strayPath = strayPath;
    this.inode = fstatSync(CHANNEL_FD).ino;
  }

  /** False when an FMU has closed the channel, or put something else in its place. */
  get isWhole(): boolean {
    try {
      return fstatSync(CHANNEL_FD).ino === this.inode;
    } catch {
      return false;
    }
  }

  /**
   * Comes back when all of `message` is on its way: it arrives even if the process ends in the next
   * instant.
   */
  send(message: unknown): void {
    // A copy of this process that an FMU forked, or one whose supervisor is gone: its answers are
    // not wanted.
    if (process.ppid !== this.parent) process.abort();
    const bytes = frame(this.token, message);
    if (!this.isWhole) {
      appendFileSync(this.strayPath, bytes);
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(CHANNEL_FD, bytes, at);
      } catch (error) {
        // An FMU has made it non-blocking, and the supervisor has not read everything yet.
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
        Atomics.wait(PAUSE, 0, 0, 1);
      }
    }
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** Tags values that JSON lacks; "$" is not a name of a property in any message. */
const TAG = "$";

/** JSON that keeps NaN, infinities, -0, 64-bit integers, numeric arrays, maps and gaps in lists. */
export function encode(message: unknown): string {
  return JSON.stringify(message, function (this: unknown, _key, value: unknown) {
    if (typeof value === "number")
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : tagged("number", Object.is(value, -0) ? "-0" : String(value));
    if (typeof value === "bigint") return tagged("bigint", String(value));
    if (value === undefined && Array.isArray(this)) return tagged("undefined", 0);
    if (value instanceof Float64Array) return tagged("f64", [...value]);
    if (value instanceof Map) return tagged("map", [...value]);
    return value;
  });
}

function tagged(tag: string, value: unknown): object {
  return { [TAG]: tag, value };
}

/** What `encode` made; undefined where the text is not its. */
export function decode(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: untagged(JSON.parse(text)) };
  } catch {
    // Not JSON, or nested more deeply than anything of ours.
    return undefined;
  }
}

function untagged(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(untagged);
  if (!Object.hasOwn(value, TAG))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, untagged(one)]));
  const { [TAG]: tag, value: inner } = value as { readonly $: unknown; readonly value: unknown };
  switch (tag) {
    case "number":
      return Number(inner);
    case "bigint":
      return BigInt(inner as string);
    case "undefined":
      return undefined;
    case "f64":
      return Float64Array.from(untagged(inner) as number[]);
    case "map":
      return new Map(untagged(inner) as [unknown, unknown][]);
    default:
      throw new Error("unknown tag");
  }
}
