/**
 * Follows one mode's vector field as exactly as doubles allow: for a time, until a surface is
 * crossed, or to where an energy is least or greatest. Everything the two analyses of hybrid
 * systems ask of a trajectory.
 */
import { CrossingSearch, mayHideTwoCrossings } from "../numerics/crossing.ts";
import {
  extrapolationStep,
  extrapolationWork,
  nextExtrapolationStep,
} from "../numerics/extrapolation.ts";
import type { Derivatives } from "../numerics/runge-kutta.ts";
import { spend } from "../numerics/time-limit.ts";
import type { VectorField, Watched } from "./hybrid-model.ts";

const RELATIVE = 1e-13;
/** Only against division by zero: states may be tiny and still matter. */
const ABSOLUTE = 1e-24;
/** A trajectory with more steps than this, a hundred turns, does not get anywhere. */
const MAX_STEPS = 600;
/** An extremum is known to the square of how well its time is known. */
const DIP_PRECISION = 1e-9;
/** A value that comes down to this part of what it is at the ends of a step is examined closely. */
const NEAR = 0.3;

export interface Extremum {
  /** When, from the beginning. */
  readonly time: number;
  readonly value: number;
}

/** Of an extrapolated step, in operations: dozens of evaluations of a field. */
const STEP_COST = 10_000;

export class Flow {
  readonly field: VectorField;
  private readonly n: number;
  private readonly f: Derivatives;
  private readonly work: ReturnType<typeof extrapolationWork>;
  private readonly from: Float64Array;
  private readonly to: Float64Array;
  private readonly trial: Float64Array;
  /** The step to try next. */
  private h = 0;

  constructor(n: number, field: VectorField) {
    this.n = n;
    this.field = field;
    this.f = (_t, x, dx) => field(x, dx);
    this.work = extrapolationWork(n);
    this.from = new Float64Array(n);
    this.to = new Float64Array(n);
    this.trial = new Float64Array(n);
  }

  /**
   * `x` moves along the flow for `duration`, backwards when it is negative; to no numbers where the
   * flow ends before.
   */
  advance(x: Float64Array, duration: number): void {
    this.begin(x, Math.sign(duration));
    for (let t = 0; t !== duration && !Number.isNaN(t); ) {
      t = this.step(t, duration);
      this.from.set(this.to);
    }
    x.set(this.from);
  }

  /**
   * `x` moves to the first point where `watched` is zero, strictly after the beginning; `x` may
   * begin on that surface. Returns the time it took; not a number, with `x` wherever it came, when
   * `limit` is reached first. A negative `limit` integrates backwards.
   */
  untilZero(x: Float64Array, watched: Watched, limit: number, onSurface: boolean): number {
    const way = Math.sign(limit);
    this.begin(x, way);
    let g = onSurface ? 0 : watched.value(x);
    let rate = watched.rate(x);
    const side = g === 0 ? Math.sign(way * rate) : Math.sign(g);
    for (let t = 0, count = 0; t !== limit && count < MAX_STEPS; count++) {
      const end = this.step(t, limit);
      if (Number.isNaN(end)) break;
      const h = end - t;
      const gEnd = watched.value(this.to);
      const rateEnd = watched.rate(this.to);
      let reach = gEnd * side <= 0 ? h : Number.NaN;
      if (Number.isNaN(reach) && mayDip(side, g, way * rate, gEnd, way * rateEnd, Math.abs(h))) {
        const slope = { value: watched.rate };
        const nearest = this.locate(slope, Math.sign(rate), rate, h, DIP_PRECISION);
        if (watched.value(this.trial) * side <= 0) reach = nearest;
      }
      if (!Number.isNaN(reach)) {
        const after = this.locate(watched, side, g, reach, Number.EPSILON);
        x.set(this.trial);
        return t + after;
      }
      this.from.set(this.to);
      [t, g, rate] = [end, gEnd, rateEnd];
    }
    x.set(this.from);
    return Number.NaN;
  }

  /**
   * Where `watched`, followed for `duration`, is least (`way` −1) or greatest (+1); `x` moves
   * there.
   */
  extremum(x: Float64Array, watched: Watched, duration: number, way: -1 | 1): Extremum {
    this.begin(x, 1);
    const best = Float64Array.from(x);
    let found: Extremum = { time: 0, value: watched.value(x) };
    let rate = watched.rate(x);
    const offer = (time: number, point: Float64Array): void => {
      const value = watched.value(point);
      if (way * value <= way * found.value) return;
      found = { time, value };
      best.set(point);
    };
    for (let t = 0; t < duration; ) {
      const end = this.step(t, Math.min(duration, t + duration / 4));
      if (Number.isNaN(end)) break;
      const rateEnd = watched.rate(this.to);
      if (rate !== 0 && rateEnd !== 0 && Math.sign(rate) !== Math.sign(rateEnd)) {
        const after = this.locate(
          { value: watched.rate },
          Math.sign(rate),
          rate,
          end - t,
          DIP_PRECISION,
        );
        offer(t + after, this.trial);
      }
      offer(end, this.to);
      this.from.set(this.to);
      [t, rate] = [end, rateEnd];
    }
    x.set(best);
    return found;
  }

  private begin(x: Float64Array, way: number): void {
    this.from.set(x);
    this.field(x, this.to);
    // Small against the time in which any state changes by its own size.
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.n; i++) {
      if (x[i] !== 0 && this.to[i] !== 0) least = Math.min(least, Math.abs(x[i] / this.to[i]));
    }
    this.h = way * (least < Number.POSITIVE_INFINITY ? 0.05 * least : 1e-6);
  }

  /**
   * One accepted step from `from` to `to`, at most to `limit`; returns the time reached, not a
   * number when there is no way on.
   */
  private step(t: number, limit: number): number {
    for (;;) {
      spend(STEP_COST);
      const room = limit - t;
      const last = Math.abs(this.h) >= Math.abs(room);
      const h = last ? room : this.h;
      const error = this.move(h, this.to);
      const next = nextExtrapolationStep(h, error);
      if (error <= 1) {
        this.h = last && Math.abs(next) < Math.abs(this.h) ? this.h : next;
        return last ? limit : t + h;
      }
      if (!(Math.abs(next) > 0) || t + next === t) {
        this.to.fill(Number.NaN);
        return Number.NaN;
      }
      this.h = next;
    }
  }

  private move(h: number, out: Float64Array): number {
    const { n, f, from, work } = this;
    return extrapolationStep(n, f, 0, h, from, out, RELATIVE, ABSOLUTE, work);
  }

  private valueAt(h: number, watched: Pick<Watched, "value">): number {
    this.move(h, this.trial);
    return watched.value(this.trial);
  }

  /**
   * When `watched`, on `side` at first and beyond at `reach` (both within the present step), is
   * zero. Leaves the state there in `trial`.
   */
  private locate(
    watched: Pick<Watched, "value">,
    side: number,
    g: number,
    reach: number,
    precision: number,
  ): number {
    let [low, gLow] = [0, g];
    // Begun on the surface: a moment later it is on its side.
    for (let k = 1; gLow * side <= 0; k++) {
      if (k > 60) {
        this.move(reach, this.trial);
        return reach;
      }
      low = reach * 2 ** -k;
      gLow = this.valueAt(low, watched);
    }
    const gHigh = this.valueAt(reach, watched);
    // The search wants time to increase; backwards it runs on the mirrored time.
    const way = Math.sign(reach);
    const tolerance = { time: precision * Math.abs(reach), value: 0 };
    const search = new CrossingSearch(way * low, gLow, way * reach, gHigh, tolerance);
    while (!search.done) search.tell(this.valueAt(way * search.next, watched));
    const { bracket } = search;
    const nearer = Math.abs(bracket.gBefore) < Math.abs(bracket.gAfter);
    const found = way * (nearer ? bracket.before : bracket.after);
    this.move(found, this.trial);
    return found;
  }
}

/**
 * Whether a value on the same side of zero at both ends of a step may have been near zero, or
 * beyond, in between.
 */
function mayDip(
  side: number,
  g: number,
  rate: number,
  gEnd: number,
  rateEnd: number,
  h: number,
): boolean {
  if (!(side * rate < 0 && side * rateEnd > 0)) return false;
  const near = side * NEAR * Math.max(Math.abs(g), Math.abs(gEnd));
  const [from, to] = [g - near, gEnd - near];
  if (from * side <= 0 || to * side <= 0) return true;
  return mayHideTwoCrossings(from, rate, to, rateEnd, h) !== undefined;
}
