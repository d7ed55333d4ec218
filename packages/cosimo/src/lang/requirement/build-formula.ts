/**
 * Parts of formulas put together: what both notations check the same way, whatever they are read
 * with.
 */
import type { Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { parseSeconds } from "../../model/physical-unit-conversion.ts";
import {
  type Comparison,
  type Formula,
  type Interval,
  type NumberExpression,
  PAST_FUNCTIONS,
  type PastFunctionName,
  POINT_FUNCTIONS,
  type PointFunctionName,
  RESPONSE_FUNCTIONS,
  type ResponseFunctionName,
} from "../../model/requirement.ts";

type Draft = Formula<string>;
type Numeric = NumberExpression<string>;

/** What an expression is: a bare signal is a number and, if it is boolean, a formula. */
export type Part = { readonly number: Numeric } | { readonly formula: Draft };

/** What is wrong with a part, and where. */
export class PartMistake extends Error {
  readonly fix: string;
  readonly place: Place;
  constructor(message: string, fix: string, place: Place) {
    super(message);
    this.fix = fix;
    this.place = place;
  }
}

export function asFormula(part: Part): Draft {
  if ("formula" in part) return part.formula;
  const { number } = part;
  if (number.kind === "signal")
    return { kind: "holds", signal: number.signal, place: number.place };
  throw new PartMistake(
    "a number stands where a condition is expected",
    "compare it: motor.speed < 3 rad/s",
    number.place,
  );
}

export function asNumber(part: Part): Numeric {
  if ("number" in part) return part.number;
  throw new PartMistake(
    "a condition stands where a number is expected",
    "use brackets around the parts that are compared",
    part.formula.place,
  );
}

/** `-x`; of a number as written, the negative number. */
export function negative(part: Part, place: Place): Part {
  const of = asNumber(part);
  if (of.kind === "number") return { number: { ...of, value: -of.value, place } };
  return { number: { kind: "negate", of, place } };
}

/** `a < b`, `a < b <= c`, which means both, and `motor.on == true`. */
export function comparisonOf(
  first: Part,
  rest: readonly { readonly operator: Comparison; readonly part: Part }[],
  place: Place,
): Part {
  let left = first;
  let found: Draft | undefined;
  for (const { operator, part: right } of rest) {
    if ("formula" in left || "formula" in right) return equivalence(left, operator, right, place);
    const one: Draft = {
      kind: "compare",
      operator,
      left: left.number,
      right: right.number,
      place,
    };
    found = found === undefined ? one : { kind: "and", left: found, right: one, place };
    left = right;
  }
  return found === undefined ? left : { formula: found };
}

function equivalence(left: Part, operator: Comparison, right: Part, place: Place): Part {
  const isEqual = operator === "==";
  if (!isEqual && operator !== "!=") asNumber("formula" in left ? left : right);
  const same: Draft = { kind: "iff", left: asFormula(left), right: asFormula(right), place };
  return { formula: isEqual ? same : { kind: "not", of: same, place } };
}

/** Seconds. */
/** A number as it is written; one that is too large to be a number of any kind is a mistake. */
export function literalOf(text: string, place: Place): number {
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new PartMistake(
    `'${text}' is too large for a number`,
    "the largest number is about 1.8e308; for 'without a bound' leave the bound out",
    place,
  );
}

export function durationOf(value: number, unit: string | undefined, place: Place): number {
  const text = unit === undefined ? String(value) : `${value} ${unit}`;
  const seconds = parseSeconds(text);
  if (seconds === undefined)
    throw new PartMistake(`'${text}' is not a time`, "write a time: 2 s, 10 ms", place);
  if (seconds < 0)
    throw new PartMistake(
      `'${text}' is negative`,
      "write a time of 0 or more; the past is 'once' and 'historically'",
      place,
    );
  return seconds;
}

/** @param text as it was written, where that is known. */
export function intervalOf(
  from: number,
  to: number | undefined,
  place: Place,
  text = `[${from} s, ${to} s]`,
): Interval {
  if (to === undefined) return { from };
  if (to >= from) return { from, to };
  const fix = "write the earlier time first: [1 s, 2 s]";
  throw new PartMistake(`'${text}' ends before it begins`, fix, place);
}

/** @public The script that packages the extension for VS Code reads it. */
export const FUNCTION_NAMES: readonly string[] = [
  ...Object.keys(POINT_FUNCTIONS),
  ...Object.keys(PAST_FUNCTIONS),
  ...Object.keys(RESPONSE_FUNCTIONS),
  "energy",
  "rises",
  "falls",
];

/** The call of a function; @param place of its name. */
export function callOf(name: string, given: readonly Part[], place: Place): Part {
  const [first] = given;
  if (name === "rises" || name === "falls") {
    const [part] = counted(name, given, 1, `${name}(motor.on)`, place);
    return { formula: { kind: name, of: asFormula(part as Part), place } };
  }
  if (name === "energy") {
    counted(name, given, 1, "energy(shaft)", place);
    const bond = asNumber(first as Part);
    if (bond.kind !== "signal")
      throw new PartMistake("'energy' is about a bond", "write its name: energy(shaft)", place);
    return { number: { kind: "energy", bond: bond.signal, place } };
  }
  if (Object.hasOwn(PAST_FUNCTIONS, name))
    return { number: pastOf(name as PastFunctionName, given, place) };
  if (Object.hasOwn(POINT_FUNCTIONS, name)) {
    const row = POINT_FUNCTIONS[name as PointFunctionName];
    const of = counted(name, given, row.arguments, row.usage, place).map(asNumber);
    return { number: { kind: "point", function: name as PointFunctionName, of, place } };
  }
  if (Object.hasOwn(RESPONSE_FUNCTIONS, name)) {
    const row = RESPONSE_FUNCTIONS[name as ResponseFunctionName];
    const of = counted(name, given, row.arguments, row.usage, place).map(asNumber);
    return { number: { kind: "response", function: name as ResponseFunctionName, of, place } };
  }
  const near = nearest(name, FUNCTION_NAMES);
  const fix =
    near === undefined ? `there are ${FUNCTION_NAMES.join(", ")}` : `did you mean '${near}'?`;
  throw new PartMistake(`there is no function '${name}'`, fix, place);
}

function counted(
  name: string,
  given: readonly Part[],
  wanted: number,
  usage: string,
  place: Place,
): readonly Part[] {
  if (given.length === wanted) return given;
  const found = `${given.length} argument${given.length === 1 ? "" : "s"}`;
  throw new PartMistake(`'${name}' has ${found}, and needs ${wanted}`, `write ${usage}`, place);
}

function pastOf(
  name: PastFunctionName,
  [of, time, ...more]: readonly Part[],
  place: Place,
): Numeric {
  const { window: need, usage } = PAST_FUNCTIONS[name];
  if (of === undefined || (need === "needed" && time === undefined))
    throw new PartMistake(`'${name}' needs a time`, `write ${usage}`, place);
  if (more.length > 0 || (need === "none" && time !== undefined))
    throw new PartMistake(`'${name}' has too many arguments`, `write ${usage}`, place);
  const window = time === undefined ? undefined : asNumber(time);
  if (window !== undefined && window.kind !== "number")
    throw new PartMistake(`the time of '${name}' is not a number`, `write ${usage}`, window.place);
  return {
    kind: "past",
    function: name,
    of: asNumber(of),
    ...(window && { window: durationOf(window.value, window.unit, window.place) }),
    place,
  };
}
