/**
 * A trace: recorded columns over time, with what a reader needs to know of the run. Nothing else.
 *
 * Rows that share a time are an event: the first is the value before it, the last the value after
 * it.
 */
import type { ObjectValue, ValueType } from "../model/value-type.ts";

export interface ColumnInfo {
  /**
   * Port name, for an element of an array with its index: `A[2,1]` (indices from 1, as people write
   * them).
   */
  readonly name: string;
  readonly type: ValueType;
  readonly unit?: string;
  readonly description?: string;
  /** How to draw it: steps for piecewise-constant signals. */
  readonly stepwise?: boolean;
  /** It is 1 in the rows of its events, which have rows of their own, and 0 in all others. */
  readonly isEvent?: boolean;
  /** Names of an enumeration's items, by value. */
  readonly items?: Readonly<Record<string, string>>;
}

export type ColumnData = Float64Array | BigInt64Array | readonly ObjectValue[];

export interface Column extends ColumnInfo {
  readonly data: ColumnData;
}

/** What was run and how it ended; becomes Parquet key-value metadata and plot captions. */
export interface TraceMeta {
  readonly title: string;
  readonly entries: Readonly<Record<string, string>>;
}

export interface Trace {
  readonly meta: TraceMeta;
  /** Seconds; never decreasing. */
  readonly time: Float64Array;
  readonly columns: readonly Column[];
}
