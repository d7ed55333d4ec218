/**
 * Formulas as something to compute with: closures over the state, and derivatives by the rules of
 * calculus, so that rates of energies and crossings of surfaces are exact.
 */
import {
  type Expression,
  type FormulaFunction,
  type Operator,
  termsOf,
} from "../model/expression.ts";
import type { ScalarField } from "./hybrid-model.ts";

export type StateFunction = (x: Float64Array) => number;

export interface FormulaScope {
  readonly states: readonly string[];
  readonly parameters: ReadonlyMap<string, number>;
}

const FUNCTIONS: Readonly<Record<FormulaFunction, Binary>> = {
  abs: (a) => Math.abs(a),
  sign: (a) => Math.sign(a),
  sqrt: (a) => Math.sqrt(a),
  exp: (a) => Math.exp(a),
  log: (a) => Math.log(a),
  sin: (a) => Math.sin(a),
  cos: (a) => Math.cos(a),
  tan: (a) => Math.tan(a),
  atan: (a) => Math.atan(a),
  tanh: (a) => Math.tanh(a),
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
};

/**
 * The formula as a function of the state. Names are known: the reader of the text has checked them.
 */
export function compileFormula(expression: Expression, scope: FormulaScope): StateFunction {
  const folded = fold(expression, scope);
  return typeof folded === "number" ? () => folded : folded;
}

/**
 * Parts without states become numbers: a field is evaluated millions of times, its parameters once.
 */
function fold(expression: Expression, scope: FormulaScope): StateFunction | number {
  switch (expression.kind) {
    case "number":
      return expression.value;
    case "name": {
      const state = scope.states.indexOf(expression.name);
      if (state >= 0) return (x) => x[state];
      const value = scope.parameters.get(expression.name);
      if (value === undefined) throw new Error(`internal: unknown name '${expression.name}'`);
      return value;
    }
    case "negate": {
      const of = fold(expression.of, scope);
      return typeof of === "number" ? -of : (x) => -of(x);
    }
    case "operation": {
      const { operator } = expression;
      if (operator === "+" || operator === "-") return foldSum(expression, scope);
      return apply(
        OPERATIONS[operator],
        fold(expression.left, scope),
        fold(expression.right, scope),
      );
    }
    case "call": {
      const [first, second = 0] = expression.of.map((one) => fold(one, scope));
      return apply(FUNCTIONS[expression.function], first!, second);
    }
  }
}

/**
 * From the left, as it is written; a long sum is a loop, because closures inside closures would be
 * as deep as it is long.
 */
function foldSum(expression: Expression, scope: FormulaScope): StateFunction | number {
  const { first, terms } = termsOf(expression);
  const folded = terms.map(({ sign, of }) => ({ f: OPERATIONS[sign], of: fold(of, scope) }));
  let sum = fold(first, scope);
  if (folded.length <= SHORT_SUM) {
    for (const { f, of } of folded) sum = apply(f, sum, of);
    return sum;
  }
  if (typeof sum === "number" && folded.every(({ of }) => typeof of === "number"))
    return folded.reduce((a, { f, of }) => f(a, of as number), sum);
  const begin = typeof sum === "number" ? () => sum as number : sum;
  const functions = folded.map(({ of }) => (typeof of === "number" ? () => of : of));
  return (x) => {
    let value = begin(x);
    for (let i = 0; i < functions.length; i++) value = folded[i].f(value, functions[i](x));
    return value;
  };
}

const SHORT_SUM = 16;

type Binary = (a: number, b: number) => number;

const OPERATIONS: Readonly<Record<Operator, Binary>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "^": (a, b) => (b === 2 ? a * a : a ** b),
};

function apply(
  f: Binary,
  left: StateFunction | number,
  right: StateFunction | number,
): StateFunction | number {
  if (typeof left === "number") {
    return typeof right === "number" ? f(left, right) : (x) => f(left, right(x));
  }
  return typeof right === "number" ? (x) => f(left(x), right) : (x) => f(left(x), right(x));
}

/** Value and gradient of a formula. */
export function formulaField(expression: Expression, scope: FormulaScope): ScalarField {
  const value = compileFormula(expression, scope);
  const slopes = scope.states.map((state) => compileFormula(derivative(expression, state), scope));
  return {
    value,
    gradient(x, out) {
      for (let i = 0; i < slopes.length; i++) out[i] = slopes[i](x);
    },
  };
}

interface Operation<Kind extends Operator> {
  readonly operator: Kind;
  readonly left: Expression;
  readonly right: Expression;
}

const ZERO: Expression = { kind: "number", value: 0 };
const ONE: Expression = { kind: "number", value: 1 };
const TWO: Expression = { kind: "number", value: 2 };

/**
 * ∂expression/∂name, with zeros and ones folded away. At kinks (abs, min, max) the mean of both
 * sides.
 */
function derivative(expression: Expression, name: string): Expression {
  switch (expression.kind) {
    case "number":
      return ZERO;
    case "name":
      return expression.name === name ? ONE : ZERO;
    case "negate":
      return negate(derivative(expression.of, name));
    case "operation": {
      const { operator, left, right } = expression;
      if (operator === "+" || operator === "-") return sumDerivative(expression, name);
      return operationDerivative({ operator, left, right }, name);
    }
    case "call":
      return callDerivative(expression, name);
  }
}

function sumDerivative(sum: Expression, name: string): Expression {
  const { first, terms } = termsOf(sum);
  let whole = derivative(first, name);
  for (const { sign, of } of terms) {
    const part = derivative(of, name);
    whole = add(whole, sign === "+" ? part : negate(part));
  }
  return whole;
}

function operationDerivative(
  { operator, left, right }: Operation<"*" | "/" | "^">,
  name: string,
): Expression {
  const dLeft = derivative(left, name);
  const dRight = derivative(right, name);
  switch (operator) {
    case "*":
      return add(times(dLeft, right), times(left, dRight));
    case "/":
      return add(over(dLeft, right), negate(over(times(left, dRight), power(right, TWO))));
    case "^": {
      const byBase = times(times(right, power(left, add(right, negate(ONE)))), dLeft);
      const byExponent = times(times(power(left, right), call("log", left)), dRight);
      return add(byBase, byExponent);
    }
  }
}

function callDerivative(
  { function: callee, of }: Extract<Expression, { kind: "call" }>,
  name: string,
): Expression {
  const u = of[0];
  const du = derivative(u, name);
  switch (callee) {
    case "abs":
      return times(call("sign", u), du);
    case "sign":
      return ZERO;
    case "sqrt":
      return over(du, times(TWO, call("sqrt", u)));
    case "exp":
      return times(call("exp", u), du);
    case "log":
      return over(du, u);
    case "sin":
      return times(call("cos", u), du);
    case "cos":
      return negate(times(call("sin", u), du));
    case "tan":
      return over(du, power(call("cos", u), TWO));
    case "atan":
      return over(du, add(ONE, power(u, TWO)));
    case "tanh":
      return times(add(ONE, negate(power(call("tanh", u), TWO))), du);
    case "min":
    case "max": {
      const v = of[1];
      const dv = derivative(v, name);
      const side = call("sign", callee === "max" ? add(u, negate(v)) : add(v, negate(u)));
      const mean = over(add(du, dv), TWO);
      return add(mean, times(side, over(add(du, negate(dv)), TWO)));
    }
  }
}

function call(callee: FormulaFunction, of: Expression): Expression {
  return { kind: "call", function: callee, of: [of] };
}

function isNumber(expression: Expression, value: number): boolean {
  return expression.kind === "number" && expression.value === value;
}

function operation(operator: Operator, left: Expression, right: Expression): Expression {
  return { kind: "operation", operator, left, right };
}

function negate(of: Expression): Expression {
  if (of.kind === "number") return { kind: "number", value: of.value === 0 ? 0 : -of.value };
  return { kind: "negate", of };
}

function add(left: Expression, right: Expression): Expression {
  if (isNumber(left, 0)) return right;
  if (isNumber(right, 0)) return left;
  if (left.kind === "number" && right.kind === "number")
    return { kind: "number", value: left.value + right.value };
  return operation("+", left, right);
}

function times(left: Expression, right: Expression): Expression {
  if (isNumber(left, 0) || isNumber(right, 0)) return ZERO;
  if (isNumber(left, 1)) return right;
  return isNumber(right, 1) ? left : operation("*", left, right);
}

function over(left: Expression, right: Expression): Expression {
  return isNumber(left, 0) ? ZERO : operation("/", left, right);
}

function power(left: Expression, right: Expression): Expression {
  if (isNumber(right, 0)) return ONE;
  return isNumber(right, 1) ? left : operation("^", left, right);
}
