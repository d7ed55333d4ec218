/**
 * The safe communication step of a bi-modal system with one energy function per mode (Gomes,
 * Karalis, Navarro-López & Vangheluwe, Approximated stability analysis of bi-modal hybrid
 * co-simulation scenarios, 2018, section 4.2).
 *
 * A controller that looks every H seconds switches up to H late, anywhere in the danger zone beyond
 * the surface. The system stays stable when (1) energies are positive, (2) zero at rest, (3) do not
 * grow in their mode, danger zone included, and (4) no mode is ever entered with more energy than
 * the time before, whatever the delays. For (4) the paper takes as worst: enter with the least
 * energy, leave with the most, come back with the most. A late entry can be worse than the one with
 * the least energy (it brings more to gain from), so the latest entry is tried as well. Sufficient,
 * not necessary: a greater step may do.
 */
import { goldenSection, type Minimum } from "../numerics/minimize.ts";
import { type CurveRange, findEquilibrium, pointOnCurve } from "./hybrid-equilibrium.ts";
import { Flow } from "./hybrid-flow.ts";
import { along, type HybridModel, type Watched } from "./hybrid-model.ts";

export interface EnergyQuestion {
  /** The part of the switching surface that makes sense in the system's physics. */
  readonly range: CurveRange;
  /** The greatest step that is of interest, seconds. */
  readonly longest: number;
  /** The longest time that a trajectory is followed, seconds; default: 1000. */
  readonly horizon?: number;
}

/** The trajectory that forbids greater steps. */
export interface WorstRound {
  /** Where it crosses the surface first. */
  readonly crossing: Float64Array;
  /** The mode's energy at its entry, and at the next one with a step just above the bound. */
  readonly entered: number;
  readonly reentered: number;
}

export interface ModeSafety {
  readonly mode: 0 | 1;
  /** Steps below this are safe; Infinity when nothing forbids any step up to the longest. */
  readonly bound: number;
  /** The condition that fails above the bound. */
  readonly limitedBy: 1 | 2 | 3 | 4 | undefined;
  /**
   * The first step with which each of the four conditions fails; Infinity for none up to the
   * longest.
   */
  readonly conditions: readonly [number, number, number, number];
  /**
   * How far beyond the surface, in its own measure, the danger zone of the bound reaches; NaN
   * without a bound.
   */
  readonly dangerZone: number;
  /** The bound of condition 4 with the paper's entries alone, those with the least energy. */
  readonly byLeastEntry: number;
  readonly worst: WorstRound | undefined;
}

export interface SafeStep {
  /** The least of both modes. */
  readonly bound: number;
  readonly modes: readonly [ModeSafety, ModeSafety];
}

/**
 * Points of the surface a decade on both sides of zero, and how far towards zero, relative to the
 * range.
 */
const POINTS_A_DECADE = 3;
const DECADES = 8;
/** Points of a range that does not contain zero. */
const POINTS = 30;
/** Steps are tried in this ratio, from this part of the longest on. */
const STEP_RATIO = 1.5;
const SMALLEST_STEP = 1e-4;
const ZONE_POINTS = 32;
/** A mode is entered where its energy is least, or as late as the step allows. */
type Entry = "least" | "latest";

/** What counts as rounding in a comparison of energies. */
const ROUNDING = 1e-11;

export function safeStepByEnergy(model: HybridModel, question: EnergyQuestion): SafeStep {
  const modes = [safetyOf(model, question, 0), safetyOf(model, question, 1)] as const;
  return { bound: Math.min(modes[0].bound, modes[1].bound), modes };
}

function safetyOf(model: HybridModel, question: EnergyQuestion, mode: 0 | 1): ModeSafety {
  const entries = new Entries(model, question, mode);
  const points = surfacePoints(question.range);
  const [positive, falling] = entries.firstBadPlaces(points, question.longest);
  const atRest = restEnergyIsZero(model, question, mode) ? Number.POSITIVE_INFINITY : 0;
  const others = Math.min(positive, atRest, falling);
  let gaining = Number.POSITIVE_INFINITY;
  let byLeastEntry = gaining;
  let worst: WorstRound | undefined;
  for (const entry of ["least", "latest"] as const) {
    const cap = Math.min(question.longest, 2 * Math.min(others, gaining));
    const found = worstPoint(entries, points, entry, cap);
    if (entry === "least") byLeastEntry = found.value;
    if (!(found.value < gaining)) continue;
    gaining = found.value;
    worst = entries.roundAt(found.at, gaining * (1 + 1e-9), entry);
  }
  const conditions = [positive, atRest, falling, gaining] as const;
  const bound = Math.min(...conditions);
  const limitedBy = bound < Number.POSITIVE_INFINITY ? conditions.indexOf(bound) + 1 : undefined;
  return {
    mode,
    bound,
    limitedBy: limitedBy as ModeSafety["limitedBy"],
    conditions,
    dangerZone: bound < Number.POSITIVE_INFINITY ? entries.zoneDepth(points, bound) : Number.NaN,
    byLeastEntry,
    worst,
  };
}

/**
 * Condition 2 is about the mode that has the equilibrium; for the other there is nothing to ask.
 */
function restEnergyIsZero(model: HybridModel, { range }: EnergyQuestion, mode: 0 | 1): boolean {
  const near = pointOnCurve(model.surface, range.along, (range.from + range.to) / 2);
  const rest = near && findEquilibrium(model, near);
  if (rest === undefined || rest.mode !== mode) return true;
  const energy = model.modes[mode].energy!;
  const far = pointOnCurve(model.surface, range.along, range.to);
  const size = far === undefined ? 1 : Math.abs(energy.value(far));
  return Math.abs(energy.value(rest.x)) <= ROUNDING * size;
}

/**
 * The point of the surface from where the least step already gains energy: roughly first, then to
 * the last digits around the best.
 */
function worstPoint(
  entries: Entries,
  points: readonly number[],
  entry: Entry,
  longest: number,
): Minimum {
  let cap = longest;
  const rough = points.map((c) => {
    const found = entries.firstViolation(c, entry, cap, 1e-3);
    cap = Math.min(cap, 2 * found);
    return found;
  });
  const k = rough.indexOf(Math.min(...rough));
  if (rough[k] === Number.POSITIVE_INFINITY) return { at: Number.NaN, value: rough[k] };
  const [low, high] = [points[Math.max(0, k - 1)], points[Math.min(points.length - 1, k + 1)]];
  const width = 1e-6 * Math.max(Math.abs(low), Math.abs(high));
  const exact = (c: number): number => entries.firstViolation(c, entry, cap, 1e-11);
  const here = { at: points[k], value: exact(points[k]) };
  const refined = goldenSection(exact, low, high, width);
  return refined.value < here.value ? refined : here;
}

/**
 * Coordinates of surface points: dense towards zero, where a velocity is small and rounds are few,
 * on both sides of it.
 */
function surfacePoints({ from, to }: CurveRange): number[] {
  if (from > 0 || to < 0)
    return Array.from({ length: POINTS }, (_, i) => from + ((to - from) * i) / (POINTS - 1));
  const decades = Array.from(
    { length: DECADES * POINTS_A_DECADE + 1 },
    (_, i) => 10 ** (i / POINTS_A_DECADE - DECADES),
  );
  const below = from < 0 ? decades.map((d) => d * from).reverse() : [];
  const above = to > 0 ? decades.map((d) => d * to) : [];
  return [...below, ...above];
}

/** Rounds that enter one mode, go through the other and enter it again. */
class Entries {
  private readonly model: HybridModel;
  private readonly question: EnergyQuestion;
  private readonly horizon: number;
  /** The mode entered, and the other one. */
  private readonly own: Flow;
  private readonly other: Flow;
  /** The surface along each flow, negative in the domain of the mode entered. */
  private readonly surfaceOwn: Watched;
  private readonly surfaceOther: Watched;
  /** The energy of the mode entered along each flow; that of the other along the mode entered. */
  private readonly energyOwn: Watched;
  private readonly energyAlongOther: Watched;
  private readonly otherEnergy: Watched;

  constructor(model: HybridModel, question: EnergyQuestion, mode: 0 | 1) {
    const n = model.states.length;
    const [own, other] = [model.modes[mode], model.modes[mode === 0 ? 1 : 0]];
    if (own.energy === undefined || other.energy === undefined)
      throw new Error(`'${model.name}': both modes need an energy function`);
    this.model = model;
    this.question = question;
    this.horizon = question.horizon ?? 1000;
    this.own = new Flow(n, own.field);
    this.other = new Flow(n, other.field);
    const way = mode === 0 ? 1 : -1;
    this.surfaceOwn = scaled(along(model.surface, own.field, n), way);
    this.surfaceOther = scaled(along(model.surface, other.field, n), way);
    this.energyOwn = along(own.energy, own.field, n);
    this.energyAlongOther = along(own.energy, other.field, n);
    this.otherEnergy = along(other.energy, own.field, n);
  }

  /**
   * The least step up to `longest` for which the round from point `c` of the surface gains energy;
   * Infinity for none.
   */
  firstViolation(c: number, entry: Entry, longest: number, precision: number): number {
    const crossing = this.crossing(c);
    if (crossing === undefined) return Number.POSITIVE_INFINITY;
    const gains = (step: number): boolean => this.gaining(crossing, step, entry) !== undefined;
    let before = 0;
    const first = SMALLEST_STEP * this.question.longest;
    for (let step = first; before < longest; step *= STEP_RATIO) {
      const tried = Math.min(step, longest);
      if (gains(tried)) return bisect(gains, before, tried, precision);
      before = tried;
    }
    return Number.POSITIVE_INFINITY;
  }

  roundAt(c: number, step: number, entry: Entry): WorstRound | undefined {
    const crossing = this.crossing(c);
    return crossing && this.gaining(crossing, step, entry);
  }

  /**
   * The point of the surface where the other mode leads into this one; undefined when it does not.
   */
  private crossing(c: number): Float64Array | undefined {
    const point = pointOnCurve(this.model.surface, this.question.range.along, c);
    return point !== undefined && this.surfaceOther.rate(point) < 0 ? point : undefined;
  }

  /**
   * The round from `crossing` that leaves and comes back with the most energy, when it gains some;
   * else undefined.
   */
  private gaining(crossing: Float64Array, step: number, entry: Entry): WorstRound | undefined {
    const { own, other, horizon, energyAlongOther } = this;
    const x = Float64Array.from(crossing);
    const room = this.inZone(other, crossing, step);
    let late = room;
    if (entry === "least") late = other.extremum(x, energyAlongOther, room, -1).time;
    else other.advance(x, room);
    const entered = energyAlongOther.value(x);
    if (Number.isNaN(own.untilZero(x, this.surfaceOwn, horizon, late === 0))) return undefined;
    const left = own.extremum(x, this.otherEnergy, this.inZone(own, x, step), 1);
    if (Number.isNaN(other.untilZero(x, this.surfaceOther, horizon, left.time === 0)))
      return undefined;
    const again = other.extremum(x, energyAlongOther, this.inZone(other, x, step), 1);
    const reentered = again.value;
    return reentered > entered * (1 + ROUNDING) ? { crossing, entered, reentered } : undefined;
  }

  /** For how much of `step` a flow that has just crossed the surface stays beyond it. */
  private inZone(flow: Flow, crossing: Float64Array, step: number): number {
    const watched = flow === this.own ? this.surfaceOwn : this.surfaceOther;
    const back = flow.untilZero(Float64Array.from(crossing), watched, step, true);
    return Number.isNaN(back) ? step : back;
  }

  /**
   * The first steps, up to `longest`, whose danger zones have a place where conditions 1 and 3
   * fail.
   */
  firstBadPlaces(points: readonly number[], longest: number): [number, number] {
    let [positive, falling] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const point of this.exits(points)) {
      const room = this.inZone(this.own, point, longest);
      for (let i = 0; i <= ZONE_POINTS; i++) {
        // What fails at this sample may have failed right after the one before.
        const step = (room * Math.max(0, i - 1)) / ZONE_POINTS;
        if (step >= positive && step >= falling) break;
        const energy = this.energyOwn.value(point);
        if (!(energy > 0)) positive = Math.min(positive, step);
        if (this.energyOwn.rate(point) * longest > ROUNDING * Math.abs(energy))
          falling = Math.min(falling, step);
        if (i < ZONE_POINTS) this.own.advance(point, room / ZONE_POINTS);
      }
    }
    return [positive, falling];
  }

  /**
   * The greatest value of the surface's function that this mode reaches when it is left up to
   * `step` late.
   */
  zoneDepth(points: readonly number[], step: number): number {
    let depth = 0;
    for (const point of this.exits(points)) {
      const room = this.inZone(this.own, point, step);
      depth = Math.max(depth, this.own.extremum(point, this.surfaceOwn, room, 1).value);
    }
    return depth;
  }

  /** Points of the surface where this mode leads out of its domain. */
  private *exits(points: readonly number[]): Iterable<Float64Array> {
    for (const c of points) {
      const point = pointOnCurve(this.model.surface, this.question.range.along, c);
      if (point !== undefined && this.surfaceOwn.rate(point) > 0) yield point;
    }
  }
}

function scaled({ value, rate }: Watched, way: number): Watched {
  return { value: (x) => way * value(x), rate: (x) => way * rate(x) };
}

/** Where `fails` begins to hold, between `low` where it does not and `high` where it does. */
function bisect(
  fails: (step: number) => boolean,
  low: number,
  high: number,
  precision: number,
): number {
  let [a, b] = [low, high];
  while (b - a > precision * b) {
    const middle = a + (b - a) / 2;
    if (fails(middle)) b = middle;
    else a = middle;
  }
  return b;
}
