/**
 * Looks for the first crossing inside one step by repeating the step to other ends. Driven from
 * outside: every time a trial has reached its end, `judge` says where to try next, or that the step
 * may end where it is.
 *
 * Several crossings in one step: the search follows one; a trial at which another has crossed and
 * that one not is the beginning of a search for the other. Signals that cross twice within a step
 * show the same sign at both its ends: where their rates say that they may have, one more trial
 * looks into the step.
 */
import { CrossingSearch, mayHideTwoCrossings } from "../../numerics/crossing.ts";
import type { WatchedCrossing } from "../../plan/coupling-plan.ts";

/** What is known of the signals where the step begins. */
export interface StepBegin {
  time: number;
  /**
   * Distances from the levels, and on which side of it a signal is: -1, 1; 0: on the level, and not
   * watched.
   */
  readonly values: Float64Array;
  readonly sides: Int8Array;
  /** How fast the distances change; NaN where that is unknown. */
  readonly rates: Float64Array;
}

/** Trials closer to each other than so many roundings of the time are one. */
const SAME_TIME = 16 * Number.EPSILON;

export class StepSearch {
  private readonly crossings: readonly WatchedCrossing[];
  private readonly begin: StepBegin;
  private search: CrossingSearch | undefined;
  /** The crossing that is searched for. */
  private sought = -1;
  /** Crossings that cannot be located any better. */
  private readonly located = new Set<number>();
  /** Where the step would have ended, while trials look into it for pairs of crossings. */
  private wholeStep = Number.NaN;
  private readonly looks: number[] = [];
  private isLookedInto = false;
  private expected = Number.NaN;
  /** How fast the signal that was located last went through its level. */
  speed = 0;

  constructor(crossings: readonly WatchedCrossing[], begin: StepBegin) {
    this.crossings = crossings;
    this.begin = begin;
  }

  /**
   * The time right before the crossing that the step ended for, by `least` at least; NaN: there is
   * none.
   */
  justBefore(least: number): number {
    const { search } = this;
    if (this.sought < 0 || search === undefined || !search.done) return Number.NaN;
    const { bracket } = search;
    const since = this.speed > 0 ? Math.abs(bracket.gAfter) / this.speed : 0;
    return bracket.after - Math.max(least, 2 * since);
  }

  /** A new step. */
  reset(): void {
    this.search = undefined;
    this.sought = -1;
    if (this.located.size > 0) this.located.clear();
    if (this.looks.length > 0) this.looks.length = 0;
    this.wholeStep = Number.NaN;
    this.isLookedInto = false;
    this.expected = Number.NaN;
  }

  /** Whether a signal at distance `value` has left the side where it was. */
  static hasCrossed(side: number, value: number): boolean {
    return side > 0 ? value < 0 : side < 0 && value > 0;
  }

  /** Whether that direction is watched. */
  isWanted(c: number, side: number): boolean {
    const { direction } = this.crossings[c];
    return direction === "any" || (direction === "rising") === side < 0;
  }

  /** Whether `c` is what the step ended for. */
  isSought(c: number): boolean {
    return this.sought === c;
  }

  /**
   * A trial ended at `time` with these distances and rates.
   * @param rates absent: the step is too short to hide anything.
   * @returns where to try next; NaN: the step may end here.
   */
  judge(time: number, values: Float64Array, rates?: Float64Array): number {
    // The step was rejected for another reason in between: what was found belongs to another end.
    if (!Number.isNaN(this.expected) && this.expected !== time) this.reset();
    this.expected = this.next(time, values, rates);
    return this.expected;
  }

  private next(time: number, values: Float64Array, rates?: Float64Array): number {
    const { sides } = this.begin;
    if (this.search !== undefined && !this.search.done) {
      const sought = this.sought;
      if (!StepSearch.hasCrossed(sides[sought], values[sought])) {
        const earlier = this.earliest(time, values);
        if (earlier >= 0) return this.seek(earlier, time, values);
      }
      this.search.tell(values[sought]);
      if (!this.search.done) return this.search.next;
      const { after } = this.search.bracket;
      if (after !== time) return after;
    }
    if (this.sought >= 0 && this.search !== undefined) this.finish(this.search);
    const found = this.earliest(time, values);
    if (found >= 0) return this.seek(found, time, values);
    return this.sought >= 0 || rates === undefined
      ? Number.NaN
      : this.lookInside(time, values, rates);
  }

  private finish(search: CrossingSearch): void {
    this.located.add(this.sought);
    const { before, after, gBefore, gAfter } = search.bracket;
    this.speed = Math.abs(gAfter - gBefore) / (after - before);
  }

  /**
   * The crossing that, by its secant, comes first of those that happened and are not located; -1:
   * none.
   */
  private earliest(time: number, values: Float64Array): number {
    const { sides, values: begin } = this.begin;
    let first = -1;
    let earliest = Number.POSITIVE_INFINITY;
    for (let c = 0; c < values.length; c++) {
      const side = sides[c];
      if (!StepSearch.hasCrossed(side, values[c]) || this.located.has(c)) continue;
      if (!this.isWanted(c, side)) continue;
      const part = Math.abs(begin[c]) / (Math.abs(begin[c]) + Math.abs(values[c]));
      const at = this.begin.time + part * (time - this.begin.time);
      if (at >= earliest) continue;
      earliest = at;
      first = c;
    }
    return first;
  }

  private seek(c: number, time: number, values: Float64Array): number {
    const { time: from, values: begin, sides } = this.begin;
    const { tolerance } = this.crossings[c];
    const side = sides[c];
    // A signal that has just left its level may still be a rounding on the other side.
    const low = Math.sign(begin[c]) === side ? begin[c] : side * tolerance;
    this.sought = c;
    this.search = new CrossingSearch(from, low, time, values[c], {
      time: SAME_TIME * Math.max(Math.abs(from), Math.abs(time)),
      value: tolerance / 2,
    });
    if (!this.search.done) return this.search.next;
    this.finish(this.search);
    return this.next(time, values);
  }

  /** No crossing at the ends of the step: are there two inside? */
  private lookInside(time: number, values: Float64Array, rates: Float64Array): number {
    if (!this.isLookedInto) {
      this.isLookedInto = true;
      this.wholeStep = time;
      this.collectLooks(time, values, rates);
    } else if (time !== this.wholeStep && this.hasTurned(values)) {
      return Number.NaN;
    }
    const look = this.looks.shift();
    if (look !== undefined) return look;
    return time === this.wholeStep ? Number.NaN : this.wholeStep;
  }

  /**
   * At a look into the step, a signal is on the other side: that it got there unwanted is the end
   * of this step.
   */
  private hasTurned(values: Float64Array): boolean {
    const { sides } = this.begin;
    return values.some((value, c) => StepSearch.hasCrossed(sides[c], value));
  }

  private collectLooks(time: number, values: Float64Array, rates: Float64Array): void {
    const { time: from, values: begin, rates: beginRates } = this.begin;
    const length = time - from;
    for (let c = 0; c < values.length; c++) {
      if (this.begin.sides[c] === 0) continue;
      const [m0, m1] = [beginRates[c], rates[c]];
      const isKnown = !Number.isNaN(m0) && !Number.isNaN(m1);
      const at = isKnown ? mayHideTwoCrossings(begin[c], m0, values[c], m1, length) : 0.5;
      if (at !== undefined) this.looks.push(from + at * length);
    }
    this.looks.sort((a, b) => a - b);
  }
}
