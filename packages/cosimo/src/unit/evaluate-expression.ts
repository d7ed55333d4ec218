/**
 * Conditions of faults and formulas of connections, evaluated: booleans are 0 and 1, as in banks.
 */
import type { BinaryOperator, Expression } from "../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../model/adaptation/functions.ts";
import { nameOf } from "../model/apply-faults.ts";

/** @param signal the value that a name stands for. */
export function evaluate(e: Expression, time: number, signal: (name: string) => number): number {
  const value = (inner: Expression): number => evaluate(inner, time, signal);
  switch (e.kind) {
    case "number":
      return e.value;
    case "boolean":
      return e.value ? 1 : 0;
    case "reference":
      return e.unit === undefined && e.name === "time" ? time : signal(nameOf(e));
    case "unary":
      return e.operator === "-" ? -value(e.operand) : truth(value(e.operand) === 0);
    case "conditional":
      return value(e.condition) !== 0 ? value(e.then) : value(e.otherwise);
    case "binary":
      return OPERATORS[e.operator](value(e.left), value(e.right));
    case "call": {
      const compute = SA_FUNCTIONS.get(e.callee)?.compute;
      if (compute === undefined) throw new Error(`internal: '${e.callee}' was not checked`);
      return compute(...e.arguments.map(value));
    }
    case "string":
      throw new Error("internal: a text in a condition was not refused");
  }
}

const truth = (holds: boolean): number => (holds ? 1 : 0);

const OPERATORS: Readonly<Record<BinaryOperator, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "<": (a, b) => truth(a < b),
  "<=": (a, b) => truth(a <= b),
  ">": (a, b) => truth(a > b),
  ">=": (a, b) => truth(a >= b),
  "==": (a, b) => truth(a === b),
  "!=": (a, b) => truth(a !== b),
  and: (a, b) => truth(a !== 0 && b !== 0),
  or: (a, b) => truth(a !== 0 || b !== 0),
};
