/**
 * From values as written to values of the port's type: `5 mm` for a length in metres, `open` for an
 * item of an enumeration, `00ff` for bytes.
 */
import type { PhysicalUnit } from "./physical-unit.ts";
import { conversion, convertValue, parseQuantity } from "./physical-unit-conversion.ts";
import { parseUnit } from "./physical-unit-parse.ts";
import type { Port } from "./unit-description.ts";
import { bankOf, type Value, type ValueType } from "./value-type.ts";

/** Smallest and largest value of each integer type. */
export const INTEGER_RANGES: Readonly<Partial<Record<ValueType, readonly [bigint, bigint]>>> = {
  int8: [-(2n ** 7n), 2n ** 7n - 1n],
  uint8: [0n, 2n ** 8n - 1n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

export function isFloat(type: ValueType): boolean {
  return type === "float64" || type === "float32";
}

export type ReadValue =
  | { readonly value: Value }
  /** The text is not a value of this type; `how` says how to write one. */
  | { readonly how: string }
  /** The unit does not fit; `why` ends the sentence. */
  | { readonly why: string };

type TypedPort = Pick<Port, "type" | "items" | "unit">;

/**
 * One element of `port`. `unit` is the unit that `value` is given in; absent: the one in its text,
 * or the port's own.
 */
export function readPortValue(port: TypedPort, value: Value, unit?: string): ReadValue {
  if (unit !== undefined && !isFloat(port.type))
    return { why: `a port of type ${port.type} has no unit` };
  switch (port.type) {
    case "float64":
    case "float32":
      return readFloat(port, value, unit);
    case "boolean":
      return readBoolean(value);
    case "enumeration":
      return readItem(port, value);
    case "string":
      return typeof value === "string" ? { value } : { how: `put it in quotes: "${value}"` };
    case "binary":
      return value instanceof Uint8Array ? { value } : readHex(value);
    case "clock":
      return { how: "a clock ticks, it has no value" };
    default:
      return readInteger(port.type, value);
  }
}

const NUMBER_HELP = "write a number such as 2.5 or 1e-3, with a unit if you like: 5 mm";

function readFloat(port: TypedPort, value: Value, unit: string | undefined): ReadValue {
  if (typeof value === "number" || typeof value === "bigint")
    return convertTo(port, Number(value), unit ?? "");
  if (typeof value !== "string") return { how: NUMBER_HELP };
  const special = /^([+-]?)(?:inf|infinity)$/i.exec(value.trim());
  if (special !== null)
    return { value: special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY };
  const quantity = parseQuantity(value);
  if (quantity === undefined) return { how: NUMBER_HELP };
  return convertTo(port, quantity.value, quantity.unit === "" ? (unit ?? "") : quantity.unit);
}

function convertTo(port: TypedPort, value: number, unit: string): ReadValue {
  if (unit === "" || unit === port.unit?.name) return { value };
  if (port.unit === undefined) return { why: "the port has no unit to convert to" };
  const given: PhysicalUnit | undefined = parseUnit(unit);
  if (given === undefined) return { why: `'${unit}' is not a known unit` };
  const way = conversion(given, port.unit);
  return "error" in way ? { why: way.error } : { value: convertValue(value, way) };
}

function readBoolean(value: Value): ReadValue {
  if (typeof value === "boolean") return { value };
  const word = String(value).trim().toLowerCase();
  if (word === "true" || word === "1") return { value: true };
  if (word === "false" || word === "0") return { value: false };
  return { how: "write true or false" };
}

function readInteger(type: ValueType, value: Value): ReadValue {
  const [low, high] = INTEGER_RANGES[type] ?? [0n, 0n];
  const how = `write a whole number between ${low} and ${high}`;
  const text = typeof value === "string" ? value.trim().replace(/^\+/, "") : String(value);
  const isNumber = typeof value !== "boolean" && !(value instanceof Uint8Array);
  // A large number prints with an exponent, so it is taken as a number rather than as text.
  if (typeof value === "number" ? !Number.isInteger(value) : !isNumber || !/^-?\d+$/.test(text))
    return { how };
  const whole = typeof value === "number" ? BigInt(value) : BigInt(text);
  if (whole < low || whole > high) return { how };
  return { value: bankOf(type) === "i64" ? whole : Number(whole) };
}

function readItem(port: TypedPort, value: Value): ReadValue {
  const items = port.items ?? new Map<number, string>();
  if (typeof value === "string")
    for (const [number, name] of items) if (name === value.trim()) return { value: number };
  const number = typeof value === "boolean" || value === "" ? Number.NaN : Number(value);
  if (Number.isInteger(number) && (items.size === 0 || items.has(number))) return { value: number };
  const names = [...items].map(([n, name]) => `${name} (${n})`);
  return { how: names.length === 0 ? "write a whole number" : `one of ${names.join(", ")}` };
}

function readHex(value: Value): ReadValue {
  const text = typeof value === "string" ? value.replace(/\s+/g, "") : undefined;
  if (text === undefined || text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text))
    return { how: 'write pairs of hexadecimal digits in quotes: "00ff7a"' };
  const bytes = text.match(/../g) ?? [];
  return { value: Uint8Array.from(bytes, (pair) => Number.parseInt(pair, 16)) };
}
