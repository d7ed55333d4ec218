/**
 * A trace against the one that is expected: regression tests of scenarios.
 */
import type { Trace } from "./trace.ts";

export type Comparison =
  | { readonly isEqual: true; readonly values: number; readonly worst: number }
  /** The first difference. */
  | { readonly isEqual: false; readonly difference: string };

type Cells = Pick<Trace, "time" | "columns">;

/**
 * Every value of `expected` must be in `found`, which may have more columns and more rows. Numbers
 * may differ by `tolerance` times the largest of their column, or 1 where that is smaller;
 * everything else is equal. Of rows that share a time, the last ones count: values after an event.
 */
export function compareExpected(found: Cells, expected: Cells, tolerance: number): Comparison {
  const rows = matchingRows(found.time, expected.time);
  const missing = rows.indexOf(-1);
  if (missing >= 0)
    return { isEqual: false, difference: `there is no row at t=${expected.time[missing]}` };
  let worst = 0;
  for (const { name, data } of expected.columns) {
    const other = found.columns.find((one) => one.name === name);
    if (other === undefined) return { isEqual: false, difference: `there is no column '${name}'` };
    const scale = scaleOf(data as ArrayLike<unknown>);
    for (let row = 0; row < expected.time.length; row++) {
      const [a, b] = [other.data[rows[row]], data[row]];
      const distance = apart(a, b) / scale;
      if (!(distance <= tolerance)) {
        const what = `${name} is ${String(a)} at t=${expected.time[row]}, expected ${String(b)}`;
        return { isEqual: false, difference: what };
      }
      worst = Math.max(worst, distance);
    }
  }
  return { isEqual: true, values: expected.columns.length * expected.time.length, worst };
}

/**
 * By row of `expected`: the row of `found` of the same time, counted from the last of that time; -1
 * where there is none.
 */
function matchingRows(found: Float64Array, expected: Float64Array): Int32Array {
  const rows = new Int32Array(expected.length).fill(-1);
  const isSame = (a: number, b: number): boolean =>
    Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b));
  let at = found.length - 1;
  for (let row = expected.length - 1; row >= 0; row--) {
    const time = expected[row];
    while (at >= 0 && found[at] > time && !isSame(found[at], time)) at--;
    if (at >= 0 && isSame(found[at], time)) rows[row] = at--;
  }
  return rows;
}

function scaleOf(data: ArrayLike<unknown>): number {
  let scale = 1;
  for (let i = 0; i < data.length; i++) {
    const size = typeof data[i] === "number" ? Math.abs(data[i] as number) : 0;
    if (Number.isFinite(size) && size > scale) scale = size;
  }
  return scale;
}

/** 0 where they are equal, infinite where they cannot be compared. */
function apart(a: unknown, b: unknown): number {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b);
  // CSV does not say what is an integer of 64 bits.
  if (typeof a === "bigint" || typeof b === "bigint") return Math.abs(Number(a) - Number(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, i) => byte === b[i]) ? 0 : Infinity;
  return Infinity;
}
