/**
 * Which statements of a block can happen, and how it ends: conditions that are constant decide, all
 * others may go either way.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Expression, Statement } from "../../model/adaptation/data.ts";
import { report } from "./diagnostics.ts";
import { steppedBy } from "./rewrite.ts";

export interface Flow {
  /** The end of the block can be reached. */
  readonly falls: boolean;
  /** A `break` can leave it. */
  readonly breaks: boolean;
  /** Units that are stepped by something that can happen. */
  readonly stepped: ReadonlySet<string>;
}

/**
 * The value of an expression that literals alone decide. Parameters can be set, so they decide
 * nothing.
 */
export function constantOf(e: Expression): number | boolean | string | undefined {
  switch (e.kind) {
    case "number":
    case "boolean":
    case "string":
      return e.value;
    case "unary": {
      const value = constantOf(e.operand);
      if (e.operator === "not") return typeof value === "boolean" ? !value : undefined;
      return typeof value === "number" ? -value : undefined;
    }
    case "binary":
      return constantBinary(e);
    case "conditional": {
      const condition = constantOf(e.condition);
      if (typeof condition !== "boolean") return undefined;
      return constantOf(condition ? e.then : e.otherwise);
    }
    default:
      return undefined;
  }
}

function constantBinary(
  e: Extract<Expression, { readonly kind: "binary" }>,
): number | boolean | undefined {
  const left = constantOf(e.left);
  const right = constantOf(e.right);
  if (e.operator === "and" && (left === false || right === false)) return false;
  if (e.operator === "or" && (left === true || right === true)) return true;
  if (left === undefined || right === undefined || typeof left !== typeof right) return undefined;
  switch (e.operator) {
    case "and":
      return left === true && right === true;
    case "or":
      return left === true || right === true;
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    default:
      return typeof left === "number" && typeof right === "number"
        ? constantNumbers(e.operator, left, right)
        : undefined;
  }
}

function constantNumbers(operator: string, a: number, b: number): number | boolean | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    default:
      return undefined;
  }
}

/** @param inLoop whether `break` means something here. */
export function flowOf(
  statements: readonly Statement[],
  inLoop: boolean,
  diagnostics: Diagnostic[],
): Flow {
  const stepped = new Set<string>();
  let breaks = false;
  let falls = true;
  for (const s of statements) {
    if (!falls) {
      diagnostics.push(report("sa-unreachable", {}, s.place));
      break;
    }
    for (const unit of steppedBy(s)) stepped.add(unit);
    if (s.kind === "return") falls = false;
    if (s.kind === "break") {
      if (!inLoop) diagnostics.push(report("sa-break", {}, s.place));
      breaks = inLoop;
      falls = !inLoop;
    }
    for (const inner of innerFlows(s, inLoop, diagnostics)) {
      for (const unit of inner.stepped) stepped.add(unit);
      breaks ||= inner.breaks;
      falls = inner.falls;
    }
  }
  return { falls, breaks, stepped };
}

/** How the blocks inside a statement end, taken together: none or one flow. */
function innerFlows(s: Statement, inLoop: boolean, diagnostics: Diagnostic[]): Flow[] {
  switch (s.kind) {
    case "if": {
      const condition = constantOf(s.condition);
      const then = flowOf(s.then, inLoop, diagnostics);
      const otherwise = flowOf(s.otherwise, inLoop, diagnostics);
      const dead =
        condition === true ? s.otherwise[0] : condition === false ? s.then[0] : undefined;
      if (dead !== undefined) diagnostics.push(report("sa-unreachable", {}, dead.place));
      if (condition === true) return [then];
      if (condition === false) return [otherwise];
      return [
        {
          falls: then.falls || otherwise.falls,
          breaks: then.breaks || otherwise.breaks,
          stepped: new Set([...then.stepped, ...otherwise.stepped]),
        },
      ];
    }
    case "for": {
      const { stepped } = flowOf(s.body, true, diagnostics);
      return [{ falls: true, breaks: false, stepped }];
    }
    case "while": {
      const condition = constantOf(s.condition);
      const body = flowOf(s.body, true, diagnostics);
      if (condition === false) {
        if (s.body[0]) diagnostics.push(report("sa-unreachable", {}, s.body[0].place));
        return [];
      }
      return [{ falls: condition !== true || body.breaks, breaks: false, stepped: body.stepped }];
    }
    default:
      return [];
  }
}
