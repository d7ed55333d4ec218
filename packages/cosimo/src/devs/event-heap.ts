/**
 * The next events of all units: a binary heap on typed arrays, ordered by time and, at one time, by
 * rank. A unit is in it once; a heap rather than a calendar queue, because a time advance may be
 * anything from zero to infinity and nothing has to be tuned.
 *
 * `times[i]` is the time of unit i, `heap` holds units, `place[i]` says where unit i is in it.
 * Nothing here allocates; callers write `times` themselves, because a number that is passed to a
 * function may be boxed.
 */
export class EventHeap {
  readonly times: Float64Array;
  private readonly rank: Int32Array;
  private readonly heap: Int32Array;
  private readonly place: Int32Array;

  constructor(rank: Int32Array) {
    const count = rank.length;
    this.rank = rank;
    this.times = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    this.heap = Int32Array.from(rank, (_, i) => i);
    this.place = Int32Array.from(rank, (_, i) => i);
    this.rebuild();
  }

  /** The earliest unit, or -1. */
  get first(): number {
    return this.heap.length > 0 ? this.heap[0] : -1;
  }

  get firstTime(): number {
    return this.heap.length > 0 ? this.times[this.heap[0]] : Number.POSITIVE_INFINITY;
  }

  /** After `times[i]` was made earlier. */
  raise(i: number): void {
    this.up(this.place[i]);
  }

  /** After `times[i]` was made later. */
  lower(i: number): void {
    this.down(this.place[i]);
  }

  /** Writes all units of the earliest time to `out`; they stay in the heap. @returns how many. */
  imminent(out: Int32Array): number {
    const time = this.firstTime;
    let count = 0;
    if (time === Number.POSITIVE_INFINITY) return 0;
    // All units of the earliest time form a tree at the top of the heap.
    const heap = this.heap;
    out[count++] = heap[0];
    for (let k = 0; k < count; k++) {
      const left = 2 * this.place[out[k]] + 1;
      if (left < heap.length && this.times[heap[left]] === time) out[count++] = heap[left];
      if (left + 1 < heap.length && this.times[heap[left + 1]] === time)
        out[count++] = heap[left + 1];
    }
    return count;
  }

  /** After `times` was written directly. */
  rebuild(): void {
    for (let k = (this.heap.length >> 1) - 1; k >= 0; k--) this.down(k);
  }

  /**
   * Orders the first `count` units of `out` by rank: they often are; otherwise a shell sort with
   * Ciura's gaps, in place.
   */
  sort(out: Int32Array, count: number): void {
    const rank = this.rank;
    let ordered = 1;
    while (ordered < count && rank[out[ordered - 1]] < rank[out[ordered]]) ordered++;
    if (ordered >= count) return;
    for (let g = 0; g < GAPS.length; g++) {
      const gap = GAPS[g];
      for (let i = gap; i < count; i++) {
        const unit = out[i];
        let j = i;
        for (; j >= gap && rank[out[j - gap]] > rank[unit]; j -= gap) out[j] = out[j - gap];
        out[j] = unit;
      }
    }
  }

  private before(a: number, b: number): boolean {
    const ta = this.times[a];
    const tb = this.times[b];
    return ta < tb || (ta === tb && this.rank[a] < this.rank[b]);
  }

  private up(from: number): void {
    const heap = this.heap;
    const place = this.place;
    const unit = heap[from];
    let k = from;
    while (k > 0) {
      const parent = (k - 1) >> 1;
      if (!this.before(unit, heap[parent])) break;
      heap[k] = heap[parent];
      place[heap[k]] = k;
      k = parent;
    }
    heap[k] = unit;
    place[unit] = k;
  }

  private down(from: number): void {
    const heap = this.heap;
    const place = this.place;
    const unit = heap[from];
    let k = from;
    for (;;) {
      let child = 2 * k + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.before(heap[child + 1], heap[child])) child++;
      if (!this.before(heap[child], unit)) break;
      heap[k] = heap[child];
      place[heap[k]] = k;
      k = child;
    }
    heap[k] = unit;
    place[unit] = k;
  }
}

const GAPS = Int32Array.of(
  301_607,
  132_602,
  57_317,
  24_796,
  10_721,
  4636,
  1968,
  701,
  301,
  132,
  57,
  23,
  10,
  4,
  1,
);
