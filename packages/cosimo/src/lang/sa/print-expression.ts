/**
 * Expressions as text, with the brackets that they need and no others.
 */
import type { BinaryOperator, Expression } from "../../model/adaptation/data.ts";
import { printName } from "./names.ts";

/**
 * How tightly an expression binds; an operand that binds less tightly than its place requires gets
 * brackets.
 */
const LEVEL = { conditional: 0, or: 1, and: 2, not: 3, comparison: 4, sum: 5, product: 6, sign: 7 };
const PRIMARY = 8;

const OPERATOR_LEVEL: Readonly<Record<BinaryOperator, number>> = {
  or: LEVEL.or,
  and: LEVEL.and,
  "<": LEVEL.comparison,
  "<=": LEVEL.comparison,
  ">": LEVEL.comparison,
  ">=": LEVEL.comparison,
  "==": LEVEL.comparison,
  "!=": LEVEL.comparison,
  "+": LEVEL.sum,
  "-": LEVEL.sum,
  "*": LEVEL.product,
  "/": LEVEL.product,
  "%": LEVEL.product,
};

/** @param least how tightly the place binds: `SUM` for the bounds of a loop. */
export function printExpression(expression: Expression, least = 0): string {
  const text = bare(expression);
  return levelOf(expression) < least ? `(${text})` : text;
}

export const SUM: number = LEVEL.sum;

function levelOf(e: Expression): number {
  switch (e.kind) {
    case "conditional":
      return LEVEL.conditional;
    case "binary":
      return OPERATOR_LEVEL[e.operator];
    case "unary":
      return e.operator === "not" ? LEVEL.not : LEVEL.sign;
    default:
      return PRIMARY;
  }
}

function bare(e: Expression): string {
  switch (e.kind) {
    case "number":
      return e.text ?? String(e.value);
    case "boolean":
      return String(e.value);
    case "string":
      return printString(e.value);
    case "reference":
      return e.unit === undefined ? printName(e.name) : `${printName(e.unit)}.${printName(e.name)}`;
    case "call":
      return `${printName(e.callee)}(${e.arguments.map((one) => printExpression(one)).join(", ")})`;
    case "unary":
      if (e.operator === "not") return `not ${printExpression(e.operand, LEVEL.not)}`;
      // '-(-x)', because '--x' reads like something else.
      return `-${printExpression(e.operand, e.operand.kind === "unary" ? PRIMARY : LEVEL.sign)}`;
    case "binary":
      return `${leftOf(e)} ${e.operator} ${rightOf(e)}`;
    case "conditional": {
      const condition = printExpression(e.condition, LEVEL.or);
      return `${condition} ? ${printExpression(e.then)} : ${printExpression(e.otherwise)}`;
    }
  }
}

type Binary = Extract<Expression, { readonly kind: "binary" }>;

/** Operators group to the left, except comparisons, which do not chain at all. */
function leftOf(e: Binary): string {
  const level = OPERATOR_LEVEL[e.operator];
  return printExpression(e.left, level === LEVEL.comparison ? LEVEL.sum : level);
}

function rightOf(e: Binary): string {
  return printExpression(e.right, OPERATOR_LEVEL[e.operator] + 1);
}

/**
 * The operands of a long `a or b or c`, each with the operator in front of it; one part where there
 * is nothing to break.
 */
export function breakExpression(e: Expression): string[] {
  if (e.kind !== "binary" || OPERATOR_LEVEL[e.operator] === LEVEL.comparison)
    return [printExpression(e)];
  const left =
    e.left.kind === "binary" && e.left.operator === e.operator
      ? breakExpression(e.left)
      : [leftOf(e)];
  return [...left, `${e.operator} ${rightOf(e)}`];
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  '"': '\\"',
  "\\": "\\\\",
};

export function printString(text: string): string {
  return `"${text.replace(/[\n\r\t"\\]/g, (sign) => ESCAPES[sign] ?? sign)}"`;
}
