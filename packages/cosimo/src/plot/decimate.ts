/**
 * Which rows of a long signal must be drawn so that the picture stays the same: of every pixel
 * column the first, the lowest, the highest and the last value. A million points become a few
 * thousand, and no spike is lost.
 */

/** In a list of rows: here the curve is interrupted. */
export const GAP = -1;

/** The number in a row; NaN, like a value that cannot be drawn, where there is none. */
export function sample(column: ArrayLike<number>, row: number): number {
  return column[row] ?? Number.NaN;
}

/**
 * Rows of `values` to draw, in order, with `GAP` where values are not finite.
 * Signals with at most four rows a bucket keep all rows.
 */
export function decimate(time: Float64Array, values: Float64Array, buckets: number): number[] {
  const rows = time.length;
  if (rows <= 4 * buckets) return everyRow(values);
  const start = sample(time, 0);
  const perSecond = buckets / (sample(time, rows - 1) - start || 1);
  const kept: number[] = [];
  for (let from = 0; from < rows; ) {
    const bucket = Math.floor((sample(time, from) - start) * perSecond);
    let to = from + 1;
    while (to < rows && Math.floor((sample(time, to) - start) * perSecond) === bucket) to++;
    keepOfBucket(values, from, to, kept);
    from = to;
  }
  return kept;
}

function everyRow(values: Float64Array): number[] {
  const kept: number[] = [];
  for (let row = 0; row < values.length; row++) {
    if (Number.isFinite(values[row])) kept.push(row);
    else if (kept.length > 0 && kept.at(-1) !== GAP) kept.push(GAP);
  }
  return kept;
}

/**
 * Appends first, lowest, highest and last finite row of `from` to `to`; gaps at its ends stay gaps.
 */
function keepOfBucket(values: Float64Array, from: number, to: number, kept: number[]): void {
  let first = -1;
  let last = -1;
  let lowest = -1;
  let highest = -1;
  for (let row = from; row < to; row++) {
    const value = sample(values, row);
    if (!Number.isFinite(value)) continue;
    if (first < 0) first = lowest = highest = row;
    last = row;
    if (value < sample(values, lowest)) lowest = row;
    if (value > sample(values, highest)) highest = row;
  }
  const pushGap = (): void => {
    if (kept.length > 0 && kept.at(-1) !== GAP) kept.push(GAP);
  };
  if (first !== from) pushGap();
  if (first < 0) return;
  const rows = [first, Math.min(lowest, highest), Math.max(lowest, highest), last];
  for (const row of rows) if (kept.at(-1) !== row) kept.push(row);
  if (last !== to - 1) pushGap();
}
