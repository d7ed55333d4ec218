/**
 * Legitimacy at run time: counts the transitions of every unit at one time, and when one has too
 * many, watches a few more steps to show what repeats itself. Without it a model in which time
 * stands still would hang the run.
 */
import { cycleThrough } from "../numerics/shortest-cycle.ts";
import { TIME } from "./kernel-input.ts";

/**
 * Intervals shrink if each is at most this part of the one before, so many in a row, to this part
 * of the first.
 */
const MAX_RATIO = 0.95;
const SHRINKING = 5;
const SHRUNK = 1 / 32;

/** Ticks by which the estimated limit may be wrong. */
const NEAR = 1000;

/** Steps that are watched at most. */
const MOST_WATCHED = 400;

export class CascadeWatch {
  /** By unit: transitions at the time of its last one. */
  readonly counts: Int32Array;
  /** A unit went beyond the limit. */
  isWatching = false;
  /** Values from outside at one time, and that time. */
  private fed = 0;
  private fedAt = Number.NaN;
  private readonly limit: number;
  /** The kernel's clock, and the time of every unit's last transition. */
  private readonly clock: Float64Array;
  private readonly last: Float64Array;
  /**
   * By unit: the last interval between transitions, how many in a row shrank, and the one before
   * these.
   */
  private readonly gap: Float64Array;
  private readonly shrinking: Int32Array;
  private readonly first: Float64Array;
  /**
   * By unit: when transitions that come ever faster would have to end, and by what factor intervals
   * shrink; 0: they do not.
   */
  private readonly limitTime: Float64Array;
  private readonly ratio: Float64Array;
  private suspect = -1;
  private steps = 0;
  /** By unit: those that it sent to while it was watched. */
  private targets: Set<number>[] = [];

  constructor(limit: number, clock: Float64Array, last: Float64Array) {
    const units = last.length;
    this.counts = new Int32Array(units);
    this.limit = limit;
    this.clock = clock;
    this.last = last;
    this.gap = new Float64Array(units);
    this.shrinking = new Int32Array(units);
    this.first = new Float64Array(units);
    this.limitTime = new Float64Array(units);
    this.ratio = new Float64Array(units);
  }

  reset(): void {
    this.counts.fill(0);
    this.shrinking.fill(0);
    this.gap.fill(0);
    this.ratio.fill(0);
    this.isWatching = false;
  }

  /** Unit i has a transition. @param isSameTime its last one was at this time as well. */
  count(i: number, isSameTime: boolean): void {
    this.counts[i] = isSameTime ? this.counts[i] + 1 : 1;
    if (!isSameTime) this.measure(i);
    if (this.counts[i] <= this.limit || this.isWatching) return;
    this.isWatching = true;
    this.suspect = i;
    this.steps = 0;
    this.targets = Array.from(this.counts, () => new Set());
  }

  /** The ratio test of numerics/zeno.ts, before delays get so short that ticks round them. */
  private measure(i: number): void {
    const gap = this.clock[TIME] - this.last[i];
    const before = this.gap[i];
    this.gap[i] = gap;
    if (gap > MAX_RATIO * before) {
      this.shrinking[i] = 0;
      return;
    }
    if (this.shrinking[i]++ === 0) this.first[i] = before;
    if (this.shrinking[i] < SHRINKING || gap > SHRUNK * this.first[i]) return;
    this.ratio[i] = gap / before;
    this.limitTime[i] = this.clock[TIME] + (gap * this.ratio[i]) / (1 - this.ratio[i]);
  }

  /** A value came from outside. */
  feed(): void {
    if (this.fedAt !== this.clock[TIME]) this.fed = 0;
    this.fedAt = this.clock[TIME];
    this.fed++;
  }

  sent(from: number, to: number): void {
    this.targets[from].add(to);
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
    if (++this.steps <= most && !isOver) return undefined;
    const unit = this.suspect;
    const cycle = cycleThrough(
      unit,
      this.targets.map((targets) => [...targets]),
    );
    const names = [...(cycle ?? []), unit].map((one) => `'${nameOf(one)}'`).join(" → ");
    const why =
      cycle !== undefined
        ? `values go round ${names}`
        : this.fedAt === this.clock[TIME] && this.fed >= this.limit / 2
          ? `values keep arriving at ${names} from outside of the model`
          : `the time advance of ${names} is 0 again and again`;
    const isZeno = this.ratio[unit] > 0 && Math.abs(this.limitTime[unit] - this.clock[TIME]) < NEAR;
    const zeno = isZeno
      ? "; before, they came ever faster (Zeno behaviour): infinitely many before a finite time"
      : "";
    return { unit, problem: `more than ${this.limit} transitions at one time: ${why}${zeno}` };
  }
}
