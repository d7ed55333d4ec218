/**
 * The spectral radius over the step size: where it is above 1, and the largest step up to which it
 * never is.
 *
 * A grid in the logarithm of the step finds the intervals, bisection their ends. Between points of
 * the grid, tops of the curve that stay below 1 there are climbed; what else happens between two
 * points is not seen.
 */
import { MARGINAL } from "./spectrum.ts";

/** Radius at a step; undefined where there is none, because a unit refuses the step. */
export type RadiusAt = (step: number) => number | undefined;

export interface SweepRange {
  readonly from: number;
  readonly to: number;
  readonly perDecade: number;
}

export interface UnstableInterval {
  /** Absent: unstable from the beginning of the range, or to its end. */
  readonly from?: number;
  readonly to?: number;
}

export interface Sweep {
  readonly steps: readonly number[];
  readonly radii: readonly (number | undefined)[];
  readonly unstable: readonly UnstableInterval[];
  /**
   * The largest step up to which everything in the range is stable; absent: no step of the range,
   * or every step.
   */
  readonly limit?: number;
  /** The first step that was refused. */
  readonly refused?: number;
}

/** Relative error of the ends of intervals. */
const RESOLUTION = 1e-7;

/** Whether deviations grow; those of a mode that stays do not. */
export function grows(radius: number): boolean {
  return radius > 1 + MARGINAL;
}

export function sweepSteps({ from, to, perDecade }: SweepRange): number[] {
  const decades = Math.log10(to / from);
  const count = Math.max(2, Math.round(decades * perDecade) + 1);
  return Array.from({ length: count }, (_, k) => from * (to / from) ** (k / (count - 1)));
}

/** @param radii at `steps`, which grow. Steps that were refused are passed over. */
export function findLimits(
  steps: readonly number[],
  radii: readonly (number | undefined)[],
  radiusAt: RadiusAt,
): Sweep {
  const points = withTops(knownPoints(steps, radii), radiusAt);
  const unstable: { from?: number; to?: number }[] = [];
  points.forEach((point, k) => {
    const before = points[k - 1];
    const isUnstable = grows(point.radius);
    const wasUnstable = before !== undefined && grows(before.radius);
    if (isUnstable === wasUnstable) return;
    if (before === undefined) unstable.push({});
    else {
      const border = bisect(before, point, radiusAt);
      if (isUnstable) unstable.push({ from: border });
      else unstable.at(-1)!.to = border;
    }
  });
  const first = unstable[0];
  const refused = radii.indexOf(undefined);
  return {
    steps,
    radii,
    unstable,
    ...(first?.from === undefined ? {} : { limit: first.from }),
    ...(refused < 0 ? {} : { refused: steps[refused] }),
  };
}

interface Point {
  readonly step: number;
  readonly radius: number;
}

function knownPoints(
  steps: readonly number[],
  radii: readonly (number | undefined)[],
): readonly Point[] {
  return steps.flatMap((step, k) => {
    const radius = radii[k];
    return radius === undefined ? [] : [{ step, radius }];
  });
}

/**
 * A top of the curve that is lower than this at the points of the grid is not above 1 between them.
 */
const HIGH_ENOUGH = 0.6;
/** Evaluations that climb one top. */
const CLIMB = 10;

/** With the summit of every top whose points on the grid are all below 1. */
function withTops(points: readonly Point[], radiusAt: RadiusAt): Point[] {
  return points.flatMap((point, k) => {
    const [before, after] = [points[k - 1], points[k + 1]];
    if (before === undefined || after === undefined) return [point];
    const isTop = point.radius >= before.radius && point.radius >= after.radius;
    const isOpen = point.radius > HIGH_ENOUGH && point.radius < 1 - MARGINAL;
    const summit = isTop && isOpen ? climb(before.step, after.step, radiusAt) : undefined;
    if (summit === undefined || !grows(summit.radius)) return [point];
    return summit.step < point.step ? [summit, point] : [point, summit];
  });
}

/** Golden section in the logarithm of the step. */
function climb(from: number, to: number, radiusAt: RadiusAt): Point | undefined {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(from), Math.log(to)];
  let best: Point | undefined;
  for (let k = 0; k < CLIMB; k++) {
    const inner = [high - golden * (high - low), low + golden * (high - low)] as const;
    const [left, right] = inner.map((log) => radiusAt(Math.exp(log)));
    if (left === undefined || right === undefined) return best;
    const isLeft = left > right;
    const radius = Math.max(left, right);
    if (best === undefined || radius > best.radius)
      best = { step: Math.exp(isLeft ? inner[0] : inner[1]), radius };
    if (grows(radius)) return best;
    if (isLeft) high = inner[1];
    else low = inner[0];
  }
  return best;
}

/**
 * Where the radius passes 1 between a stable and an unstable step; the stable one where steps
 * between them are refused.
 */
function bisect(left: Point, right: Point, radiusAt: RadiusAt): number {
  // Where the stable side has a mode that stays, its rounding must not be taken for the border.
  const level = Math.min(left.radius, right.radius) > 1 - MARGINAL ? 1 + MARGINAL : 1;
  let [low, high] = [left.step, right.step];
  const isHighSide = right.radius > left.radius;
  while (high / low - 1 > RESOLUTION) {
    const middle = Math.sqrt(low * high);
    const radius = radiusAt(middle);
    if (radius === undefined) return isHighSide ? low : high;
    if (radius > level === isHighSide) high = middle;
    else low = middle;
  }
  return Math.sqrt(low * high);
}
