/**
 * The maximum stable delay of a planar bi-modal system: how late a mode may be switched before the
 * system, which would come to rest by itself, can go round for ever. In the plane the limit is
 * where a closed orbit first exists (Gomes, PhD thesis, chapter 6, theorem 4): σ = inf over (x, h1)
 * of max(h1, h2*(x, h1)).
 *
 * The mode with the equilibrium is "home", the other one "away". A round begins on the section S_p
 * in home, crosses the surface, is switched to away h1 later, comes back to the surface, is
 * switched home h2 later, and ends on the section. h2* is the first delay for which it ends where
 * it began; it is found on the delay itself, so that its accuracy is that of the flow.
 */
import { CrossingSearch } from "../numerics/crossing.ts";
import { goldenSection, parabolaFloor, scanAndRefine } from "../numerics/minimize.ts";
import {
  type CurveRange,
  type Equilibrium,
  findEquilibrium,
  pointOnCurve,
} from "./hybrid-equilibrium.ts";
import { Flow } from "./hybrid-flow.ts";
import { along, type HybridModel, type ScalarField, type Watched } from "./hybrid-model.ts";

export interface DelayQuestion {
  /**
   * Zero on a curve that every round crosses in the mode with the equilibrium, and that leads to
   * the equilibrium.
   */
  readonly section: ScalarField;
  /** The part of the section that is searched. */
  readonly range: CurveRange;
  /** The longest time that a trajectory is followed, seconds; default: 1000. */
  readonly horizon?: number;
}

export interface ClosedOrbit {
  /** Its point on the section. */
  readonly x: Float64Array;
  /** Delay of the switch away from the mode with the equilibrium. */
  readonly leaving: number;
  /** Delay of the switch back to it. */
  readonly returning: number;
}

export interface StableDelay {
  /** Delays below this keep the system stable. Infinity when no closed orbit was found. */
  readonly bound: number;
  readonly orbit: ClosedOrbit | undefined;
  readonly equilibrium: Equilibrium;
}

/** How many points of the section, and how many delays h1, are tried before the best is refined. */
const SECTION_POINTS = 20;
const LEAVING_DELAYS = 5;
/** Delays are tried in this ratio until one closes the orbit. */
const DELAY_RATIO = 2;
const SMALLEST_DELAY = 1e-4;
const LARGEST_DELAY = 1e4;

/** undefined when no mode has an equilibrium in its own domain near the section. */
export function maximumStableDelay(
  model: HybridModel,
  question: DelayQuestion,
): StableDelay | undefined {
  const rounds = Rounds.of(model, question);
  if (rounds === undefined) return undefined;
  const { equilibrium } = rounds;
  const { from, to } = question.range;
  const points = sectionPoints(question.range, equilibrium);
  const tolerance = 1e-8 * Math.max(Math.abs(from), Math.abs(to));
  let found = { leaving: 0, at: Number.NaN, value: Number.POSITIVE_INFINITY };
  /** The least delay back that closes a round with this delay away. */
  const closing = (leaving: number, among: readonly number[], width = tolerance): number => {
    const { at, value } = scanAndRefine((c) => rounds.closingDelay(c, leaving), among, width);
    if (Math.max(leaving, value) < Math.max(found.leaving, found.value))
      found = { leaving, at, value };
    return value;
  };
  const prompt = closing(0, points);
  if (prompt > 0 && prompt < Number.POSITIVE_INFINITY) {
    const leavings = spread(0, prompt, LEAVING_DELAYS);
    const closings = leavings.map((leaving, i) =>
      i === 0 ? prompt : closing(leaving, points, 1e4 * tolerance),
    );
    const middle = points.findIndex((point) => point >= found.at);
    const near = points.slice(Math.max(0, middle - 2), middle + 3);
    // Where both delays are equal, or else at the bottom of a valley.
    const k = leavings.findIndex((leaving, i) => closings[i] <= leaving);
    if (k > 0) {
      const [low, high] = [leavings[k - 1], leavings[k]];
      const ends = [closings[k - 1] - low, closings[k] - high] as const;
      const balance = { time: 1e-11 * prompt, value: 1e-12 * prompt };
      const search = new CrossingSearch(low, ends[0], high, ends[1], balance);
      while (!search.done) search.tell(closing(search.next, near) - search.next);
    } else if (found.leaving > 0) {
      const width = prompt / (LEAVING_DELAYS - 1);
      const ends = [found.leaving - width, found.leaving + width] as const;
      goldenSection((h) => Math.max(h, closing(h, near)), ...ends, 1e-6 * prompt);
    }
  }
  const width = 3e-4 * Math.abs(found.at - equilibrium.x[question.range.along]);
  const floor = parabolaFloor((c) => rounds.closingDelay(c, found.leaving), found.at, width);
  const x = rounds.point(floor);
  return {
    bound: Math.max(found.leaving, found.value),
    orbit:
      found.value < Number.POSITIVE_INFINITY && x !== undefined
        ? { x, leaving: found.leaving, returning: found.value }
        : undefined,
    equilibrium,
  };
}

/**
 * Coordinates on the section: evenly, and ever denser towards the equilibrium, where the last
 * rounds are small.
 */
export function sectionPoints(
  { along: state, from, to }: CurveRange,
  { x }: Equilibrium,
): number[] {
  const rest = x[state];
  const [near, far] = Math.abs(from - rest) < Math.abs(to - rest) ? [from, to] : [to, from];
  const least = Math.max(Math.abs(near - rest), 1e-9 * Math.abs(far - rest));
  const ratio = Math.abs(far - rest) / least;
  const dense = spread(0, 1, SECTION_POINTS).map((share) => {
    const point = rest + Math.sign(far - rest) * least * ratio ** share;
    return Math.min(to, Math.max(from, point));
  });
  return [...new Set([...spread(from, to, SECTION_POINTS), ...dense])].sort((a, b) => a - b);
}

/** `count` values from `low` to `high`. */
export function spread(low: number, high: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1));
}

/** Where a round begins on the section, leaves home, and comes back to the surface. */
export interface Outing {
  readonly start: Float64Array;
  /** On the surface, before the switch. */
  readonly leaves: Float64Array;
  /** On the surface again. */
  readonly returns: Float64Array;
  /** From the section to the surface. */
  readonly outward: number;
}

/** The rounds that a system can make, and the delays that close them. */
export class Rounds {
  readonly equilibrium: Equilibrium;
  readonly home: Flow;
  readonly away: Flow;
  /** Negative in the domain of home; along the flow of home and of away. */
  readonly surfaceHome: Watched;
  readonly surfaceAway: Watched;
  /** Rises along home where the section is. */
  readonly sectionHome: Watched;
  readonly sectionAway: Watched;
  readonly horizon: number;
  private readonly question: DelayQuestion;

  /** undefined when there is no equilibrium, or no point of the section, to begin with. */
  static of(model: HybridModel, question: DelayQuestion): Rounds | undefined {
    const { along: state, from, to } = question.range;
    const middle = pointOnCurve(question.section, state, (from + to) / 2);
    if (middle === undefined) return undefined;
    const equilibrium = findEquilibrium(model, middle);
    return equilibrium && new Rounds(model, question, equilibrium, middle);
  }

  private constructor(
    model: HybridModel,
    question: DelayQuestion,
    equilibrium: Equilibrium,
    middle: Float64Array,
  ) {
    this.question = question;
    this.equilibrium = equilibrium;
    this.horizon = question.horizon ?? 1000;
    const { mode } = equilibrium;
    const home = model.modes[mode].field;
    const away = model.modes[mode === 0 ? 1 : 0].field;
    this.home = new Flow(2, home);
    this.away = new Flow(2, away);
    const surface = turned(model.surface, mode === 0 ? 1 : -1);
    this.surfaceHome = along(surface, home, 2);
    this.surfaceAway = along(surface, away, 2);
    const way = Math.sign(along(question.section, home, 2).rate(middle)) || 1;
    const section = turned(question.section, way);
    this.sectionHome = along(section, home, 2);
    this.sectionAway = along(section, away, 2);
  }

  point(c: number): Float64Array | undefined {
    return pointOnCurve(this.question.section, this.question.range.along, c);
  }

  distance(x: Float64Array): number {
    const { x: rest } = this.equilibrium;
    return Math.hypot(x[0] - rest[0], x[1] - rest[1]);
  }

  /**
   * The way from the section to the surface and, switched `leaving` late, back to the surface;
   * undefined when the round stays in home, does not come back, or is inside home's domain again
   * before the switch.
   */
  outing(c: number, leaving: number): Outing | undefined {
    const start = this.point(c);
    if (start === undefined) return undefined;
    const x = Float64Array.from(start);
    const outward = this.home.untilZero(x, this.surfaceHome, this.turn(start), false);
    if (Number.isNaN(outward)) return undefined;
    const leaves = Float64Array.from(x);
    if (leaving > 0) {
      const inside = this.home.untilZero(x, this.surfaceHome, leaving, true);
      if (!Number.isNaN(inside)) return undefined;
    }
    const flight = this.away.untilZero(x, this.surfaceAway, this.horizon, leaving === 0);
    return Number.isNaN(flight) ? undefined : { start, leaves, returns: x, outward };
  }

  /**
   * The first delay of the switch home for which the round from `c` ends where it began; Infinity
   * when there is none.
   */
  closingDelay(c: number, leaving: number): number {
    const outing = this.outing(c, leaving);
    if (outing === undefined) return Number.POSITIVE_INFINITY;
    const wanted = this.distance(outing.start);
    const excess = (delay: number): number => {
      const x = Float64Array.from(outing.returns);
      this.away.advance(x, delay);
      return Number.isNaN(this.toSection(x)) ? Number.NaN : this.distance(x) - wanted;
    };
    let before = 0;
    let low = excess(0);
    if (!(low < 0)) return low >= 0 ? 0 : Number.POSITIVE_INFINITY;
    const last = LARGEST_DELAY * outing.outward;
    for (let delay = SMALLEST_DELAY * outing.outward; delay < last; delay *= DELAY_RATIO) {
      const high = excess(delay);
      if (Number.isNaN(high)) return Number.POSITIVE_INFINITY;
      if (high >= 0) {
        const tolerance = { time: 4 * Number.EPSILON * delay, value: 0 };
        const search = new CrossingSearch(before, low, delay, high, tolerance);
        while (!search.done) search.tell(excess(search.next));
        return search.bracket.after;
      }
      [before, low] = [delay, high];
    }
    return Number.POSITIVE_INFINITY;
  }

  /**
   * Moves `x` along home to the section, where it rises; returns the time that took, not a number
   * when it never comes there.
   */
  toSection(x: Float64Array): number {
    let time = 0;
    for (let tries = 0; tries < 3; tries++) {
      time += this.home.untilZero(x, this.sectionHome, this.horizon, tries > 0);
      if (Number.isNaN(time) || this.sectionHome.rate(x) > 0) return time;
    }
    return Number.NaN;
  }

  /** How long home takes from the section to the section again; the horizon when it never does. */
  private turn(start: Float64Array): number {
    const x = Float64Array.from(start);
    const half = this.home.untilZero(x, this.sectionHome, this.horizon, true);
    const rest = this.home.untilZero(x, this.sectionHome, this.horizon, true);
    return Number.isNaN(half + rest) ? this.horizon : half + rest;
  }
}

function turned(scalar: ScalarField, way: number): ScalarField {
  if (way === 1) return scalar;
  const { gradient } = scalar;
  return {
    value: (x) => -scalar.value(x),
    ...(gradient && {
      gradient(x: Float64Array, out: Float64Array): void {
        gradient.call(scalar, x, out);
        for (let i = 0; i < out.length; i++) out[i] = -out[i];
      },
    }),
  };
}
