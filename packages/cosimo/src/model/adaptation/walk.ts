/**
 * Traverses rules: which names they mention and which they assign. The questions before a rule is
 * compiled ("does it mention the step?", "may it be executed twice?") are all of this kind.
 */
import type { Expression, Reference, Rule, Statement } from "./data.ts";

/** Calls `visit` with every statement, those inside others included. */
export function eachStatement(
  statements: readonly Statement[],
  visit: (statement: Statement) => void,
): void {
  for (const statement of statements) {
    visit(statement);
    if (statement.kind === "if") {
      eachStatement(statement.then, visit);
      eachStatement(statement.otherwise, visit);
    } else if (statement.kind === "for" || statement.kind === "while") {
      eachStatement(statement.body, visit);
    }
  }
}

/** The expressions that one statement evaluates itself, not those of statements inside it. */
export function expressionsOf(statement: Statement): readonly Expression[] {
  switch (statement.kind) {
    case "assign":
    case "var":
    case "return":
      return [statement.value];
    case "if":
    case "while":
      return [statement.condition];
    case "for":
      return [statement.from, statement.to];
    case "call":
      return [statement.call];
    case "break":
      return [];
  }
}

/** Calls `visit` with every expression in `expression`, itself included. */
export function eachExpression(
  expression: Expression,
  visit: (expression: Expression) => void,
): void {
  visit(expression);
  switch (expression.kind) {
    case "unary":
      eachExpression(expression.operand, visit);
      break;
    case "binary":
      eachExpression(expression.left, visit);
      eachExpression(expression.right, visit);
      break;
    case "conditional":
      eachExpression(expression.condition, visit);
      eachExpression(expression.then, visit);
      eachExpression(expression.otherwise, visit);
      break;
    case "call":
      for (const argument of expression.arguments) eachExpression(argument, visit);
      break;
    default:
  }
}

export function referencesIn(expression: Expression): Reference[] {
  const found: Reference[] = [];
  eachExpression(expression, (part) => {
    if (part.kind === "reference") found.push(part);
  });
  return found;
}

/** `unit.port`, or the bare name of a variable. */
export function keyOf({ unit, name }: { readonly unit?: string; readonly name: string }): string {
  return unit === undefined ? name : `${unit}.${name}`;
}

export interface Mentions {
  readonly read: ReadonlySet<string>;
  readonly assigned: ReadonlySet<string>;
}

/** What conditions and one half of some rules read and assign, by `keyOf`; locals included. */
export function mentionsOf(rules: readonly Rule[], half: "first" | "second"): Mentions {
  const read = new Set<string>();
  const assigned = new Set<string>();
  const note = (expression: Expression): void => {
    for (const reference of referencesIn(expression)) read.add(keyOf(reference));
  };
  for (const rule of rules) {
    note(rule.condition);
    eachStatement(rule[half], (statement) => {
      for (const expression of expressionsOf(statement)) note(expression);
      if (statement.kind === "assign") assigned.add(keyOf(statement.target));
    });
  }
  return { read, assigned };
}

/**
 * Whether executing the rules a second time, with nothing else changed, assigns the same values
 * again.
 */
export function isIdempotent({ read, assigned }: Mentions): boolean {
  for (const name of assigned) if (read.has(name)) return false;
  return true;
}
