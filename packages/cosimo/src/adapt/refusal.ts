/**
 * Whether control rules may send a step back by themselves, found without executing them. Scenarios
 * need to know it before they run, because only some masters can go back.
 *
 * A result is *whole* when it is the requested step, or how far an inner unit came with that step:
 * what inner units refuse is known from their descriptions. Whole results can be kept in variables,
 * chosen between, and compared for the smallest, and `t` and `H` may go by other names. Everything
 * else may be less.
 */
import type { Adaptation, Expression, Statement } from "../model/adaptation/data.ts";
import { eachStatement } from "../model/adaptation/walk.ts";

/** Numbers that change nothing on the right of an operator; on the left of + and * neither. */
const NEUTRAL: ReadonlyMap<string, number> = new Map([
  ["+", 0],
  ["-", 0],
  ["*", 1],
  ["/", 1],
]);

const isNumber = (expression: Expression, value: number): boolean =>
  expression.kind === "number" && expression.value === value;

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
    // A counter is not a step.
    else if (statement.kind === "for") values.delete(statement.variable);
  });
  const known = new Map<string, boolean>();

  /** Whether the expression is `t`, or `H`, by whatever name and with whatever neutral number. */
  function means(name: string, expression: Expression | undefined): boolean {
    if (expression === undefined) return false;
    if (expression.kind === "reference") {
      if (expression.unit !== undefined) return false;
      return locals.has(expression.name)
        ? isOnlyGiven(expression.name, name, (value) => means(name, value))
        : expression.name === name;
    }
    if (expression.kind !== "binary") return false;
    const { operator, left, right } = expression;
    const neutral = NEUTRAL.get(operator);
    if (neutral === undefined) return false;
    if (isNumber(right, neutral)) return means(name, left);
    return (operator === "+" || operator === "*") && isNumber(left, neutral) && means(name, right);
  }

  function isWhole(expression: Expression): boolean {
    if (means("H", expression)) return true;
    switch (expression.kind) {
      case "reference":
        return expression.unit === undefined && isOnlyGiven(expression.name, "whole", isWhole);
      case "conditional":
        return isWhole(expression.then) && isWhole(expression.otherwise);
      case "call": {
        const { callee, arguments: given } = expression;
        if (callee === "do_step") return means("t", given[1]) && means("H", given[2]);
        const chooses = callee === "min" || callee === "max";
        return chooses && given.length > 0 && given.every(isWhole);
      }
      default:
        return false;
    }
  }

  /**
   * A local that is given nothing but such values; while that is being found out, it counts as one.
   */
  function isOnlyGiven(name: string, what: string, isOne: (value: Expression) => boolean): boolean {
    if (!locals.has(name)) return false;
    const key = `${what} ${name}`;
    const answer = known.get(key);
    if (answer !== undefined) return answer;
    const before = known.size;
    known.set(key, true);
    const all = values.get(name) ?? [];
    const isSo = all.length > 0 && all.every(isOne);
    // What was found meanwhile may rest on it.
    if (!isSo) for (const later of [...known.keys()].slice(before)) known.delete(later);
    known.set(key, isSo);
    return isSo;
  }

  return results.some((result) => !isWhole(result));
}
