/**
 * Expressions become closures over the adaptation's memory: names, types and functions are resolved
 * here, once, and what remains for a step is loads and arithmetic. Closures rather than generated
 * source text, so that pages which forbid `eval` can run them.
 */
import type {
  BinaryOperator,
  CallExpression,
  Expression,
  Reference,
} from "../model/adaptation/data.ts";
import { SA_FUNCTIONS, wrongCount } from "../model/adaptation/functions.ts";
import type { ObjectValue } from "../model/value-type.ts";
import { AdaptationError } from "./adaptation-error.ts";
import type { Cell } from "./layout.ts";

export type NumberCode = () => number;
export type TextCode = () => ObjectValue;
export type Code =
  | { readonly kind: "number"; readonly run: NumberCode; readonly constant?: number }
  | { readonly kind: "text"; readonly run: TextCode };

export interface Memory {
  readonly numbers: Float64Array;
  readonly texts: ObjectValue[];
  readonly ownTexts: ObjectValue[];
}

/** What names mean where an expression stands. */
export interface Scope {
  readonly memory: Memory;
  /** The place of a name, or undefined where there is none. */
  cell(reference: Reference): Cell | undefined;
  /**
   * A function that concerns inner units, or undefined where it is no such function or not allowed.
   */
  service(call: CallExpression): NumberCode | undefined;
}

export function compileExpression(expression: Expression, scope: Scope): Code {
  switch (expression.kind) {
    case "number":
      return constant(expression.value);
    case "boolean":
      return constant(expression.value ? 1 : 0);
    case "string": {
      const { value } = expression;
      return { kind: "text", run: () => value };
    }
    case "reference":
      return load(placeOf(expression, scope), scope.memory);
    case "call":
      return { kind: "number", run: compileCall(expression, scope) };
    case "unary": {
      const operand = compileNumber(expression.operand, scope);
      const run: NumberCode =
        expression.operator === "-" ? () => -operand() : () => (operand() === 0 ? 1 : 0);
      return { kind: "number", run };
    }
    case "binary":
      return { kind: "number", run: compileBinary(expression, scope) };
    case "conditional": {
      const condition = compileNumber(expression.condition, scope);
      const then = compileExpression(expression.then, scope);
      const otherwise = compileExpression(expression.otherwise, scope);
      if (then.kind === "text" && otherwise.kind === "text") {
        const [a, b] = [then.run, otherwise.run];
        return { kind: "text", run: () => (condition() !== 0 ? a() : b()) };
      }
      const a = numeric(then, expression.then);
      const b = numeric(otherwise, expression.otherwise);
      return { kind: "number", run: () => (condition() !== 0 ? a() : b()) };
    }
  }
}

export function compileNumber(expression: Expression, scope: Scope): NumberCode {
  return numeric(compileExpression(expression, scope), expression);
}

function placeOf(reference: Reference, scope: Scope): Cell {
  const cell = scope.cell(reference);
  if (cell) return cell;
  const name =
    reference.unit === undefined ? reference.name : `${reference.unit}.${reference.name}`;
  throw new AdaptationError(`'${name}' means nothing here`, reference.place);
}

function constant(value: number): Code {
  return { kind: "number", run: () => value, constant: value };
}

function load({ bank, index }: Cell, { numbers, texts, ownTexts }: Memory): Code {
  if (bank === "number") return { kind: "number", run: () => numbers[index] };
  const list = bank === "text" ? texts : ownTexts;
  return { kind: "text", run: () => list[index] };
}

function numeric(code: Code, { place }: Expression): NumberCode {
  if (code.kind === "number") return code.run;
  throw new AdaptationError("a text stands where a number is needed", place);
}

function compileCall(call: CallExpression, scope: Scope): NumberCode {
  const service = scope.service(call);
  if (service) return service;
  const { callee, place } = call;
  const compute = SA_FUNCTIONS.get(callee)?.compute;
  if (compute === undefined)
    throw new AdaptationError(`'${callee}' is not a function that can be called here`, place);
  const codes = call.arguments.map((argument) => compileNumber(argument, scope));
  const wrong = wrongCount(callee, codes.length);
  if (wrong !== undefined) throw new AdaptationError(wrong, place);
  const [a, b, c] = codes;
  // Most calls have few arguments, and a list of them would be made in every step.
  if (a && codes.length === 1) return () => compute(a());
  if (a && b && codes.length === 2) return () => compute(a(), b());
  if (a && b && c && codes.length === 3) return () => compute(a(), b(), c());
  return () => compute(...codes.map((code) => code()));
}

function compileBinary(
  { operator, left, right, place }: Extract<Expression, { kind: "binary" }>,
  scope: Scope,
): NumberCode {
  const a = compileExpression(left, scope);
  const b = compileExpression(right, scope);
  if (a.kind === "text" && b.kind === "text") {
    const [x, y] = [a.run, b.run];
    if (operator === "==") return () => (x() === y() ? 1 : 0);
    if (operator === "!=") return () => (x() !== y() ? 1 : 0);
    throw new AdaptationError(
      `texts can be compared with == and !=, not with '${operator}'`,
      place,
    );
  }
  return OPERATIONS[operator](numeric(a, left), numeric(b, right));
}

const OPERATIONS: Readonly<Record<BinaryOperator, (a: NumberCode, b: NumberCode) => NumberCode>> = {
  "+": (a, b) => () => a() + b(),
  "-": (a, b) => () => a() - b(),
  "*": (a, b) => () => a() * b(),
  "/": (a, b) => () => a() / b(),
  "%": (a, b) => () => a() % b(),
  "<": (a, b) => () => (a() < b() ? 1 : 0),
  "<=": (a, b) => () => (a() <= b() ? 1 : 0),
  ">": (a, b) => () => (a() > b() ? 1 : 0),
  ">=": (a, b) => () => (a() >= b() ? 1 : 0),
  "==": (a, b) => () => (a() === b() ? 1 : 0),
  "!=": (a, b) => () => (a() !== b() ? 1 : 0),
  and: (a, b) => () => (a() !== 0 && b() !== 0 ? 1 : 0),
  or: (a, b) => () => (a() !== 0 || b() !== 0 ? 1 : 0),
};
