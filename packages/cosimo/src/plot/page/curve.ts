/**
 * One series of a plot page as the points of a line, and what is asked of it: the value at a time,
 * its range in a window. A signal that changes in steps gets its corners as points, so that
 * everything else knows straight lines only.
 */
import type { PlotPageSeries } from "../page-data.ts";

export interface Curve {
  /** Never falls; two points of one time are a jump. */
  readonly x: readonly number[];
  /** A null interrupts the line. */
  readonly y: readonly (number | null)[];
  /** Points that have no neighbour to draw a line to. */
  readonly lonely: readonly number[];
}

export function makeCurve(
  { values, stepwise }: Pick<PlotPageSeries, "values" | "stepwise">,
  time: readonly number[],
): Curve {
  const { x, y } = stepwise ? withCorners(time, values) : { x: time, y: values };
  const lonely = y.flatMap((value, i) =>
    value !== null && (y[i - 1] ?? null) === null && (y[i + 1] ?? null) === null ? [i] : [],
  );
  return { x, y, lonely };
}

/** The curve of a signal in its lane. @param height from a value to where it lies (`laneScale`). */
export function inLane({ x, y, lonely }: Curve, height: (value: number) => number): Curve {
  return { x, y: y.map((value) => (value === null ? null : height(value))), lonely };
}

function withCorners(
  time: readonly number[],
  values: readonly (number | null)[],
): Pick<Curve, "x" | "y"> {
  const x: number[] = [];
  const y: (number | null)[] = [];
  let held: number | null = null;
  time.forEach((t, i) => {
    const value = values[i] ?? null;
    if (held !== null && value !== null && value !== held) {
      x.push(t);
      y.push(held);
    }
    x.push(t);
    y.push(value);
    held = value;
  });
  return { x, y };
}

/** Index of the last time that is not after `t`; -1 when there is none. */
export function rowAt(x: readonly number[], t: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? t) <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * First and last point that a window needs: those inside and one beyond each end. Empty when `last
 * < first`.
 */
export function rowsWithin({ x }: Curve, from: number, to: number): [first: number, last: number] {
  return [Math.max(0, rowAt(x, from) - 1), Math.min(x.length - 1, rowAt(x, to) + 1)];
}

/** The point nearest in time, for a mark on the line. */
export function nearestRow({ x, y }: Curve, t: number): number | null {
  const row = rowAt(x, t);
  const before = x[row];
  const after = x[row + 1];
  const near =
    before === undefined || (after !== undefined && after - t < t - before) ? row + 1 : row;
  return (y[near] ?? null) === null ? null : near;
}

/** The value at a time, between two points on the line; null in gaps and outside. */
export function valueAt({ x, y }: Curve, t: number): number | null {
  const row = rowAt(x, t);
  const t0 = x[row];
  const here = y[row] ?? null;
  if (t0 === undefined || here === null || t === t0) return here;
  const t1 = x[row + 1];
  const next = y[row + 1];
  if (t1 === undefined) return null;
  return next === null || next === undefined ? here : here + ((next - here) * (t - t0)) / (t1 - t0);
}

/** Least and greatest value that a window shows; `low > high` when it shows none. */
export function rangeWithin(curve: Curve, from: number, to: number): { low: number; high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const { x, y } = curve;
  const see = (value: number | null | undefined): void => {
    if (value === null || value === undefined) return;
    if (value < low) low = value;
    if (value > high) high = value;
  };
  const last = rowAt(x, to);
  for (let row = rowAt(x, from) + 1; row <= last; row++) see(y[row]);
  // A line that only passes through has no point inside.
  see(valueAt(curve, from));
  see(valueAt(curve, to));
  return { low, high };
}
