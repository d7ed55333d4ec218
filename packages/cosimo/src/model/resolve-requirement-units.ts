/**
 * Units of the two sides of an operation: what the right one is multiplied with and added to so
 * that both are in one unit.
 *
 * A number without a unit takes that of the other side. A value on a scale with its own zero (20
 * degC) is converted with its offset where it is compared, and without where it is a difference (T
 * + 5 K).
 */
import type { Place, ReportFor } from "../base/diagnostic.ts";
import type { PhysicalUnit } from "./physical-unit.ts";
import { hasOffset } from "./physical-unit-algebra.ts";
import { type Conversion, conversion, convertValue } from "./physical-unit-conversion.ts";
import type { NumberExpression } from "./requirement.ts";
import type { RequirementParams } from "./resolve-requirement-diagnostics.ts";
import { asDifference } from "./resolve-scenario-signals.ts";

/**
 * "any": a number as written, which takes the unit of what it meets; "none": of a port without a
 * unit.
 */
export type Measure = PhysicalUnit | "any" | "none";

/** An expression whose signals are indices, and what it is measured in. */
export interface Measured {
  readonly e: NumberExpression<number>;
  readonly unit: Measure;
  /** Its values are whole numbers. */
  readonly isWhole: boolean;
}

export function unitOf({ unit }: Measured): PhysicalUnit | undefined {
  return typeof unit === "string" ? undefined : unit;
}

export class Units {
  private readonly report: ReportFor<RequirementParams>;

  constructor(report: ReportFor<RequirementParams>) {
    this.report = report;
  }

  /** `one` in the unit `to`; as it is after a report. */
  convert(one: Measured, to: Measure, what: string, isDifference = false): Measured {
    const { place } = one.e;
    const from = one.unit;
    if (from === "any" || to === "any") return { ...one, unit: from === "any" ? to : from };
    if (from === "none" || to === "none") {
      const known = from === "none" ? to : from;
      // A number that the author gave a unit, and a port that has none to hold it against.
      if (one.e.kind === "number" && typeof known !== "string" && known.name !== "1") {
        const why = `the signal has no unit, so ${one.e.value} ${known.name} is taken as ${one.e.value}`;
        this.report("requirement-units-doubtful", { what, why }, place);
      }
      return { ...one, unit: to };
    }
    const [a, b] = isDifference ? [asDifference(from), asDifference(to)] : [from, to];
    const way = conversion(a, b);
    if ("error" in way) {
      const why = way.error;
      if (way.kind === "unknown")
        this.report(
          "requirement-units-doubtful",
          { what, why: `${why}; the numbers are taken as they are` },
          place,
        );
      else {
        const fix =
          way.kind === "relative"
            ? "compare values with values, and differences with differences"
            : `give it in a unit that converts to ${to.name === "1" ? "a plain number" : to.name}`;
        this.report("requirement-units", { what, why, fix }, place);
      }
      return { ...one, unit: to };
    }
    if (way.radian) {
      const why = "the units differ in the radian, which is taken as 1";
      this.report("requirement-units-doubtful", { what, why }, place);
    }
    return { ...one, e: scaled(one.e, way), unit: to, isWhole: one.isWhole && isIdentity(way) };
  }

  /** The sum or difference of two. */
  sum(
    operator: "+" | "-",
    left: Measured,
    right: Measured,
    what: string,
  ): [Measured, Measured, Measure] {
    const [a, b] = [unitOf(left), unitOf(right)];
    if (a === undefined || b === undefined) {
      const unit = left.unit === "any" ? right.unit : left.unit;
      return [left, this.convert(right, unit, what, operator === "+"), unit];
    }
    const { place } = right.e;
    if (operator === "+" && hasOffset(a) && hasOffset(b)) {
      const why = `two values on the scale of ${a.name} are added`;
      this.report("requirement-units", { what, why, fix: "add a difference, in K" }, place);
      return [left, right, a];
    }
    if (operator === "+" && hasOffset(b)) return [this.convert(left, b, what, true), right, b];
    // `T - 5 K` is lower by 5; `T - room.T` is a difference.
    const isDifference = !hasOffset(a)
      ? !hasOffset(b)
      : !hasOffset(b) && (operator === "+" || right.e.kind === "number");
    const unit = operator === "-" && hasOffset(a) && !isDifference ? asDifference(a) : a;
    return [left, { ...this.convert(right, a, what, isDifference) }, unit];
  }

  /** Products have no meaning on a scale with a zero of its own. */
  withoutOffset(one: Measured, what: string): Measured {
    const unit = unitOf(one);
    if (unit === undefined || !hasOffset(unit)) return one;
    const why = `${unit.name} has a zero of its own, so a product or an integral means nothing`;
    const fix = "subtract a temperature first, or use a signal in K";
    this.report("requirement-units", { what, why, fix }, one.e.place);
    return { ...one, unit: asDifference(unit) };
  }

  problem(what: string, why: string, fix: string, place: Place): void {
    this.report("requirement-units", { what, why, fix }, place);
  }
}

function isIdentity({ factor, offset }: Conversion): boolean {
  return factor === 1 && offset === 0;
}

function scaled(e: NumberExpression<number>, way: Conversion): NumberExpression<number> {
  const { place } = e;
  if (isIdentity(way)) return e;
  if (e.kind === "number") return { ...e, value: convertValue(e.value, way) };
  const number = (value: number): NumberExpression<number> => ({ kind: "number", value, place });
  const product: NumberExpression<number> =
    way.factor === 1
      ? e
      : { kind: "operation", operator: "*", left: e, right: number(way.factor), place };
  if (way.offset === 0) return product;
  return { kind: "operation", operator: "+", left: product, right: number(way.offset), place };
}
