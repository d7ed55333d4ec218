/**
 * When every unit is due next: a heap, and beside it those that are due again at the present time.
 * With zero time advances, which cascades consist of, a unit is imminent at the very next index;
 * all that are go together (parallel semantics), so that they need no place in the heap. Its keys
 * of them are outdated until they have been.
 *
 * Times are read from and written to arrays, because a number that is passed to a function may be
 * boxed. `clock[0]` is the present time.
 */
import { EventHeap } from "./event-heap.ts";

export class Schedule {
  /** tn by unit. After writing, `moved` or `rebuild` must be called. */
  readonly times: Float64Array;
  private readonly heap: EventHeap;
  private readonly goTogether: boolean;
  private readonly soon: Int32Array;
  private soonCount = 0;
  private readonly isSoon: Uint8Array;

  constructor(rank: Int32Array, goTogether: boolean) {
    this.times = new Float64Array(rank.length).fill(Number.POSITIVE_INFINITY);
    this.heap = new EventHeap(rank);
    this.goTogether = goTogether;
    this.soon = new Int32Array(rank.length);
    this.isSoon = new Uint8Array(rank.length);
  }

  /**
   * The unit that is due first, of several the one of lowest rank. Only where units do not go
   * together.
   */
  get first(): number {
    return this.heap.first;
  }

  /** `times[i]` was written. */
  moved(i: number, clock: Float64Array): void {
    const time = this.times[i];
    const keys = this.heap.times;
    const before = keys[i];
    if (time === before) return;
    if (time === clock[0] && this.goTogether) {
      if (this.isSoon[i] === 0) this.soon[this.soonCount++] = i;
      this.isSoon[i] = 1;
      return;
    }
    keys[i] = time;
    if (time < before) this.heap.raise(i);
    else this.heap.lower(i);
  }

  /** The time of the next event, to `next[0]`. */
  findNext(clock: Float64Array, next: Float64Array): void {
    next[0] = this.heap.firstTime;
    for (let k = 0; k < this.soonCount; k++) {
      // One that got a value meanwhile may have another time.
      if (this.times[this.soon[k]] !== clock[0]) continue;
      next[0] = clock[0];
      return;
    }
  }

  /** All units that are due at the present time, by rank. @returns how many. */
  imminent(clock: Float64Array, out: Int32Array): number {
    const time = clock[0];
    let count = this.heap.firstTime === time ? this.heap.imminent(out) : 0;
    for (let k = 0; k < this.soonCount; k++) {
      const i = this.soon[k];
      this.isSoon[i] = 0;
      if (this.times[i] === time) out[count++] = i;
    }
    this.soonCount = 0;
    this.heap.sort(out, count);
    return count;
  }

  /** All of `times` was written. */
  rebuild(): void {
    this.soonCount = 0;
    this.isSoon.fill(0);
    this.heap.times.set(this.times);
    this.heap.rebuild();
  }
}
