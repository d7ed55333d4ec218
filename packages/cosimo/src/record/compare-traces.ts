/**
 * Do two traces say the same? Signal by signal, over the time that both cover, at every time that
 * one of them has.
 *
 * A trace is a function of time: linear between rows, held where a signal is stepwise or not a
 * number. Rows that share a time are an event: its value before and its value after are compared
 * with those of the other trace, which has both where it has the event, and one and the same where
 * it passes through. The difference of a signal at one instant is
 *
 *   |a(t) - b(t)| <= absolute + relative * max |a|        (the largest magnitude of the signal in the first trace)
 *
 * and not relative to a(t) itself, which would forbid any difference where a signal crosses zero.
 * With a tolerance in time, a value also agrees where the other trace takes it a little earlier or
 * later: two runs locate one event at two times.
 */
import { conversion, convertValue } from "../model/physical-unit-conversion.ts";
import type { Column, ColumnData, Trace } from "./trace.ts";

export interface SignalTolerance {
  /** Of the largest magnitude of the signal in the first trace. */
  readonly relative: number;
  /** In the signal's unit in the first trace. */
  readonly absolute: number;
}

export interface CompareOptions {
  readonly tolerance: (name: string) => SignalTolerance;
  /** Seconds by which events may be apart. */
  readonly timeTolerance: number;
}

export interface SignalComparison {
  readonly name: string;
  readonly unit?: string;
  readonly isWithin: boolean;
  /** Infinite where one is a number and the other is not, and for texts that differ. */
  readonly largest: number;
  /** When the difference is largest, and the values then; absent where nothing differs. */
  readonly at?: number;
  readonly values?: readonly [unknown, unknown];
  /** What is allowed. */
  readonly allowed: number;
  /** The first time at which it is more. */
  readonly firstOutside?: number;
  /** Why the values cannot be compared. */
  readonly reason?: string;
}

export interface TraceComparison {
  readonly signals: readonly SignalComparison[];
  /** Signals of one trace alone. */
  readonly missing: { readonly first: readonly string[]; readonly second: readonly string[] };
  /** What both cover, seconds; empty where `from > to`. */
  readonly from: number;
  readonly to: number;
  /** The time that each covers. */
  readonly spans: readonly [Span, Span];
  readonly sameSpan: boolean;
  /** Instants at which values were compared. */
  readonly instants: number;
}

export type Span = readonly [start: number, stop: number];

export function compareTraces(
  first: Trace,
  second: Trace,
  options: CompareOptions,
): TraceComparison {
  const spans = [spanOf(first), spanOf(second)] as const;
  const from = Math.max(spans[0][0], spans[1][0]);
  const to = Math.min(spans[0][1], spans[1][1]);
  const grid = commonTimes(first.time, second.time, from, to);
  const places = [locate(first.time, grid), locate(second.time, grid)] as const;
  const others = new Map(second.columns.map((column) => [column.name, column]));
  const signals = first.columns.flatMap((column) => {
    const other = others.get(column.name);
    if (other === undefined) return [];
    return [compareSignal({ column, other, grid, places, traces: [first, second] }, options)];
  });
  const names = new Set(first.columns.map(({ name }) => name));
  const slack = Math.max(options.timeTolerance, 1e-9 * Math.abs(spans[0][1] - spans[0][0]));
  return {
    signals,
    missing: {
      first: [...others.keys()].filter((name) => !names.has(name)),
      second: [...names].filter((name) => !others.has(name)),
    },
    from,
    to,
    spans,
    sameSpan: spans[0].every((end, k) => Math.abs(end - spans[1][k]!) <= slack),
    instants: grid.length,
  };
}

/**
 * What the second trace has more than the first, as a trace of its own; signals that are not
 * numbers are omitted. Its units say that it is a difference, so that pictures give it an axis of
 * its own.
 */
export function differenceTrace(first: Trace, second: Trace, names: readonly string[]): Trace {
  const from = Math.max(spanOf(first)[0], spanOf(second)[0]);
  const to = Math.min(spanOf(first)[1], spanOf(second)[1]);
  const grid = commonTimes(first.time, second.time, from, to);
  const places = [locate(first.time, grid), locate(second.time, grid)] as const;
  const isEvent = (k: number): boolean =>
    places.some(({ before, after, share }) => share[k]! < 0 && before[k] !== after[k]);
  const rows = Array.from(grid.keys()).flatMap((k) =>
    isEvent(k)
      ? ([
          [k, "before"],
          [k, "after"],
        ] as const)
      : ([[k, "after"]] as const),
  );
  const columns = names.flatMap((name): Column[] => {
    const column = first.columns.find((one) => one.name === name);
    const other = second.columns.find((one) => one.name === name);
    if (column === undefined || other === undefined) return [];
    const [a, b] = [numbersOf(column.data), numbersOf(other.data)];
    if (a === undefined || b === undefined) return [];
    const scaled = inUnitOf(column, other, b);
    if ("reason" in scaled) return [];
    const data = Float64Array.from(
      rows,
      ([k, side]) =>
        valueAt(scaled.data, places[1], k, side, holds(other)) -
        valueAt(a, places[0], k, side, holds(column)),
    );
    const unit = `difference${column.unit === undefined ? "" : ` in ${column.unit}`}`;
    return [{ name, type: "float64", unit, data }];
  });
  return {
    meta: { title: "difference", entries: {} },
    time: Float64Array.from(rows, ([k]) => grid[k]!),
    columns,
  };
}

function spanOf({ time }: Trace): Span {
  return [time[0] ?? Number.POSITIVE_INFINITY, time.at(-1) ?? Number.NEGATIVE_INFINITY];
}

/** Every time of either trace between `from` and `to`, once. */
function commonTimes(a: Float64Array, b: Float64Array, from: number, to: number): Float64Array {
  const all = new Float64Array(a.length + b.length);
  let [n, i, j] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const takesFirst = j >= b.length || (i < a.length && a[i]! <= b[j]!);
    const t = takesFirst ? a[i++]! : b[j++]!;
    if (t >= from && t <= to && (n === 0 || all[n - 1] !== t)) all[n++] = t;
  }
  return all.subarray(0, n);
}

/** Where the times of a grid lie among the rows of a trace. */
interface Places {
  /** The row before an instant: the first one of that time, or the last one before it. */
  readonly before: Int32Array;
  /** The row after it: the last one of that time, or the first one after it. */
  readonly after: Int32Array;
  /**
   * Between two rows: how far on the way from one to the other; -1 for times that the trace has.
   */
  readonly share: Float64Array;
}

function locate(time: Float64Array, grid: Float64Array): Places {
  const before = new Int32Array(grid.length);
  const after = new Int32Array(grid.length);
  const share = new Float64Array(grid.length).fill(-1);
  let i = 0;
  for (let k = 0; k < grid.length; k++) {
    const t = grid[k]!;
    while (i < time.length && time[i]! < t) i++;
    if (time[i] === t) {
      before[k] = i;
      while (i + 1 < time.length && time[i + 1] === t) i++;
      after[k] = i;
    } else {
      before[k] = i - 1;
      after[k] = i;
      share[k] = (t - time[i - 1]!) / (time[i]! - time[i - 1]!);
    }
  }
  return { before, after, share };
}

interface SignalPair {
  readonly column: Column;
  readonly other: Column;
  readonly grid: Float64Array;
  readonly places: readonly [Places, Places];
  readonly traces: readonly [Trace, Trace];
}

function compareSignal(pair: SignalPair, options: CompareOptions): SignalComparison {
  const { column, other, grid, places } = pair;
  const { name } = column;
  const about = column.unit === undefined ? { name } : { name, unit: column.unit };
  const a = numbersOf(column.data);
  const b = numbersOf(other.data);
  if (a === undefined || b === undefined) return { ...about, ...compareObjects(pair) };
  const scaled = inUnitOf(column, other, b);
  if ("reason" in scaled)
    return { ...about, isWithin: false, largest: Number.NaN, allowed: 0, reason: scaled.reason };
  const { relative, absolute } = options.tolerance(name);
  const allowed = absolute + relative * largestMagnitude(a);
  const isHeld = [holds(column), holds(other)] as const;
  let [largest, at, firstOutside] = [0, -1, -1];
  let values: [number, number] = [0, 0];
  for (let k = 0; k < grid.length; k++) {
    for (const side of ["before", "after"] as const) {
      const x = valueAt(a, places[0], k, side, isHeld[0]);
      const y = valueAt(scaled.data, places[1], k, side, isHeld[1]);
      let difference = distance(x, y);
      if (difference > allowed && options.timeTolerance > 0) {
        const window = [
          grid[k]! - options.timeTolerance,
          grid[k]! + options.timeTolerance,
        ] as const;
        // Each of them is somewhere in the other trace.
        difference = Math.max(
          distanceToRange(x, scaled.data, pair.traces[1].time, window, isHeld[1]),
          distanceToRange(y, a, pair.traces[0].time, window, isHeld[0]),
        );
      }
      if (difference > allowed && firstOutside < 0) firstOutside = k;
      if (!(difference > largest)) continue;
      [largest, at, values] = [difference, k, [x, y]];
    }
  }
  return {
    ...about,
    isWithin: firstOutside < 0,
    largest,
    allowed,
    ...(at >= 0 && { at: grid[at]!, values }),
    ...(firstOutside >= 0 && { firstOutside: grid[firstOutside]! }),
  };
}

/** Texts and bytes agree or do not. */
function compareObjects({
  column,
  other,
  grid,
  places,
}: SignalPair): Omit<SignalComparison, "name"> {
  for (let k = 0; k < grid.length; k++)
    for (const side of ["before", "after"] as const) {
      const x = column.data[rowAt(places[0], k, side)];
      const y = other.data[rowAt(places[1], k, side)];
      if (textOf(x) === textOf(y)) continue;
      const at = grid[k]!;
      const largest = Number.POSITIVE_INFINITY;
      return { isWithin: false, largest, allowed: 0, at, firstOutside: at, values: [x, y] };
    }
  return { isWithin: true, largest: 0, allowed: 0 };
}

/** The row that holds at an instant. */
function rowAt({ before, after, share }: Places, k: number, side: "before" | "after"): number {
  return side === "before" || share[k]! >= 0 ? before[k]! : after[k]!;
}

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? value.join(" ") : String(value);

function numbersOf(data: ColumnData): Float64Array | undefined {
  if (data instanceof Float64Array) return data;
  return data instanceof BigInt64Array ? Float64Array.from(data, Number) : undefined;
}

/** Signals that are not continuous keep their value until the next row. */
function holds({ type, stepwise }: Column): boolean {
  return stepwise === true || (type !== "float64" && type !== "float32");
}

function inUnitOf(
  { unit: to }: Column,
  { unit: from }: Column,
  data: Float64Array,
): { readonly data: Float64Array } | { readonly reason: string } {
  if (to === undefined || from === undefined || to === from) return { data };
  const way = conversion({ name: from }, { name: to });
  if ("error" in way) return { reason: way.error };
  return { data: data.map((value) => convertValue(value, way)) };
}

function valueAt(
  data: Float64Array,
  places: Places,
  k: number,
  side: "before" | "after",
  isHeld: boolean,
): number {
  const share = places.share[k]!;
  if (share < 0) return data[places[side][k]!]!;
  const before = data[places.before[k]!]!;
  return isHeld ? before : between(before, data[places.after[k]!]!, share);
}

function between(before: number, after: number, share: number): number {
  return before === after ? before : before + share * (after - before);
}

function distance(x: number, y: number): number {
  if (Object.is(x, y) || x === y) return 0;
  const difference = Math.abs(x - y);
  return Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
}

/** How far `value` is from all that a signal takes inside a window of time. */
function distanceToRange(
  value: number,
  data: Float64Array,
  time: Float64Array,
  [from, to]: readonly [number, number],
  isHeld: boolean,
): number {
  let i = firstNotBefore(time, from);
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const take = (x: number): void => {
    low = Math.min(low, x);
    high = Math.max(high, x);
  };
  const inside = (t: number): void => {
    const k = firstNotBefore(time, t);
    if (k <= 0 || k >= time.length) return;
    const share = (t - time[k - 1]!) / (time[k]! - time[k - 1]!);
    take(isHeld ? data[k - 1]! : between(data[k - 1]!, data[k]!, share));
  };
  inside(from);
  inside(to);
  for (; i < time.length && time[i]! <= to; i++) take(data[i]!);
  if (value >= low && value <= high) return 0;
  return Math.min(distance(value, low), distance(value, high));
}

function firstNotBefore(time: Float64Array, t: number): number {
  let [low, high] = [0, time.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (time[middle]! < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

function largestMagnitude(data: Float64Array): number {
  let largest = 0;
  for (const value of data) {
    const magnitude = Math.abs(value);
    if (magnitude > largest && magnitude < Number.POSITIVE_INFINITY) largest = magnitude;
  }
  return largest;
}
