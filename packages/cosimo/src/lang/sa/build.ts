/**
 * Small constructors for parts of adaptations, for the parser and for what rewrites them.
 */
import type { Place } from "../../base/diagnostic.ts";
import type {
  BinaryOperator,
  CallExpression,
  Expression,
  Reference,
  Statement,
} from "../../model/adaptation/data.ts";

export function makeIf(
  condition: Expression,
  then: readonly Statement[],
  otherwise: readonly Statement[],
  place: Place,
): Statement {
  return { kind: "if", condition, then, otherwise, place };
}

export function makeConditional(
  condition: Expression,
  then: Expression,
  otherwise: Expression,
  place: Place,
): Expression {
  return { kind: "conditional", condition, then, otherwise, place };
}

export function makeReference(name: string, place: Place, unit?: string): Reference {
  return unit === undefined
    ? { kind: "reference", name, place }
    : { kind: "reference", unit, name, place };
}

export function makeAssign(target: Reference, value: Expression, place: Place): Statement {
  return { kind: "assign", target, value, place };
}

export function makeNumber(value: number, place: Place): Expression {
  return value < 0 || Object.is(value, -0)
    ? { kind: "unary", operator: "-", operand: makeNumber(-value, place), place }
    : { kind: "number", value, place };
}

export function makeBinary(
  operator: BinaryOperator,
  left: Expression,
  right: Expression,
  place: Place,
): Expression {
  return { kind: "binary", operator, left, right, place };
}

export function makeCall(
  callee: string,
  args: readonly Expression[],
  place: Place,
): CallExpression {
  return { kind: "call", callee, arguments: args, place };
}
