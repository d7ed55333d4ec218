/**
 * Decides from the times of one source's events whether the run still advances: Zeno behaviour
 * (infinitely many events before a finite time, like a ball that comes to rest) and chattering
 * (events as fast as they can be located, like a switch that acts against itself). Both stop a
 * simulation without being an error of any unit, so they need a name.
 *
 * Zeno: intervals that shrink time after time by a ratio bounded below 1, and have shrunk by so
 * much that the sum is no longer in doubt. Bounded matters: intervals 1/n shrink forever and their
 * sum has no limit; by the time they are 1/SHRUNK of the first, their ratio has passed the bound.
 * Periodic events do neither: their intervals do not shrink.
 */

export type EventPattern =
  | { readonly kind: "none" }
  /** `limit` is the time at which the events accumulate, `ratio` that of successive intervals. */
  | { readonly kind: "zeno"; readonly limit: number; readonly ratio: number }
  /** `interval` is the mean time between events. */
  | { readonly kind: "chattering"; readonly interval: number };

export interface ZenoOptions {
  /** Intervals shrink only if each is at most this part of the one before. */
  readonly maxRatio?: number;
  /** How many intervals in a row must shrink. */
  readonly shrinkingIntervals?: number;
  /** How small the last must be against the first of them. */
  readonly shrunk?: number;
  /**
   * Intervals of at most this are as good as none, in seconds: no less than the tolerance of event
   * location.
   */
  readonly minInterval?: number;
  /** How many such intervals in a row are chattering. */
  readonly chatteringIntervals?: number;
}

const NONE: EventPattern = { kind: "none" };
/** The ratio is a mean over the last so many, so that errors of event location average out. */
const RATIO_WINDOW = 4;
const KEPT = RATIO_WINDOW + 1;

export class ZenoWatch {
  private readonly maxRatio: number;
  private readonly shrinkingIntervals: number;
  private readonly shrunk: number;
  private readonly minInterval: number;
  private readonly chatteringIntervals: number;
  private last = Number.NaN;
  /** Intervals in a row that shrank, and the one before them. */
  private shrinking = 0;
  private firstInterval = 0;
  /** Intervals in a row that were as good as none, and the event before them. */
  private tiny = 0;
  private tinySince = 0;
  /** The last intervals, newest first. */
  private readonly intervals = new Float64Array(KEPT);

  constructor(options: ZenoOptions = {}) {
    this.maxRatio = options.maxRatio ?? 0.95;
    this.shrinkingIntervals = options.shrinkingIntervals ?? 5;
    this.shrunk = options.shrunk ?? 1 / 32;
    this.minInterval = options.minInterval ?? 1e-6;
    this.chatteringIntervals = options.chatteringIntervals ?? 20;
  }

  /**
   * Takes the time of an event that happened for good. Several at one instant are one: cascades are
   * another matter.
   * @throws Error if time runs backwards; a caller that rolls back restores the watch too.
   */
  note(time: number): EventPattern {
    if (time < this.last) throw new Error(`internal: an event at ${time} after ${this.last}`);
    const interval = time - this.last;
    const before = this.intervals[0];
    if (interval > 0) this.count(time, interval, before);
    this.last = time;
    return this.judge();
  }

  /** Forgets all events. */
  reset(): void {
    this.last = Number.NaN;
    this.shrinking = 0;
    this.tiny = 0;
    this.intervals.fill(0);
  }

  save(): Float64Array {
    const { last, shrinking, firstInterval, tiny, tinySince, intervals } = this;
    return Float64Array.of(last, shrinking, firstInterval, tiny, tinySince, ...intervals);
  }

  restore(saved: Float64Array): void {
    this.last = saved[0];
    this.shrinking = saved[1];
    this.firstInterval = saved[2];
    this.tiny = saved[3];
    this.tinySince = saved[4];
    this.intervals.set(saved.subarray(5));
  }

  private count(time: number, interval: number, before: number): void {
    this.intervals.copyWithin(1, 0);
    this.intervals[0] = interval;
    if (interval <= this.maxRatio * before) {
      if (this.shrinking === 0) this.firstInterval = before;
      this.shrinking++;
    } else {
      this.shrinking = 0;
    }
    if (interval > this.minInterval) {
      this.tiny = 0;
      return;
    }
    if (this.tiny === 0) this.tinySince = time - interval;
    this.tiny++;
  }

  private judge(): EventPattern {
    const { intervals, last } = this;
    const interval = intervals[0];
    if (this.shrinking >= this.shrinkingIntervals && interval <= this.shrunk * this.firstInterval) {
      const window = Math.min(RATIO_WINDOW, this.shrinking);
      const ratio = (interval / intervals[window]) ** (1 / window);
      return { kind: "zeno", limit: last + (interval * ratio) / (1 - ratio), ratio };
    }
    if (this.tiny >= this.chatteringIntervals) {
      return { kind: "chattering", interval: (last - this.tinySince) / this.tiny };
    }
    return NONE;
  }
}
