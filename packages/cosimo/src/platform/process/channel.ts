/**
 * Two processes that take turns in one memory. A side writes its message, passes the turn and waits
 * for it to come back: first it spins, for some microseconds, then it sleeps until it is woken.
 * A side that sleeps says so, so that none is woken in vain.
 *
 * Memory, in int32 words, everything that one side alone writes on lines of its own:
 *   [0] turns that the caller passed            [32] turns that the host passed
 *   [64] the caller sleeps                      [96] the host sleeps
 *   [128] length of the caller's message, and of the piece that is there    [160] the same of the host
 *   [256 …] by unit: the call that it is in (platform/native/call-names.ts)
 * then, from byte 8192 on, the caller's region and the host's. A message that is longer than a
 * region comes in pieces: the other side answers every piece but the last with an empty turn.
 * Nothing here is believed: the other side can write to all of it at any time.
 */
import { MAX_MESSAGE_BYTES, Nonsense } from "../../remote/protocol.ts";
import { ByteReader, type ByteWriter } from "../../unit/bytes.ts";
import { cFunction } from "../native/libc.ts";
import { type Futex, futex } from "./futex.ts";
import type { SharedMemory } from "./memory-file.ts";

const TURNS = [0, 32] as const;
const SLEEPS = [64, 96] as const;
const HEADS = [128, 160] as const;
const CALLS_AT = 256;
const REGIONS_AT = 8192;
/** Units whose calls are known by name; of others it is only known that they were called. */
const MAX_CALLS = REGIONS_AT / 4 - CALLS_AT;

const REGION_BYTES: number = 256 * 1024;
export const CHANNEL_BYTES: number = REGIONS_AT + 2 * REGION_BYTES;

export type Side = 0 | 1;
export const CALLER: Side = 0;
export const HOST: Side = 1;

/**
 * How long a side spins before it sleeps: so many looks, then so many more, each after others had
 * the core.
 */
export interface Patience {
  readonly spins: number;
  readonly yields: number;
}

/**
 * Half a microsecond of spinning, then some thirty of yielding the core: where no process wants it,
 * yielding costs 0.3 µs; where one does, it may be the very process that is waited for. Waking a
 * sleeper takes longer than all of it.
 */
export function patienceFor(cores: number): Patience {
  return { spins: cores > 1 ? 300 : 0, yields: 100 };
}

export class ChannelEnd {
  private readonly memory: SharedMemory;
  private readonly words: Int32Array;
  private readonly own: Uint8Array;
  private readonly other: Uint8Array;
  private readonly reader: ByteReader;
  private readonly side: Side;
  private readonly peer: Side;
  private readonly sleep: Futex = futex();
  private readonly giveWay = cFunction("int sched_yield()");
  private readonly patience: Patience;
  private turns = 0;

  constructor(memory: SharedMemory, side: Side, patience: Patience) {
    this.memory = memory;
    this.side = side;
    this.peer = side === CALLER ? HOST : CALLER;
    this.words = new Int32Array(memory.buffer, 0, REGIONS_AT / 4);
    const region = (of: Side): Uint8Array =>
      new Uint8Array(memory.buffer, REGIONS_AT + of * REGION_BYTES, REGION_BYTES);
    this.own = region(side);
    this.other = region(this.peer);
    this.reader = new ByteReader(this.other);
    this.patience = patience;
  }

  /** Where a unit says which call it is in. */
  callWord(unit: number): Int32Array {
    return unit < MAX_CALLS
      ? new Int32Array(this.memory.buffer, 4 * (CALLS_AT + unit), 1)
      : new Int32Array(1);
  }

  /** @param awaitTurn waits until it is our turn again. */
  send(message: ByteWriter, awaitTurn: () => void): void {
    const bytes = message.peek();
    const { length } = bytes;
    if (length > MAX_MESSAGE_BYTES) throw new Error(`a message of ${length} bytes is too long`);
    let at = 0;
    for (; length - at > REGION_BYTES; at += REGION_BYTES) {
      this.own.set(bytes.subarray(at, at + REGION_BYTES));
      this.pass(length, REGION_BYTES);
      awaitTurn();
    }
    this.own.set(at === 0 ? bytes : bytes.subarray(at));
    this.pass(length, length - at);
  }

  /**
   * What came with the turn: in place, until the turn is passed; a copy where it came in pieces.
   */
  take(awaitTurn: () => void): ByteReader {
    const [total, piece] = this.head();
    if (total === piece) {
      this.reader.moveTo(0, piece);
      return this.reader;
    }
    const whole = new Uint8Array(total);
    whole.set(this.other.subarray(0, piece));
    for (let at = piece; at < total; ) {
      this.pass(0, 0);
      awaitTurn();
      const [again, next] = this.head();
      if (again !== total || next === 0 || next > total - at) throw new Nonsense("torn pieces");
      whole.set(this.other.subarray(0, next), at);
      at += next;
    }
    return new ByteReader(whole);
  }

  /** Waits for the turn, at most so long. @returns whether it came. */
  await(seconds: number): boolean {
    const { words } = this;
    const at = TURNS[this.peer];
    // The host waits for the first turn of the caller, the caller for the answer to its own.
    const wanted = (this.side === CALLER ? this.turns : this.turns + 1) | 0;
    const { spins, yields } = this.patience;
    for (let i = 0; i <= spins; i++) if (Atomics.load(words, at) === wanted) return true;
    for (let i = 0; i < yields; i++) {
      this.giveWay();
      if (Atomics.load(words, at) === wanted) return true;
    }
    const sleeps = SLEEPS[this.side];
    Atomics.store(words, sleeps, 1);
    const seen = Atomics.load(words, at);
    if (seen !== wanted) this.sleep.wait(this.memory.address + 4 * at, seen, seconds);
    Atomics.store(words, sleeps, 0);
    return Atomics.load(words, at) === wanted;
  }

  close(): void {
    this.memory.unmap();
  }

  private pass(total: number, piece: number): void {
    const { words } = this;
    const head = HEADS[this.side];
    words[head] = total;
    words[head + 1] = piece;
    const at = TURNS[this.side];
    this.turns = (this.turns + 1) | 0;
    Atomics.store(words, at, this.turns);
    if (Atomics.load(words, SLEEPS[this.peer]) !== 0) this.sleep.wake(this.memory.address + 4 * at);
  }

  private head(): readonly [total: number, piece: number] {
    const head = HEADS[this.peer];
    const total = this.words[head] ?? 0;
    const piece = this.words[head + 1] ?? 0;
    const isSane = piece >= 0 && piece <= REGION_BYTES && total >= piece;
    if (!isSane || total > MAX_MESSAGE_BYTES) throw new Nonsense(`${piece} of ${total} bytes`);
    return [total, piece];
  }
}
