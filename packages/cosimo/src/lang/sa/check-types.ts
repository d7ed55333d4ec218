/**
 * Types of expressions. Integers are reals; booleans and texts are neither. Values of unknown type
 * fit everywhere.
 */
import type { Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import type { CallExpression, Expression } from "../../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../../model/adaptation/functions.ts";
import { PART_NAMES, type Part, type Scope, type Type } from "./check-scope.ts";
import { report } from "./diagnostics.ts";

const NUMBER = "a number";

/** Whether a value of one type can stand where another is wanted. */
export function fits(found: Type, wanted: Type | typeof NUMBER): boolean {
  if (found === undefined || wanted === undefined || found === wanted) return true;
  if (wanted === NUMBER || wanted === "real") return found === "integer" || found === "real";
  return false;
}

/**
 * Reports a value that does not fit. A whole number may stand for an integer. Returns the type that
 * was found.
 */
export function demand(
  expression: Expression,
  wanted: Type | typeof NUMBER,
  scope: Scope,
  part: Part,
  what: string,
): Type {
  const found = typeOf(expression, scope, part);
  if (fits(found, wanted) || (wanted === "integer" && isWhole(expression))) return found;
  const rounds = wanted === "integer" && found === "real";
  mismatch(scope, what, wanted, found, rounds, expression.place);
  return found;
}

/** How messages call a value that a variable, a parameter or a port gets. */
export function given(name: string, unit?: string): string {
  return `what '${unit === undefined ? name : `${unit}.${name}`}' is given`;
}

function isWhole(e: Expression): boolean {
  if (e.kind === "unary" && e.operator === "-") return isWhole(e.operand);
  return e.kind === "number" && Number.isInteger(e.value);
}

export function mismatch(
  scope: Scope,
  what: string,
  wanted: string | undefined,
  found: string | undefined,
  rounds: boolean,
  place: Place,
): void {
  // What is not known fits everything, so both are known here.
  if (wanted === undefined || found === undefined) return;
  scope.diagnostics.push(report("sa-type", { what, wanted, found, rounds }, place));
}

export function typeOf(e: Expression, scope: Scope, part: Part): Type {
  switch (e.kind) {
    case "number":
      return "real";
    case "boolean":
    case "string":
      return e.kind;
    case "reference":
      return scope.read(e, part);
    case "call":
      return typeOfCall(e, scope, part, false);
    case "unary":
      if (e.operator === "not") {
        demand(e.operand, "boolean", scope, part, "the operand of 'not'");
        return "boolean";
      }
      return demand(e.operand, NUMBER, scope, part, "the operand of '-'") === "integer"
        ? "integer"
        : "real";
    case "binary":
      return typeOfBinary(e, scope, part);
    case "conditional": {
      demand(e.condition, "boolean", scope, part, "the condition before '?'");
      const then = typeOf(e.then, scope, part);
      const otherwise = typeOf(e.otherwise, scope, part);
      sameKind(then, otherwise, "':'", scope, e.otherwise.place);
      return then === "integer" ? otherwise : (then ?? otherwise);
    }
  }
}

function typeOfBinary(
  e: Extract<Expression, { readonly kind: "binary" }>,
  scope: Scope,
  part: Part,
): Type {
  const side = `an operand of '${e.operator}'`;
  switch (e.operator) {
    case "and":
    case "or":
      demand(e.left, "boolean", scope, part, side);
      demand(e.right, "boolean", scope, part, side);
      return "boolean";
    case "==":
    case "!=": {
      const left = typeOf(e.left, scope, part);
      sameKind(left, typeOf(e.right, scope, part), `'${e.operator}'`, scope, e.right.place);
      return "boolean";
    }
    case "<":
    case "<=":
    case ">":
    case ">=":
      demand(e.left, NUMBER, scope, part, side);
      demand(e.right, NUMBER, scope, part, side);
      return "boolean";
    default: {
      const isInteger = (one: Expression): boolean =>
        demand(one, NUMBER, scope, part, side) === "integer" || isWhole(one);
      const left = isInteger(e.left);
      const whole = isInteger(e.right) && left;
      return whole && e.operator !== "/" ? "integer" : "real";
    }
  }
}

function sameKind(left: Type, right: Type, sign: string, scope: Scope, place: Place): void {
  if (fits(left, right) || fits(right, left)) return;
  mismatch(scope, `what stands behind ${sign}`, left, right, false, place);
}

/** @param asStatement whether the call stands for its effect. */
export function typeOfCall(
  call: CallExpression,
  scope: Scope,
  part: Part,
  asStatement: boolean,
): Type {
  const { callee, place, arguments: given } = call;
  const known = SA_FUNCTIONS.get(callee);
  if (known === undefined) {
    const close = nearest(callee, SA_FUNCTIONS.keys());
    scope.diagnostics.push(report("sa-unknown-function", { name: callee, nearest: close }, place));
    for (const one of given) typeOf(one, scope, part);
    return undefined;
  }
  if (given.length < known.least || given.length > known.most) {
    const params = { name: callee, count: given.length, usage: known.usage };
    scope.diagnostics.push(report("sa-arguments", params, place));
  }
  if (known.controlOnly && part !== "control") {
    const params = { what: `'${callee}'`, part: PART_NAMES[part], where: "in control rules" };
    scope.diagnostics.push(report("sa-not-here", params, place));
  }
  if (known.result === "none" && !asStatement) {
    mismatch(scope, `'${callee}' inside of an expression`, "a value", "no value", false, place);
  }
  if (known.ofOwnInput !== undefined && part !== "in") {
    const where = "in the first part of in rules";
    const params = { what: `'${callee}'`, part: PART_NAMES[part], where };
    scope.diagnostics.push(report("sa-not-here", params, place));
  }
  if (known.ofOwnInput !== undefined && given[0] !== undefined && !scope.isOwnInput(given[0]))
    mismatch(scope, "the argument", "an input of the adaptation", "something else", false, place);
  const values = known.ofUnit ? given.slice(1) : given;
  if (known.ofUnit && given[0] !== undefined) unitArgument(given[0], scope);
  const types = values.map((one) => demand(one, NUMBER, scope, part, `an argument of '${callee}'`));
  if (known.result === "none") return undefined;
  if (known.result !== "like-arguments") return known.result;
  const whole = values.every((one, at) => isWhole(one) || types[at] === "integer");
  return whole ? "integer" : "real";
}

function unitArgument(given: Expression, scope: Scope): void {
  if (given.kind === "reference" && given.unit === undefined) {
    if (scope.isUnit(given.name)) return;
    const known = scope.units.map(({ unit }) => unit.name);
    const params = { unit: given.name, nearest: nearest(given.name, known) };
    scope.diagnostics.push(report("sa-unknown-unit", params, given.place));
    return;
  }
  mismatch(
    scope,
    "the first argument",
    "the name of an inner unit",
    "an expression",
    false,
    given.place,
  );
}
