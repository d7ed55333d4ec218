/**
 * Rewrites references in statements and expressions, and finds what they call and assign.
 */
import type {
  CallExpression,
  Expression,
  Reference,
  Statement,
} from "../../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../../model/adaptation/functions.ts";
import { eachExpression, eachStatement, expressionsOf } from "../../model/adaptation/walk.ts";
import { makeConditional, makeIf } from "./build.ts";

/** Functions whose first argument is an inner unit, and no variable of that name. */
export const UNIT_FUNCTIONS: ReadonlySet<string> = new Set(
  [...SA_FUNCTIONS].flatMap(([name, { ofUnit }]) => (ofUnit ? [name] : [])),
);

/** What a reference becomes. Bare names of local variables stay. */
export type Replace = (reference: Reference) => Expression;

export function rewriteExpression(
  e: Expression,
  replace: Replace,
  locals: ReadonlySet<string> = new Set(),
): Expression {
  const again = (one: Expression): Expression => rewriteExpression(one, replace, locals);
  switch (e.kind) {
    case "reference":
      return e.unit === undefined && locals.has(e.name) ? e : replace(e);
    case "call":
      return rewriteCall(e, again);
    case "unary":
      return { ...e, operand: again(e.operand) };
    case "binary":
      return { ...e, left: again(e.left), right: again(e.right) };
    case "conditional":
      return makeConditional(again(e.condition), again(e.then), again(e.otherwise), e.place);
    default:
      return e;
  }
}

function rewriteCall(
  call: CallExpression,
  again: (expression: Expression) => Expression,
): CallExpression {
  const keepsFirst = UNIT_FUNCTIONS.has(call.callee);
  return {
    ...call,
    arguments: call.arguments.map((one, at) => (keepsFirst && at === 0 ? one : again(one))),
  };
}

/** Targets of assignments stay what they are, unless `retarget` says otherwise. */
export function rewriteStatements(
  statements: readonly Statement[],
  replace: Replace,
  outer: ReadonlySet<string> = new Set(),
  retarget: (target: Reference) => Reference = (target) => target,
): Statement[] {
  const locals = new Set(outer);
  const expression = (e: Expression): Expression => rewriteExpression(e, replace, locals);
  const block = (body: readonly Statement[], more: readonly string[] = []): Statement[] =>
    rewriteStatements(body, replace, new Set([...locals, ...more]), retarget);

  function rewritten(s: Statement): Statement {
    switch (s.kind) {
      case "assign": {
        const isLocal = s.target.unit === undefined && locals.has(s.target.name);
        const target = isLocal ? s.target : retarget(s.target);
        return { ...s, target, value: expression(s.value) };
      }
      case "return":
        return { ...s, value: expression(s.value) };
      case "var": {
        const value = expression(s.value);
        locals.add(s.name);
        return { ...s, value };
      }
      case "if":
        return makeIf(expression(s.condition), block(s.then), block(s.otherwise), s.place);
      case "for":
        return {
          ...s,
          from: expression(s.from),
          to: expression(s.to),
          body: block(s.body, [s.variable]),
        };
      case "while":
        return { ...s, condition: expression(s.condition), body: block(s.body) };
      case "call":
        return { ...s, call: rewriteCall(s.call, expression) };
      case "break":
        return s;
    }
  }
  return statements.map(rewritten);
}

/** Units that the statement itself steps, in the order of the text. */
export function steppedBy(s: Statement): string[] {
  const units: string[] = [];
  for (const expression of expressionsOf(s))
    eachExpression(expression, (e) => {
      const unit = e.kind === "call" && e.callee === "do_step" ? e.arguments[0] : undefined;
      if (unit?.kind === "reference" && unit.unit === undefined) units.push(unit.name);
    });
  return units;
}

export const keyOf = (unit: string, port: string): string => `${unit}.${port}`;

/** Ports `unit.port` that the statements assign, those of nested blocks included. */
export function assignedPorts(statements: readonly Statement[]): Set<string> {
  const ports = new Set<string>();
  eachStatement(statements, (s) => {
    if (s.kind === "assign" && s.target.unit !== undefined)
      ports.add(keyOf(s.target.unit, s.target.name));
  });
  return ports;
}

/** Bare names that the statements assign. */
export function assignedNames(statements: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  eachStatement(statements, (s) => {
    if (s.kind === "assign" && s.target.unit === undefined) names.add(s.target.name);
  });
  return names;
}
