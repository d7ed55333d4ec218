/**
 * A requirement as written → one whose signals are columns and whose numbers are in units that fit:
 * types, units of measurement and names are checked here, whatever the signals come from (the units
 * of a scenario, the columns of a trace).
 */
import type { Place, ReportFor } from "../base/diagnostic.ts";
import type { PhysicalUnit } from "./physical-unit.ts";
import { PLAIN_NUMBER, powerOf, productOf } from "./physical-unit-algebra.ts";
import { parseUnit } from "./physical-unit-parse.ts";
import {
  type Formula,
  type NumberExpression,
  POINT_FUNCTIONS,
  type Requirement,
  type RequirementDraft,
  type RequirementSignal,
  type Scope,
} from "./requirement.ts";
import type { RequirementParams } from "./resolve-requirement-diagnostics.ts";
import { type Measure, type Measured, Units, unitOf } from "./resolve-requirement-units.ts";
import { asDifference } from "./resolve-scenario-signals.ts";

export interface FoundSignal extends Omit<RequirementSignal, "unit"> {
  readonly unit?: PhysicalUnit;
  /** It occurs, and has no value: it stands alone. */
  readonly isEvent?: boolean;
}

/** Where names lead. Undefined after a report. */
export interface SignalLookup {
  signal(text: string, place: Place): FoundSignal | undefined;
  /** What a bond transfers, per second. */
  power(bond: string, place: Place): NumberExpression<string> | undefined;
}

/** @returns undefined after a report. */
export function resolveRequirement(
  draft: RequirementDraft,
  name: string,
  lookup: SignalLookup,
  report: ReportFor<RequirementParams>,
): Requirement | undefined {
  let isFine = true;
  const reporting: ReportFor<RequirementParams> = (code, params, place) => {
    // Doubts are said, and what was meant is used.
    if (code !== "requirement-units-doubtful") isFine = false;
    return report(code, params, place);
  };
  const resolver = new Resolver(lookup, reporting);
  const formula = resolver.formula(draft.formula);
  const scope = resolver.scope(draft.scope);
  if (formula === undefined || scope === undefined || !isFine) return undefined;
  const { description, text, place } = draft;
  return {
    name,
    ...(description !== undefined && { description }),
    scope,
    formula,
    signals: resolver.signals,
    text,
    place,
  };
}

/** A number made of signals, with its unit where it has one. @returns undefined after a report. */
export function resolveNumber(
  draft: NumberExpression<string>,
  lookup: SignalLookup,
  report: ReportFor<RequirementParams>,
):
  | {
      readonly expression: NumberExpression<number>;
      readonly signals: readonly RequirementSignal[];
      readonly unit?: string;
    }
  | undefined {
  let isFine = true;
  const resolver = new Resolver(lookup, (code, params, place) => {
    if (code !== "requirement-units-doubtful") isFine = false;
    return report(code, params, place);
  });
  const found = resolver.number(draft);
  if (found === undefined || !isFine) return undefined;
  const unit = unitOf(found)?.name;
  return {
    expression: found.e,
    signals: resolver.signals,
    ...(unit !== undefined && unit !== "1" && { unit }),
  };
}

const SECOND = parseUnit("s") as PhysicalUnit;
const RADIAN = parseUnit("rad") as PhysicalUnit;
const JOULE = parseUnit("J") as PhysicalUnit;

type Draft = Formula<string>;
type Found = Formula<number>;

class Resolver {
  readonly signals: RequirementSignal[] = [];
  private readonly lookup: SignalLookup;
  private readonly report: ReportFor<RequirementParams>;
  private readonly units: Units;

  constructor(lookup: SignalLookup, report: ReportFor<RequirementParams>) {
    this.lookup = lookup;
    this.report = report;
    this.units = new Units(report);
  }

  scope(scope: Scope<string>): Scope<number> | undefined {
    switch (scope.kind) {
      case "globally":
        return scope;
      case "before": {
        const end = this.formula(scope.end);
        return end && { kind: "before", end };
      }
      case "after": {
        const begin = this.formula(scope.begin);
        return begin && { kind: "after", begin };
      }
      default: {
        const [begin, end] = [this.formula(scope.begin), this.formula(scope.end)];
        return begin && end && { kind: scope.kind, begin, end };
      }
    }
  }

  /** All parts are resolved, so that every mistake is reported. */
  formula(f: Draft): Found | undefined {
    switch (f.kind) {
      case "constant":
        return f;
      case "holds":
        return this.holds(f);
      case "compare":
        return this.compare(f);
      case "not":
      case "rises":
      case "falls": {
        const of = this.formula(f.of);
        return of && { ...f, of };
      }
      case "and":
      case "or":
      case "implies":
      case "iff":
      case "until":
      case "since": {
        const [left, right] = [this.formula(f.left), this.formula(f.right)];
        return left && right && { ...f, left, right };
      }
      default: {
        const of = this.formula(f.of);
        return of && { ...f, of };
      }
    }
  }

  private holds(f: Extract<Draft, { kind: "holds" }>): Found | undefined {
    const found = this.lookup.signal(f.signal, f.place);
    if (found === undefined) return undefined;
    if (found.type !== "boolean" && found.type !== "clock" && found.isEvent !== true)
      return this.report(
        "requirement-signal",
        {
          text: f.signal,
          why: `(${found.type}) is neither boolean nor an event`,
          fix: `compare it: ${f.signal} > 0`,
        },
        f.place,
      );
    return { ...f, signal: this.index(found) };
  }

  private compare(f: Extract<Draft, { kind: "compare" }>): Found | undefined {
    const [left, given] = [this.number(f.left), this.number(f.right)];
    if (left === undefined || given === undefined) return undefined;
    const what = `the two sides of '${f.operator}'`;
    const isFirst = left.unit !== "any";
    const right = isFirst ? this.units.convert(given, left.unit, what) : given;
    const first = isFirst ? left : this.units.convert(left, given.unit, what);
    const unit = unitOf(first) ?? unitOf(right);
    return {
      kind: "compare",
      operator: f.operator,
      left: first.e,
      right: right.e,
      ...(first.isWhole && right.isWhole && { isWhole: true }),
      ...(unit !== undefined && unit.name !== "1" && { unit: unit.name }),
      place: f.place,
    };
  }

  private index({ isEvent: _, unit, ...found }: FoundSignal): number {
    const known = this.signals.findIndex(({ name }) => name === found.name);
    if (known >= 0) return known;
    this.signals.push({ ...found, ...(unit !== undefined && { unit: unit.name }) });
    return this.signals.length - 1;
  }

  // ---- numbers -------------------------------------------------------------------------------

  number(e: NumberExpression<string>): Measured | undefined {
    const { place } = e;
    switch (e.kind) {
      case "number":
        return this.literal(e);
      case "time":
        return { e, unit: SECOND, isWhole: false };
      case "signal":
        return this.signal(e);
      case "energy":
        return this.energy(e.bond, place);
      case "negate": {
        const of = this.number(e.of);
        return of && { ...of, e: { kind: "negate", of: of.e, place } };
      }
      case "operation":
        return this.operation(e);
      case "point":
        return this.point(e);
      case "past":
        return this.past(e);
      case "response":
        return this.response(e);
    }
  }

  private literal(e: Extract<NumberExpression<string>, { kind: "number" }>): Measured | undefined {
    const { value, unit, place } = e;
    const isWhole = Number.isInteger(value);
    const number = { kind: "number", value, place } as const;
    if (unit === undefined) return { e: number, unit: "any", isWhole };
    const known = parseUnit(unit);
    if (known !== undefined) return { e: number, unit: known, isWhole };
    this.units.problem(
      `'${value} ${unit}'`,
      `'${unit}' is not a known unit`,
      "write A, m/s, degC, …",
      place,
    );
    return undefined;
  }

  private signal(e: Extract<NumberExpression<string>, { kind: "signal" }>): Measured | undefined {
    const found = this.lookup.signal(e.signal, e.place);
    if (found === undefined) return undefined;
    const { type } = found;
    if (type === "boolean" || type === "clock" || found.isEvent === true) {
      const why = "holds or does not, and is not a number";
      const fix = `write it alone: always (${e.signal} implies …)`;
      return this.report("requirement-signal", { text: e.signal, why, fix }, e.place);
    }
    if (type === "string" || type === "binary") {
      const why = `is a ${type} value, and requirements compare numbers`;
      return this.report(
        "requirement-signal",
        { text: e.signal, why, fix: "name a number" },
        e.place,
      );
    }
    const isWhole = type !== "float64" && type !== "float32";
    const index = this.index(found);
    return { e: { ...e, signal: index }, unit: found.unit ?? "none", isWhole };
  }

  private energy(bond: string, place: Place): Measured | undefined {
    const power = this.lookup.power(bond, place);
    const found = power && this.past({ kind: "past", function: "integral", of: power, place });
    const unit = found && unitOf(found);
    return unit === undefined ? found : this.units.convert(found as Measured, JOULE, "the energy");
  }

  private operation(
    e: Extract<NumberExpression<string>, { kind: "operation" }>,
  ): Measured | undefined {
    const { operator, place } = e;
    const [left, right] = [this.number(e.left), this.number(e.right)];
    if (left === undefined || right === undefined) return undefined;
    const what = `the two sides of '${operator}'`;
    const isWhole = left.isWhole && right.isWhole && operator !== "/" && operator !== "^";
    const made = (a: Measured, b: Measured, unit: Measure): Measured => ({
      e: { kind: "operation", operator, left: a.e, right: b.e, place },
      unit,
      isWhole: isWhole && a.isWhole && b.isWhole,
    });
    if (operator === "+" || operator === "-")
      return made(...this.units.sum(operator, left, right, what));
    if (operator === "^") return this.power(left, right, made);
    const [a, b] = [left, right].map((side) => this.units.withoutOffset(side, what)) as [
      Measured,
      Measured,
    ];
    if (a.unit === "none" || b.unit === "none") return made(a, b, "none");
    if (a.unit === "any" && b.unit === "any") return made(a, b, "any");
    const exponent = operator === "*" ? 1 : -1;
    const unit = productOf(unitOf(a) ?? PLAIN_NUMBER, unitOf(b) ?? PLAIN_NUMBER, exponent);
    return made(a, b, unit ?? "none");
  }

  private power(
    left: Measured,
    right: Measured,
    made: (a: Measured, b: Measured, unit: Measure) => Measured,
  ): Measured {
    const what = "the two sides of '^'";
    const exponent = this.plain(right, "the exponent");
    const unit = unitOf(left);
    if (unit === undefined) return made(left, exponent, left.unit);
    const base = this.units.withoutOffset(left, what);
    const raised = exponent.e.kind === "number" ? powerOf(unit, exponent.e.value) : undefined;
    if (raised !== undefined) return made(base, exponent, raised);
    return made(
      this.plain(base, "the base of a power that is not a whole number"),
      exponent,
      PLAIN_NUMBER,
    );
  }

  /** As a number without a dimension. */
  private plain(one: Measured, what: string): Measured {
    return one.unit === "none" ? one : this.units.convert(one, PLAIN_NUMBER, what);
  }

  private point(e: Extract<NumberExpression<string>, { kind: "point" }>): Measured | undefined {
    const of = this.all(e.of);
    if (of === undefined) return undefined;
    const { units } = POINT_FUNCTIONS[e.function];
    const [first, second] = of as [Measured, Measured | undefined];
    const what = `'${e.function}'`;
    const made = (args: readonly Measured[], unit: Measure, isWhole: boolean): Measured => ({
      e: { kind: "point", function: e.function, of: args.map((one) => one.e), place: e.place },
      unit,
      isWhole,
    });
    if (units === "plain") return made([this.plain(first, what)], PLAIN_NUMBER, false);
    if (units === "angle") {
      const isKnown = first.unit !== "none" && first.unit !== "any";
      const angle = isKnown ? this.units.convert(first, RADIAN, what) : first;
      return made([angle], PLAIN_NUMBER, false);
    }
    if (units === "root") {
      const base = this.units.withoutOffset(first, what);
      const unit = unitOf(base);
      return made([base], unit === undefined ? base.unit : (powerOf(unit, 0.5) ?? "none"), false);
    }
    if (second === undefined) return made([first], first.unit, first.isWhole);
    const unit = first.unit === "any" ? second.unit : first.unit;
    const same = [first, second].map((one) => this.units.convert(one, unit, what));
    return made(
      same,
      unit,
      same.every(({ isWhole }) => isWhole),
    );
  }

  private past(e: Extract<NumberExpression<string>, { kind: "past" }>): Measured | undefined {
    const given = this.number(e.of);
    if (given === undefined) return undefined;
    const isIntegral = e.function === "integral";
    const of = isIntegral ? this.units.withoutOffset(given, `'${e.function}'`) : given;
    const unit = unitOf(of);
    const measure = (): Measure => {
      if (e.function === "smoothness") return PLAIN_NUMBER;
      if (unit === undefined) return of.unit;
      if (e.function === "derivative") return productOf(unit, SECOND, -1) ?? "none";
      if (isIntegral) return productOf(unit, SECOND, 1) ?? "none";
      return e.function === "variation" ? asDifference(unit) : unit;
    };
    const isKept = ["delay", "minimum", "maximum"].includes(e.function);
    return { e: { ...e, of: of.e }, unit: measure(), isWhole: of.isWhole && isKept };
  }

  private response(
    e: Extract<NumberExpression<string>, { kind: "response" }>,
  ): Measured | undefined {
    const of = this.all(e.of);
    if (of === undefined) return undefined;
    const [x, target, band] = of as [Measured, Measured, Measured | undefined];
    const what = `'${e.function}'`;
    const args = [
      x,
      this.units.convert(target, x.unit, what),
      ...(band === undefined ? [] : [this.units.convert(band, x.unit, what, true)]),
    ];
    const unit = unitOf(x);
    return {
      e: { ...e, of: args.map((one) => one.e) },
      unit: e.function === "settling" ? SECOND : unit === undefined ? x.unit : asDifference(unit),
      isWhole: false,
    };
  }

  private all(of: readonly NumberExpression<string>[]): readonly Measured[] | undefined {
    const found = of.map((one) => this.number(one));
    return found.includes(undefined) ? undefined : (found as Measured[]);
  }
}
