/**
 * Physical units in rules: an expression in another unit, and initial values.
 */
import type { Diagnostic, Place } from "../../base/diagnostic.ts";
import type { Expression, SaType } from "../../model/adaptation/data.ts";
import type { PhysicalUnit } from "../../model/physical-unit.ts";
import { type Conversion, conversion, convertValue } from "../../model/physical-unit-conversion.ts";
import type { Value } from "../../model/value-type.ts";
import { makeBinary, makeNumber } from "./build.ts";
import { report } from "./diagnostics.ts";
import type { InnerPort } from "./inner-ports.ts";

/** `value` in the unit `to`: `x / 100` from cm to m. What has no unit is taken as it is. */
export function converted(
  value: Expression,
  from: PhysicalUnit | undefined,
  to: PhysicalUnit | undefined,
  place: Place,
  diagnostics: Diagnostic[],
): Expression {
  if (from === undefined || to === undefined) return value;
  const by = conversion(from, to);
  if ("error" in by) {
    const code = by.kind === "unknown" ? "sa-unit-unknown" : "sa-unit";
    diagnostics.push(report(code, { from: from.name, to: to.name, why: by.error }, place));
    return value;
  }
  return shifted(scaled(value, by, place), by.offset, place);
}

/** Divides where that is exact, as convertValue does. */
function scaled(value: Expression, { factor }: Conversion, place: Place): Expression {
  if (factor === 1) return value;
  const divisor = 1 / factor;
  return Math.abs(factor) < 1 && Number.isInteger(divisor)
    ? makeBinary("/", value, makeNumber(divisor, place), place)
    : makeBinary("*", value, makeNumber(factor, place), place);
}

function shifted(value: Expression, offset: number, place: Place): Expression {
  if (offset === 0) return value;
  return makeBinary(offset < 0 ? "-" : "+", value, makeNumber(Math.abs(offset), place), place);
}

/** The start value of an inner port in the unit that the outside uses. */
export function convertedStart(inner: InnerPort, to: PhysicalUnit | undefined): Value | undefined {
  if (typeof inner.start !== "number" || inner.physical === undefined || to === undefined)
    return inner.start;
  const by = conversion(inner.physical, to);
  return "error" in by ? inner.start : convertValue(inner.start, by);
}

export function initialValue(type: SaType, start: Value | undefined, place: Place): Expression {
  switch (type) {
    case "boolean":
      return { kind: "boolean", value: start === true || start === 1, place };
    case "string":
      return { kind: "string", value: typeof start === "string" ? start : "", place };
    default: {
      const value = Number(start ?? 0);
      return makeNumber(Number.isFinite(value) ? value : 0, place);
    }
  }
}
