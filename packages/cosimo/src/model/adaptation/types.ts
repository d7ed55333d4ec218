/**
 * Types of variables and expressions, found from what is declared and from literals. They are
 * resolved once, before anything runs: numbers and booleans share one bank, texts have another.
 */
import type { Adaptation, CallExpression, Expression, Reference, SaType } from "./data.ts";
import { SA_FUNCTIONS } from "./functions.ts";

export type TypeOf = (reference: Reference) => SaType | undefined;

/** Types of parameters and variables by name: as declared, else those of their initial values. */
export function typesOf(adaptation: Adaptation): Map<string, SaType> {
  const types = new Map<string, SaType>();
  const { parameters, inVariables, controlVariables, outVariables } = adaptation;
  for (const list of [parameters, inVariables, controlVariables, outVariables])
    for (const { name, type, value } of list)
      types.set(name, type ?? typeOfExpression(value, (reference) => types.get(reference.name)));
  return types;
}

export function typeOfExpression(expression: Expression, typeOf: TypeOf): SaType {
  switch (expression.kind) {
    case "number":
      return "real";
    case "boolean":
    case "string":
      return expression.kind;
    case "reference":
      return typeOf(expression) ?? "real";
    case "call":
      return typeOfCall(expression, typeOf);
    case "unary":
      return expression.operator === "not"
        ? "boolean"
        : typeOfExpression(expression.operand, typeOf);
    case "binary":
      return typeOfBinary(expression, typeOf);
    case "conditional":
      return typeOfExpression(expression.then, typeOf);
  }
}

function typeOfCall({ callee, arguments: given }: CallExpression, typeOf: TypeOf): SaType {
  const result = SA_FUNCTIONS.get(callee)?.result ?? "real";
  if (result === "none") return "real";
  if (result !== "like-arguments") return result;
  return given.every((one) => typeOfExpression(one, typeOf) === "integer") ? "integer" : "real";
}

function typeOfBinary(
  { operator, left, right }: Extract<Expression, { kind: "binary" }>,
  typeOf: TypeOf,
): SaType {
  switch (operator) {
    case "+":
    case "-":
    case "*":
    case "%":
      return typeOfExpression(left, typeOf) === "integer" &&
        typeOfExpression(right, typeOf) === "integer"
        ? "integer"
        : "real";
    case "/":
      return "real";
    default:
      return "boolean";
  }
}
