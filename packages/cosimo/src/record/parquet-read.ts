/**
 * Parquet in: traces of earlier runs, to plot, compare and feed back as inputs; foreign tables with
 * a time column too.
 */

import { type FileMetaData, parquetMetadata, parquetRead, type SchemaElement } from "hyparquet";
import { type Checked, type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { errorText } from "../base/error-text.ts";
import { bankOf, type ObjectValue, type ValueType } from "../model/value-type.ts";
import { RECORD_DIAGNOSTICS } from "./diagnostics.ts";
import { valueTypeOf } from "./parquet-types.ts";
import type { Column, ColumnInfo, Trace } from "./trace.ts";
import { readTraceNotes, type TraceNotes } from "./trace-notes.ts";

type MutableData = Float64Array | BigInt64Array | ObjectValue[];

/**
 * Reads a trace from the bytes of a file. Columns that a trace cannot hold are left out with a
 * warning. The value is absent when a diagnostic is an error.
 */
export async function parseParquet(bytes: Uint8Array, file: string): Promise<Checked<Trace>> {
  try {
    return await readTrace(bytes, file);
  } catch (error) {
    const reason = errorText(error);
    return {
      diagnostics: [diagnose(RECORD_DIAGNOSTICS, "parquet-unreadable", { reason }, { file })],
    };
  }
}

async function readTrace(bytes: Uint8Array, file: string): Promise<Checked<Trace>> {
  // A copy made this way is one also for Node's Buffer, whose `slice` is a view of a larger pool.
  const { buffer } = new Uint8Array(bytes);
  const metadata = parquetMetadata(buffer, { geoparquet: false });
  const diagnostics: Diagnostic[] = [];
  const { meta = { title: file, entries: {} }, columns: known } = notesOf(metadata);
  const rows = Number(metadata.num_rows);
  const wanted = new Map<string, { info: ColumnInfo; data: MutableData }>();
  const skip = (name: string, type: string): void => {
    const params = { name, type };
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "parquet-column-skipped", params, { file }));
  };
  for (const element of topLevel(metadata)) {
    const type = known.get(element.name)?.type ?? valueTypeOf(element);
    if (type === undefined) {
      const { logical_type: logical, converted_type: converted } = element;
      skip(element.name, logical?.type ?? converted ?? element.type ?? "group");
      continue;
    }
    const info = known.get(element.name) ?? { name: element.name, type };
    wanted.set(element.name, { info, data: emptyData(type, rows) });
  }
  if (!(wanted.get("time")?.data instanceof Float64Array)) {
    const names = topLevel(metadata).map(({ name }) => `'${name}'`);
    diagnostics.push(
      diagnose(RECORD_DIAGNOSTICS, "parquet-no-time", { names: names.join(", ") }, { file }),
    );
    return { diagnostics };
  }
  await parquetRead({
    file: { byteLength: buffer.byteLength, slice: (start, end) => buffer.slice(start, end) },
    metadata,
    columns: [...wanted.keys()],
    utf8: false,
    onChunk({ columnName, columnData, rowStart }) {
      const column = wanted.get(columnName);
      if (column === undefined || fill(column.data, columnData, rowStart)) return;
      wanted.delete(columnName);
      skip(columnName, `${column.info.type} with missing values`);
    },
  });
  const time = wanted.get("time")!.data as Float64Array;
  wanted.delete("time");
  const wrong = time.findIndex((t, row) => !(row === 0 ? Number.isFinite(t) : t >= time[row - 1]));
  if (wrong >= 0) {
    const params = { row: wrong + 1 };
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "parquet-time-order", params, { file }));
    return { diagnostics };
  }
  const columns: Column[] = [...wanted.values()].map(({ info, data }) => ({ ...info, data }));
  return { value: { meta, time, columns }, diagnostics };
}

function topLevel(metadata: FileMetaData): SchemaElement[] {
  const found: SchemaElement[] = [];
  let skip = 0;
  for (const element of metadata.schema.slice(1)) {
    if (skip === 0) found.push(element);
    else skip--;
    skip += element.num_children ?? 0;
  }
  return found;
}

function emptyData(type: ValueType, rows: number): MutableData {
  switch (bankOf(type)) {
    case "f64":
      return new Float64Array(rows);
    case "i64":
      return new BigInt64Array(rows);
    case "obj":
      return [];
  }
}

/**
 * Copies decoded values into the column. A missing number reads as NaN; false when anything else is
 * missing.
 */
function fill(data: MutableData, values: ArrayLike<unknown>, rowStart: number): boolean {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const missing = value === null || value === undefined;
    if (data instanceof Float64Array) data[rowStart + i] = missing ? Number.NaN : Number(value);
    else if (missing) return false;
    else if (data instanceof BigInt64Array)
      data[rowStart + i] = BigInt.asIntN(64, BigInt(value as bigint));
    else data[rowStart + i] = value as ObjectValue;
  }
  return true;
}

/** Our own notes about the run and its columns; files of others have none. */
function notesOf(metadata: FileMetaData): TraceNotes {
  const pairs = metadata.key_value_metadata ?? [];
  const ours = pairs.filter(({ key }) => key.startsWith("cosimo."));
  const values = ours.map(({ key, value }) => [key, JSON.parse(value ?? "null")] as const);
  return readTraceNotes(Object.fromEntries(values)) ?? { columns: new Map() };
}
