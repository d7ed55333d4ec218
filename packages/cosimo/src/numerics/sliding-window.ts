/**
 * The least value of a sampled signal in a window that moves along with time, for all rows in
 * linear time: temporal operators of requirements, and minima and maxima of signals.
 *
 * Monotonic wedge (Lemire, "Streaming maximum-minimum filter using no more than three comparisons
 * per element", 2006): a queue of rows whose values increase; the first is the least of the window.
 * Rows enter and leave once each. Lemire's windows count samples, these are lengths of time, so
 * rows may be at any distance and several may share an instant.
 *
 * The sign of zero is kept: -0 is less than 0, which is how strict comparisons say that they just
 * do not hold.
 */

/** The window of row i is [t_i + from, t_i + to], in seconds; either end may be infinite. */
export interface SlidingWindow {
  readonly from: number;
  readonly to: number;
  /**
   * Rows that share an instant are ordered: a window of the future has no rows before its own, one
   * of the past none behind.
   */
  readonly side: "future" | "past";
  /**
   * Between rows the signal is linear, where both are finite; otherwise it keeps the value of the
   * row before.
   */
  readonly isLinear: boolean;
  /** The end of the window does not belong to it: a row that stands there does not count. */
  readonly isOpen?: boolean;
}

/**
 * Writes the least value in the window of every row to `out`: over the rows in it, and at its ends
 * also where these lie between two rows. Infinity where a window is empty. Windows end where the
 * signal ends.
 * @param slack times that differ by less are equal.
 */
export function slidingMinimum(
  n: number,
  time: Float64Array,
  values: Float64Array,
  window: SlidingWindow,
  slack: number,
  out: Float64Array,
): void {
  const { from, to, side, isLinear, isOpen = false } = window;
  const queue = new Int32Array(n);
  let head = 0;
  let tail = 0;
  // Rows [low, high] are in the window; both only grow.
  let low = 0;
  let high = -1;
  const reach = isOpen ? -slack : slack;
  for (let i = 0; i < n; i++) {
    const begin = time[i] + from;
    const end = time[i] + to;
    const last = side === "past" ? i : n - 1;
    while (high < last && (time[high + 1] <= end + reach || (isOpen && high + 1 <= i))) {
      high++;
      const value = values[high];
      while (tail > head && isAtLeast(values[queue[tail - 1]], value)) tail--;
      queue[tail++] = high;
    }
    while (low < n && time[low] < begin - slack) low++;
    if (side === "future" && low < i) low = i;
    while (head < tail && queue[head] < low) head++;
    let least = head < tail ? values[queue[head]] : Number.POSITIVE_INFINITY;
    // The ends of the window between rows: `low - 1` and `low` are around its begin, `high` and
    // `high + 1` around its end.
    if (low > 0 && low < n && time[low] > begin + slack && time[low - 1] < begin - slack)
      least = Math.min(least, between(time, values, low - 1, begin, isLinear));
    if (high >= 0 && high < n - 1 && time[high] < end - slack)
      if (time[high + 1] > end + slack || isOpen)
        least = Math.min(least, between(time, values, high, end, isLinear));
    out[i] = least;
  }
}

/** `a >= b`, where 0 is more than -0. */
function isAtLeast(a: number, b: number): boolean {
  return a > b || (a === b && !(a === 0 && Object.is(a, -0)));
}

/** The value at `at`, between row `before` and the next one. */
export function between(
  time: Float64Array,
  values: Float64Array,
  before: number,
  at: number,
  isLinear: boolean,
): number {
  const a = values[before];
  const b = values[before + 1];
  if (!isLinear || !Number.isFinite(a) || !Number.isFinite(b)) return a;
  const length = time[before + 1] - time[before];
  return length > 0 ? a + ((b - a) * (at - time[before])) / length : a;
}

/**
 * Finds rows by time, for times that never decrease: the last row that is not later, -1 before the
 * first one.
 */
export class RowFinder {
  private readonly time: Float64Array;
  private readonly slack: number;
  private row = -1;

  constructor(time: Float64Array, slack: number) {
    this.time = time;
    this.slack = slack;
  }

  at(time: number): number {
    while (this.row + 1 < this.time.length && this.time[this.row + 1] <= time + this.slack)
      this.row++;
    return this.row;
  }
}

/**
 * The value at `at`, which may lie on a row; before the first row its value. @param row as
 * `RowFinder` finds it.
 */
export function valueAt(
  time: Float64Array,
  values: Float64Array,
  row: number,
  at: number,
  isLinear: boolean,
): number {
  if (row < 0) return values[0];
  if (row >= time.length - 1 || at <= time[row]) return values[row];
  return between(time, values, row, at, isLinear);
}

/**
 * Integral from the first row on: trapezoids where the signal is linear between rows, rectangles
 * where it is held.
 */
export function runningIntegral(
  n: number,
  time: Float64Array,
  values: Float64Array,
  isLinear: boolean,
  out: Float64Array,
): void {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    if (i > 0) {
      const length = time[i] - time[i - 1];
      const height = isLinear ? (values[i] + values[i - 1]) / 2 : values[i - 1];
      if (length > 0) sum += length * height;
    }
    out[i] = sum;
  }
}

/**
 * Slope since the row before that is earlier; at the first instant, that up to the next one. Jumps
 * at an instant are not part of it.
 */
export function slopes(
  n: number,
  time: Float64Array,
  values: Float64Array,
  out: Float64Array,
): void {
  let slope = 0;
  let first = n;
  for (let i = 0; i < n; i++) {
    if (i > 0 && time[i] > time[i - 1]) {
      slope = (values[i] - values[i - 1]) / (time[i] - time[i - 1]);
      if (first === n) first = i;
    }
    out[i] = slope;
  }
  if (first < n) out.fill(out[first], 0, first);
}
