/**
 * One line of a rule in a YAML value → the expressions of adaptations (model/adaptation/data.ts),
 * so that types, functions and export are theirs: comparisons, `and`, `or`, `not`, `a ? b : c`,
 * arithmetic, calls, `unit.port`.
 *
 * Why beside the grammar of `.sa`: loading that takes longer than all else that a machine or a
 * fault needs. Precedence and spelling are the grammar's; a test reads random expressions with
 * both.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { BinaryOperator, Expression } from "../../model/adaptation/data.ts";
import type { MachineAction } from "../../model/machine.ts";
import { attempt, type FormulaMistake, LineReader } from "./line-reader.ts";

export type ParsedRule = { readonly expression: Expression } | { readonly mistake: FormulaMistake };

export type ParsedActions =
  | { readonly actions: readonly MachineAction[] }
  | { readonly mistake: FormulaMistake };

/** Reads an expression. `place` is where `text` begins. Never throws, whatever the text. */
export function parseRule(text: string, place: Place): ParsedRule {
  return attempt(() => ({ expression: new Reader(text, place).whole() }));
}

/** Reads `x := 1; emit done`; `=` is read as `:=`. */
export function parseActions(text: string, place: Place): ParsedActions {
  return attempt(() => ({ actions: new Reader(text, place).actions() }));
}

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|(:=|==|!=|<=|>=|.))/uy;
/** As for `.sa` files (docs/spec/adaptation-language.md). */
const DEPTH_LIMIT = 60;
const OPERATOR_LIMIT = 1000;

/** From loose to tight; all associate from the left, comparisons not at all. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ["or"],
  ["and"],
  ["<", "<=", ">", ">=", "==", "!="],
  ["+", "-"],
  ["*", "/", "%"],
];
const COMPARISON = 2;
const WORDS = new Set(["and", "or", "not", "true", "false", "emit"]);

class Reader extends LineReader {
  private readonly place: Place;
  private depth = 0;
  private operators = 0;

  constructor(text: string, place: Place) {
    super(text, TOKEN);
    this.place = place;
  }

  whole(): Expression {
    const expression = this.conditional();
    if (!this.hasEnded) throw this.unexpected("an operator");
    return expression;
  }

  actions(): MachineAction[] {
    const found: MachineAction[] = [];
    while (!this.hasEnded) {
      found.push(this.action());
      if (this.hasEnded) break;
      if (this.symbol !== ";") throw this.unexpected("';'");
      this.read();
    }
    return found;
  }

  private action(): MachineAction {
    const place = this.here();
    if (this.name === "emit") {
      this.read();
      return { kind: "emit", event: this.word("the name of an event"), place };
    }
    const target = this.word("the name of an output or a local");
    if (this.symbol !== ":=" && this.symbol !== "=") throw this.unexpected("':='");
    this.read();
    return { kind: "assign", target, value: this.conditional(), place };
  }

  private word(wanted: string): string {
    const name = this.name;
    if (name === "" || WORDS.has(name)) throw this.unexpected(wanted);
    this.read();
    return name;
  }

  private conditional(): Expression {
    if (++this.depth > DEPTH_LIMIT) throw this.tooLong();
    const place = this.here();
    let found = this.level(0);
    if (this.symbol === "?") {
      this.count();
      this.read();
      const then = this.conditional();
      this.expect(":");
      found = {
        kind: "conditional",
        condition: found,
        then,
        otherwise: this.conditional(),
        place,
      };
    }
    this.depth--;
    return found;
  }

  private level(level: number): Expression {
    if (level === LEVELS.length) return this.signed();
    if (level === COMPARISON && this.name === "not") return this.negation();
    const place = this.here();
    let left = this.level(level + 1);
    for (let more = true; more; more = level !== COMPARISON) {
      const operator = LEVELS[level]?.find((one) => one === (this.name || this.symbol));
      if (operator === undefined) break;
      this.count();
      this.read();
      left = { kind: "binary", operator, left, right: this.level(level + 1), place };
    }
    return left;
  }

  private negation(): Expression {
    if (++this.depth > DEPTH_LIMIT) throw this.tooLong();
    const place = this.here();
    this.count();
    this.read();
    const operand = this.level(COMPARISON);
    this.depth--;
    return { kind: "unary", operator: "not", operand, place };
  }

  private signed(): Expression {
    if (this.symbol !== "-") return this.primary();
    if (++this.depth > DEPTH_LIMIT) throw this.tooLong();
    const place = this.here();
    this.count();
    this.read();
    const operand = this.signed();
    this.depth--;
    return { kind: "unary", operator: "-", operand, place };
  }

  private primary(): Expression {
    const place = this.here();
    if (this.number !== "") {
      const value = Number(this.number);
      this.read();
      return { kind: "number", value, place };
    }
    if (this.symbol === "(") {
      this.read();
      const inner = this.conditional();
      this.expect(")");
      return inner;
    }
    if (this.name === "true" || this.name === "false") {
      const value = this.name === "true";
      this.read();
      return { kind: "boolean", value, place };
    }
    const name = this.word("a number, a name or '('");
    if (this.symbol === "(") return this.call(name, place);
    if (this.symbol !== ".") return { kind: "reference", name, place };
    const port: string[] = [];
    // Names of ports may have dots themselves: `jobs.out.event`.
    while (this.symbol === ".") {
      this.read();
      port.push(this.word("the name of a port"));
    }
    return { kind: "reference", unit: name, name: port.join("."), place };
  }

  private call(callee: string, place: Place): Expression {
    const given: Expression[] = [];
    do {
      this.read();
      if (this.symbol === ")" && given.length === 0) break;
      given.push(this.conditional());
    } while (this.symbol === ",");
    this.expect(")");
    return { kind: "call", callee, arguments: given, place };
  }

  private here(): Place {
    const { column } = this.place;
    return column === undefined ? this.place : { ...this.place, column: column + this.start };
  }

  private count(): void {
    if (++this.operators > OPERATOR_LIMIT) throw this.tooLong();
  }

  protected misplaced(found: string, wanted: string): Omit<FormulaMistake, "at"> {
    const message = `it ${found} where ${wanted} is expected`;
    return { message, fix: FIXES[this.symbol] ?? "correct the text there" };
  }

  private tooLong(): Error {
    return this.mistake(
      `it is nested more than ${DEPTH_LIMIT} deep or has more than ${OPERATOR_LIMIT} operators`,
      "use a local for a part of it",
    );
  }
}

/** What people write who come from other languages. */
const FIXES: Readonly<Record<string, string>> = {
  "=": "compare with ==",
  "&": "write 'and'",
  "|": "write 'or'",
  "!": "write 'not'",
  "^": "write pow(x, y)",
  ",": "numbers have a decimal point",
};
