/**
 * Formulas that people write in descriptions (`c/m*(r - x) - g`), as plain data: what the text says, nothing about how it is computed.
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
