/**
 * The difference of two recordings as rows: those of both, each signal of the first minus that of
 * the second. It is made of rows, before anything is put together for a picture: lowest and highest
 * values of two recordings say nothing of their difference.
 *
 * Where only one has a row, the other one has the value that its curve has there. Rows that share a
 * time are an event, and meet those of the other one in their order.
 */
import type { RowSource, SignalIndex } from "./signal-index.ts";

export interface Recording {
  readonly index: SignalIndex;
  readonly names: readonly string[];
  readonly isStepwise: (signal: string) => boolean;
  /** More rows may come: nothing is said of what lies behind its last one. */
  readonly isGoing: boolean;
}

/**
 * Per row of the difference, the row of one recording that is not later (-1: none yet), and whether
 * it is of the same instant.
 */
interface Side {
  readonly recording: Recording;
  readonly time: Float64Array;
  readonly row: Int32Array;
  readonly isExact: Uint8Array;
}

export interface DifferenceRows extends RowSource {
  /** Rows of any signal that both recordings have, derived ones too. */
  subtract(signal: string, from: number, target: Float64Array): void;
}

export function differenceRows(first: Recording, second: Recording): DifferenceRows {
  const [a, b] = [timesOf(first), timesOf(second)];
  const until = Math.min(lastOf(first, a), lastOf(second, b));
  const most = a.length + b.length;
  const time = new Float64Array(most);
  const side = (recording: Recording, own: Float64Array): Side => ({
    recording,
    time: own,
    row: new Int32Array(most),
    isExact: new Uint8Array(most),
  });
  const [left, right] = [side(first, a), side(second, b)];
  let count = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const t = Math.min(a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY);
    if (!(t <= until)) break;
    const [ka, kb] = [sharing(a, i, t), sharing(b, j, t)];
    for (let r = 0; r < Math.max(ka, kb); r++, count++) {
      time[count] = t;
      put(left, count, i, ka, r);
      put(right, count, j, kb, r);
    }
    i += ka;
    j += kb;
  }
  const names = first.names.filter((name) => second.index.has(name));
  return {
    names,
    count: () => count,
    read(column, from, target) {
      const name = names[column];
      if (name === undefined) target.set(time.subarray(from, from + target.length));
      else subtract(name, from, target);
    },
    subtract,
  };

  function subtract(name: string, from: number, target: Float64Array): void {
    const values = valuesOf(left, name, from, target.length, time);
    const other = valuesOf(right, name, from, target.length, time);
    for (let k = 0; k < target.length; k++)
      target[k] = (values[k] as number) - (other[k] as number);
  }
}

function timesOf({ index }: Recording): Float64Array {
  const time = new Float64Array(index.rows);
  index.read(undefined, 0, time);
  return time;
}

function lastOf({ isGoing }: Recording, time: Float64Array): number {
  return isGoing ? (time.at(-1) ?? Number.NEGATIVE_INFINITY) : Number.POSITIVE_INFINITY;
}

function sharing(time: Float64Array, from: number, t: number): number {
  let after = from;
  while (time[after] === t) after++;
  return after - from;
}

/** @param shared rows of the side at this instant, of which `nth` is meant. */
function put({ row, isExact }: Side, at: number, next: number, shared: number, nth: number): void {
  row[at] = shared > 0 ? next + Math.min(nth, shared - 1) : next - 1;
  isExact[at] = shared > 0 ? 1 : 0;
}

function valuesOf(
  { recording, time, row, isExact }: Side,
  name: string,
  from: number,
  length: number,
  at: Float64Array,
): Float64Array {
  const out = new Float64Array(length).fill(Number.NaN);
  if (length === 0) return out;
  const first = Math.max(0, row[from] as number);
  const after = Math.min(time.length, (row[from + length - 1] as number) + 2);
  const values = new Float64Array(Math.max(0, after - first));
  recording.index.read(name, first, values);
  const isStepwise = recording.isStepwise(name);
  for (let k = 0; k < length; k++) {
    const r = row[from + k] as number;
    // Before its first row, and behind its last, a recording has no value.
    if (r < 0 || (isExact[from + k] === 0 && r + 1 >= time.length)) continue;
    const here = values[r - first] as number;
    if (isExact[from + k] === 1 || isStepwise) {
      out[k] = here;
      continue;
    }
    const [t0, t1] = [time[r] as number, time[r + 1] as number];
    const share = ((at[from + k] as number) - t0) / (t1 - t0);
    out[k] = here + ((values[r + 1 - first] as number) - here) * share;
  }
  return out;
}
