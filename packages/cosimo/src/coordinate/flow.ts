/**
 * How far a peer may be ahead of those that it sends messages to. A message is passed when its
 * receiver has come to its instant; receivers say from time to time how many they have passed, and
 * a peer that has too many that are not stays where it is. So queues are short, however fast a
 * source is.
 *
 * No peer waits for ever: of a peer that waits, more than WINDOW - REPORT messages are not passed,
 * so that one of its receivers is at an earlier instant. The peer at the earliest instant of all
 * never waits here, and the others only for peers that are earlier than they are.
 */
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";

/** Messages to one peer that it need not have passed. */
export const WINDOW = 512;
/** So many are reported together. */
const REPORT = 128;

export class Flow {
  /** Sent and not reported as passed, by receiver. */
  private readonly open = new Map<number, number>();
  /** Instants of messages that have come and are not passed, by sender. */
  private readonly ahead = new Map<number, number[]>();
  /** Passed and not reported, by sender. */
  private readonly unsaid = new Map<number, number>();

  sent(to: number): void {
    this.open.set(to, (this.open.get(to) ?? 0) + 1);
  }

  /** A message of `from` has come. */
  note(from: number, time: number): void {
    const known = this.ahead.get(from);
    if (known === undefined) this.ahead.set(from, [time]);
    else known.push(time);
  }

  /** `from` has passed so many more. */
  take(from: number, count: number): void {
    this.open.set(from, Math.max(0, (this.open.get(from) ?? 0) - count));
  }

  get isFull(): boolean {
    for (const count of this.open.values()) if (count > WINDOW) return true;
    return false;
  }

  get slowest(): readonly number[] {
    return [...this.open].flatMap(([to, count]) => (count > WINDOW ? [to] : []));
  }

  /** What is to be reported at `now`, by sender. */
  passed(now: number): readonly (readonly [number, number])[] {
    const reports: [number, number][] = [];
    for (const [from, times] of this.ahead) {
      let count = 0;
      while (count < times.length && times[count] <= now) count++;
      if (count === 0) continue;
      times.splice(0, count);
      const total = (this.unsaid.get(from) ?? 0) + count;
      const isDue = total >= REPORT;
      if (isDue) reports.push([from, total]);
      this.unsaid.set(from, isDue ? 0 : total);
    }
    return reports;
  }

  save(bytes: ByteWriter): void {
    for (const counts of [this.open, this.unsaid]) {
      bytes.u32(counts.size);
      for (const [peer, count] of counts) {
        bytes.u32(peer);
        bytes.f64(count);
      }
    }
    bytes.u32(this.ahead.size);
    for (const [peer, times] of this.ahead) {
      bytes.u32(peer);
      bytes.u32(times.length);
      for (const time of times) bytes.f64(time);
    }
  }

  restore(bytes: ByteReader): void {
    for (const counts of [this.open, this.unsaid]) {
      counts.clear();
      for (let left = bytes.u32(); left > 0; left--) counts.set(bytes.u32(), bytes.f64());
    }
    this.ahead.clear();
    for (let left = bytes.u32(); left > 0; left--) {
      const peer = bytes.u32();
      this.ahead.set(
        peer,
        Array.from({ length: bytes.u32() }, () => bytes.f64()),
      );
    }
  }
}
