/**
 * Rows of numbers as the bytes of a CSV file, in a buffer that serves one chunk after the other:
 * the same as csv.ts makes of them, without texts of whole chunks that would have to be put
 * together and encoded.
 */
import { formatNumber } from "./csv.ts";
import type { ColumnData, ColumnInfo } from "./trace.ts";
import type { TraceChunk } from "./trace-chunk.ts";

/** More than any number needs, with its comma: `-2.2250738585072014e-308`. */
const LONGEST = 32;
const COMMA = 44;
const LINE_END = 10;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** Whether all that is recorded are numbers. */
export function isNumeric(columns: readonly ColumnInfo[]): boolean {
  return columns.every(({ type }) => type !== "string" && type !== "binary");
}

export class CsvBytes {
  private readonly columns: readonly ColumnInfo[];
  private bytes = new Uint8Array(0);

  /** @param columns of numbers alone. */
  constructor(columns: readonly ColumnInfo[]) {
    this.columns = columns;
  }

  /** @returns the rows, each with its line end; valid until the next call. */
  write({ time, data }: TraceChunk): Uint8Array {
    const cells = [time, ...data].map((values, c) => this.cellsOf(values, c - 1));
    const most = time.length * cells.length * LONGEST;
    if (this.bytes.length < most) this.bytes = new Uint8Array(most);
    const { bytes } = this;
    let at = 0;
    for (let row = 0; row < time.length; row++) {
      for (let c = 0; c < cells.length; c++) {
        at = cells[c](bytes, at, row);
        bytes[at++] = COMMA;
      }
      bytes[at - 1] = LINE_END;
    }
    return bytes.subarray(0, at);
  }

  private cellsOf(values: ColumnData, column: number): PutCell {
    if (values instanceof Float64Array) return numbersOf(values);
    if (!(values instanceof BigInt64Array)) throw new Error("internal: a column without numbers");
    const isUnsigned = this.columns[column].type === "uint64";
    return (bytes, at, row) =>
      putText(bytes, at, `${isUnsigned ? BigInt.asUintN(64, values[row]) : values[row]}`);
  }
}

/** Puts the text of a row's value. @returns where it ends. */
type PutCell = (bytes: Uint8Array, at: number, row: number) => number;

/** Recorded signals often repeat their last value; then its text is still right. */
function numbersOf(values: Float64Array): PutCell {
  let last = Number.NaN;
  let text = "NaN";
  return (bytes, at, row) => {
    const value = values[row];
    if (value !== last || value === 0) {
      const end = putDecimal(bytes, at, value);
      if (end > 0) return end;
      last = value;
      text = formatNumber(value);
    }
    return putText(bytes, at, text);
  };
}

function putText(bytes: Uint8Array, start: number, text: string): number {
  let at = start;
  for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
  return at;
}

/**
 * Decimals that are tried: numbers below a million have 15 digits then, and no two texts of 15
 * digits are read as one double.
 */
const SCALE = 1e9;
const DECIMALS = 9;

/**
 * Puts a number that a few decimals say exactly, as most times are. No shorter text reads back as
 * the same double: it would have at most 15 digits as well. @returns where it ends; 0: it is none
 * of these.
 */
function putDecimal(bytes: Uint8Array, start: number, value: number): number {
  const size = Math.abs(value);
  if (!(size >= 1e-6 && size < 1e6)) return 0;
  const scaled = Math.round(size * SCALE);
  // A quotient of two whole numbers is rounded as the text is when it is read.
  if (scaled / SCALE !== size) return 0;
  const whole = Math.floor(scaled / SCALE);
  let rest = scaled - whole * SCALE;
  let at = start;
  if (value < 0) bytes[at++] = MINUS;
  at = putWhole(bytes, at, whole);
  if (rest === 0) return at;
  bytes[at++] = POINT;
  let digits = DECIMALS;
  while (rest % 10 === 0) {
    rest /= 10;
    digits--;
  }
  for (let i = at + digits - 1; i >= at; i--) {
    bytes[i] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return at + digits;
}

/** A whole number below a million. */
function putWhole(bytes: Uint8Array, start: number, whole: number): number {
  let digits = 1;
  for (let most = 10; whole >= most; most *= 10) digits++;
  let rest = whole;
  for (let i = start + digits - 1; i >= start; i--) {
    bytes[i] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return start + digits;
}
