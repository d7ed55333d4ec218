/**
 * Text of a formula → expression: + - * / ^, parentheses, numbers, names and the functions of
 * model/expression.ts.
 *
 * Why not the expressions of adaptations: those belong to a language of rules with types and a file
 * of their own; a formula in a YAML value is one line over reals, and its reader should not load a
 * grammar. `-a^2` is -(a²), `a^b^c` is a^(b^c), as on paper.
 */
import { nearest } from "../../base/nearest.ts";
import {
  type Expression,
  FORMULA_FUNCTIONS,
  type FormulaFunction,
  type Operator,
  termsOf,
} from "../../model/expression.ts";
import { attempt, type FormulaMistake, LineReader } from "./line-reader.ts";

export type ParsedFormula =
  | { readonly expression: Expression }
  | { readonly mistake: FormulaMistake };

/**
 * Reads `text`; a name that is not among the `known` is a mistake, and the nearest of them the fix.
 */
export function parseExpression(text: string, known: readonly string[]): ParsedFormula {
  return attempt(() => ({ expression: new Parser(text, known).formula() }));
}

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|(.))/uy;
/** Deeper formulas are a mistake of a program, not of a person. */
const DEPTH_LIMIT = 200;

/**
 * The derivative of min or max contains those of its arguments twice, so it doubles with every
 * level.
 */
const CHOICE_LIMIT = 12;

/**
 * How deep walks of `expression` recurse (a sum is one level, however long), and how deep min and
 * max are nested.
 */
function measure(expression: Expression): { readonly depth: number; readonly choices: number } {
  let [depth, choices] = [0, 0];
  const open = [{ part: expression, level: 1, nested: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, level, nested } = next;
    depth = Math.max(depth, level);
    choices = Math.max(choices, nested);
    const { first, terms } = termsOf(part);
    const visit = (inner: Expression, deeper = nested): void =>
      void open.push({ part: inner, level: level + 1, nested: deeper });
    for (const { of } of terms) visit(of);
    if (terms.length > 0) visit(first);
    else if (part.kind === "negate") visit(part.of);
    else if (part.kind === "operation") {
      visit(part.left);
      visit(part.right);
    } else if (part.kind === "call") {
      const isChoice = part.function === "min" || part.function === "max";
      for (const of of part.of) visit(of, isChoice ? nested + 1 : nested);
    }
  }
  return { depth, choices };
}

class Parser extends LineReader {
  private readonly known: readonly string[];
  private depth = 0;

  constructor(text: string, known: readonly string[]) {
    super(text, TOKEN);
    this.known = known;
  }

  formula(): Expression {
    const expression = this.sum();
    if (!this.hasEnded) throw this.unexpected("an operator");
    const { depth, choices } = measure(expression);
    if (depth > DEPTH_LIMIT)
      throw this.mistake(
        `the formula is nested too deeply, or has a product of more than ${DEPTH_LIMIT} factors`,
        "simplify it",
        0,
      );
    if (choices > CHOICE_LIMIT)
      throw this.mistake(`min and max are nested more than ${CHOICE_LIMIT} deep`, "simplify it", 0);
    return expression;
  }

  private sum(): Expression {
    if (++this.depth > DEPTH_LIMIT)
      throw this.mistake("the formula is nested too deeply", "simplify it");
    let left = this.product();
    while (this.symbol === "+" || this.symbol === "-")
      left = this.operation(left, () => this.product());
    this.depth--;
    return left;
  }

  private product(): Expression {
    let left = this.signed();
    while (this.symbol === "*" || this.symbol === "/")
      left = this.operation(left, () => this.signed());
    return left;
  }

  private operation(left: Expression, operand: () => Expression): Expression {
    const operator = this.symbol as Operator;
    this.read();
    return { kind: "operation", operator, left, right: operand() };
  }

  private signed(): Expression {
    if (++this.depth > DEPTH_LIMIT)
      throw this.mistake("the formula is nested too deeply", "simplify it");
    const { symbol } = this;
    let found: Expression;
    if (symbol === "-" || symbol === "+") {
      this.read();
      const of = this.signed();
      found = symbol === "-" ? { kind: "negate", of } : of;
    } else found = this.power();
    this.depth--;
    return found;
  }

  private power(): Expression {
    const base = this.operand();
    return this.symbol === "^" ? this.operation(base, () => this.signed()) : base;
  }

  private operand(): Expression {
    if (this.number !== "") {
      const value = Number(this.number);
      this.read();
      return { kind: "number", value };
    }
    if (this.name !== "") return this.named();
    if (this.symbol !== "(") throw this.unexpected("a number, a name or '('");
    this.read();
    const inner = this.sum();
    this.expect(")");
    return inner;
  }

  private named(): Expression {
    const { name, start } = this;
    this.read();
    if (this.symbol === "(") return this.call(name, start);
    if (this.known.includes(name)) return { kind: "name", name };
    const near = nearest(name, this.known);
    const fix =
      near === undefined ? `known are ${this.known.join(", ")}` : `did you mean '${near}'?`;
    throw this.mistake(`'${name}' is neither a state nor a parameter`, fix, start);
  }

  private call(name: string, start: number): Expression {
    if (!Object.hasOwn(FORMULA_FUNCTIONS, name)) {
      const names = Object.keys(FORMULA_FUNCTIONS);
      const near = nearest(name, names);
      const fix = near === undefined ? `there are ${names.join(", ")}` : `did you mean '${near}'?`;
      throw this.mistake(`there is no function '${name}'`, fix, start);
    }
    const callee = name as FormulaFunction;
    const of: Expression[] = [];
    do {
      this.read();
      of.push(this.sum());
    } while (this.symbol === ",");
    this.expect(")");
    const wanted = FORMULA_FUNCTIONS[callee];
    if (of.length !== wanted) {
      const example = `${callee}(${wanted === 1 ? "x" : "x, y"})`;
      throw this.mistake(`'${callee}' has ${of.length} arguments`, `write ${example}`, start);
    }
    return { kind: "call", function: callee, of };
  }

  protected misplaced(found: string, wanted: string): Omit<FormulaMistake, "at"> {
    const message = `the formula ${found} where ${wanted} should be`;
    const fix =
      this.symbol === "*" ? "powers are written with ^: x^2" : "correct the formula there";
    return { message, fix };
  }
}
