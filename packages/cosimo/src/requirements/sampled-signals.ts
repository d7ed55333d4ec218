/**
 * The signals of a requirement as rows, and numeric expressions over them, row by row.
 *
 * Functions of the past (derivative, average, …) see the whole trace, so they are computed once
 * however many parts of the run a scope has; those of what follows (settling, overshoot) see as far
 * as the part that they are evaluated in.
 */
import type { NumberExpression, PastFunctionName } from "../model/requirement.ts";
import {
  RowFinder,
  runningIntegral,
  slidingMinimum,
  slopes,
  valueAt,
} from "../numerics/sliding-window.ts";

/** Rows of a run, as requirements see them. */
export interface SampledSignals {
  /** Seconds; never decreasing. Rows that share a time are the values before and after an event. */
  readonly time: Float64Array;
  /** By the indices that the requirement uses; booleans and events are 0 and 1. */
  readonly values: readonly Float64Array[];
  /** Which of them keep their values from row to row; the others are linear in between. */
  readonly isStepwise: readonly boolean[];
}

type Expression = NumberExpression<number>;

/** Rows [begin, end). */
export interface Rows {
  readonly begin: number;
  readonly end: number;
}

export class ExpressionValues {
  readonly signals: SampledSignals;
  /**
   * Times that differ by less are equal: communication points are counted, windows are added to
   * them.
   */
  readonly slack: number;
  private readonly known = new Map<Expression, Float64Array>();

  constructor(signals: SampledSignals) {
    this.signals = signals;
    const { time } = signals;
    const n = time.length;
    this.slack = n === 0 ? 0 : SLACK * Math.max(Math.abs(time[0]), Math.abs(time[n - 1]));
  }

  /** Values by row of the trace; of rows outside of `rows` they may be NaN. */
  of(e: Expression, rows: Rows): Float64Array {
    if (!isKept(e)) return this.compute(e, rows);
    let values = this.known.get(e);
    if (values === undefined) {
      values = this.compute(e, rows);
      this.known.set(e, values);
    }
    return values;
  }

  /**
   * Whether values between rows are those of the row before: linear functions of linear signals are
   * linear.
   */
  isStepwise(e: Expression): boolean {
    let found = false;
    eachSignal(e, (signal) => {
      found ||= this.signals.isStepwise[signal];
    });
    return found;
  }

  private compute(e: Expression, rows: Rows): Float64Array {
    const { time, values } = this.signals;
    const n = time.length;
    switch (e.kind) {
      case "number":
        return new Float64Array(n).fill(e.value);
      case "signal":
        return values[e.signal];
      case "time":
        return time;
      case "energy":
        throw new Error("internal: the energy of a bond is resolved to an integral");
      case "negate":
        return this.of(e.of, rows).map((value) => -value);
      case "operation":
        return operate(e.operator, this.of(e.left, rows), this.of(e.right, rows));
      case "point": {
        const [first, second] = e.of.map((one) => this.of(one, rows));
        const compute: (a: number, b: number) => number = Math[e.function];
        return first.map((value, i) => compute(value, second?.[i]));
      }
      case "past":
        return this.past(e, this.of(e.of, rows), !this.isStepwise(e.of));
      case "response":
        return this.response(e, rows);
    }
  }

  /**
   * The row that decides the value of `e` at `row`: of responses, where the signal is outermost or
   * settles at last.
   */
  decidingRow(e: Expression, rows: Rows, row: number): number {
    let found = row;
    walk(e, (part) => {
      if (part.kind !== "response" || found !== row) return;
      const [x, target, band] = part.of.map((one) => this.of(one, rows));
      const value = this.of(part, rows)[row];
      if (part.function === "overshoot") {
        // Of a signal that begins on the target, either side counts.
        const side = Math.sign(target[row] - x[row]);
        const isOuter = (i: number): boolean => {
          const beyond = x[i] - target[i];
          return (side === 0 ? Math.abs(beyond) : side * beyond) === value;
        };
        for (let i = rows.end - 1; i > row && value > 0; i--) if (isOuter(i)) found = i;
      } else for (let i = row; i < rows.end; i++) if (!isWithin(x, target, band, i)) found = i;
    });
    return found;
  }

  private past(
    { function: name, window }: { readonly function: PastFunctionName; readonly window?: number },
    x: Float64Array,
    isLinear: boolean,
  ): Float64Array {
    const { time } = this.signals;
    const n = time.length;
    const out = new Float64Array(n);
    const back = window ?? Number.POSITIVE_INFINITY;
    switch (name) {
      case "derivative":
        slopes(n, time, x, out);
        return out;
      case "integral":
        runningIntegral(n, time, x, isLinear, out);
        return out;
      case "average":
        return this.average(x, back, isLinear);
      case "delay":
        return this.looking(back, (row, at) => valueAt(time, x, row, at, isLinear));
      case "minimum":
        return this.least(x, back, isLinear);
      case "maximum":
        return negated(this.least(negated(x), back, isLinear));
      case "variation":
        return this.variation(x, back, isLinear);
      case "smoothness": {
        const travelled = this.variation(x, back, isLinear);
        const least = this.least(x, back, isLinear);
        const most = negated(this.least(negated(x), back, isLinear));
        return travelled.map((way, i) => (way > 0 ? Math.min(1, (most[i] - least[i]) / way) : 1));
      }
    }
  }

  private least(x: Float64Array, back: number, isLinear: boolean): Float64Array {
    const { time } = this.signals;
    const out = new Float64Array(x.length);
    const window = { from: -back, to: 0, side: "past", isLinear } as const;
    slidingMinimum(x.length, time, x, window, this.slack, out);
    return out;
  }

  /**
   * The mean over the window as far as it lies in the run; at the first instant the value itself.
   */
  private average(x: Float64Array, back: number, isLinear: boolean): Float64Array {
    const { time } = this.signals;
    const sums = new Float64Array(x.length);
    runningIntegral(x.length, time, x, isLinear, sums);
    return this.looking(back, (row, at, i) => {
      const begin = Math.max(at, time[0]);
      const length = time[i] - begin;
      if (!(length > this.slack)) return x[i];
      return (sums[i] - sumAt(time, x, sums, row, begin, isLinear)) / length;
    });
  }

  /** Total variation: of a held signal all of it happens at the row that ends the old value. */
  private variation(x: Float64Array, back: number, isLinear: boolean): Float64Array {
    const { time } = this.signals;
    const way = new Float64Array(x.length);
    for (let i = 1; i < x.length; i++) way[i] = way[i - 1] + Math.abs(x[i] - x[i - 1]);
    return this.looking(back, (row, at, i) => way[i] - valueAt(time, way, row, at, isLinear));
  }

  /**
   * What `see` says of the instant `back` before every row, and of the last row that is not later.
   */
  private looking(back: number, see: (row: number, at: number, i: number) => number): Float64Array {
    const { time } = this.signals;
    const finder = new RowFinder(time, this.slack);
    return time.map((now, i) => {
      const at = now - back;
      // Of rows that share an instant with this one, those behind it have not come yet.
      return see(Math.min(finder.at(at), i), at, i);
    });
  }

  private response(
    { function: name, of }: Extract<Expression, { kind: "response" }>,
    rows: Rows,
  ): Float64Array {
    const [x, target, band] = of.map((one) => this.of(one, rows));
    const out = new Float64Array(x.length).fill(Number.NaN);
    if (name === "overshoot") overshoot(x, target, rows, out);
    else settling(this.signals.time, x, target, band, rows, !this.isStepwise(of[0]), out);
    return out;
  }
}

/** Relative to the largest time of the trace: some thousand roundings. */
const SLACK = 1e-12;

/** What costs more than a pass over its arguments, and does not depend on where the scope ends. */
function isKept(e: Expression): boolean {
  let isOfTrace = true;
  walk(e, ({ kind }) => {
    if (kind === "response") isOfTrace = false;
  });
  return isOfTrace;
}

export function walk(e: Expression, visit: (part: Expression) => void): void {
  visit(e);
  if (e.kind === "operation") {
    walk(e.left, visit);
    walk(e.right, visit);
  } else if (e.kind === "negate" || e.kind === "past") walk(e.of, visit);
  else if (e.kind === "point" || e.kind === "response") for (const one of e.of) walk(one, visit);
}

export function eachSignal(e: Expression, visit: (signal: number) => void): void {
  walk(e, (part) => {
    if (part.kind === "signal") visit(part.signal);
  });
}

function negated(x: Float64Array): Float64Array {
  return x.map((value) => -value);
}

function operate(operator: string, a: Float64Array, b: Float64Array): Float64Array {
  switch (operator) {
    case "+":
      return a.map((value, i) => value + b[i]);
    case "-":
      return a.map((value, i) => value - b[i]);
    case "*":
      return a.map((value, i) => value * b[i]);
    case "/":
      return a.map((value, i) => value / b[i]);
    default:
      return a.map((value, i) => value ** b[i]);
  }
}

/** The running integral at an instant at or behind `row`. */
function sumAt(
  time: Float64Array,
  x: Float64Array,
  sums: Float64Array,
  row: number,
  at: number,
  isLinear: boolean,
): number {
  const length = at - time[row];
  if (row < 0 || !(length > 0)) return sums[Math.max(row, 0)];
  const height = isLinear ? (x[row] + valueAt(time, x, row, at, true)) / 2 : x[row];
  return sums[row] + length * height;
}

/**
 * Beyond the target: above it where the signal comes from below, below it where it comes from
 * above.
 */
function overshoot(
  x: Float64Array,
  target: Float64Array,
  { begin, end }: Rows,
  out: Float64Array,
): void {
  let above = 0;
  let below = 0;
  for (let i = end - 1; i >= begin; i--) {
    const difference = x[i] - target[i];
    above = Math.max(above, difference);
    below = Math.max(below, -difference);
    out[i] = difference < 0 ? above : difference > 0 ? below : Math.max(above, below);
  }
}

function isWithin(x: Float64Array, target: Float64Array, band: Float64Array, row: number): boolean {
  return Math.abs(x[row] - target[row]) <= band[row];
}

/**
 * Seconds until the distance to the target stays within the band, between rows as the signal is
 * there.
 */
function settling(
  time: Float64Array,
  x: Float64Array,
  target: Float64Array,
  band: Float64Array,
  { begin, end }: Rows,
  isLinear: boolean,
  out: Float64Array,
): void {
  /** From here on it is inside; the last row that is outside decides. */
  let settled = Number.NEGATIVE_INFINITY;
  for (let i = end - 1; i >= begin; i--) {
    const isInside = isWithin(x, target, band, i);
    if (settled === Number.NEGATIVE_INFINITY && !isInside)
      settled = i === end - 1 ? Number.POSITIVE_INFINITY : entry(i);
    out[i] = Math.max(0, settled - time[i]);
  }

  /** Where the signal comes into the band between row i, outside, and the next one, inside. */
  function entry(i: number): number {
    if (!isLinear) return time[i + 1];
    const side = Math.sign(x[i] - target[i]);
    const outside = side * (x[i] - target[i]) - band[i];
    const next = side * (x[i + 1] - target[i + 1]) - band[i + 1];
    const part = outside / (outside - next);
    return time[i] + (time[i + 1] - time[i]) * (Number.isFinite(part) ? part : 1);
  }
}
