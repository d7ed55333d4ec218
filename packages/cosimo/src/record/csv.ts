/**
 * Traces as CSV for spreadsheets and scripts: RFC 4180, comma and point, one header row.
 *
 * The FMI cross-check format is the common ground: names in double quotes, `time` first, one number
 * a cell, so common readers of simulation tools take every numeric trace. Numbers are the shortest
 * text that reads back as the same double; booleans and clocks are 0 and 1; strings are always
 * quoted, so that a reader can distinguish "1" from 1; binary is hex as in a modelDescription.
 * Types and units do not fit into CSV: they stand in a file of notes beside it.
 */
import type { ObjectValue, ValueType } from "../model/value-type.ts";
import type { ColumnData, ColumnInfo, Trace, TraceMeta } from "./trace.ts";
import { chunksOf, type TraceChunk, tableNames } from "./trace-chunk.ts";
import { traceNotes } from "./trace-notes.ts";

/** What notes are about: a trace, or a run whose rows are still to come. */
export interface TraceSubject {
  readonly meta: TraceMeta;
  readonly columns: readonly ColumnInfo[];
}

/** The header row, with its line end. */
export function csvHeader(columns: readonly ColumnInfo[]): string {
  return `${["time", ...tableNames(columns)].map(quote).join(",")}\n`;
}

/** The rows of one chunk, each with its line end. */
export function csvRows(columns: readonly ColumnInfo[], chunk: TraceChunk): string {
  const cells = columns.map((column, i) => formatterOf(column.type, chunk.data[i]));
  const { time } = chunk;
  let text = "";
  for (let row = 0; row < time.length; row++) {
    text += formatNumber(time[row]);
    for (let i = 0; i < cells.length; i++) text += `,${cells[i]!(row)}`;
    text += "\n";
  }
  return text;
}

/** A whole trace as pieces of text, ready to be written one after the other. */
export function* encodeCsv(trace: Trace): Generator<string> {
  yield csvHeader(trace.columns);
  for (const chunk of chunksOf(trace, 8192)) yield csvRows(trace.columns, chunk);
}

/**
 * Where the notes of a CSV file stand: what is known of the run and its columns, for readers that
 * look for it.
 */
export function csvNotesFile(file: string): string {
  return `${file}.meta.json`;
}

/** The text of the notes beside a CSV file with these columns. */
export function csvNotes({ meta, columns }: TraceSubject): string {
  return `${JSON.stringify(traceNotes(meta, columns), undefined, 1)}\n`;
}

/** The shortest text that reads back as the same double, including the sign of zero. */
export function formatNumber(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  return `${value}`;
}

/** One closure per column and chunk: the type is examined once, not per cell. */
function formatterOf(type: ValueType, data: ColumnData): (row: number) => string {
  if (data instanceof Float64Array) return numberFormatter(data);
  if (data instanceof BigInt64Array) {
    if (type === "uint64") return (row) => BigInt.asUintN(64, data[row]).toString();
    return (row) => data[row].toString();
  }
  return (row) => formatObject(data[row]);
}

/** Recorded signals often repeat their last value; then its text is still right. */
function numberFormatter(data: Float64Array): (row: number) => string {
  let last = Number.NaN;
  let text = "NaN";
  return (row) => {
    const value = data[row];
    if (value !== last || value === 0) {
      last = value;
      text = formatNumber(value);
    }
    return text;
  };
}

function formatObject(value: ObjectValue): string {
  return typeof value === "string" ? quote(value) : toHex(value);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return `"${text}"`;
}
