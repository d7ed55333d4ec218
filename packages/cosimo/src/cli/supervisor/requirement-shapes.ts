/**
 * What a requirement from the worker must look like before anything is evaluated
 * (message-shapes.ts).
 */

import {
  isBoolean,
  isKindOf,
  isListOf,
  isNumber,
  isObject,
  isOneOf,
  isOptional,
  isText,
  type Shape,
} from "../../base/shapes.ts";
import {
  COMPARISONS,
  type Formula,
  type NumberExpression,
  PAST_FUNCTIONS,
  POINT_FUNCTIONS,
  RESPONSE_FUNCTIONS,
  type Requirement,
  type Scope,
} from "../../model/requirement.ts";
import { TYPE_NAMES } from "../../model/value-type.ts";

/** A count of arguments and a shape for each. */
function isTuple(shape: Shape, least: number, most: number): Shape {
  return (value) =>
    isListOf(shape)(value) &&
    (value as unknown[]).length >= least &&
    (value as unknown[]).length <= most;
}

/** @param signals how many there are: indices below that are known. */
function formulaShape(signals: number): Shape {
  const isSignal: Shape = (value) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < signals;
  const number: Shape = (value) => isNumberExpression(value);
  const formula: Shape = (value) => isFormula(value);
  const isNumberExpression = isKindOf<NumberExpression<number>["kind"]>({
    number: isObject({ value: isNumber }),
    signal: isObject({ signal: isSignal }),
    time: () => true,
    energy: () => false,
    negate: isObject({ of: number }),
    operation: isObject({
      operator: isOneOf("+", "-", "*", "/", "^"),
      left: number,
      right: number,
    }),
    point: isObject({
      function: isOneOf(...Object.keys(POINT_FUNCTIONS)),
      of: isTuple(number, 1, 2),
    }),
    past: isObject({
      function: isOneOf(...Object.keys(PAST_FUNCTIONS)),
      of: number,
      window: isOptional(isNumber),
    }),
    response: isObject({
      function: isOneOf(...Object.keys(RESPONSE_FUNCTIONS)),
      of: isTuple(number, 2, 3),
    }),
  });
  const interval = isObject({
    from: isNumber,
    to: isOptional(isNumber),
    isOpen: isOptional(isBoolean),
  });
  const pair = isObject({ left: formula, right: formula });
  const timed = isObject({ interval, of: formula });
  const waiting = isObject({ interval, left: formula, right: formula });
  const one = isObject({ of: formula });
  const isFormula = isKindOf<Formula<number>["kind"]>({
    constant: isObject({ value: isBoolean }),
    holds: isObject({ signal: isSignal }),
    compare: isObject({
      operator: isOneOf(...COMPARISONS),
      left: number,
      right: number,
      isWhole: isOptional(isBoolean),
      unit: isOptional(isText),
    }),
    not: one,
    rises: one,
    falls: one,
    and: pair,
    or: pair,
    implies: pair,
    iff: pair,
    always: timed,
    eventually: timed,
    historically: timed,
    once: timed,
    until: waiting,
    since: waiting,
  });
  return formula;
}

const isHead: Shape = isObject({
  name: isText,
  text: isText,
  description: isOptional(isText),
  signals: isListOf(
    isObject({
      name: isText,
      type: isOneOf(...Object.keys(TYPE_NAMES)),
      unit: isOptional(isText),
      isStepwise: isBoolean,
    }),
  ),
});

/** A requirement whose signals are among these columns. */
export function isRequirementOver(columns: ReadonlySet<string>): Shape {
  return (value) => {
    if (!isHead(value)) return false;
    const { signals, formula: written, scope } = value as Requirement;
    const formula = formulaShape(signals.length);
    const both = isObject({ begin: formula, end: formula });
    const isScope = isKindOf<Scope<number>["kind"]>({
      globally: () => true,
      before: isObject({ end: formula }),
      after: isObject({ begin: formula }),
      between: both,
      "after-until": both,
    });
    return signals.every(({ name }) => columns.has(name)) && formula(written) && isScope(scope);
  };
}
