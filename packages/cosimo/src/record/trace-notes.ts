/**
 * What is known of a run and its columns beyond names and numbers, as plain data: the key-value
 * metadata of a Parquet file, and the notes beside a CSV file (`run.csv.meta.json`, decision 21).
 * One form for both.
 *
 *   cosimo.run      {"title": …, "entries": {…}}           what was run and how it ended
 *   cosimo.units    {"time": "s", "x": "m", …}             units by column name
 *   cosimo.columns  [{"column", "name", "type", …}, …]     what is known of every column
 */
import { present } from "../base/present.ts";
import { type ObjectValue, TYPE_NAMES, type ValueType } from "../model/value-type.ts";
import type { Column, ColumnData, ColumnInfo, TraceMeta } from "./trace.ts";
import { tableNames } from "./trace-chunk.ts";

const RUN_KEY = "cosimo.run";
const UNITS_KEY = "cosimo.units";
const COLUMNS_KEY = "cosimo.columns";

/** What notes say, by names of columns in the file. */
export interface TraceNotes {
  readonly meta?: TraceMeta;
  readonly columns: ReadonlyMap<string, ColumnInfo>;
}

/** The notes of a file whose columns are `columns`, by key. */
export function traceNotes(
  meta: TraceMeta,
  columns: readonly ColumnInfo[],
): Record<string, unknown> {
  const names = tableNames(columns);
  const units: [string, string][] = [["time", "s"]];
  for (const [i, { unit }] of columns.entries()) {
    if (unit !== undefined) units.push([names[i], unit]);
  }
  const infos = columns.map(({ name, type, unit, description, stepwise, isEvent, items }, i) => ({
    column: names[i],
    name,
    type,
    unit,
    description,
    stepwise,
    isEvent,
    items,
  }));
  return {
    [RUN_KEY]: { title: meta.title, entries: meta.entries },
    [UNITS_KEY]: Object.fromEntries(units),
    [COLUMNS_KEY]: infos,
  };
}

/**
 * Notes from a file, which may be anything: what does not have the form is left out. Undefined when
 * there is no list of columns at all, so that the file is not ours.
 */
export function readTraceNotes(value: unknown): TraceNotes | undefined {
  if (!isRecord(value)) return undefined;
  const { [RUN_KEY]: run, [COLUMNS_KEY]: listed } = value;
  if (!Array.isArray(listed)) return undefined;
  const columns = new Map<string, ColumnInfo>();
  for (const one of listed as unknown[]) {
    if (!isRecord(one)) continue;
    const { column, name, type, unit, description, stepwise, isEvent, items } = one;
    if (typeof column !== "string" || typeof name !== "string" || !isValueType(type)) continue;
    columns.set(column, {
      name,
      type,
      ...present({
        unit: typeof unit === "string" ? unit : undefined,
        description: typeof description === "string" ? description : undefined,
        stepwise: stepwise === true ? true : undefined,
        isEvent: isEvent === true ? true : undefined,
        items: readItems(items),
      }),
    });
  }
  const meta = readMeta(run);
  return meta === undefined ? { columns } : { meta, columns };
}

/**
 * A column that was read without its type, with what the notes say of it as far as its values
 * agree.
 */
export function notedColumn(column: Column, info: ColumnInfo): Column {
  const data = valuesAs(info.type, column);
  if (data !== undefined) return { ...info, data };
  // The values were edited: what the notes say of the type no longer holds, nor what depends on it.
  const { name, unit, description } = info;
  return { ...column, name, ...present({ unit, description }) };
}

/** The values of a column as those of `type`; undefined where one of them is not. */
function valuesAs(type: ValueType, { type: read, data }: Column): ColumnData | undefined {
  if (read === type) return data;
  switch (type) {
    case "float64":
    case "float32":
      return data instanceof Float64Array ? data : undefined;
    case "boolean":
    case "clock":
      return isAll(data, (value) => value === 0 || value === 1);
    case "int64":
    case "uint64":
      if (data instanceof BigInt64Array) return data;
      return isAll(data, Number.isSafeInteger) && BigInt64Array.from(data as Float64Array, BigInt);
    case "string":
      return data.length === 0 ? [] : undefined;
    case "binary":
      return data instanceof Float64Array || data instanceof BigInt64Array
        ? data.length === 0
          ? []
          : undefined
        : bytesOf(data);
    default:
      return isAll(data, Number.isSafeInteger);
  }
}

function isAll(data: ColumnData, holds: (value: number) => boolean): Float64Array | undefined {
  return data instanceof Float64Array && data.every(holds) ? data : undefined;
}

/** Bytes from hex, as CSV has them. */
function bytesOf(cells: readonly ObjectValue[]): Uint8Array[] | undefined {
  const isHex = (cell: ObjectValue): cell is string =>
    typeof cell === "string" && /^([0-9a-f]{2})*$/i.test(cell);
  if (!cells.every(isHex)) return undefined;
  return cells.map((cell) =>
    Uint8Array.from(cell.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
  );
}

function readMeta(run: unknown): TraceMeta | undefined {
  if (!isRecord(run) || typeof run["title"] !== "string") return undefined;
  const entries = isRecord(run["entries"]) ? run["entries"] : {};
  const texts = Object.entries(entries).filter(([, value]) => typeof value === "string");
  return { title: run["title"], entries: Object.fromEntries(texts) as Record<string, string> };
}

function readItems(items: unknown): Readonly<Record<string, string>> | undefined {
  if (!isRecord(items)) return undefined;
  const named = Object.entries(items).filter(
    ([value, name]) => Number.isInteger(Number(value)) && typeof name === "string",
  );
  return Object.fromEntries(named) as Record<string, string>;
}

function isValueType(type: unknown): type is ValueType {
  return typeof type === "string" && Object.hasOwn(TYPE_NAMES, type);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
