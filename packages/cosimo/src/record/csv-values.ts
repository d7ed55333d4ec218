/**
 * Cells of a CSV column as values: which type the column has, and its data in a growing typed
 * array.
 */
import type { ValueType } from "../model/value-type.ts";
import type { ColumnData } from "./trace.ts";

export interface CellReader {
  /**
   * Takes the next cell; false when it does not fit the column (then a placeholder keeps the rows
   * aligned).
   */
  push(cell: string): boolean;
  /** The number pushed last; NaN for text. */
  last(): number;
  finish(): { readonly type: ValueType; readonly data: ColumnData };
}

/** The reader for a column whose first cell is `first`. */
export function cellReaderFor(
  first: string,
  quotedText: boolean,
  mustBeNumber: boolean,
  decimalComma: boolean,
): CellReader {
  if (mustBeNumber) return numberReader(decimalComma);
  if (quotedText) return textReader();
  if (/^(true|false)$/i.test(first)) return booleanReader();
  if (first === "" || parseNumber(first, decimalComma) !== undefined)
    return numberReader(decimalComma);
  return textReader();
}

/**
 * The number a cell holds, or undefined. Takes what JavaScript, C and Python print, and a decimal
 * comma on request.
 */
export function parseNumber(cell: string, decimalComma = false): number | undefined {
  const value = Number(cell);
  if (!Number.isNaN(value)) return cell === "" || /^[+-]?0[xob]/i.test(cell) ? undefined : value;
  if (decimalComma && /^[+-]?(\d+,\d*|,\d+)(e[+-]?\d+)?$/i.test(cell))
    return Number(cell.replace(",", "."));
  const match = /^([+-]?)(?:(nan)|inf(?:inity)?)$/i.exec(cell);
  if (match === null) return undefined;
  if (match[2] !== undefined) return Number.NaN;
  return match[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/**
 * Numbers, as doubles. When all cells are whole and one of them is not exact in a double, the
 * column turns out to be one of 64-bit integers; their exact texts are kept aside for that case
 * only.
 */
function numberReader(decimalComma: boolean): CellReader {
  let data = new Float64Array(64);
  let length = 0;
  let whole = true;
  const inexact = new Map<number, bigint>();
  return {
    push(cell) {
      if (length === data.length) data = grown(data);
      const value = parseNumber(cell, decimalComma);
      data[length++] = value ?? Number.NaN;
      if (value === undefined) return false;
      if (whole && !Number.isSafeInteger(value)) {
        if (/^[+-]?\d+$/.test(cell)) inexact.set(length - 1, BigInt(cell));
        else whole = false;
      }
      return true;
    },
    last: () => (length > 0 ? data[length - 1] : Number.NaN),
    finish() {
      const values = data.slice(0, length);
      const type = whole && inexact.size > 0 ? integerType(values, inexact) : "float64";
      if (type === "float64") return { type, data: values };
      const exact = new BigInt64Array(length);
      for (let i = 0; i < length; i++) exact[i] = inexact.get(i) ?? BigInt(values[i]);
      return { type, data: exact };
    },
  };
}

/** The 64-bit type that holds all values, or float64 when none does. */
function integerType(values: Float64Array, inexact: ReadonlyMap<number, bigint>): ValueType {
  let [least, most] = [0n, 0n];
  for (const value of inexact.values()) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least >= -(2n ** 63n) && most < 2n ** 63n) return "int64";
  return most < 2n ** 64n && values.every((value) => value >= 0) ? "uint64" : "float64";
}

function booleanReader(): CellReader {
  let data = new Float64Array(64);
  let length = 0;
  return {
    push(cell) {
      if (length === data.length) data = grown(data);
      const isTrue = /^(true|1)$/i.test(cell);
      data[length++] = isTrue ? 1 : 0;
      return isTrue || /^(false|0)$/i.test(cell);
    },
    last: () => Number.NaN,
    finish: () => ({ type: "boolean", data: data.slice(0, length) }),
  };
}

function textReader(): CellReader {
  const data: string[] = [];
  return {
    push: (cell) => data.push(cell) > 0,
    last: () => Number.NaN,
    finish: () => ({ type: "string", data }),
  };
}

function grown(data: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(data.length * 2);
  larger.set(data);
  return larger;
}
