/**
 * Whether control rules may send a step back by themselves, found without executing them. Scenarios need to know it before they run,
 * because only some masters can go back.
 *
 * A result is *whole* when it is the requested step, or how far an inner unit came with that step: what inner units refuse is
 * known from their descriptions. Whole results can be kept in variables, chosen between, and compared for the smallest. Everything else
 * may be less.
 */
import type { Adaptation, Expression, Statement } from "../model/adaptation/data.ts";
import { eachStatement } from "../model/adaptation/walk.ts";

export function mayRefuse({ controlRules: control = [] }: Adaptation): boolean {
  const values = new Map<string, Expression[]>();
  const results: Expression[] = [];
  eachStatement(control, (statement: Statement) => {
    if (statement.kind === "return") results.push(statement.value);
    const name =
      statement.kind === "var"
        ? statement.name
        : statement.kind === "assign" && statement.target.unit === undefined
          ? statement.target.name
          : undefined;
    if (name === undefined || !("value" in statement)) return;
    values.set(name, [...(values.get(name) ?? []), statement.value]);
  });
  const locals = new Set<string>();
  eachStatement(control, (statement) => {
    if (statement.kind === "var") locals.add(statement.name);
    // A counter is no step.
    else if (statement.kind === "for") values.delete(statement.variable);
  });
  const known = new Map<string, boolean>();

  const isName = (expression: Expression | undefined, name: string): boolean =>
    expression?.kind === "reference" &&
    expression.unit === undefined &&
    expression.name === name &&
    !locals.has(name);

  function isWhole(expression: Expression): boolean {
    if (isName(expression, "H")) return true;
    switch (expression.kind) {
      case "reference":
        return expression.unit === undefined && isWholeVariable(expression.name);
      case "conditional":
        return isWhole(expression.then) && isWhole(expression.otherwise);
      case "call": {
        const { callee, arguments: given } = expression;
        if (callee === "do_step") return isName(given[1], "t") && isName(given[2], "H");
        const chooses = callee === "min" || callee === "max";
        return chooses && given.length > 0 && given.every(isWhole);
      }
      default:
        return false;
    }
  }

  /** A local that is given nothing but whole results; while that is being found out, it counts as one. */
  function isWholeVariable(name: string): boolean {
    if (!locals.has(name)) return false;
    const answer = known.get(name);
    if (answer !== undefined) return answer;
    known.set(name, true);
    const all = values.get(name) ?? [];
    const whole = all.length > 0 && all.every(isWhole);
    known.set(name, whole);
    return whole;
  }

  return results.some((result) => !isWhole(result));
}
