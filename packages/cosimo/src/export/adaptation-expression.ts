/**
 * Expressions of adaptations as C, with the meaning that adapt/compile-expression.ts and
 * model/adaptation/functions.ts give them.
 *
 * Two things make this more than printing. C has truth values (int) and numbers (double), the
 * language has one kind of number with 0 and 1 in it. And C leaves open which operand comes first,
 * which matters as soon as one of them steps an inner unit: such calls become statements of their
 * own in front of the expression, in the order of the text.
 */
import { AdaptationError } from "../adapt/adaptation-error.ts";
import type {
  BinaryOperator,
  CallExpression,
  Expression,
  Reference,
  SaType,
} from "../model/adaptation/data.ts";
import { SA_FUNCTIONS, wrongCount } from "../model/adaptation/functions.ts";
import { eachExpression } from "../model/adaptation/walk.ts";
import { cNumber, cString } from "./c-unit.ts";

/**
 * How tightly C binds; an operand that binds less tightly than its place asks for gets brackets.
 */
const LEVEL = {
  conditional: 1,
  or: 2,
  and: 3,
  equality: 4,
  relation: 5,
  sum: 6,
  product: 7,
  unary: 8,
  primary: 9,
} as const;

export interface CExpression {
  readonly text: string;
  readonly level: number;
  /** `truth`: an int that is 0 or 1. */
  readonly kind: "number" | "truth" | "text";
  /** The name that it is, where it is nothing else. */
  readonly cell?: SaType;
  readonly isConstant?: boolean;
}

/** What an expression needs of the place where it stands. */
export interface ExpressionScope {
  /** A field or a local; throws where the name means nothing. */
  name(reference: Reference): CExpression;
  /**
   * The constant of C that stands for the inner unit which is the call's first argument; throws
   * where it is none.
   */
  innerUnit(call: CallExpression): string;
  /** The derivative of an own input that a call reads. */
  ownDerivative(call: CallExpression, order: 1 | 2): string;
  /** Writes a statement in front of the one that the expression belongs to. */
  before(line: string): void;
  /** Statements written by `write` go inside `head { … }`; "else" belongs to the one before. */
  inside(head: string, write: () => void): void;
  /** A fresh local of C. */
  fresh(like: string): string;
}

/**
 * What the results of calls that do something with inner units are called. They hand out a number
 * through a pointer.
 */
const RESULTS: Readonly<Record<string, string>> = {
  do_step: "came",
  get_next_time_step: "next",
  last_execution_time: "last",
};

export function isService(expression: Expression): expression is CallExpression {
  return expression.kind === "call" && SA_FUNCTIONS.get(expression.callee)?.ofUnit === true;
}

export function callsService(expression: Expression): boolean {
  let found = false;
  eachExpression(expression, (part) => {
    found ||= isService(part);
  });
  return found;
}

export function printExpression(expression: Expression, scope: ExpressionScope): CExpression {
  switch (expression.kind) {
    case "number":
      return constant(cNumber(expression.value), "number");
    case "boolean":
      return constant(String(expression.value), "truth");
    case "string":
      return constant(cString(expression.value), "text");
    case "reference":
      return scope.name(expression);
    case "call":
      return isService(expression) ? printService(expression, scope) : printCall(expression, scope);
    case "unary":
      return printUnary(expression, scope);
    case "binary":
      return printBinary(expression, scope);
    case "conditional":
      return printConditional(expression, scope);
  }
}

/** As a double. */
export function asNumber(value: CExpression, { place }: Expression): CExpression {
  if (value.kind === "text")
    throw new AdaptationError("a text stands where a number is needed", place);
  if (value.kind === "number") return value;
  if (value.text === "true") return constant("1.0", "number");
  if (value.text === "false") return constant("0.0", "number");
  return { text: `(double)(${value.text})`, level: LEVEL.unary, kind: "number" };
}

/** As a condition. */
export function asTruth(value: CExpression, expression: Expression): CExpression {
  if (value.kind === "truth") return value;
  const number = asNumber(value, expression);
  return { text: `${at(number, LEVEL.relation)} != 0`, level: LEVEL.equality, kind: "truth" };
}

export function printNumber(expression: Expression, scope: ExpressionScope): string {
  return asNumber(printExpression(expression, scope), expression).text;
}

export function printTruth(expression: Expression, scope: ExpressionScope): string {
  return asTruth(printExpression(expression, scope), expression).text;
}

/**
 * A call for inner units, as a statement in front.
 * @param into where its result goes, asked when its arguments are printed; a fresh local unless
 * given.
 */
export function printService(
  call: CallExpression,
  scope: ExpressionScope,
  into?: () => string,
): CExpression {
  const { callee, arguments: given } = call;
  const unit = scope.innerUnit(call);
  const wrong = wrongCount(callee, given.length);
  if (wrong !== undefined) throw new AdaptationError(wrong, call.place);
  const values = printOperands(given.slice(1), scope).map(({ text }) => text);
  const result = RESULTS[callee];
  if (result === undefined) {
    scope.before(`UNIT_TRY(${callee}(a, ${unit}));`);
    return constant("0.0", "number");
  }
  const target = into?.() ?? scope.fresh(result);
  if (into === undefined) scope.before(`double ${target} = 0.0;`);
  scope.before(`UNIT_TRY(${callee}(${["a", unit, ...values, `&${target}`].join(", ")}));`);
  return { text: target, level: LEVEL.primary, kind: "number" };
}

/** The same for its effect alone. */
export function printServiceStatement(call: CallExpression, scope: ExpressionScope): void {
  if (RESULTS[call.callee] === undefined) printService(call, scope);
  else {
    const unit = scope.innerUnit(call);
    const values = printOperands(call.arguments.slice(1), scope).map(({ text }) => text);
    scope.before(`UNIT_TRY(${call.callee}(${["a", unit, ...values, "NULL"].join(", ")}));`);
  }
}

/**
 * Numbers in the order of the text: what comes before a call that changes something is kept first.
 */
function printOperands(
  expressions: readonly Expression[],
  scope: ExpressionScope,
): readonly CExpression[] {
  const last = expressions.findLastIndex(callsService);
  return expressions.map((expression, k) => {
    const value = asNumber(printExpression(expression, scope), expression);
    return k < last ? kept(value, scope) : value;
  });
}

function kept(value: CExpression, scope: ExpressionScope): CExpression {
  if (value.isConstant === true) return value;
  const local = scope.fresh("kept");
  scope.before(`const double ${local} = ${value.text};`);
  return { text: local, level: LEVEL.primary, kind: "number" };
}

/** Names of C that rules use: locals must be called otherwise. */
export const C_FUNCTIONS: readonly string[] = [...SA_FUNCTIONS.values()].flatMap(
  ({ c }) => c ?? [],
);

function printCall(call: CallExpression, scope: ExpressionScope): CExpression {
  const { callee, place } = call;
  const known = SA_FUNCTIONS.get(callee);
  if (known?.ofOwnInput !== undefined)
    return {
      text: scope.ownDerivative(call, known.ofOwnInput),
      level: LEVEL.primary,
      kind: "number",
    };
  if (known?.c === undefined)
    throw new AdaptationError(`'${callee}' is not a function that can be called here`, place);
  const { c, least, most, defaults = [], result } = known;
  const values = printOperands(call.arguments, scope).map(({ text }) => text);
  const wrong = wrongCount(callee, values.length);
  if (wrong !== undefined) throw new AdaptationError(wrong, place);
  const text = Number.isFinite(most)
    ? `${c}(${[...values, ...defaults.slice(values.length - least)].join(", ")})`
    : values.reduce((first, value) => `${c}(${first}, ${value})`);
  return { text, level: LEVEL.primary, kind: result === "boolean" ? "truth" : "number" };
}

function printUnary(
  { operator, operand }: Extract<Expression, { kind: "unary" }>,
  scope: ExpressionScope,
): CExpression {
  const value = printExpression(operand, scope);
  if (operator === "-") {
    const text = at(asNumber(value, operand), LEVEL.unary);
    // '--x' would be something else.
    const minus = text.startsWith("-") ? `-(${text})` : `-${text}`;
    return { text: minus, level: LEVEL.unary, kind: "number" };
  }
  if (value.kind === "truth")
    return { text: `!${at(value, LEVEL.primary)}`, level: LEVEL.unary, kind: "truth" };
  const number = asNumber(value, operand);
  return { text: `${at(number, LEVEL.relation)} == 0`, level: LEVEL.equality, kind: "truth" };
}

const ARITHMETIC: Readonly<Partial<Record<BinaryOperator, number>>> = {
  "+": LEVEL.sum,
  "-": LEVEL.sum,
  "*": LEVEL.product,
  "/": LEVEL.product,
};
const COMPARISON: Readonly<Partial<Record<BinaryOperator, number>>> = {
  "<": LEVEL.relation,
  "<=": LEVEL.relation,
  ">": LEVEL.relation,
  ">=": LEVEL.relation,
  "==": LEVEL.equality,
  "!=": LEVEL.equality,
};

function printBinary(
  expression: Extract<Expression, { kind: "binary" }>,
  scope: ExpressionScope,
): CExpression {
  const { operator, left, right, place } = expression;
  if (operator === "and" || operator === "or") return printLogic(operator, left, right, scope);
  const texts = comparedTexts(expression, scope);
  if (texts !== undefined) {
    if (operator !== "==" && operator !== "!=")
      throw new AdaptationError(
        `texts can be compared with == and !=, not with '${operator}'`,
        place,
      );
    return {
      text: `strcmp(${texts.join(", ")}) ${operator} 0`,
      level: LEVEL.equality,
      kind: "truth",
    };
  }
  const [a, b] = printOperands([left, right], scope) as [CExpression, CExpression];
  const arithmetic = ARITHMETIC[operator];
  if (arithmetic !== undefined)
    return {
      text: `${at(a, arithmetic)} ${operator} ${at(b, arithmetic + 1)}`,
      level: arithmetic,
      kind: "number",
    };
  if (operator === "%")
    return { text: `fmod(${a.text}, ${b.text})`, level: LEVEL.primary, kind: "number" };
  return {
    text: `${at(a, LEVEL.sum)} ${operator} ${at(b, LEVEL.sum)}`,
    level: COMPARISON[operator]!,
    kind: "truth",
  };
}

/** Both sides where they are texts; a number is never one, so these call nothing. */
function comparedTexts(
  { left, right }: Extract<Expression, { kind: "binary" }>,
  scope: ExpressionScope,
): readonly [string, string] | undefined {
  if (callsService(left) || callsService(right)) return undefined;
  const [a, b] = [printExpression(left, scope), printExpression(right, scope)];
  return a.kind === "text" && b.kind === "text" ? [a.text, b.text] : undefined;
}

function printLogic(
  operator: "and" | "or",
  left: Expression,
  right: Expression,
  scope: ExpressionScope,
): CExpression {
  const first = asTruth(printExpression(left, scope), left);
  if (callsService(right)) {
    const result = scope.fresh("holds");
    scope.before(`bool ${result} = ${first.text};`);
    scope.inside(`if (${operator === "and" ? result : `!${result}`})`, () => {
      scope.before(`${result} = ${printTruth(right, scope)};`);
    });
    return { text: result, level: LEVEL.primary, kind: "truth" };
  }
  const second = asTruth(printExpression(right, scope), right);
  const level = operator === "and" ? LEVEL.and : LEVEL.or;
  // Compilers want brackets around 'and' inside 'or', for the sake of readers.
  const least = (one: CExpression): number => (one.level === level ? level : LEVEL.equality);
  const sign = operator === "and" ? "&&" : "||";
  return {
    text: `${at(first, least(first))} ${sign} ${at(second, LEVEL.equality)}`,
    level,
    kind: "truth",
  };
}

function printConditional(
  { condition, then, otherwise }: Extract<Expression, { kind: "conditional" }>,
  scope: ExpressionScope,
): CExpression {
  const holds = asTruth(printExpression(condition, scope), condition);
  if (callsService(then) || callsService(otherwise)) {
    const result = scope.fresh("chosen");
    scope.before(`double ${result} = 0.0;`);
    scope.inside(`if (${holds.text})`, () => {
      scope.before(`${result} = ${printNumber(then, scope)};`);
    });
    scope.inside("else", () => {
      scope.before(`${result} = ${printNumber(otherwise, scope)};`);
    });
    return { text: result, level: LEVEL.primary, kind: "number" };
  }
  let a = printExpression(then, scope);
  let b = printExpression(otherwise, scope);
  const areTexts = a.kind === "text" && b.kind === "text";
  if (!areTexts) {
    a = asNumber(a, then);
    b = asNumber(b, otherwise);
  }
  return {
    text: `${at(holds, LEVEL.or)} ? ${at(a, LEVEL.or)} : ${at(b, LEVEL.conditional)}`,
    level: LEVEL.conditional,
    kind: areTexts ? "text" : "number",
  };
}

function constant(text: string, kind: CExpression["kind"]): CExpression {
  return { text, level: LEVEL.primary, kind, isConstant: true };
}

function at({ text, level }: CExpression, least: number): string {
  return level < least ? `(${text})` : text;
}
