/** What parameters and variables are when nobody sets a parameter: the start values that a description shows. */
import type { Adaptation, BinaryOperator, Expression } from "../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../model/adaptation/functions.ts";
import type { Value } from "../model/value-type.ts";

/** Parameters and variables as they begin when nobody sets a parameter. */
export function defaultValues(adaptation: Adaptation): Map<string, Value> {
  const values = new Map<string, Value>();
  const { parameters, inVariables, controlVariables, outVariables } = adaptation;
  for (const { name, value } of [
    ...parameters,
    ...inVariables,
    ...controlVariables,
    ...outVariables,
  ])
    values.set(name, constantOf(value, values));
  return values;
}

function constantOf(expression: Expression, values: ReadonlyMap<string, Value>): Value {
  const number = (part: Expression): number => Number(constantOf(part, values));
  switch (expression.kind) {
    case "number":
    case "boolean":
    case "string":
      return expression.value;
    case "reference":
      return values.get(expression.name) ?? 0;
    case "unary":
      return expression.operator === "-"
        ? -number(expression.operand)
        : number(expression.operand) === 0;
    case "conditional":
      return constantOf(
        number(expression.condition) !== 0 ? expression.then : expression.otherwise,
        values,
      );
    case "call":
      return (
        SA_FUNCTIONS.get(expression.callee)?.compute?.(...expression.arguments.map(number)) ?? 0
      );
    case "binary": {
      const [a, b] = [number(expression.left), number(expression.right)];
      return OPERATIONS[expression.operator](a, b);
    }
  }
}

const OPERATIONS: Readonly<Record<BinaryOperator, (a: number, b: number) => Value>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  and: (a, b) => a !== 0 && b !== 0,
  or: (a, b) => a !== 0 || b !== 0,
};
