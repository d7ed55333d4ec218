/**
 * The formula of a connection as the text of an adaptation without inner units, which is how it is
 * exported.
 */
import type { FormulaSource } from "../../model/scenario.ts";
import type { Port } from "../../model/unit-description.ts";
import { printExpression } from "../sa/print-expression.ts";
import { rewriteExpression } from "../sa/rewrite.ts";

export function formulaAsSa({ expression, description: { ports } }: FormulaSource): string {
  const inputs = ports.filter(({ direction }) => direction === "input");
  const output = ports.filter(({ direction }) => direction === "output");
  const list = (some: readonly Port[]): string =>
    some.map((port) => `${port.name} : ${typeOf(port)}`).join(", ");
  const now = rewriteExpression(expression, (one) => ({ ...one, name: `now_${one.name}` }));
  return [
    "semantic adaptation reactive mealy Formula formula",
    `input ports ${list(inputs)}`,
    `output ports ${list(output)}`,
    `in var ${inputs.map((port) => `now_${port.name} : ${typeOf(port)} := ${zeroOf(port)}`).join(", ")};`,
    "in rules {",
    "  true -> {",
    ...inputs.map(({ name }) => `    now_${name} := ${name};`),
    "  } --> { };",
    "}",
    "out rules {",
    "  true -> { } --> {",
    `    y := ${printExpression(now)};`,
    "  };",
    "}",
    "",
  ].join("\n");
}

function typeOf({ type }: Port): string {
  if (type === "boolean") return "boolean";
  return type === "float64" ? "real" : "integer";
}

function zeroOf({ type }: Port): string {
  if (type === "boolean") return "false";
  return type === "float64" ? "0.0" : "0";
}
