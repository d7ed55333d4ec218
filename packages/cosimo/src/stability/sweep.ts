/**
 * The spectral radius over the step size: where it is above 1, and the largest step up to which it never is.
 *
 * A grid in the logarithm of the step finds the intervals, bisection their ends. What happens between two points of the grid is not
 * seen; the grid is fine enough for couplings of a few modes, and the report says how fine it was.
 */

/** Radius at a step; undefined where there is none, because somebody refuses the step. */
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
  /** The largest step up to which everything in the range is stable; absent: no step of the range, or every step. */
  readonly limit?: number;
  /** The first step that was refused. */
  readonly refused?: number;
}

/** A mode that neither grows nor decays is computed with this error. */
const MARGINAL = 1e-7;
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
  const known = [...steps.keys()].filter((k) => radii[k] !== undefined);
  const unstable: { from?: number; to?: number }[] = [];
  known.forEach((k, place) => {
    const before = place > 0 ? known[place - 1]! : undefined;
    const isUnstable = grows(radii[k]!);
    const wasUnstable = before !== undefined && grows(radii[before]!);
    if (isUnstable === wasUnstable) return;
    if (before === undefined) unstable.push({});
    else {
      const border = bisect(steps[before]!, steps[k]!, radii[before]!, radii[k]!, radiusAt);
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
    ...(refused < 0 ? {} : { refused: steps[refused]! }),
  };
}

/** Where the radius passes 1 between a stable and an unstable step; the stable one where steps between them are refused. */
function bisect(
  left: number,
  right: number,
  radiusLeft: number,
  radiusRight: number,
  radiusAt: RadiusAt,
): number {
  // Where the stable side has a mode that stays, its rounding must not be taken for the border.
  const level = Math.min(radiusLeft, radiusRight) > 1 - MARGINAL ? 1 + MARGINAL : 1;
  let [low, high] = [left, right];
  const isHighSide = radiusRight > radiusLeft;
  while (high / low - 1 > RESOLUTION) {
    const middle = Math.sqrt(low * high);
    const radius = radiusAt(middle);
    if (radius === undefined) return isHighSide ? low : high;
    if (radius > level === isHighSide) high = middle;
    else low = middle;
  }
  return Math.sqrt(low * high);
}
