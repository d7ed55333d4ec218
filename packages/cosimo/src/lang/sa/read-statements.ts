/**
 * Statements and expressions of the syntax tree → those of the model.
 */
import type { AstNode } from "langium";
import type { Place } from "../../base/diagnostic.ts";
import type {
  CallExpression,
  Declaration,
  Expression,
  Reference,
  Statement,
} from "../../model/adaptation/data.ts";
import type * as ast from "./ast.ts";
import { makeConditional, makeIf } from "./build.ts";
import { readName } from "./names.ts";

export interface StatementReader {
  readonly declaration: (node: ast.Declaration | ast.Variable) => Omit<Declaration, "place">;
  readonly expression: (node: ast.Expression) => Expression;
  readonly statements: (nodes: readonly ast.Statement[]) => Statement[];
}

/** @param tooLarge is called for numbers that no double holds. */
export function statementReader(
  at: (node: AstNode) => Place,
  tooLarge: (text: string, place: Place) => void,
): StatementReader {
  function number(node: ast.NumberLiteral): Expression {
    const value = Number(node.value);
    const place = at(node);
    if (!Number.isFinite(value)) tooLarge(node.value, place);
    return String(value) === node.value
      ? { kind: "number", value, place }
      : { kind: "number", value, text: node.value, place };
  }

  const reference = (node: ast.Reference): Reference => ({
    kind: "reference",
    ...(node.unit === undefined ? {} : { unit: readName(node.unit) }),
    name: readName(node.name),
    place: at(node),
  });

  const call = (node: ast.Call): CallExpression => ({
    kind: "call",
    callee: readName(node.callee),
    arguments: node.arguments.map(expression),
    place: at(node),
  });

  function expression(node: ast.Expression): Expression {
    const place = at(node);
    switch (node.$type) {
      case "NumberLiteral":
        return number(node);
      case "BooleanLiteral":
        return { kind: "boolean", value: node.value === "true", place };
      case "StringLiteral":
        return { kind: "string", value: node.value, place };
      case "Reference":
        return reference(node);
      case "Call":
        return call(node);
      case "Unary":
        return { kind: "unary", operator: node.operator, operand: expression(node.operand), place };
      case "Binary":
        return {
          kind: "binary",
          operator: node.operator,
          left: expression(node.left),
          right: expression(node.right),
          place,
        };
      case "Conditional":
        return makeConditional(
          expression(node.condition),
          expression(node.whenTrue),
          expression(node.whenFalse),
          place,
        );
    }
  }

  const declaration = (node: ast.Declaration | ast.Variable): Omit<Declaration, "place"> => ({
    name: readName(node.name),
    ...(node.type === undefined ? {} : { type: node.type }),
    value: expression(node.value),
  });

  function statement(node: ast.Statement): Statement {
    const place = at(node);
    switch (node.$type) {
      case "Assignment":
        return {
          kind: "assign",
          target: reference(node.target),
          value: expression(node.value),
          place,
        };
      case "Variable":
        return { kind: "var", ...declaration(node), place };
      case "If":
        return makeIf(
          expression(node.condition),
          statements(node.body.statements),
          node.otherwiseIf === undefined
            ? statements(node.otherwise?.statements ?? [])
            : [statement(node.otherwiseIf)],
          place,
        );
      case "For":
        return {
          kind: "for",
          variable: readName(node.variable),
          from: expression(node.from),
          to: expression(node.to),
          body: statements(node.body.statements),
          place,
        };
      case "While":
        return {
          kind: "while",
          condition: expression(node.condition),
          body: statements(node.body.statements),
          place,
        };
      case "Break":
        return { kind: "break", place };
      case "Return":
        return { kind: "return", value: expression(node.value), place };
      case "CallStatement":
        return { kind: "call", call: call(node.call), place };
    }
  }

  const statements = (nodes: readonly ast.Statement[]): Statement[] => nodes.map(statement);

  return { declaration, expression, statements };
}
