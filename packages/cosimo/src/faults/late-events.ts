/**
 * Events that are under way to a port: each arrives once, by a fixed time after it was sent. Those
 * of one instant arrive there one after the other, as they were sent.
 */
import { countedInstant } from "../base/instants.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";

export interface LateEventsState {
  readonly due: readonly number[];
  readonly isArriving: boolean;
}

export class LateEvents {
  /** One of them arrives at the present index: the port shows it. */
  isArriving = false;
  private readonly seconds: number;
  private due: number[] = [];

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  /** An event is sent; one that is not late may have to wait for another one of its instant. */
  send(now: number, isLate: boolean): void {
    const due = isLate ? countedInstant(now, this.seconds, 1) : now;
    const behind = this.due.findIndex((one) => one > due);
    this.due.splice(behind < 0 ? this.due.length : behind, 0, due);
  }

  /** When the next one arrives; infinity: none is under way. */
  get next(): number {
    return this.due[0] ?? Number.POSITIVE_INFINITY;
  }

  arrive(): void {
    this.due.shift();
    this.isArriving = true;
  }

  reset(): void {
    this.due = [];
    this.isArriving = false;
  }

  save(): LateEventsState {
    return { due: this.due.slice(), isArriving: this.isArriving };
  }

  restore({ due, isArriving }: LateEventsState): void {
    this.due = due.slice();
    this.isArriving = isArriving;
  }
}

export function writeLateEvents({ due, isArriving }: LateEventsState, bytes: ByteWriter): void {
  bytes.u8(isArriving ? 1 : 0);
  bytes.u32(due.length);
  for (const time of due) bytes.f64(time);
}

export function readLateEvents(bytes: ByteReader): LateEventsState {
  const isArriving = bytes.u8() !== 0;
  return { isArriving, due: Array.from({ length: bytes.u32() }, () => bytes.f64()) };
}
