/**
 * A transport whose peer is started again when it is lost, and brought to where it was: by the
 * messages that it had answered, since it was started or since the last base, in their order. A
 * message that was under way is sent again, and its answer is the answer.
 *
 * What is kept: the messages of the initialization; a base (messages that restore a state,
 * remote-unit.ts), where units can give one; the messages since. Beyond a bound they are forgotten,
 * with a word about it: until there is a base again, what is lost then stays lost. Answers are
 * compared with those before, without their notes: a unit that does not do the same again is
 * noticed.
 */
import { type ByteReader, ByteWriter, checksum } from "../unit/bytes.ts";
import { PeerLost } from "./protocol.ts";
import type { Transport } from "./transport.ts";

export interface Restart {
  /** What ended the peer before. */
  readonly why: PeerLost;
  /** Messages that were sent again. */
  readonly replayed: number;
  /** The new peer gave another answer to one of them. */
  readonly differs: boolean;
}

export interface RestartOptions {
  readonly start: () => Transport;
  readonly onRestart: (restart: Restart) => void;
  /** How often in a row one message may end the peer; default: 3. */
  readonly maxAttempts?: number;
  /** Restarts of the whole run; default: 100. */
  readonly maxRestarts?: number;
  /** Bytes of messages that are kept; default: 256 MiB. */
  readonly maxBytes?: number;
  /** They were more, and are forgotten: the peer cannot be brought to where it is. Called once. */
  readonly onForgotten?: () => void;
  /** Messages between two bases; default: 1000. */
  readonly baseEvery?: number;
}

interface Sent {
  readonly bytes: Uint8Array;
  /** Of its answer. */
  readonly sum: number | undefined;
}

const DEFAULT_BYTES: number = 256 * 1024 * 1024;
/** What a message takes besides its bytes. */
const SENT_BYTES = 200;

export class RestartingTransport implements Transport {
  private readonly options: RestartOptions;
  private inner: Transport;
  private beginning: Sent[] = [];
  private base: readonly Sent[] = [];
  private since: Sent[] = [];
  private isBegun = false;
  private bytes = 0;
  private isForgotten = false;
  /** No base can make up for what was forgotten. */
  private isForgottenForGood = false;
  private hasTold = false;
  private current: Uint8Array = new Uint8Array(0);
  private attempts = 0;
  private restarts = 0;
  private loss: PeerLost | undefined;
  private readonly again = new ByteWriter();

  constructor(options: RestartOptions) {
    this.options = options;
    this.inner = options.start();
  }

  /**
   * Everything up to here is sent whenever a peer is started: from here on a base may take the
   * place of the rest.
   */
  endBeginning(): void {
    if (this.isBegun) return;
    this.isBegun = true;
    this.beginning = this.since;
    this.since = [];
  }

  get isBaseDue(): boolean {
    if (this.isForgotten) return !this.isForgottenForGood;
    return this.isBegun && this.since.length >= (this.options.baseEvery ?? 1000);
  }

  setBase(messages: readonly Uint8Array[]): void {
    this.base = messages.map((bytes) => ({ bytes, sum: undefined }));
    this.since = [];
    this.isForgotten = false;
    this.bytes = [...this.beginning, ...this.base].reduce(
      (sum, { bytes }) => sum + sizeOf(bytes),
      0,
    );
    // A base that is too long itself is of no use.
    if (!this.isTooMuch) return;
    this.forget();
    this.isForgottenForGood = true;
  }

  send(message: ByteWriter): void {
    this.current = message.take();
    this.attempts = 0;
    this.loss = undefined;
    try {
      this.inner.send(message);
    } catch (error) {
      if (!(error instanceof PeerLost)) throw error;
      this.loss = error;
    }
  }

  receive(): ByteReader {
    let answer: ByteReader;
    try {
      if (this.loss !== undefined) throw this.loss;
      answer = this.inner.receive();
    } catch (error) {
      if (!(error instanceof PeerLost)) throw error;
      answer = this.recover(error);
    }
    if (!this.isForgotten) this.keep(answer);
    return answer;
  }

  close(): void {
    this.inner.close();
  }

  private get isTooMuch(): boolean {
    return this.bytes > (this.options.maxBytes ?? DEFAULT_BYTES);
  }

  private forget(): void {
    this.isForgotten = true;
    // A peer cannot be started without its beginning.
    if (!this.isBegun) this.isForgottenForGood = true;
    this.base = [];
    this.since = [];
  }

  private keep(answer: ByteReader): void {
    this.since.push({ bytes: this.current, sum: sumOf(answer) });
    this.bytes += sizeOf(this.current);
    if (!this.isTooMuch) return;
    this.forget();
    if (!this.hasTold) this.options.onForgotten?.();
    this.hasTold = true;
  }

  private recover(lost: PeerLost): ByteReader {
    const { start, onRestart, maxAttempts = 3, maxRestarts = 100 } = this.options;
    let why = lost;
    for (;;) {
      this.attempts++;
      this.restarts++;
      const isEnough = this.attempts >= maxAttempts || this.restarts > maxRestarts;
      if (isEnough || this.isForgotten) throw why;
      this.inner.close();
      try {
        this.inner = start();
        const differs = this.replay();
        const answer = this.ask(this.current);
        const { length } = this.beginning;
        onRestart({ why, replayed: length + this.base.length + this.since.length, differs });
        return answer;
      } catch (error) {
        if (!(error instanceof PeerLost)) throw error;
        why = error;
      }
    }
  }

  /** @returns whether an answer was another one. */
  private replay(): boolean {
    let differs = false;
    for (const sent of [this.beginning, this.base, this.since]) {
      for (const { bytes, sum } of sent) {
        const answer = this.ask(bytes);
        if (sum !== undefined && sumOf(answer) !== sum) differs = true;
      }
    }
    return differs;
  }

  private ask(bytes: Uint8Array): ByteReader {
    this.again.cut(0);
    this.again.raw(bytes);
    this.inner.send(this.again);
    return this.inner.receive();
  }
}

function sizeOf(message: Uint8Array): number {
  return message.length + SENT_BYTES;
}

/** Of an answer without its notes. */
function sumOf(answer: ByteReader): number {
  const bytes = answer.ahead();
  const tail =
    bytes.length >= 4
      ? new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4, 4).getUint32(0, true)
      : 0;
  return checksum(bytes.subarray(0, Math.max(0, bytes.length - tail)));
}
