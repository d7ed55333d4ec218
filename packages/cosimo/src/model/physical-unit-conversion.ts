/**
 * From one physical unit to another: what a connection multiplies and adds, and what "5 mm" is in
 * the port's unit.
 *
 * The base units of an FMU decide; the table is used only where a description gives a name alone.
 * Units that differ in the radian alone are compatible with a warning: FMI treats rad as 1 in
 * checks of dimensions, but between `Hz` and `rad/s` a factor of 2π may have been meant, so it must
 * not happen silently.
 */
import { BASE_UNITS, type Dimension, type PhysicalUnit } from "./physical-unit.ts";
import { parseUnit } from "./physical-unit-parse.ts";

/** `to = factor * from + offset`. */
export interface Conversion {
  readonly factor: number;
  readonly offset: number;
  /** The dimensions differ in the radian, which was taken as 1. */
  readonly radian: boolean;
}

export interface NoConversion {
  /** Why there is none, as the end of a sentence. */
  readonly error: string;
  /** `unknown`: one of the units is not defined, so they cannot be compared. */
  readonly kind: "dimension" | "relative" | "unknown";
}

export const IDENTITY: Conversion = { factor: 1, offset: 0, radian: false };

export function conversion(from: PhysicalUnit, to: PhysicalUnit): Conversion | NoConversion {
  const a = from.base ?? parseUnit(from.name)?.base;
  const b = to.base ?? parseUnit(to.name)?.base;
  if (a === undefined || b === undefined) {
    if (from.name === to.name) return IDENTITY;
    const unknown = a === undefined ? from.name : to.name;
    return { kind: "unknown", error: `the unit '${unknown}' is not defined` };
  }
  if (!sameDimension(a.dimension, b.dimension)) {
    return {
      kind: "dimension",
      error: `${quoted(from.name, a.dimension)} and ${quoted(to.name, b.dimension)} measure different things`,
    };
  }
  // A relative quantity has lost its offset (to-unit-description.ts), so equal names with different
  // offsets identify it.
  if (from.name === to.name && a.factor === b.factor && a.offset !== b.offset) {
    return {
      kind: "relative",
      error: `one is a difference in ${from.name}, the other a value on the scale of ${from.name}`,
    };
  }
  const error = 4 * Number.EPSILON;
  const factor = snap(a.factor / b.factor, error * Math.abs(a.factor / b.factor));
  const scale = (Math.abs(a.offset) + Math.abs(b.offset)) / Math.abs(b.factor);
  const offset = snap((a.offset - b.offset) / b.factor, error * scale);
  return { factor, offset, radian: a.dimension[7] !== b.dimension[7] };
}

/** `value` through `by`. Divides where that is exact: 9 mm are 0.009 m, not 9 * 0.001. */
export function convertValue(value: number, by: Conversion): number {
  const divisor = 1 / by.factor;
  const scaled =
    Math.abs(by.factor) < 1 && Number.isInteger(divisor) ? value / divisor : value * by.factor;
  return by.offset === 0 ? scaled : scaled + by.offset;
}

export interface Quantity {
  readonly value: number;
  /** Empty when the text is a number alone. */
  readonly unit: string;
}

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S.*)?$/s;

/**
 * `"5 mm"`, `"1e-3"`, `"20°C"`; undefined when it does not start with a number. The unit is not
 * checked.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const match = QUANTITY.exec(text.trim());
  return match === null ? undefined : { value: Number(match[1]), unit: match[2] ?? "" };
}

const SECOND = parseUnit("s");

/** Seconds of "10 ms", "5 min" or "3"; undefined where it is not a time. */
export function parseSeconds(text: string): number | undefined {
  const quantity = parseQuantity(text);
  if (quantity === undefined || quantity.unit === "") return quantity?.value;
  const unit = parseUnit(quantity.unit);
  const way = unit && SECOND && conversion(unit, SECOND);
  return way === undefined || "error" in way || way.radian
    ? undefined
    : convertValue(quantity.value, way);
}

/** `[1,2,-3,0,0,0,0,0]` → `kg.m2/s3`. */
export function formatDimension(dimension: Dimension): string {
  const part = (sign: 1 | -1) =>
    BASE_UNITS.flatMap((unit, i) => {
      const exponent = (dimension[i] ?? 0) * sign;
      return exponent > 0 ? [exponent === 1 ? unit : `${unit}${exponent}`] : [];
    });
  const above = part(1);
  const below = part(-1);
  const top = above.length === 0 ? "1" : above.join(".");
  if (below.length === 0) return top;
  return below.length === 1 ? `${top}/${below[0]}` : `${top}/(${below.join(".")})`;
}

function sameDimension(a: Dimension, b: Dimension): boolean {
  for (let i = 0; i < 7; i++) if (a[i] !== b[i]) return false;
  return true;
}

function quoted(name: string, dimension: Dimension): string {
  const base = formatDimension(dimension);
  return base === name ? `'${name}'` : `'${name}' (${base})`;
}

/**
 * The short decimal next to `value` when rounding alone explains the difference: 1.7999999999999998
 * is 1.8.
 */
function snap(value: number, error: number): number {
  const short = Number(value.toPrecision(12));
  return Math.abs(value - short) <= error ? short : value;
}
