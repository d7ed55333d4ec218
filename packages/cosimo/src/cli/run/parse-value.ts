/**
 * Values as people type them, turned into what the banks hold.
 */
import type { Port } from "../../model/unit-description.ts";
import { bankOf, type Value, type ValueType } from "../../model/value-type.ts";

const INTEGER_RANGE: Partial<Record<ValueType, readonly [bigint, bigint]>> = {
  int8: [-(2n ** 7n), 2n ** 7n - 1n],
  uint8: [0n, 2n ** 8n - 1n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

export type ParsedValue = { readonly value: Value } | { readonly fix: string };

/** Reads one element of `port` from `text`; on failure says how to write it. */
export function parseValue(port: Port, text: string): ParsedValue {
  const word = text.trim();
  switch (port.type) {
    case "string":
      return { value: text };
    case "binary":
      return parseHex(word);
    case "boolean":
      if (/^(true|1|on|yes)$/i.test(word)) return { value: true };
      if (/^(false|0|off|no)$/i.test(word)) return { value: false };
      return { fix: "write true or false" };
    case "clock":
      return { fix: "a clock is ticked by the run, it has no value to set" };
    case "enumeration":
      return parseItem(port, word);
    case "float32":
    case "float64": {
      const value = Number(word);
      return word !== "" && !Number.isNaN(value)
        ? { value }
        : { fix: "write a number such as 2.5 or 1e-3" };
    }
    default:
      return parseInteger(port.type, word);
  }
}

function parseInteger(type: ValueType, word: string): ParsedValue {
  const [low, high] = INTEGER_RANGE[type]!;
  const fix = `write a whole number between ${low} and ${high}`;
  if (!/^[+-]?\d+$/.test(word)) return { fix };
  const value = BigInt(word.replace(/^\+/, ""));
  if (value < low || value > high) return { fix };
  return { value: bankOf(type) === "i64" ? value : Number(value) };
}

function parseItem(port: Port, word: string): ParsedValue {
  for (const [value, name] of port.items ?? []) if (name === word) return { value };
  const number = Number(word);
  if (Number.isInteger(number) && (!port.items || port.items.has(number))) return { value: number };
  return {
    fix: `one of ${[...(port.items ?? [])].map(([value, name]) => `${name} (${value})`).join(", ")}`,
  };
}

function parseHex(word: string): ParsedValue {
  if (word.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(word))
    return { fix: "write pairs of hexadecimal digits: 00ff7a" };
  return { value: Uint8Array.from(word.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)) };
}
