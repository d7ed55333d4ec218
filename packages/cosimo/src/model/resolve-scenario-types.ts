/**
 * Which type may feed which: a connection never loses a value silently.
 *
 *   the same type                         always
 *   float → float                         always; a narrower one rounds
 *   integer → integer                     when the target holds every value of the source
 *   integer → float                       always, with a warning where large values are rounded
 *   boolean → integer, float              as 0 and 1
 *   event → clock, clock → event          where both carry events (nature: transient)
 *   enumeration → enumeration             by item names: each name of the source is a name of the target
 *   enumeration → integer                 when the target holds every item's value
 *   integer → enumeration                 by value, with a warning: the source may have values that are not items
 *   anything else                         with a mapping, or not at all
 */
import { INTEGER_RANGES, isFloat, readPortValue } from "./port-value.ts";
import type { Port } from "./unit-description.ts";
import type { Value, ValueType } from "./value-type.ts";

export type Mapping = readonly { readonly from: Value; readonly to: Value }[];

export type Fit =
  | { readonly kind: "fits"; readonly mapping?: Mapping }
  | { readonly kind: "rounds" }
  /** The source may hold values that the target has not. */
  | { readonly kind: "unchecked" }
  | { readonly kind: "no"; readonly fix: string };

const FITS: Fit = { kind: "fits" };
const USE_MAPPING = "say what becomes what: '{ from, to, mapping: { … } }'";

export function fitOf(from: Port, to: Port): Fit {
  if (from.type === "enumeration") return fitOfItems(from, to);
  if (from.type === to.type || (isEvent(from) && isEvent(to))) return FITS;
  if (isFloat(to.type)) {
    if (isFloat(from.type) || from.type === "boolean") return FITS;
    const range = INTEGER_RANGES[from.type];
    if (range === undefined) return { kind: "no", fix: "connect ports of the same type" };
    const exact = to.type === "float64" ? 2n ** 53n : 2n ** 24n;
    return range[1] <= exact ? FITS : { kind: "rounds" };
  }
  const target = INTEGER_RANGES[to.type];
  if (target !== undefined) {
    if (from.type === "boolean") return FITS;
    const source = INTEGER_RANGES[from.type];
    if (source === undefined)
      return {
        kind: "no",
        fix: "round it in a unit of its own, or connect a port of the same type",
      };
    if (source[0] >= target[0] && source[1] <= target[1]) return FITS;
    return { kind: "no", fix: `use a wider input, or ${USE_MAPPING}` };
  }
  if (to.type === "enumeration" && INTEGER_RANGES[from.type] !== undefined && !isWide(from.type))
    return { kind: "unchecked" };
  if (isDiscrete(from.type) && isDiscrete(to.type)) return { kind: "no", fix: USE_MAPPING };
  return { kind: "no", fix: "connect ports of the same type" };
}

/** Of 64 bits, which items of enumerations have not. */
function isWide(type: ValueType): boolean {
  return type === "int64" || type === "uint64";
}

/** A clock, or an event of a state machine. */
function isEvent({ nature, type }: Port): boolean {
  return nature === "transient" && (type === "clock" || type === "boolean");
}

function fitOfItems(from: Port, to: Port): Fit {
  const range = INTEGER_RANGES[to.type];
  if (range !== undefined) {
    const values = from.items === undefined ? undefined : [...from.items.keys()];
    const fits =
      values === undefined
        ? range[0] <= -(2n ** 31n) && range[1] >= 2n ** 31n - 1n
        : values.every((value) => BigInt(value) >= range[0] && BigInt(value) <= range[1]);
    return fits ? FITS : { kind: "no", fix: `use a wider input, or ${USE_MAPPING}` };
  }
  if (to.type !== "enumeration")
    return {
      kind: "no",
      fix: to.type === "boolean" ? USE_MAPPING : "connect ports of the same type",
    };
  if (from.items === undefined || to.items === undefined) return FITS;
  const numbers = new Map([...to.items].map(([number, name]) => [name, number]));
  const mapping: { from: number; to: number }[] = [];
  for (const [number, name] of from.items) {
    const target = numbers.get(name);
    if (target === undefined)
      return { kind: "no", fix: `'${name}' is not an item of the target; ${USE_MAPPING}` };
    mapping.push({ from: number, to: target });
  }
  return mapping.every((pair) => pair.from === pair.to) ? FITS : { kind: "fits", mapping };
}

/** Types with values that can be listed, so that a mapping makes sense. */
export function isDiscrete(type: ValueType): boolean {
  return type === "boolean" || type === "enumeration" || INTEGER_RANGES[type] !== undefined;
}

export type ResolvedMapping =
  | { readonly mapping: Mapping }
  | { readonly badValue: Value; readonly side: "from" | "to"; readonly how: string }
  | { readonly missing: string };

/**
 * The author's mapping with values of both types. A value that it does not name passes unchanged
 * (as SSP says), which is possible only where the types fit without a mapping; otherwise every
 * value must be named.
 */
export function resolveMapping(from: Port, to: Port, written: Mapping): ResolvedMapping {
  const mapping: { from: Value; to: Value }[] = [];
  for (const pair of written) {
    const source = readPortValue(from, pair.from);
    if (!("value" in source)) return { badValue: pair.from, side: "from", how: howOf(source) };
    const target = readPortValue(to, pair.to);
    if (!("value" in target)) return { badValue: pair.to, side: "to", how: howOf(target) };
    mapping.push({ from: source.value, to: target.value });
  }
  if (fitOf(from, to).kind === "no") {
    const missing = valuesOf(from).find(([value]) => !mapping.some((pair) => pair.from === value));
    if (missing !== undefined) return { missing: missing[1] };
  }
  return { mapping };
}

function howOf(read: { readonly how: string } | { readonly why: string }): string {
  return "how" in read ? read.how : read.why;
}

/** The values of a boolean or enumeration with their names; integers have too many to list. */
function valuesOf(port: Port): [Value, string][] {
  if (port.type === "boolean")
    return [
      [false, "false"],
      [true, "true"],
    ];
  return [...(port.items ?? [])];
}
