/**
 * What a connection exchanges where it is not simply a port: `2 * a.x + 1`, `not a.on`, `a.x +
 * b.y`. An affine function of one port stays a connection with factor and offset, the negation of
 * one a connection with `not`; all else becomes a formula.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { Expression } from "../../model/adaptation/data.ts";
import type { ConnectionDraft, FormulaDraft } from "../../model/scenario.ts";
import type { FormulaMistake } from "./line-reader.ts";
import { parseRule } from "./parse-rule.ts";

export type Exchanged = Pick<
  ConnectionDraft,
  "from" | "formula" | "factor" | "offset" | "interaction"
>;

export interface NoExchange {
  readonly why: string;
  readonly fix: string;
}

/** `unit.port[2,1]`; a port's name ends where an operator, a bracket or a space stands. */
const REFERENCE =
  /[\p{L}_][\p{L}\p{N}_]*(?:\.(?:[\p{L}\p{N}_]+|\[[\d,\s:]*\])(?:\[[\d,\s:]*\])*)+/gu;
/** Operators with a space on both sides, or words of logic: nobody names ports so. */
const LOOKS_LIKE_FORMULA = /\s[-+*/<>]=?\s|^\s*not\s|\s(?:and|or)\s/;

/**
 * Reads the source of a connection.
 * @returns undefined where it is one port or anything else that is not a formula; a mistake in a
 * text that is meant as one.
 */
export function parseSource(
  text: string,
  place: Place,
): Exchanged | { readonly mistake: FormulaMistake } | NoExchange | undefined {
  if (!/[-+*/<>()?]|\bnot\b|\band\b|\bor\b/.test(text)) return undefined;
  const terms: string[] = [];
  const named = text.replace(REFERENCE, (term) => {
    if (!terms.includes(term)) terms.push(term);
    return `u${terms.indexOf(term) + 1}`;
  });
  const parsed = parseRule(named, place);
  if ("mistake" in parsed) return LOOKS_LIKE_FORMULA.test(text) ? parsed : undefined;
  const { expression } = parsed;
  if (expression.kind === "reference") return undefined;
  const stray = strayName(expression, terms.length);
  if (stray !== undefined)
    return LOOKS_LIKE_FORMULA.test(text)
      ? { why: `'${stray}' is not a port`, fix: "write unit.port" }
      : undefined;
  return exchangedBy(text, { expression, terms });
}

/** A connection from what an expression over terms says. */
export function exchangedBy(text: string, formula: FormulaDraft): Exchanged | NoExchange {
  const { expression, terms } = formula;
  if (terms.length === 0)
    return {
      why: "a constant is exchanged, which no unit gives",
      fix: "set it as the start value of the input",
    };
  if (partsOf(expression).some(dividesByZero))
    return { why: "something is divided by 0", fix: "divide by another number" };
  const negated = negationsOf(expression);
  if (negated !== undefined) {
    const from = terms[0] as string;
    return negated % 2 === 1 ? { from, interaction: "not" } : { from };
  }
  const affine = affineOf(expression, terms.length);
  if (affine === undefined) return { from: text, formula };
  const used = [...affine.factors.keys()].filter((i) => affine.factors[i] !== 0);
  const [first, ...others] = used;
  if (first === undefined)
    return {
      why: "the ports cancel out, and a constant is exchanged, which no unit gives",
      fix: "set it as the start value of the input",
    };
  if (others.length > 0) return { from: text, formula };
  const { offset } = affine;
  const factor = affine.factors[first] as number;
  const from = terms[first] as string;
  return { from, ...(factor !== 1 && { factor }), ...(offset !== 0 && { offset }) };
}

/** How often `not` stands before a port; undefined where it is something else. */
function negationsOf(e: Expression): number | undefined {
  let count = 0;
  let inner = e;
  for (; inner.kind === "unary" && inner.operator === "not"; inner = inner.operand) count++;
  return inner.kind === "reference" && count > 0 ? count : undefined;
}

interface Affine {
  /** By term. */
  readonly factors: readonly number[];
  readonly offset: number;
}

/** Σ factor · term + offset; undefined where the expression is something else. */
function affineOf(e: Expression, count: number): Affine | undefined {
  const constant = (offset: number): Affine => ({ factors: Array(count).fill(0), offset });
  switch (e.kind) {
    case "number":
      return constant(e.value);
    case "reference": {
      const { factors } = constant(0);
      return { factors: factors.map((_, i) => (`u${i + 1}` === e.name ? 1 : 0)), offset: 0 };
    }
    case "unary": {
      const of = e.operator === "-" ? affineOf(e.operand, count) : undefined;
      return of && scaled(of, -1);
    }
    case "binary": {
      const left = affineOf(e.left, count);
      const right = affineOf(e.right, count);
      if (left === undefined || right === undefined) return undefined;
      const isConstant = ({ factors }: Affine): boolean => factors.every((factor) => factor === 0);
      if (e.operator === "+") return sum(left, right);
      if (e.operator === "-") return sum(left, scaled(right, -1));
      if (e.operator === "*" && isConstant(left)) return scaled(right, left.offset);
      if (e.operator === "*" && isConstant(right)) return scaled(left, right.offset);
      if (e.operator !== "/" || !isConstant(right) || right.offset === 0) return undefined;
      return scaled(left, 1 / right.offset);
    }
    default:
      return undefined;
  }
}

function scaled({ factors, offset }: Affine, by: number): Affine {
  return { factors: factors.map((factor) => factor * by), offset: offset * by };
}

function sum(a: Affine, b: Affine): Affine {
  return {
    factors: a.factors.map((factor, i) => factor + (b.factors[i] ?? 0)),
    offset: a.offset + b.offset,
  };
}

function strayName(e: Expression, terms: number): string | undefined {
  for (const part of partsOf(e)) {
    if (part.kind !== "reference") continue;
    const term = /^u(\d+)$/.exec(part.unit === undefined ? part.name : "");
    if (!(Number(term?.[1]) <= terms)) return part.name;
  }
  return undefined;
}

function dividesByZero(e: Expression): boolean {
  const isDivision = e.kind === "binary" && (e.operator === "/" || e.operator === "%");
  return isDivision && e.right.kind === "number" && e.right.value === 0;
}

/** The expression and all that it consists of. */
function partsOf(e: Expression): readonly Expression[] {
  const parts: Expression[] = [e];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as Expression;
    if (part.kind === "unary") parts.push(part.operand);
    else if (part.kind === "binary") parts.push(part.left, part.right);
    else if (part.kind === "conditional") parts.push(part.condition, part.then, part.otherwise);
    else if (part.kind === "call") parts.push(...part.arguments);
  }
  return parts;
}
