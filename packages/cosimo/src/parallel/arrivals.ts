/**
 * Values that have arrived and wait for their instant: a binary heap by stamp (Cormen et al.,
 * Introduction to Algorithms, ch. 6). Which of one instant
 * comes first does not matter here; bags are ordered when they are filled.
 */
import type { Letter } from "./part.ts";
import { isBefore, isSame, NEVER, type Stamp } from "./stamp.ts";

export class Arrivals<L extends Letter = Letter> {
  private readonly heap: L[] = [];

  get first(): Stamp {
    return this.heap[0] ?? NEVER;
  }

  get size(): number {
    return this.heap.length;
  }

  /** All of them, in no order. */
  get all(): readonly L[] {
    return this.heap;
  }

  add(letter: L): void {
    const { heap } = this;
    let k = heap.length;
    heap.push(letter);
    while (k > 0) {
      const parent = (k - 1) >> 1;
      if (!isBefore(letter, heap[parent])) break;
      heap[k] = heap[parent];
      k = parent;
    }
    heap[k] = letter;
  }

  /** Removes those of an instant, which must be the first. */
  takeAt(stamp: Stamp): L[] {
    const taken: L[] = [];
    while (this.heap.length > 0 && isSame(this.heap[0], stamp)) taken.push(this.pop());
    return taken;
  }

  takeAll(): L[] {
    return this.heap.splice(0);
  }

  /** @returns whether there was one. */
  remove(isMeant: (letter: L) => boolean): boolean {
    const at = this.heap.findIndex(isMeant);
    if (at < 0) return false;
    const rest = this.heap.filter((_, k) => k !== at);
    this.heap.length = 0;
    for (const letter of rest) this.add(letter);
    return true;
  }

  private pop(): L {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop() as L;
    if (heap.length === 0) return first;
    let k = 0;
    for (;;) {
      let child = 2 * k + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[k] = heap[child];
      k = child;
    }
    heap[k] = last;
    return first;
  }
}
