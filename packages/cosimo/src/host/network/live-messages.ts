/**
 * What is said of a run that others watch. A watcher may come at any time, may miss any message and
 * cannot ask: each message stands for itself, names of columns are repeated, and values come as
 * they are recorded. Wide rows travel in pages, so that no message is longer than servers allow.
 * Readers believe nothing.
 */
import { bankOf, TYPE_NAMES, type Value, type ValueType } from "../../model/value-type.ts";
import type { ColumnData, ColumnInfo } from "../../record/trace.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { putNumber, putValue, Untrusted } from "../../remote/untrusted.ts";

/** Of messages; another one is another format. */
const VERSION = 1;
/** Columns of a page. */
export const PAGE_COLUMNS = 500;
/** Values of a message, unless one row has more. */
const MAX_VALUES = 500;
export const MAX_COLUMNS: number = 100_000;
/** No message of ours is longer. */
const MAX_BYTES = 1 << 20;
/** A longer text is cut, and so are bytes. */
const MAX_TEXT = 200;
const MAX_BYTES_SHOWN = 100;
const MAX_NAME = 1000;
const CUT = "…";
const MANY = Number.MAX_SAFE_INTEGER;

/** How far a run is. */
export interface LiveAbout {
  readonly title: string;
  /** Of Cosimo. */
  readonly version: string;
  readonly start: number;
  readonly stop: number;
  /** Of the newest row. */
  readonly time: number;
  readonly steps: number;
  readonly rows: number;
  readonly columns: number;
  /** How it ended: the kind of its outcome; absent while it goes on. */
  readonly ended?: string;
}

/** A part of the columns. */
export interface LiveColumns {
  readonly first: number;
  readonly columns: readonly LiveColumn[];
}

export type LiveColumn = Pick<ColumnInfo, "name" | "type" | "unit">;

/** A part of some rows. */
export interface LiveRows {
  /** Counts the pictures of a run: who misses a number misses values. */
  readonly picture: number;
  /** Number of the first row in the trace. */
  readonly row: number;
  /** The first column. */
  readonly first: number;
  readonly chunk: TraceChunk;
}

const bytesOf = (data: object): Uint8Array =>
  Buffer.from(JSON.stringify({ format: VERSION, ...data }), "utf8");

export function putAbout(about: LiveAbout): Uint8Array {
  const { start, stop, time } = about;
  return bytesOf({
    ...about,
    start: putNumber(start),
    stop: putNumber(stop),
    time: putNumber(time),
  });
}

/** All columns, in pages. */
export function putColumns(columns: readonly ColumnInfo[]): Uint8Array[] {
  return pagesOf(columns).map(({ first, page }) =>
    bytesOf({
      first,
      columns: page.map(({ name, type, unit }) => ({ name: cut(name, MAX_NAME), type, unit })),
    }),
  );
}

/** How many rows of so many columns one picture has at most. */
export function mostRows(columns: number): number {
  return Math.max(1, Math.floor(MAX_VALUES / Math.max(1, columns)));
}

/** Some rows, in pages. @param row number of the first of them. */
export function putRows(
  columns: readonly ColumnInfo[],
  { picture, row }: Pick<LiveRows, "picture" | "row">,
  { time, data }: TraceChunk,
): Uint8Array[] {
  const times = Array.from(time, putNumber);
  return pagesOf(columns).map(({ first, page }) =>
    bytesOf({
      picture,
      row,
      first,
      time: times,
      data: page.map((_, c) => [...(data[first + c] ?? [])].map((one) => putValue(shown(one)))),
    }),
  );
}

function pagesOf(
  columns: readonly ColumnInfo[],
): { readonly first: number; readonly page: readonly ColumnInfo[] }[] {
  const pages = Math.ceil(Math.min(columns.length, MAX_COLUMNS) / PAGE_COLUMNS);
  return Array.from({ length: Math.max(1, pages) }, (_, n) => ({
    first: n * PAGE_COLUMNS,
    page: columns.slice(n * PAGE_COLUMNS, Math.min((n + 1) * PAGE_COLUMNS, MAX_COLUMNS)),
  }));
}

function shown(value: Exclude<Value, boolean>): Value {
  if (typeof value === "string") return cut(value, MAX_TEXT);
  return value instanceof Uint8Array ? value.subarray(0, MAX_BYTES_SHOWN) : value;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - CUT.length)}${CUT}`;
}

/** @throws Nonsense */
function open(data: Uint8Array): Untrusted {
  if (data.length > MAX_BYTES) throw new Nonsense("it is too long");
  let plain: unknown;
  try {
    plain = JSON.parse(Buffer.from(data).toString("utf8"));
  } catch {
    throw new Nonsense("it is not JSON");
  }
  const from = new Untrusted(plain, "the message");
  if (from.count("format", MANY) !== VERSION) throw new Nonsense("it has another format");
  return from;
}

/** @throws Nonsense */
export function takeAbout(data: Uint8Array): LiveAbout {
  const from = open(data);
  return {
    title: from.text("title", MAX_NAME),
    version: from.text("version", MAX_NAME),
    start: from.number("start"),
    stop: from.number("stop"),
    time: from.number("time"),
    steps: from.count("steps", MANY),
    rows: from.count("rows", MANY),
    columns: from.count("columns", MAX_COLUMNS),
    ...(from.has("ended") && { ended: from.text("ended", MAX_NAME) }),
  };
}

const TYPES = Object.keys(TYPE_NAMES) as ValueType[];

/** @throws Nonsense */
export function takeColumns(data: Uint8Array): LiveColumns {
  const from = open(data);
  const columns = from.objects("columns").map((one) => ({
    name: one.text("name", MAX_NAME),
    type: one.choice("type", TYPES),
    ...(one.has("unit") && { unit: one.text("unit", MAX_NAME) }),
  }));
  if (columns.length > PAGE_COLUMNS) throw from.wrong("columns", "a page");
  return { first: takeFirst(from), columns };
}

/** @param columnAt the columns, as far as they are known. @throws Nonsense */
export function takeRows(
  data: Uint8Array,
  columnAt: (column: number) => LiveColumn | undefined,
): LiveRows {
  const from = open(data);
  const first = takeFirst(from);
  const time = Float64Array.from(from.values("time"), (value) => {
    if (typeof value !== "number") throw from.wrong("time", "numbers");
    return value;
  });
  const lists = from.list("data");
  if (time.length === 0 || time.length > MAX_VALUES) throw from.wrong("time", "a few rows");
  if (lists.length > PAGE_COLUMNS) throw from.wrong("data", "a page");
  const chunk = {
    time,
    data: lists.map((list, c) => takeColumn(list, columnAt(first + c), time.length)),
  };
  return { picture: from.count("picture", MANY), row: from.count("row", MANY), first, chunk };
}

function takeFirst(from: Untrusted): number {
  const first = from.count("first", MAX_COLUMNS);
  if (first % PAGE_COLUMNS !== 0) throw from.wrong("first", "the begin of a page");
  return first;
}

function takeColumn(list: unknown, column: LiveColumn | undefined, rows: number): ColumnData {
  const from = new Untrusted({ list }, "the data");
  const values = from.values("list");
  const bank = bankOf(column?.type ?? "float64");
  if (column === undefined || values.length !== rows) throw from.wrong("list", "a column");
  switch (bank) {
    case "f64":
      return Float64Array.from(values, (value) => {
        if (typeof value !== "number") throw from.wrong("list", "numbers");
        return value;
      });
    case "i64":
      return BigInt64Array.from(values, (value) => {
        if (typeof value !== "bigint") throw from.wrong("list", "integers");
        return value;
      });
    case "obj":
      return values.map((value) => {
        const isShort = value instanceof Uint8Array && value.length <= MAX_BYTES_SHOWN;
        if (isShort || (typeof value === "string" && value.length <= MAX_TEXT)) return value;
        throw from.wrong("list", "texts or bytes");
      });
  }
}
