/**
 * Collects ops and writes them as one Int32Array.
 */
import { OP_WIDTH, Op } from "./plan.ts";

export class OpWriter {
  private readonly words: number[] = [];
  /** The last `Every`: its place, its ticks, where its ops end. */
  private last = { at: 0, ticks: 0, end: -1 };

  get count(): number {
    return this.words.length / OP_WIDTH;
  }

  add(opcode: number, a: number, b = 0, c = 0): void {
    this.words.push(opcode, a, b, c);
  }

  /**
   * Ops that run only at multiples of `ticks`; neighbours with the same `ticks` share one `Every`.
   */
  every(ticks: number, body: () => void): void {
    if (ticks === 1) {
      body();
      return;
    }
    const joined = this.last.ticks === ticks && this.last.end === this.words.length;
    const at = joined ? this.last.at : this.words.length;
    if (!joined) this.add(Op.Every, ticks);
    body();
    const inside = (this.words.length - at) / OP_WIDTH - 1;
    if (inside === 0) {
      this.words.length = at;
      return;
    }
    this.words[at + 2] = inside;
    this.last = { at, ticks, end: this.words.length };
  }

  /**
   * The ops that `emit` adds, as they would be by themselves; undefined where they may have joined
   * ops before them.
   */
  part(emit: () => void): Int32Array | undefined {
    const from = this.words.length;
    const isFree = this.last.end !== from;
    emit();
    return isFree ? Int32Array.from(this.words.slice(from)) : undefined;
  }

  done(): Int32Array {
    return Int32Array.from(this.words);
  }
}
