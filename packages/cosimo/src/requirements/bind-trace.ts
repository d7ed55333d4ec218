/**
 * Columns of a trace as the signals of a requirement.
 */
import type { Requirement } from "../model/requirement.ts";
import type { ColumnData, Trace } from "../record/trace.ts";
import type { SampledSignals } from "./sampled-signals.ts";

/** @throws Error where the trace lacks a column: runs record all that requirements name. */
export function bindTrace(
  { signals, name }: Pick<Requirement, "signals" | "name">,
  { time, columns }: Pick<Trace, "time" | "columns">,
): SampledSignals {
  const values = signals.map((signal) => {
    const column = columns.find((one) => one.name === signal.name);
    if (column === undefined)
      throw new Error(`the trace has no column '${signal.name}', which '${name}' needs`);
    return numbers(column.data);
  });
  return { time, values, isStepwise: signals.map(({ isStepwise }) => isStepwise) };
}

/** 64-bit integers as the nearest numbers; booleans are 0 and 1 already. */
export function numbers(data: ColumnData): Float64Array {
  if (data instanceof Float64Array) return data;
  return Float64Array.from(data as ArrayLike<unknown>, Number);
}
