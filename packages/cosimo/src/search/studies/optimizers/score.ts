/**
 * What optimizers see of a run, and how they are driven: a search is a generator that gives points
 * of the unit cube, several at a time where they can be run side by side, and gets their scores.
 * Who runs them, and where, is the caller's.
 */

/**
 * Feasible points are compared by value, others by how far they are from feasible (Deb, 2000). Less
 * is better.
 */
export interface Score {
  /** 0: all constraints hold. Infinity: the run failed. */
  readonly violation: number;
  readonly value: number;
}

export type Search = Generator<readonly Float64Array[], SearchEnd, readonly Score[]>;

export interface SearchEnd {
  readonly why: "converged" | "runs";
}

export interface SearchOptions {
  readonly start: Float64Array;
  /** At most so many. */
  readonly runs: number;
  readonly seed: number;
  /** It has converged when points differ by less. */
  readonly tolerance: number;
}

export function isBetter(a: Score, b: Score): boolean {
  return compareScores(a, b) < 0;
}

export function compareScores(a: Score, b: Score): number {
  if (a.violation !== b.violation) return a.violation < b.violation ? -1 : 1;
  if (a.violation === Number.POSITIVE_INFINITY) return 0;
  if (Number.isNaN(a.value) || Number.isNaN(b.value))
    return Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value));
  return a.value - b.value;
}

/** Coordinates outside of the unit cube come back as if its faces were mirrors. */
export function mirrored(point: Float64Array): Float64Array {
  return point.map((x) => {
    const folded = Math.abs(x) % 2;
    return folded > 1 ? 2 - folded : folded;
  });
}
