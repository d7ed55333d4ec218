/**
 * What many signals were at their last few communication points, and where that leads: the
 * polynomial through the newest samples with its derivatives, for input extrapolation, for
 * predictions and for the error estimates made of them.
 *
 * Why real time stamps: masters that decide at run time take steps of any size, and weights for
 * equal steps are then wrong. Newton's divided differences, newest sample first, written out for
 * three samples: p(t) = f[0] + f[0, 1] (t − t₀) + f[0, 1, 2] (t − t₀)(t − t₁) (Stoer & Bulirsch,
 * Introduction to Numerical Analysis, sec. 2.1.3). Nothing here allocates but `save`.
 */

import { copyNumbers } from "./copy-numbers.ts";

/** How many numbers `save` writes before the values of the samples. */
const HEADER = 2;
/**
 * Times closer than this many roundings are one instant: a difference quotient over them is noise.
 */
const SAME_INSTANT = 8 * Number.EPSILON;

export class SampleHistory {
  private readonly signals: number;
  private readonly depth: number;
  /** Rings: the newest sample is at `newest`, older ones follow. */
  private readonly times: Float64Array;
  private readonly values: Float64Array;
  private newest = 0;
  private length = 0;

  constructor(signals: number, depth = 3) {
    this.signals = signals;
    this.depth = depth;
    this.times = new Float64Array(depth);
    this.values = new Float64Array(depth * signals);
  }

  /** How many samples it holds. */
  get count(): number {
    return this.length;
  }

  /** How long before the newest sample the one `back` samples older was; 0 where there is none. */
  ago(back: number): number {
    if (back >= this.length) return 0;
    return this.times[this.newest] - this.times[(this.newest + back) % this.depth];
  }

  /** Forgets all samples: what was before a discontinuity says nothing about what comes. */
  reset(): void {
    this.length = 0;
  }

  /**
   * Adds the values of all signals at `time`. A second push at the same time replaces the first.
   * @throws Error if `time` lies before the newest sample; a caller that rolls back restores the
   * history too.
   */
  push(time: number, values: Float64Array): void {
    if (this.length > 0) {
      const last = this.times[this.newest];
      const apart = SAME_INSTANT * Math.max(Math.abs(last), Math.abs(time));
      if (time < last - apart)
        throw new Error(`internal: a sample at ${time} after one at ${last}`);
      if (time <= last + apart) {
        this.replaceNewest(values);
        return;
      }
    }
    this.newest = (this.newest + this.depth - 1) % this.depth;
    this.length = Math.min(this.length + 1, this.depth);
    this.times[this.newest] = time;
    this.replaceNewest(values);
  }

  /** Corrects the newest sample, as iterations do. */
  replaceNewest(values: Float64Array): void {
    const at = this.newest * this.signals;
    for (let i = 0; i < this.signals; i++) this.values[at + i] = values[i];
  }

  /**
   * Writes value, first and second derivative at `time` of each signal's polynomial of degree
   * `order`, or of the highest degree that the samples determine.
   * @throws Error if there is no sample.
   */
  derivatives(
    order: 0 | 1 | 2,
    time: number,
    value: Float64Array,
    first: Float64Array,
    second: Float64Array,
  ): void {
    if (this.length === 0) throw new Error("internal: an extrapolation without samples");
    const degree = Math.min(order, this.length - 1);
    const depth = this.depth;
    const n = this.signals;
    const y = this.values;
    const sample0 = this.newest;
    const sample1 = (sample0 + 1) % depth;
    const sample2 = (sample0 + 2) % depth;
    const t0 = this.times[sample0];
    const t1 = this.times[sample1];
    const t2 = this.times[sample2];
    const at0 = sample0 * n;
    const at1 = sample1 * n;
    const at2 = sample2 * n;
    const s0 = time - t0;
    const s1 = time - t1;
    for (let i = 0; i < n; i++) {
      const y0 = y[at0 + i];
      const slope = degree >= 1 ? (y0 - y[at1 + i]) / (t0 - t1) : 0;
      const curve = degree === 2 ? (slope - (y[at1 + i] - y[at2 + i]) / (t1 - t2)) / (t0 - t2) : 0;
      value[i] = y0 + s0 * (slope + s1 * curve);
      first[i] = slope + (s0 + s1) * curve;
      second[i] = 2 * curve;
    }
  }

  /**
   * Derivatives at the newest sample where samples are `spacing` apart but for rounding: the same
   * polynomial with the formulas and the spacing of straight plans (engine/interpreter.ts), so that
   * both compute the same numbers.
   * @param rounding by how much differences of times may differ from multiples of `spacing`.
   * @returns false, with nothing written, where they are further off or too few.
   */
  gridDerivatives(
    order: 1 | 2,
    spacing: number,
    rounding: number,
    value: Float64Array,
    first: Float64Array,
    second: Float64Array,
  ): boolean {
    for (let back = 1; back <= order; back++)
      if (!(Math.abs(this.ago(back) - back * spacing) <= rounding)) return false;
    const n = this.signals;
    const y = this.values;
    const at0 = this.newest * n;
    const at1 = ((this.newest + 1) % this.depth) * n;
    const at2 = ((this.newest + 2) % this.depth) * n;
    for (let i = 0; i < n; i++) {
      const newest = y[at0 + i];
      const older = y[at1 + i];
      const oldest = order === 2 ? y[at2 + i] : 0;
      value[i] = newest;
      first[i] =
        order === 2
          ? (3 * newest - 4 * older + oldest) / (2 * spacing)
          : (newest - older) / spacing;
      second[i] = order === 2 ? (newest - 2 * older + oldest) / (spacing * spacing) : 0;
    }
    return true;
  }

  /**
   * The whole history as numbers, for rolling back and for checkpoints; into `into` from `at` on,
   * where it is given.
   */
  save(into: Float64Array = new Float64Array(this.savedLength), at = 0): Float64Array {
    into[at] = this.newest;
    into[at + 1] = this.length;
    copyNumbers(this.depth, this.times, 0, into, at + HEADER);
    copyNumbers(this.values.length, this.values, 0, into, at + HEADER + this.depth);
    return into;
  }

  /** How many numbers `save` writes. */
  get savedLength(): number {
    return HEADER + this.depth + this.values.length;
  }

  /** The opposite of `save`, on a history of the same size. */
  restore(saved: Float64Array, at = 0): void {
    if (saved.length - at !== this.savedLength)
      throw new Error(
        `internal: ${saved.length - at} numbers for a history of ${this.savedLength}`,
      );
    this.newest = saved[at];
    this.length = saved[at + 1];
    copyNumbers(this.depth, saved, at + HEADER, this.times, 0);
    copyNumbers(this.values.length, saved, at + HEADER + this.depth, this.values, 0);
  }
}
