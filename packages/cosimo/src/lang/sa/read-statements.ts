/**
 * Statements and expressions of the syntax tree → those of the model.
 */
import { type AstNode, GrammarUtils } from "langium";
import type { Place } from "../../base/diagnostic.ts";
import type {
  CallExpression,
  Declaration,
  Expression,
  Reference,
  SaType,
  Statement,
} from "../../model/adaptation/data.ts";
import type * as ast from "./ast.ts";
import { makeCall, makeConditional, makeIf } from "./build.ts";
import { FALLS, RISES, UNSET } from "./dialect/draft.ts";
import { readName } from "./names.ts";

/** Types as the dialect writes them. */
export const TYPE_WORDS: Readonly<Record<string, SaType>> = {
  Real: "real",
  Integer: "integer",
  Bool: "boolean",
  Boolean: "boolean",
  String: "string",
};

/** Numbers as our notation writes them; the dialect also has `.5` and `5.`. */
const PLAIN_NUMBER = /^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;

export interface StatementReader {
  readonly reference: (node: ast.Reference) => Reference;
  readonly expression: (node: ast.Expression) => Expression;
  readonly statements: (nodes: readonly ast.Statement[]) => Statement[];
}

/** Mistakes that the grammar lets pass: numbers that no double holds, and '=' in place of ':='. */
export interface Mistakes {
  readonly tooLarge: (text: string, place: Place) => void;
  readonly equals: (place: Place) => void;
}

export function statementReader(
  at: (node: AstNode) => Place,
  mistakes?: Mistakes,
): StatementReader {
  function number(node: ast.NumberLiteral): Expression {
    const value = Number(node.value);
    const place = at(node);
    if (!Number.isFinite(value)) mistakes?.tooLarge(node.value, place);
    return String(value) === node.value || !PLAIN_NUMBER.test(node.value)
      ? { kind: "number", value, place }
      : { kind: "number", value, text: node.value, place };
  }

  const reference = (node: ast.Reference): Reference => ({
    kind: "reference",
    ...(node.unit === undefined ? {} : { unit: readName(node.unit) }),
    // An element of an array is a variable of its own: x[2].
    name: node.index === undefined ? readName(node.name) : `${readName(node.name)}[${node.index}]`,
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
        if (node.operator === RISES || node.operator === FALLS)
          return makeCall(node.operator, [expression(node.left), expression(node.right)], place);
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

  const local = (node: ast.LocalDeclaration | ast.Variable): Omit<Declaration, "place"> => {
    const type = node.type ?? (node.written === undefined ? undefined : TYPE_WORDS[node.written]);
    return {
      name: readName(node.name),
      ...(type === undefined ? {} : { type }),
      value: node.value === undefined ? makeCall(UNSET, [], at(node)) : expression(node.value),
    };
  };

  function statement(node: ast.Statement): Statement {
    const place = at(node);
    switch (node.$type) {
      case "Assignment":
        if (node.equals !== undefined) mistakes?.equals(placeOfProperty(node, "equals", place));
        return {
          kind: "assign",
          target: reference(node.target),
          value: expression(node.value),
          place,
        };
      case "Variable":
        return { kind: "var", ...local(node), place };
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

  const statements = (nodes: readonly ast.Statement[]): Statement[] =>
    nodes.flatMap((node) =>
      node.$type === "Variable" && node.more.length > 0
        ? [statement(node), ...node.more.map(another)]
        : [statement(node)],
    );

  const another = (node: ast.LocalDeclaration): Statement => ({
    kind: "var",
    ...local(node),
    place: at(node),
  });

  return { reference, expression, statements };
}

function placeOfProperty(node: AstNode, property: string, { file }: Place): Place {
  const start = GrammarUtils.findNodeForProperty(node.$cstNode, property)?.range.start;
  return start === undefined
    ? { file }
    : { file, line: start.line + 1, column: start.character + 1 };
}
