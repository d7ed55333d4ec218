/**
 * References to one real number of a unit, as bonds, constraints, events and limits need them, and
 * the comparison of the units of two such numbers.
 */
import type { Place } from "../base/diagnostic.ts";
import type { PhysicalUnit } from "./physical-unit.ts";
import { type Conversion, conversion, convertValue, IDENTITY } from "./physical-unit-conversion.ts";
import { parseUnit } from "./physical-unit-parse.ts";
import { isFloat } from "./port-value.ts";
import {
  directionText,
  type ResolveContext,
  shapeText,
  typedText,
} from "./resolve-scenario-context.ts";
import { findReference, type PortReference } from "./resolve-scenario-reference.ts";
import type { ElementRef } from "./scenario.ts";
import { type Direction, type Port, portSize } from "./unit-description.ts";

/**
 * Where a signal is to be found: what the master only reads may be a local variable too, a
 * threshold may be a parameter.
 */
export type SignalRole = "output" | "readable" | "threshold" | "input";

const WANTED: Readonly<Record<SignalRole, string>> = {
  output: "an output",
  readable: "an output or a local variable",
  threshold: "an output or a parameter",
  input: "an input",
};

/** The real scalar that `text` names; undefined after a report. */
export function findSignal(
  context: ResolveContext,
  text: string,
  role: SignalRole,
  place: Place,
): PortReference | undefined {
  const found = findReference(context, text, role === "input" ? "input" : "output", place);
  if (found === undefined) return undefined;
  if (found.kind !== "port")
    return context.report("signal-scalar", { text, what: `is a ${found.kind}` }, place);
  const { port, shape } = found;
  if (!plays(port, role)) {
    const params = { text, direction: directionText(port), wanted: WANTED[role] };
    return context.report("signal-direction", params, place);
  }
  if (!isFloat(port.type))
    return context.report("signal-type", { port: typedText(text, port) }, place);
  if (portSize({ shape }) !== 1)
    return context.report("signal-scalar", { text, what: `is ${shapeText(shape)}` }, place);
  return found;
}

/** Directions beside the one that has the name of the role. */
const ALSO: Readonly<Partial<Record<SignalRole, readonly Direction[]>>> = {
  readable: ["output", "local"],
  threshold: ["output", "parameter", "calculated-parameter"],
};

function plays({ direction }: Port, role: SignalRole): boolean {
  return direction === role || ALSO[role]?.includes(direction) === true;
}

export function elementOf({ unit, port, element }: PortReference): ElementRef {
  return { unit: unit.index, port: port.index, element };
}

/**
 * From the unit of `right` to that of `left`; undefined after a report that they measure different
 * things.
 */
export function compareUnits(
  context: ResolveContext,
  left: PortReference,
  right: PortReference,
  place: Place,
  fix: string = "name signals that measure the same thing",
): Conversion | undefined {
  const way = convertible(left.port.unit, right.port.unit);
  const params = { left: left.text, right: right.text };
  if (!("error" in way)) {
    if (way.radian) {
      const why = "they differ in the radian, which is taken as 1";
      context.report("signal-units-doubtful", { ...params, why }, place);
    }
    return way;
  }
  if (way.kind !== "unknown")
    return context.report("signal-units", { ...params, why: way.error, fix }, place);
  const why = `${way.error}; the numbers are taken as they are`;
  context.report("signal-units-doubtful", { ...params, why }, place);
  return IDENTITY;
}

/** From the unit of `right` to that of `left` where they convert; otherwise the number as it is. */
export function unitsBetween(left: PortReference, right: PortReference): Conversion {
  const way = convertible(left.port.unit, right.port.unit);
  return "error" in way ? IDENTITY : way;
}

/**
 * A port without a unit takes the number as it is. Reasons name `left` first, as the author did.
 */
function convertible(
  left: PhysicalUnit | undefined,
  right: PhysicalUnit | undefined,
): ReturnType<typeof conversion> {
  if (left === undefined || right === undefined) return IDENTITY;
  const way = conversion(right, left);
  return "error" in way ? conversion(left, right) : way;
}

/**
 * A difference of two values of `port`, given in `unit`: 10 K are 10 degC. Undefined with a reason.
 */
export function readDifference(
  port: Port,
  value: number,
  unit: string | undefined,
): { readonly value: number } | { readonly why: string } {
  if (unit === undefined || unit === port.unit?.name) return { value };
  if (port.unit === undefined) return { why: "the port has no unit to convert to" };
  const given = parseUnit(unit);
  if (given === undefined) return { why: `'${unit}' is not a known unit` };
  const way = conversion(asDifference(given), asDifference(port.unit));
  return "error" in way ? { why: way.error } : { value: convertValue(value, way) };
}

/** The unit without its offset. */
export function asDifference(unit: PhysicalUnit): PhysicalUnit {
  const base = unit.base ?? parseUnit(unit.name)?.base;
  return base === undefined ? unit : { name: unit.name, base: { ...base, offset: 0 } };
}
