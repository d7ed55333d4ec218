/**
 * A requirement in one line → a draft:
 *
 *   always motor.current < 5 A after start
 *   always (pump.on implies eventually within 2 s tank.level > 1 m) as filled
 *   settling(motor.speed, 100 rad/s, 2 rad/s) < 3 s after motor.on
 *
 * Why beside the grammar of `.hint` files: a scenario is read without loading a grammar. Formulas
 * are the same in both; a test reads random ones with both readers. Numbers and formulas share one
 * ladder of precedence, because an opening bracket may begin either.
 */
import { type Checked, diagnose, type Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { parseSeconds } from "../../model/physical-unit-conversion.ts";
import { parseUnit } from "../../model/physical-unit-parse.ts";
import {
  COMPARISONS,
  type Comparison,
  type Formula,
  GLOBALLY,
  type Interval,
  type NumberExpression,
  type RequirementDraft,
  type Scope,
  WITHOUT_END,
} from "../../model/requirement.ts";
import { attempt, type FormulaMistake, LineReader } from "../expression/line-reader.ts";
import {
  asFormula,
  asNumber,
  callOf,
  comparisonOf,
  durationOf,
  intervalOf,
  literalOf,
  negative,
  type Part,
  PartMistake,
} from "./build-formula.ts";
import { REQUIREMENT_TEXT_RULES } from "./diagnostics.ts";
import { isAboutInstant } from "./formula-facts.ts";
import { FORMULA_WORDS } from "./words.ts";

type Draft = Formula<string>;
type Numeric = NumberExpression<string>;

/** Reads one requirement. `place` is where `text` begins. Never throws, whatever the text. */
export function parseRequirement(text: string, place: Place): Checked<RequirementDraft> {
  const read = readWith(text, place, (reader) => ({
    draft: reader.requirement(),
    formula: reader.formulaText,
  }));
  if (read.value === undefined) return { diagnostics: read.diagnostics };
  const { draft, formula } = read.value;
  if (!isAboutInstant(draft.formula)) return { value: draft, diagnostics: [] };
  const warning = diagnose(REQUIREMENT_TEXT_RULES, "requirement-instant", { text: formula }, place);
  return { value: draft, diagnostics: [warning] };
}

/** A number made of signals, with its name: `maximum(abs(chassis.z_c)) as travel`. */
export interface NamedExpression {
  readonly name?: string;
  /** Without the name. */
  readonly text: string;
  readonly expression: NumberExpression<string>;
}

/** Reads an expression alone. As `parseRequirement`. */
export function parseNumberExpression(text: string, place: Place): Checked<NamedExpression> {
  return readWith(text, place, (reader) => reader.expression());
}

function readWith<Result extends object>(
  text: string,
  place: Place,
  read: (reader: Reader) => Result,
): Checked<Result> {
  const malformed = (message: string, fix: string, where: Place): Checked<never> => ({
    diagnostics: [
      diagnose(REQUIREMENT_TEXT_RULES, "requirement-malformed", { message, fix }, where),
    ],
  });
  try {
    const found = attempt(() => ({ value: read(new Reader(text, place)) }));
    if (!("mistake" in found)) return { ...found, diagnostics: [] };
    const { at, message, fix } = found.mistake;
    const { column } = place;
    return malformed(
      message,
      fix,
      column === undefined ? place : { ...place, column: column + at },
    );
  } catch (error) {
    if (!(error instanceof PartMistake)) throw error;
    return malformed(error.message, error.fix, error.place);
  }
}

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|('[^']+'|[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*(?:\[\d+(?:\s*,\s*\d+)*\])?)*)|(<=|>=|==|!=|.))/uy;

/** What may be a unit behind a number: up to a space, a bracket or a comparison. */
const UNIT = /\s*([\p{L}°%‰][^\s,:()[\]<>=!]*)(\s*\()?/uy;

const DEPTH_LIMIT = 60;
const OPERATOR_LIMIT = 1000;

class Reader extends LineReader {
  /** Without scope and name, as written. */
  formulaText = "";
  private readonly place: Place;
  private depth = 0;
  private operators = 0;
  /** In the begin of a scope `until` belongs to the scope. */
  private isBound = false;

  constructor(text: string, place: Place) {
    super(text, TOKEN);
    this.place = place;
  }

  requirement(): RequirementDraft {
    const formula = asFormula(this.implication());
    this.formulaText = this.text.slice(0, this.start).trim();
    const scope = this.scope();
    const name = this.name === "as" ? this.givenName() : undefined;
    if (!this.hasEnded)
      throw this.misspelt() ?? this.unexpected("an operator, a scope ('after …') or the end");
    return {
      ...(name !== undefined && { name }),
      scope,
      formula,
      text: this.text.replace(/\s+as\s+\S+\s*$/, "").trim(),
      place: this.place,
    };
  }

  expression(): NamedExpression {
    const expression = asNumber(this.sum());
    const text = this.text.slice(0, this.start).trim();
    const name = this.name === "as" ? this.givenName() : undefined;
    if (!this.hasEnded) throw this.unexpected("an operator, a name ('as …') or the end");
    return { ...(name !== undefined && { name }), text, expression };
  }

  /** The word before, where it is nearly one of the language: `alwys a.x < 3`. */
  private misspelt(): Error | undefined {
    const [, word = ""] = /(?:^|[\s(])(\p{L}+)\s*$/u.exec(this.text.slice(0, this.start)) ?? [];
    const meant = FORMULA_WORDS.includes(word) ? undefined : nearest(word, FORMULA_WORDS);
    if (word === "" || meant === undefined) return undefined;
    const at = this.text.lastIndexOf(word, this.start - 1);
    return this.mistake(`there is no word '${word}'`, `did you mean '${meant}'?`, at);
  }

  private givenName(): string {
    this.read();
    const { name } = this;
    if (name === "") throw this.unexpected("a name");
    this.read();
    return bare(name);
  }

  // ---- scopes --------------------------------------------------------------------------------

  private scope(): Scope<string> {
    const place = this.here();
    switch (this.name) {
      case "globally":
        this.read();
        return GLOBALLY;
      case "before":
        this.read();
        return { kind: "before", end: this.bound(() => this.implication()) };
      case "after": {
        this.read();
        const isStart = this.isWord("start");
        const begin = this.bound(() => this.implication(), true);
        if (!this.isWord("until")) return isStart ? GLOBALLY : { kind: "after", begin };
        this.read();
        return { kind: "after-until", begin, end: this.bound(() => this.implication()) };
      }
      case "between": {
        this.read();
        const begin = this.bound(() => this.comparison());
        if (!this.isWord("and")) throw this.unexpected("'and'");
        this.read();
        return { kind: "between", begin, end: this.bound(() => this.implication()) };
      }
      case "while": {
        this.read();
        const begin = this.bound(() => this.implication());
        return { kind: "after-until", begin, end: { kind: "not", of: begin, place } };
      }
      default:
        return GLOBALLY;
    }
  }

  /** Where a scope begins or ends: a formula, or an instant of the run. */
  private bound(read: () => Part, isBound = false): Draft {
    const place = this.here();
    if (this.name === "start" || this.name === "end") {
      const value = this.name === "start";
      this.read();
      return { kind: "constant", value, place };
    }
    this.isBound = isBound;
    const part = read();
    this.isBound = false;
    if ("number" in part && part.number.kind === "number") {
      const { value, unit } = part.number;
      const seconds = parseSeconds(unit === undefined ? String(value) : `${value} ${unit}`);
      if (seconds === undefined)
        throw this.mistake(
          `'${value} ${unit}' is not a time`,
          "write an event, a condition or a time: after 2 s",
        );
      const right: Numeric = { kind: "number", value: seconds, unit: "s", place };
      return { kind: "compare", operator: ">=", left: { kind: "time", place }, right, place };
    }
    return asFormula(part);
  }

  // ---- formulas ------------------------------------------------------------------------------

  private implication(): Part {
    if (++this.depth > DEPTH_LIMIT) throw this.tooLong();
    const place = this.here();
    const left = this.waiting();
    let found = left;
    if (this.name === "implies" || this.name === "iff") {
      const kind = this.name;
      this.take();
      const right = asFormula(this.implication());
      found = { formula: { kind, left: asFormula(left), right, place } };
    }
    this.depth--;
    return found;
  }

  private waiting(): Part {
    const place = this.here();
    const left = this.disjunction();
    const kind = this.name;
    if ((kind !== "until" || this.isBound) && kind !== "since") return left;
    this.take();
    const interval = this.interval();
    const right = asFormula(this.disjunction());
    return { formula: { kind, interval, left: asFormula(left), right, place } };
  }

  private disjunction(): Part {
    return this.chain("or", () => this.chain("and", () => this.unary()));
  }

  private chain(kind: "and" | "or", inner: () => Part): Part {
    const place = this.here();
    let left = inner();
    while (this.name === kind) {
      this.take();
      const right = asFormula(inner());
      left = { formula: { kind, left: asFormula(left), right, place } };
    }
    return left;
  }

  private unary(): Part {
    const place = this.here();
    const kind = this.name;
    switch (kind) {
      case "not": {
        this.take();
        if (++this.depth > DEPTH_LIMIT) throw this.tooLong();
        const of = asFormula(this.unary());
        this.depth--;
        return { formula: { kind, of, place } };
      }
      case "always":
      case "never":
      case "eventually":
      case "historically":
      case "once": {
        this.take();
        const interval = this.interval();
        const of = asFormula(this.implication());
        if (kind !== "never") return { formula: { kind, interval, of, place } };
        return { formula: { kind: "always", interval, of: { kind: "not", of, place }, place } };
      }
      default:
        return this.comparison();
    }
  }

  private comparison(): Part {
    const place = this.here();
    const first = this.sum();
    const rest: { operator: Comparison; part: Part }[] = [];
    for (let operator = this.comparator(); operator; operator = this.comparator()) {
      this.take();
      rest.push({ operator, part: this.sum() });
    }
    return comparisonOf(first, rest, place);
  }

  private comparator(): Comparison | undefined {
    return COMPARISONS.find((one) => one === this.symbol);
  }

  /** `[0, 2 s]`, `within 2 s`, `for 2 s`, or nothing. */
  private interval(): Interval {
    const [at, place] = [this.start, this.here()];
    if (this.name === "within" || this.name === "for") {
      this.read();
      return { from: 0, to: this.duration() };
    }
    if (this.symbol !== "[") return WITHOUT_END;
    this.read();
    const from = this.duration();
    // Other notations of temporal logic separate the ends by a colon.
    if ((this.symbol as string) === ":") this.read();
    else this.expect(",");
    const isEndless = this.name === "end" || this.name === "inf";
    if (isEndless) this.read();
    const to = isEndless ? undefined : this.duration();
    const text = this.text.slice(at, this.start + 1);
    this.expect("]");
    return intervalOf(from, to, place, text);
  }

  /** Seconds. */
  private duration(): number {
    const place = this.here();
    const isNegative = this.symbol === "-";
    if (isNegative) this.read();
    if (this.number === "") throw this.unexpected("a time ('2 s')");
    const value = literalOf(this.number, place);
    return durationOf(isNegative ? -value : value, this.unit(), place);
  }

  // ---- numbers -------------------------------------------------------------------------------

  private sum(): Part {
    return this.operations(["+", "-"], () => this.operations(["*", "/"], () => this.signed()));
  }

  private operations(operators: readonly ("+" | "-" | "*" | "/")[], inner: () => Part): Part {
    const place = this.here();
    let left = inner();
    for (;;) {
      const operator = operators.find((one) => one === this.symbol);
      if (operator === undefined) return left;
      this.take();
      const right = asNumber(inner());
      left = {
        number: { kind: "operation", operator, left: asNumber(left), right, place },
      };
    }
  }

  private signed(): Part {
    if (this.symbol !== "-") return this.power();
    const place = this.here();
    if (++this.depth > DEPTH_LIMIT) throw this.tooLong();
    this.take();
    const of = this.signed();
    this.depth--;
    return negative(of, place);
  }

  private power(): Part {
    const place = this.here();
    const left = this.primary();
    if (this.symbol !== "^") return left;
    this.take();
    const right = asNumber(this.signed());
    return { number: { kind: "operation", operator: "^", left: asNumber(left), right, place } };
  }

  private primary(): Part {
    const place = this.here();
    if (this.number !== "") {
      const value = literalOf(this.number, place);
      const unit = this.unit();
      return { number: { kind: "number", value, ...(unit !== undefined && { unit }), place } };
    }
    if (this.symbol === "(") {
      this.read();
      const wasBound = this.isBound;
      this.isBound = false;
      const inner = this.implication();
      this.isBound = wasBound;
      this.expect(")");
      return inner;
    }
    const { name } = this;
    if (name === "" || (FORMULA_WORDS.includes(name) && !VALUE_WORDS.has(name)))
      throw this.unexpected("a number, a signal or '('");
    this.read();
    if (this.symbol === "(" && !name.startsWith("'")) return this.call(name, place);
    if (name === "true" || name === "false")
      return { formula: { kind: "constant", value: name === "true", place } };
    if (name === "time") return { number: { kind: "time", place } };
    return { number: { kind: "signal", signal: bare(name), place } };
  }

  private call(name: string, place: Place): Part {
    this.expect("(");
    const given = [this.implication()];
    while (this.symbol === ",") {
      this.read();
      given.push(this.implication());
    }
    this.expect(")");
    return callOf(name, given, place);
  }

  /** Takes the number at hand, and the unit behind it, where there is one. */
  private unit(): string | undefined {
    UNIT.lastIndex = this.next;
    const match = UNIT.exec(this.text);
    const word = match?.[1] ?? "";
    const begin = this.next + (match?.[0] ?? "").indexOf(word);
    const first = /^[\p{L}_]*/u.exec(word)?.[0] ?? "";
    // `min(` is a function, `2 and` is a word of the formula.
    if (word === "" || match?.[2] !== undefined || FORMULA_WORDS.includes(first)) {
      this.read();
      return undefined;
    }
    for (let text = word; text !== ""; text = shorter(text)) {
      if (parseUnit(text) === undefined) continue;
      this.next = begin + text.length;
      this.read();
      return text;
    }
    throw this.mistake(
      `'${word}' is not a known unit`,
      "write a unit such as A, m/s, degC or %, or nothing",
      begin,
    );
  }

  // ---- help ----------------------------------------------------------------------------------

  private here(): Place {
    return { ...this.place, column: (this.place.column ?? 1) + this.start };
  }

  private isWord(word: string): boolean {
    return this.name === word;
  }

  /** Takes an operator. */
  private take(): void {
    if (++this.operators > OPERATOR_LIMIT) throw this.tooLong();
    this.read();
  }

  private tooLong(): Error {
    return this.mistake(
      `it is nested more than ${DEPTH_LIMIT} deep or has more than ${OPERATOR_LIMIT} operators`,
      "divide it into several requirements",
    );
  }

  protected misplaced(found: string, wanted: string): Omit<FormulaMistake, "at"> {
    const message = `the requirement ${found} where ${wanted} should be`;
    return { message, fix: FIXES[this.symbol] ?? "correct the text there" };
  }
}

/** Words that stand for a value, or begin a call. */
const VALUE_WORDS: ReadonlySet<string> = new Set([
  "true",
  "false",
  "time",
  "rises",
  "falls",
  "energy",
]);

/** What people write who come from other languages. */
const FIXES: Readonly<Record<string, string>> = {
  "=": "compare with ==",
  "&": "write 'and'",
  "|": "write 'or'",
  "!": "write 'not'",
  "-": "write 'implies' for an implication",
};

/** Without its last factor: `A*x` → `A`. */
function shorter(unit: string): string {
  return unit.slice(0, Math.max(0, unit.search(/[*/^+.-][^*/^+.-]*$/)));
}

/** A name without its quotes. */
function bare(name: string): string {
  return name.startsWith("'") ? name.slice(1, -1) : name;
}
