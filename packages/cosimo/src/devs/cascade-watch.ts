/**
 * Legitimacy at run time: counts the transitions of every unit at one time, and when one has too many, watches a few more steps to show
 * what repeats itself. Without it a model in which time stands still would hang the run.
 */
import { cycleThrough } from "./zero-delay.ts";

/** Steps that are watched at most. */
const MOST_WATCHED = 400;

export class CascadeWatch {
  /** By unit: transitions at the time of its last one. */
  readonly counts: Int32Array;
  /** A unit went beyond the limit. */
  isWatching = false;
  /** Values came from outside while it was watched. */
  isFed = false;
  readonly #limit: number;
  #suspect = -1;
  #steps = 0;
  /** By unit: those that it sent to while it was watched. */
  #targets: Set<number>[] = [];

  constructor(units: number, limit: number) {
    this.counts = new Int32Array(units);
    this.#limit = limit;
  }

  reset(): void {
    this.counts.fill(0);
    this.isWatching = false;
  }

  /** Unit i has a transition. @param isSameTime its last one was at this time as well. */
  count(i: number, isSameTime: boolean): void {
    this.counts[i] = isSameTime ? this.counts[i] + 1 : 1;
    if (this.counts[i] <= this.#limit || this.isWatching) return;
    this.isWatching = true;
    this.isFed = false;
    this.#suspect = i;
    this.#steps = 0;
    this.#targets = Array.from(this.counts, () => new Set());
  }

  sent(from: number, to: number): void {
    this.#targets[from].add(to);
  }

  /**
   * After a step.
   * @param isOver no unit is due at this time any more.
   * @returns what is wrong, once enough was seen.
   */
  verdict(
    isOver: boolean,
    nameOf: (unit: number) => string,
  ): { readonly unit: number; readonly problem: string } | undefined {
    const most = Math.min(2 * this.counts.length + 2, MOST_WATCHED);
    if (++this.#steps <= most && !isOver) return undefined;
    const unit = this.#suspect;
    const cycle = cycleThrough(
      unit,
      this.#targets.map((targets) => [...targets]),
    );
    const names = [...(cycle ?? []), unit].map((one) => `'${nameOf(one)}'`).join(" → ");
    const why =
      cycle !== undefined
        ? `values go round ${names}`
        : this.isFed
          ? `values keep arriving at ${names} from outside of the model`
          : `the time advance of ${names} is 0 again and again`;
    return { unit, problem: `more than ${this.#limit} transitions at one time: ${why}` };
  }
}
