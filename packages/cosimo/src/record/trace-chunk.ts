/**
 * A trace in pieces: what a running simulation hands to the encoders, so that a long run never lies
 * in memory whole.
 */
import type { ColumnData, Trace } from "./trace.ts";

/**
 * Some consecutive rows of a trace. All arrays have the length of `time`; `data` is in the order of
 * the columns.
 */
export interface TraceChunk {
  readonly time: Float64Array;
  readonly data: readonly ColumnData[];
}

/** The rows of `trace` in chunks of at most `rows`; the chunks share the trace's memory. */
export function* chunksOf(trace: Trace, rows = 65_536): Generator<TraceChunk> {
  for (let from = 0; from < trace.time.length; from += rows) {
    const to = Math.min(from + rows, trace.time.length);
    yield {
      time: trace.time.subarray(from, to),
      data: trace.columns.map((column) => sliceColumn(column.data, from, to)),
    };
  }
}

/** Rows `from` to `to` of a column; typed arrays are not copied. */
export function sliceColumn(data: ColumnData, from: number, to: number): ColumnData {
  if (data instanceof Float64Array) return data.subarray(from, to);
  if (data instanceof BigInt64Array) return data.subarray(from, to);
  return data.slice(from, to);
}

/**
 * Names for a table whose first column is `time`: a column that repeats a name gets a number behind
 * it, because no reader of tables copes with two columns of one name.
 */
export function tableNames(columns: readonly { readonly name: string }[]): string[] {
  const taken = new Set(["time"]);
  return columns.map(({ name }) => {
    let unique = name;
    for (let n = 2; taken.has(unique); n++) unique = `${name} (${n})`;
    taken.add(unique);
    return unique;
  });
}
