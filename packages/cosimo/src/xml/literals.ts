/**
 * The literals of XML schema as FMI uses them, read strictly: what the schema does not allow is
 * undefined, never a guess. Not `Number(text)`: it takes "", "0x10" and "Infinity", which are
 * mistakes here, and knows no "INF".
 */

import type { Value, ValueType } from "../model/value-type.ts";

// Written so that a long run of digits is scanned once, whatever follows it.
const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d+$/;

export function parseDouble(text: string): number | undefined {
  if (DOUBLE.test(text)) return Number(text);
  const trimmed = text.trim();
  if (trimmed !== text) return parseDouble(trimmed);
  if (text === "INF" || text === "+INF") return Number.POSITIVE_INFINITY;
  if (text === "-INF") return Number.NEGATIVE_INFINITY;
  return text === "NaN" ? Number.NaN : undefined;
}

export function parseInteger(text: string, min: number, max: number): number | undefined {
  const trimmed = text.trim();
  if (!INTEGER.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return value >= min && value <= max ? value + 0 : undefined;
}

const UINT32_MAX = 4294967295;

/** Value references and indices, the most frequent literal of all. */
export function parseUnsigned(text: string): number | undefined {
  let value = 0;
  const { length } = text;
  if (length === 0 || length > 10) return parseInteger(text, 0, UINT32_MAX);
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return parseInteger(text, 0, UINT32_MAX);
    value = value * 10 + digit;
  }
  return value <= UINT32_MAX ? value : undefined;
}

export function parseBig(text: string, min: bigint, max: bigint): bigint | undefined {
  const trimmed = text.trim();
  if (!INTEGER.test(trimmed) || trimmed.length > 40) return undefined;
  const value = BigInt(trimmed[0] === "+" ? trimmed.slice(1) : trimmed);
  return value >= min && value <= max ? value : undefined;
}

export function parseBoolean(text: string): boolean | undefined {
  const trimmed = text.trim();
  if (trimmed === "true" || trimmed === "1") return true;
  return trimmed === "false" || trimmed === "0" ? false : undefined;
}

/** Another spelling of a short text that can mean one thing only. */
export function respell(text: string): string | undefined {
  const word = text.length > 40 ? "" : text.trim().toLowerCase();
  if (word === "true" || word === "false") return word;
  const sign = word.startsWith("-") ? "-" : "";
  const rest = word.replace(/^[+-]/, "");
  if (/^(inf|infinity|1\.#inf)$/.test(rest)) return `${sign}INF`;
  if (/^(nan|1\.#(qnan|snan|ind))$/.test(rest)) return "NaN";
  return /^\d+\.0*$/.test(rest) ? `${sign}${rest.replace(/\..*/, "")}` : undefined;
}

export function parseHex(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  if (trimmed.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(trimmed)) return undefined;
  const bytes = new Uint8Array(trimmed.length / 2);
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = Number.parseInt(trimmed.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Every item of a white-space separated list, or undefined when one of them is malformed. */
export function parseList<T>(text: string, item: (text: string) => T | undefined): T[] | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const values: T[] = [];
  for (const word of trimmed.split(/\s+/)) {
    const value = item(word);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** `parseList(text, parseUnsigned)` without the words in between: dependency lists can be long. */
export function parseUnsignedList(text: string): number[] | undefined {
  const values: number[] = [];
  let value = -1;
  for (let i = 0; i <= text.length; i++) {
    const c = i < text.length ? text.charCodeAt(i) : 32;
    if (c >= 48 && c <= 57) {
      value = (value < 0 ? 0 : value * 10) + (c - 48);
      if (value > UINT32_MAX) return undefined;
    } else if (c === 32 || (c >= 9 && c <= 13)) {
      if (value >= 0) values.push(value);
      value = -1;
    } else return undefined;
  }
  return values;
}

interface NumberKind {
  readonly expected: string;
  readonly parse: (text: string) => number | bigint | undefined;
}

function integers(bits: number, signed: boolean): NumberKind {
  const min = signed ? -(2 ** (bits - 1)) : 0;
  const max = signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  return {
    expected: `an integer from ${min} to ${max}`,
    parse: (text) => parseInteger(text, min, max),
  };
}

function bigIntegers(min: bigint, max: bigint): NumberKind {
  return {
    expected: `an integer from ${min} to ${max}`,
    parse: (text) => parseBig(text, min, max),
  };
}

const DOUBLES: NumberKind = { expected: "a number", parse: parseDouble };
const ENUMERATION: NumberKind = {
  expected: "an integer",
  parse: (text) => parseInteger(text, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
};

/** How a number of each type is written; types without numbers are absent. */
export const NUMBER_KINDS: Readonly<Partial<Record<ValueType, NumberKind>>> = {
  float64: DOUBLES,
  float32: DOUBLES,
  int8: integers(8, true),
  uint8: integers(8, false),
  int16: integers(16, true),
  uint16: integers(16, false),
  int32: integers(32, true),
  uint32: integers(32, false),
  int64: bigIntegers(-(2n ** 63n), 2n ** 63n - 1n),
  uint64: bigIntegers(0n, 2n ** 64n - 1n),
  enumeration: ENUMERATION,
};

/** The start values of a variable, one or a list, as the type writes them. */
export function parseStart(type: ValueType, text: string): readonly Value[] | undefined {
  switch (type) {
    case "string":
      return [text];
    case "binary":
      return parseList(text, parseHex);
    case "boolean":
    case "clock":
      return parseList(text, parseBoolean);
    default: {
      const { parse } = NUMBER_KINDS[type] ?? DOUBLES;
      const single = parse(text);
      return single === undefined ? parseList(text, parse) : [single];
    }
  }
}

/** For messages: what `parseStart` wants. */
export function startExpected(type: ValueType): string {
  if (type === "boolean" || type === "clock") return "true or false";
  if (type === "binary") return "an even number of hexadecimal digits";
  return NUMBER_KINDS[type]?.expected ?? "text";
}
