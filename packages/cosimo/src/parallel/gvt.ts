/**
 * How far everything is final: the global virtual time of optimistic parts, with messages under way
 * (Mattern 1993, two cuts with counters).
 *
 *   cut       all parts enter a new round, and say how many messages of earlier rounds they have sent to whom
 *   expect    each learns how many such messages it gets in all, and waits until it has them
 *   minimum   then it gives the earliest instant of what it has to do and of what it has sent in this round
 *   commit    the least of these: nothing can be undone before it any more
 *
 * A round begins when a part wants one: it has nothing to do, may not go further, or has done a
 * lot.
 */
import type { Packet, PartMessage } from "./protocol.ts";
import { Outbox } from "./protocol.ts";
import { earlier, isBefore, NEVER, type Stamp } from "./stamp.ts";

export class GvtController {
  /** How many rounds there were. */
  round = 0;
  commit: Stamp = { time: Number.NEGATIVE_INFINITY, index: 0 };
  private readonly count: number;
  private readonly outbox = new Outbox();
  private isRunning = false;
  private isWanted = false;
  private readonly sent = new Map<number, readonly number[]>();
  private readonly minima = new Map<number, Stamp>();

  /** @param count of the parts. */
  constructor(count: number) {
    this.count = count;
  }

  receive(from: number, messages: readonly PartMessage[]): void {
    for (const message of messages) {
      if (message.kind === "want") {
        if (this.isRunning) this.isWanted = true;
        else this.begin();
      } else if (message.kind === "sent" && message.round === this.round) {
        this.sent.set(from, message.counts);
        if (this.sent.size === this.count) this.expect();
      } else if (message.kind === "minimum" && message.round === this.round) {
        this.minima.set(from, message.stamp);
        if (this.minima.size === this.count) this.end();
      }
    }
  }

  take(): readonly Packet[] {
    return this.outbox.take();
  }

  private begin(): void {
    this.isRunning = true;
    this.isWanted = false;
    this.round++;
    this.sent.clear();
    this.minima.clear();
    this.toAll(() => ({ kind: "cut", round: this.round }));
  }

  private expect(): void {
    const counts = [...this.sent.values()];
    this.toAll((to) => ({
      kind: "expect",
      round: this.round,
      count: counts.reduce((sum, one) => sum + one[to], 0),
    }));
  }

  private end(): void {
    const least = [...this.minima.values()].reduce(earlier, NEVER);
    if (isBefore(least, this.commit))
      throw new Error(
        `internal: the commit time goes back from ${this.commit.time} to ${least.time}`,
      );
    this.commit = least;
    this.toAll(() => ({ kind: "commit", stamp: least }));
    this.isRunning = false;
    if (this.isWanted && least.time < Number.POSITIVE_INFINITY) this.begin();
  }

  private toAll(message: (to: number) => PartMessage): void {
    for (let to = 0; to < this.count; to++) this.outbox.put(to, message(to));
  }
}

/** A part's side of it. */
export class GvtMember {
  round = 0;
  /** Messages to each part, and from all, that were sent in rounds before this one. */
  private readonly sentBefore: number[];
  private readonly sentNow: number[];
  /** By round of the sender, for rounds that this part has not seen the end of. */
  private readonly received = new Map<number, number>();
  private receivedBefore = 0;
  private expected = Number.NaN;
  /** The earliest instant of what was sent in this round. */
  private least = NEVER;

  constructor(count: number) {
    this.sentBefore = new Array<number>(count).fill(0);
    this.sentNow = new Array<number>(count).fill(0);
  }

  noteSent(to: number, stamp: Stamp): void {
    this.sentNow[to]++;
    this.least = earlier(this.least, stamp);
  }

  noteReceived(round: number): void {
    if (round < this.round) this.receivedBefore++;
    else this.received.set(round, (this.received.get(round) ?? 0) + 1);
  }

  /** @returns how many messages of earlier rounds were sent to each part. */
  cut(round: number): readonly number[] {
    this.round = round;
    this.sentNow.forEach((count, to) => {
      this.sentBefore[to] += count;
      this.sentNow[to] = 0;
    });
    for (const [one, count] of this.received) {
      if (one >= round) continue;
      this.receivedBefore += count;
      this.received.delete(one);
    }
    this.least = NEVER;
    this.expected = Number.NaN;
    return [...this.sentBefore];
  }

  expect(count: number): void {
    this.expected = count;
  }

  /**
   * The earliest instant that this part may still touch, once, when all that was under way at the
   * cut is there.
   */
  minimum(local: Stamp): Stamp | undefined {
    if (this.expected !== this.receivedBefore) return undefined;
    this.expected = Number.NaN;
    return earlier(local, this.least);
  }
}
