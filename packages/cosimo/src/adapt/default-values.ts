/**
 * Values of parameters and variables before any parameter is set: the start values that a
 * description shows.
 */
import type { Adaptation } from "../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../model/adaptation/functions.ts";
import type { ObjectValue } from "../model/value-type.ts";
import { compileExpression, type Scope } from "./compile-expression.ts";
import type { Cell } from "./layout.ts";

/**
 * Initial values with the declared values of parameters, as rules would compute them; booleans are
 * 0 and 1.
 */
export function defaultValues(adaptation: Adaptation): Map<string, number | ObjectValue> {
  const { parameters, inVariables, controlVariables, outVariables } = adaptation;
  const declarations = [...parameters, ...inVariables, ...controlVariables, ...outVariables];
  const numbers = new Float64Array(declarations.length + 1);
  const texts: ObjectValue[] = [];
  const cells = new Map<string, Cell>();
  // What is not a constant counts as 0: a port, or what only a running adaptation knows.
  const zero: Cell = { bank: "number", index: declarations.length, type: "real" };
  const scope: Scope = {
    memory: { numbers, texts, ownTexts: [] },
    cell: ({ unit, name }) => (unit === undefined ? cells.get(name) : undefined) ?? zero,
    service: ({ callee }) => (SA_FUNCTIONS.get(callee)?.compute ? undefined : () => 0),
  };
  const values = new Map<string, number | ObjectValue>();
  for (const [index, { name, value }] of declarations.entries()) {
    const code = compileExpression(value, scope);
    if (code.kind === "number") {
      numbers[index] = code.run();
      values.set(name, numbers[index]);
      cells.set(name, { bank: "number", index, type: "real" });
    } else {
      texts[index] = code.run();
      values.set(name, texts[index]);
      cells.set(name, { bank: "text", index, type: "string" });
    }
  }
  return values;
}
