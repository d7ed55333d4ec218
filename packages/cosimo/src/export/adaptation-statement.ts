/**
 * Statements of adaptations as C, with the meaning that adapt/compile-statement.ts gives them.
 * Every statement stands under the line of the `.sa` file that it comes from.
 */
import { AdaptationError } from "../adapt/adaptation-error.ts";
import type { Cell } from "../adapt/layout.ts";
import type { BlockKind } from "../adapt/name-scope.ts";
import type { Place } from "../base/diagnostic.ts";
import type {
  CallExpression,
  Expression,
  Reference,
  Rule,
  Statement,
} from "../model/adaptation/data.ts";
import { eachStatement } from "../model/adaptation/walk.ts";
import {
  asNumber,
  asTruth,
  type CExpression,
  callsService,
  type ExpressionScope,
  isService,
  printExpression,
  printNumber,
  printService,
  printServiceStatement,
  printTruth,
} from "./adaptation-expression.ts";
import type { CNames } from "./adaptation-names.ts";
import { cComment } from "./c-unit.ts";

/** Writes the body of one C function that returns a UnitStatus. */
export class FunctionWriter implements ExpressionScope {
  readonly lines: string[] = [];
  private readonly names: CNames;
  private readonly lineOf: (place: Place) => string;
  private readonly isControl: boolean;
  private readonly locals: string[] = [];
  private depth = 0;
  private loops = 0;
  private lastComment = "";

  /** @param lineOf what a comment says of a place. */
  constructor(names: CNames, lineOf: (place: Place) => string, kind: BlockKind, link = -1) {
    this.names = names;
    this.lineOf = lineOf;
    this.isControl = kind === "control";
    names.begin(kind, link);
  }

  // ---- the scope of expressions -----------------------------------------------------------------

  name(reference: Reference): CExpression {
    return this.names.name(reference);
  }
  ownDerivative(call: CallExpression, order: 1 | 2): string {
    return this.names.ownDerivative(call, order);
  }
  innerUnit(call: CallExpression): string {
    return this.names.innerUnit(call);
  }
  fresh(like: string): string {
    return this.names.fresh(like);
  }
  before(line: string): void {
    this.lines.push(`${"  ".repeat(this.depth)}${line}`);
  }
  inside(head: string, write: () => void): void {
    if (head === "else") this.lines.pop();
    this.before(head === "else" ? "} else {" : `${head} {`);
    this.depth++;
    this.lastComment = "";
    write();
    this.depth--;
    this.before("}");
    this.lastComment = "";
  }

  // ---- rules ------------------------------------------------------------------------------------

  /** Which rules hold. A condition that is always true, or never, needs no flag. */
  conditions(rules: readonly Rule[], flags: number): void {
    rules.forEach(({ condition, place }, r) => {
      if (condition.kind === "boolean") return;
      this.comment(place);
      const value = printExpression(condition, this);
      this.before(`${this.names.flag(flags + r)} = ${numberOrTruth(value, condition)};`);
    });
  }

  rules(rules: readonly Rule[], half: "first" | "second", flags: number): void {
    rules.forEach((rule, r) => {
      const { condition } = rule;
      if (condition.kind !== "boolean") {
        const start = this.lines.length;
        this.inside(`if (${this.names.flag(flags + r)} != 0)`, () => this.block(rule[half]));
        // Nothing inside: another half, or handled elsewhere.
        if (this.lines.length === start + 2) this.lines.length = start;
      } else if (condition.value) this.block(rule[half]);
    });
  }

  block(statements: readonly Statement[]): void {
    this.names.enter();
    for (const statement of statements) this.statement(statement);
    this.names.leave();
  }

  /** The body, with a word for compilers on locals that are never read. */
  finish(): readonly string[] {
    const unread = this.locals.filter((local) => !this.isRead(local));
    return this.lines.flatMap((line) => {
      const local = unread.find((name) => line.trimStart().startsWith(`double ${name} = `));
      return local === undefined ? [line] : [line, `${/^ */.exec(line)![0]}(void)${local};`];
    });
  }

  private isRead(local: string): boolean {
    const word = new RegExp(`(?<![\\w.>])${local}(?!\\w)`);
    return this.lines.some((line) => {
      const text = line.trimStart();
      if (text.startsWith("/*")) return false;
      const assigned = [`double ${local} = `, `${local} = `].find((head) => text.startsWith(head));
      return word.test(assigned === undefined ? text : text.slice(assigned.length));
    });
  }

  comment(place: Place): void {
    const text = this.lineOf(place);
    if (text !== this.lastComment && text !== "") this.before(`/* ${cComment(text)} */`);
    this.lastComment = text;
  }

  // ---- statements -------------------------------------------------------------------------------

  private statement(statement: Statement): void {
    switch (statement.kind) {
      case "assign":
        this.assign(statement);
        break;
      case "var":
        this.declare(statement);
        break;
      case "if": {
        this.comment(statement.place);
        this.inside(`if (${printTruth(statement.condition, this)})`, () =>
          this.block(statement.then),
        );
        if (statement.otherwise.length === 0) break;
        this.inside("else", () => this.block(statement.otherwise));
        break;
      }
      case "for":
        this.countTo(statement);
        break;
      case "while":
        this.repeat(statement);
        break;
      case "break":
        this.comment(statement.place);
        if (this.loops > 0) this.before("break;");
        else this.leave();
        break;
      case "return": {
        this.comment(statement.place);
        const value = printNumber(statement.value, this);
        if (this.isControl) this.before(`*taken = ${value};`);
        this.before("return UNIT_OK;");
        break;
      }
      case "call":
        this.comment(statement.place);
        if (isService(statement.call)) printServiceStatement(statement.call, this);
        else this.before(`(void)${printNumber(statement.call, this)};`);
    }
  }

  /** Out of a loop that is none: the rest of the rules is left out. */
  private leave(): void {
    this.before(this.isControl ? CONTROL_ENDS : "return UNIT_OK;");
  }

  private assign(statement: Extract<Statement, { kind: "assign" }>): void {
    const { target: reference, value, place } = statement;
    const target = this.names.target(reference);
    if (target === "nowhere") return;
    if (target === undefined) {
      const { unit, name } = reference;
      const shown = unit === undefined ? name : `${unit}.${name}`;
      throw new AdaptationError(`'${shown}' cannot be assigned here`, reference.place);
    }
    this.comment(place);
    if (target.flag !== undefined) this.before(`${this.names.flag(target.flag)} = 1.0;`);
    this.store(target.cell, value, place);
  }

  store(cell: Cell, value: Expression, place: Place): void {
    const into = this.names.place(cell);
    if (isService(value) && cell.bank === "number" && cell.type !== "boolean") {
      const result = printService(value, this, () => into);
      if (result.text !== into) this.before(`${into} = ${result.text};`);
      return;
    }
    const given = printExpression(value, this);
    if ((given.kind === "text") !== (cell.bank !== "number"))
      throw new AdaptationError("texts and numbers do not turn into each other", place);
    if (given.kind === "text")
      this.before(`UNIT_TRY(unit_copy_text(&a->unit, &${into}, ${given.text}));`);
    else this.before(`${into} = ${stored(cell, given, value)};`);
  }

  private declare({ name, value, place }: Extract<Statement, { kind: "var" }>): void {
    this.comment(place);
    if (isService(value)) {
      // The name means nothing yet where its own value is computed.
      const into = (): string => this.local(name, "0.0");
      const result = printService(value, this, into);
      if (result.isConstant === true) this.local(name, result.text);
      return;
    }
    const given = printExpression(value, this);
    if (given.kind === "text") {
      const into = this.names.place(this.names.declare(name, "text"));
      this.before(`UNIT_TRY(unit_copy_text(&a->unit, &${into}, ${given.text}));`);
      return;
    }
    this.local(name, numberOrTruth(given, value));
  }

  private local(name: string, value: string): string {
    const local = this.names.place(this.names.declare(name, "number"));
    this.locals.push(local);
    this.before(`double ${local} = ${value};`);
    return local;
  }

  private countTo(statement: Extract<Statement, { kind: "for" }>): void {
    const { variable, from, to, body, place } = statement;
    this.comment(place);
    const last = printExpression(to, this);
    let end = asNumber(last, to).text;
    if (last.isConstant !== true) {
      const bound = this.fresh("end");
      this.before(`const double ${bound} = ${end};`);
      end = bound;
    }
    const first = printNumber(from, this);
    this.names.enter();
    const local = this.names.place(this.names.declare(variable, "number"));
    // What the body assigns to the variable does not change the count.
    const counter = assigns(body, variable) ? this.fresh("count") : local;
    this.loops++;
    this.inside(`for (double ${counter} = ${first}; ${counter} < ${end}; ${counter}++)`, () => {
      if (counter !== local) {
        this.before(`double ${local} = ${counter};`);
        this.locals.push(local);
      }
      this.block(body);
    });
    this.loops--;
    this.names.leave();
  }

  private repeat({ condition, body, place }: Extract<Statement, { kind: "while" }>): void {
    this.comment(place);
    const round = this.fresh("round");
    const isPlain = !callsService(condition);
    const goesOn = isPlain ? printTruth(condition, this) : "";
    this.loops++;
    this.inside(`for (long ${round} = 0; ${goesOn}; ${round}++)`, () => {
      if (!isPlain) this.before(`if (!(${printTruth(condition, this)})) break;`);
      this.block(body);
      this.before(`if (${round} == MAX_ROUNDS) return endless(a);`);
    });
    this.loops--;
  }
}

/** What the control rules must not do. */
export const CONTROL_ENDS =
  "return unit_fail(&a->unit, \"the control rules end without 'return'\");";

function assigns(statements: readonly Statement[], name: string): boolean {
  let found = false;
  eachStatement(statements, (statement) => {
    found ||=
      statement.kind === "assign" &&
      statement.target.unit === undefined &&
      statement.target.name === name;
  });
  return found;
}

/** For a double: a truth value becomes one by itself. */
function numberOrTruth(value: CExpression, expression: Expression): string {
  if (value.kind === "truth" && value.isConstant !== true) return value.text;
  return asNumber(value, expression).text;
}

/** A boolean keeps 0 and 1 only. */
function stored(cell: Cell, value: CExpression, expression: Expression): string {
  if (cell.type !== "boolean" || value.cell === "boolean" || value.kind === "truth")
    return numberOrTruth(value, expression);
  if (expression.kind === "number") return expression.value === 0 ? value.text : "1.0";
  return asTruth(value, expression).text;
}
