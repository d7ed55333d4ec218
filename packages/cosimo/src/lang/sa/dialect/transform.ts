/**
 * Rewrites expressions and statements from the inside out, one statement into any number of them.
 */
import type { Expression, Statement } from "../../../model/adaptation/data.ts";
import { makeConditional, makeIf } from "../build.ts";

export type MapExpression = (e: Expression) => Expression;

export function mapExpression(e: Expression, map: MapExpression): Expression {
  const inside = (one: Expression): Expression => mapExpression(one, map);
  switch (e.kind) {
    case "call":
      return map({ ...e, arguments: e.arguments.map(inside) });
    case "unary":
      return map({ ...e, operand: inside(e.operand) });
    case "binary":
      return map({ ...e, left: inside(e.left), right: inside(e.right) });
    case "conditional":
      return map(
        makeConditional(inside(e.condition), inside(e.then), inside(e.otherwise), e.place),
      );
    default:
      return map(e);
  }
}

/**
 * @param statement is given statements whose expressions and inner statements are mapped already.
 */
export function mapStatements(
  all: readonly Statement[],
  expression: MapExpression,
  statement: (s: Statement) => readonly Statement[],
): Statement[] {
  const e = (one: Expression): Expression => mapExpression(one, expression);
  const block = (body: readonly Statement[]): Statement[] =>
    mapStatements(body, expression, statement);
  const mapped = (s: Statement): readonly Statement[] => {
    switch (s.kind) {
      case "assign":
      case "var":
      case "return":
        return statement({ ...s, value: e(s.value) });
      case "if":
        return statement(makeIf(e(s.condition), block(s.then), block(s.otherwise), s.place));
      case "for":
        return statement({ ...s, from: e(s.from), to: e(s.to), body: block(s.body) });
      case "while":
        return statement({ ...s, condition: e(s.condition), body: block(s.body) });
      case "call": {
        const call = e(s.call);
        return statement(call.kind === "call" ? { ...s, call } : s);
      }
      case "break":
        return statement(s);
    }
  };
  return all.flatMap(mapped);
}
