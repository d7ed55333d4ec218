/**
 * The two ends of a channel as pure steps: what a caller does while it waits, and what becomes of a
 * question that comes once, twice or late. No clock, no network: instants are given in seconds,
 * what is to be done is returned. So every order of loss, delay and repetition can be tried with a
 * seed.
 */
import { Nonsense } from "../../remote/protocol.ts";
import { Assembly, FRAME, type Frame, framesOf } from "./frames.ts";

export interface Patience {
  readonly silenceSeconds: number;
  readonly callSeconds: number;
}

/** What is known of the peer when the time is looked at. */
export interface PeerSigns {
  /** Seconds, when something of the peer came last; undefined: never. */
  readonly heardAt: number | undefined;
  readonly isConnected: boolean;
}

export type CallAction =
  | { readonly kind: "resend"; readonly frames: readonly Uint8Array[] }
  /** Reports for whom the run waits. */
  | { readonly kind: "notice"; readonly text: string }
  | { readonly kind: "lost"; readonly how: string; readonly problem: string };

/** Nothing is repeated before, and not more often than every: seconds. */
const FIRST_RESEND = 2;
const MAX_RESEND = 10;
/** A long message gets more time: bytes per second that a slow network carries. */
const SLOW_BYTES = 2e6;
const FIRST_NOTICE = 5;

/** The caller's end. */
export class CallLine {
  private readonly unit: string;
  private readonly node: string;
  private readonly channel: number;
  private readonly limit: number;
  private readonly assembly = new Assembly();
  private number = 0;
  private frames: readonly Uint8Array[] = [];
  private isWaiting = false;
  private begun = 0;
  private resendAt = 0;
  private resendAfter = FIRST_RESEND;
  private noticeAfter = FIRST_NOTICE;

  /** @param limit bytes of one frame. */
  constructor(unit: string, node: string, channel: number, limit: number) {
    this.unit = unit;
    this.node = node;
    this.channel = channel;
    this.limit = limit;
  }

  /** @returns the frames to send. */
  begin(message: Uint8Array, now: number): readonly Uint8Array[] {
    this.number++;
    this.frames = framesOf(FRAME.call, this.channel, this.number, message, this.limit);
    this.isWaiting = true;
    this.begun = now;
    this.resendAfter = FIRST_RESEND + message.length / SLOW_BYTES;
    this.resendAt = now + this.resendAfter;
    this.noticeAfter = FIRST_NOTICE;
    return this.frames;
  }

  /** @returns the answer, once. @throws Nonsense */
  take(frame: Frame, now: number): Uint8Array | undefined {
    if (!this.isWaiting || frame.number !== this.number) return undefined;
    const { missing } = this.assembly;
    const whole = this.assembly.take(frame);
    if (whole === undefined) {
      // An answer that is on its way is not asked for again.
      if (this.assembly.missing !== missing) this.resendAt = now + this.resendAfter;
      return undefined;
    }
    this.isWaiting = false;
    this.frames = [];
    return whole;
  }

  /** The connection is back: what was under way may be gone. */
  reconnected(now: number): CallAction | undefined {
    if (!this.isWaiting) return undefined;
    this.resendAt = now + this.resendAfter;
    return { kind: "resend", frames: this.frames };
  }

  tick(
    now: number,
    { heardAt, isConnected }: PeerSigns,
    patience: Patience,
  ): CallAction | undefined {
    if (!this.isWaiting) return undefined;
    const waited = now - this.begun;
    const silent = now - Math.max(heardAt ?? this.begun, this.begun);
    if (silent > patience.silenceSeconds || waited > patience.callSeconds) {
      this.isWaiting = false;
      return { kind: "lost", ...this.loss(waited, silent, patience, isConnected) };
    }
    if (waited >= this.noticeAfter) {
      this.noticeAfter *= 2;
      return { kind: "notice", text: this.text(now, waited, heardAt, isConnected) };
    }
    if (now < this.resendAt || !isConnected) return undefined;
    this.resendAfter = Math.max(this.resendAfter, Math.min(2 * this.resendAfter, MAX_RESEND));
    this.resendAt = now + this.resendAfter;
    return { kind: "resend", frames: this.frames };
  }

  private text(
    now: number,
    waited: number,
    heardAt: number | undefined,
    isConnected: boolean,
  ): string {
    const heard =
      heardAt === undefined ? "never heard" : `last heard ${whole(now - heardAt)} s ago`;
    const why = isConnected ? "" : "; the connection to the server is lost";
    return `waiting ${whole(waited)} s for '${this.unit}' on '${this.node}', ${heard}${why}`;
  }

  private loss(
    waited: number,
    silent: number,
    { silenceSeconds, callSeconds }: Patience,
    isConnected: boolean,
  ): { readonly how: string; readonly problem: string } {
    const where = `'${this.unit}' on '${this.node}'`;
    if (silent <= silenceSeconds)
      return {
        how: `no answer within ${callSeconds} s`,
        problem: `${where} did not answer within ${callSeconds} s; its node is there`,
      };
    const why = isConnected
      ? `nothing was heard of its node for ${whole(silent)} s`
      : `the connection to the server was lost for ${whole(silent)} s`;
    return { how: why, problem: `${where} was waited for ${whole(waited)} s: ${why}` };
  }
}

const whole = (seconds: number): number => Math.round(seconds);

export type Question =
  | { readonly kind: "new"; readonly message: Uint8Array }
  /** It was answered: the answer is sent again. */
  | { readonly kind: "repeat"; readonly frames: readonly Uint8Array[] }
  /** More is to come, or it is being answered, or it is old. */
  | { readonly kind: "nothing" };

const NOTHING: Question = { kind: "nothing" };

/** The end where the unit is. */
export class AnswerLine {
  private readonly channel: number;
  private readonly limit: number;
  private readonly assembly = new Assembly();
  private answered = 0;
  private isBusy = false;
  private frames: readonly Uint8Array[] = [];

  constructor(channel: number, limit: number) {
    this.channel = channel;
    this.limit = limit;
  }

  /** @throws Nonsense for a number that cannot come. */
  take(frame: Frame): Question {
    const { number } = frame;
    if (number === this.answered && !this.isBusy && this.frames.length > 0)
      return { kind: "repeat", frames: this.frames };
    if (number <= this.answered || (this.isBusy && number === this.answered + 1)) return NOTHING;
    if (number !== this.answered + 1) throw new Nonsense(`call ${number} after ${this.answered}`);
    const message = this.assembly.take(frame);
    if (message === undefined) return NOTHING;
    this.isBusy = true;
    return { kind: "new", message };
  }

  /** @returns the frames to send. */
  answer(message: Uint8Array): readonly Uint8Array[] {
    this.isBusy = false;
    this.answered++;
    this.frames = framesOf(FRAME.answer, this.channel, this.answered, message, this.limit);
    return this.frames;
  }
}
