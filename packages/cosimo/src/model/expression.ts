/**
 * Formulas in descriptions (`c/m*(r - x) - g`), as plain data: what the text says, not how it is
 * computed.
 */
export type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "negate"; readonly of: Expression }
  | {
      readonly kind: "operation";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "call";
      readonly function: FormulaFunction;
      readonly of: readonly Expression[];
    };

export type Operator = "+" | "-" | "*" | "/" | "^";

/** One term of a sum, with its sign. */
export interface Term {
  readonly sign: "+" | "-";
  readonly of: Expression;
}

/**
 * A sum as written, `a + b - c`, as its first operand and the terms after it. Sums associate from
 * the left, so their tree is as deep as the sum is long: code that traverses expressions takes sums
 * term by term and recurses into the terms, whose depth the parser of formulas bounds.
 */
export function termsOf(expression: Expression): {
  readonly first: Expression;
  readonly terms: readonly Term[];
} {
  const terms: Term[] = [];
  let first = expression;
  while (first.kind === "operation" && (first.operator === "+" || first.operator === "-")) {
    terms.push({ sign: first.operator, of: first.right });
    first = first.left;
  }
  return { first, terms: terms.reverse() };
}

/** How many arguments each function takes. */
export const FORMULA_FUNCTIONS = {
  abs: 1,
  sign: 1,
  sqrt: 1,
  exp: 1,
  log: 1,
  sin: 1,
  cos: 1,
  tan: 1,
  atan: 1,
  tanh: 1,
  min: 2,
  max: 2,
} as const;

export type FormulaFunction = keyof typeof FORMULA_FUNCTIONS;
