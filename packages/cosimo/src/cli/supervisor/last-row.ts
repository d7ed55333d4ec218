/**
 * The values at the end of a run as a person reads them: aligned, with units, as many digits as
 * mean something.
 */
import type { ValueType } from "../../model/value-type.ts";
import type { ColumnInfo } from "../../record/trace.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import { textTable } from "../info/text-table.ts";

const MAX_LISTED = 12;
const DIGITS = 7;

/** How many rows there are, and the last of them in lines. */
export function lastRow(
  columns: readonly ColumnInfo[],
  chunks: Iterable<TraceChunk>,
): { readonly rows: number; readonly lastValues: readonly string[] } {
  let rows = 0;
  let last: TraceChunk | undefined;
  for (const chunk of chunks) {
    rows += chunk.time.length;
    last = chunk;
  }
  if (last === undefined) return { rows, lastValues: [] };
  const row = last.time.length - 1;
  const table = columns.slice(0, MAX_LISTED).map((column, c) => {
    const text = valueText(column.type, last.data[c]?.[row] ?? "");
    return [column.name, `= ${text}${column.unit ? ` ${column.unit}` : ""}`];
  });
  const more = columns.length - MAX_LISTED;
  return {
    rows,
    lastValues: [
      ...textTable(table),
      ...(more > 0 ? [`  … and ${more} more: --out keeps all`] : []),
    ],
  };
}

/** With as many digits as mean something. */
export function valueText(type: ValueType, value: number | bigint | string | Uint8Array): string {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint")
    return (type === "uint64" ? BigInt.asUintN(64, value) : value).toString();
  if (type === "boolean") return value === 0 ? "false" : "true";
  return String(
    type === "float64" || type === "float32" ? Number(value.toPrecision(DIGITS)) : value,
  );
}
