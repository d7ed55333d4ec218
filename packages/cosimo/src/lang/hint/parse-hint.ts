/**
 * The text of a `.hint` file → what it holds. No name is looked up here: meaning.ts does that for
 * statements, and the scenario for signals.
 */
import type { AstNode } from "langium";
import type { Checked, Diagnostic, Place } from "../../base/diagnostic.ts";
import { parseUnit } from "../../model/physical-unit-parse.ts";
import {
  type Formula,
  GLOBALLY,
  type Interval,
  type Scope,
  WITHOUT_END,
} from "../../model/requirement.ts";
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
} from "../requirement/build-formula.ts";
import { placeOf } from "../text/text-language.ts";
import type * as ast from "./ast.ts";
import { report } from "./diagnostics.ts";
import type {
  HintFileSpec,
  HintSpec,
  PatternKind,
  PatternSpec,
  StatementSpec,
  StatementValueSpec,
} from "./hint-file.ts";
import { HINT } from "./language.ts";

/**
 * @returns what the file says, without a value where it does not follow the grammar; hints with
 * mistakes are absent.
 */
export function parseHint(text: string, file: string): Checked<HintFileSpec> {
  const { value: tree, diagnostics: errors } = HINT.parse(text, file);
  if (tree === undefined) return { diagnostics: errors };
  const reader = new Reader(file);
  const hints = tree.hints.flatMap((one) => reader.hint(one) ?? []);
  const { scenario } = tree;
  return {
    value: { ...(scenario !== undefined && { scenario }), hints },
    diagnostics: reader.diagnostics,
  };
}

const PATTERN_NAMES: Readonly<Record<string, PatternKind>> = {
  MinDuration: "MinimumDuration",
  MaxDuration: "MaximumDuration",
};

class Reader {
  readonly diagnostics: Diagnostic[] = [];
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  hint(tree: ast.Hint): HintSpec | undefined {
    const statements = tree.statements.map((one) => this.attempt(() => this.statement(one)));
    const scope = this.attempt(() => ({ ...this.scope(tree.scope), place: this.at(tree.scope) }));
    const pattern = this.attempt(() => this.pattern(tree.pattern));
    if (scope === undefined || pattern === undefined) return undefined;
    const known = statements.flatMap((one) => one ?? []);
    if (known.length < statements.length) return undefined;
    const { description } = tree;
    return {
      name: tree.name,
      ...(description !== undefined && { description }),
      statements: known,
      scope,
      pattern,
      place: this.at(tree),
    };
  }

  private attempt<Result>(read: () => Result): Result | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof PartMistake)) throw error;
      const { message, fix, place } = error;
      this.diagnostics.push(report("hint-formula", { message, fix }, place));
      return undefined;
    }
  }

  private statement(tree: ast.Statement): StatementSpec {
    const { kind, name } = tree;
    return { kind, name, value: this.value(tree.value), place: this.at(tree) };
  }

  private value(tree: ast.StatementValue): StatementValueSpec {
    switch (tree.$type) {
      case "UnitProperty": {
        const { owner: unit, property, measure } = tree;
        return {
          kind: "unit-property",
          unit,
          property,
          value: literalOf(tree.value, this.at(tree)),
          ...(measure !== undefined && { measure }),
        };
      }
      case "PowerBond":
        return { kind: "power-bond", ports: [bare(tree.left.name), bare(tree.right.name)] };
      default:
        return { kind: "formula", formula: this.formula(tree) };
    }
  }

  private scope({ kind, begin, end }: ast.Scope): Scope<string> {
    if (kind === "Before" && end) return { kind: "before", end: this.formula(end) };
    if (begin === undefined) return GLOBALLY;
    const from = this.formula(begin);
    if (end === undefined) return { kind: "after", begin: from };
    return {
      kind: kind === "Between" ? "between" : "after-until",
      begin: from,
      end: this.formula(end),
    };
  }

  private pattern(tree: ast.Pattern): PatternSpec {
    const { second, time, bound } = tree;
    const kind = PATTERN_NAMES[tree.kind] ?? (tree.kind as PatternKind);
    const interval = time ? { from: 0, to: this.duration(time) } : bound && this.bound(bound);
    return {
      kind,
      first: this.formula(tree.first),
      ...(second && { second: this.formula(second) }),
      ...(interval && { interval }),
      place: this.at(tree),
    };
  }

  private bound(tree: ast.Bound): Interval {
    const from = tree.from ? this.duration(tree.from) : 0;
    return intervalOf(from, tree.to && this.duration(tree.to), this.at(tree));
  }

  private duration(tree: ast.Duration): number {
    const value = literalOf(tree.value, this.at(tree)) * (tree.isNegative ? -1 : 1);
    return durationOf(value, tree.measure, this.at(tree));
  }

  private interval(tree: ast.Interval | undefined): Interval {
    if (tree === undefined) return WITHOUT_END;
    const from = tree.from ? this.duration(tree.from) : 0;
    return intervalOf(from, tree.to && this.duration(tree.to), this.at(tree));
  }

  private formula(tree: ast.Formula): Formula<string> {
    return asFormula(this.part(tree));
  }

  private part(tree: ast.Formula): Part {
    const place = this.at(tree);
    switch (tree.$type) {
      case "NumberLiteral": {
        const unit = tree.measure && measured(tree.measure);
        return {
          number: {
            kind: "number",
            value: literalOf(tree.value, place),
            ...(unit && { unit }),
            place,
          },
        };
      }
      case "SignalName":
        return namePart(tree.name, place);
      case "Call":
        return callOf(
          tree.name,
          tree.arguments.map((one) => this.part(one)),
          place,
        );
      case "Negated":
        return negative(this.part(tree.of), place);
      case "Not":
        return { formula: { kind: "not", of: this.formula(tree.of), place } };
      case "Temporal": {
        const { operator } = tree;
        const interval = this.interval(tree.interval);
        const of = this.formula(tree.of);
        if (operator !== "never") return { formula: { kind: operator, interval, of, place } };
        return { formula: { kind: "always", interval, of: { kind: "not", of, place }, place } };
      }
      case "Waits": {
        const { operator: kind } = tree;
        const interval = this.interval(tree.interval);
        const [left, right] = [this.formula(tree.left), this.formula(tree.right)];
        return { formula: { kind, interval, left, right, place } };
      }
      case "Compared": {
        const rest = tree.operators.flatMap((operator, i) => {
          const part = tree.rest[i];
          return part === undefined ? [] : [{ operator, part: this.part(part) }];
        });
        return comparisonOf(this.part(tree.first), rest, place);
      }
      default:
        return this.binary(tree);
    }
  }

  /** Chains associate from the left, so their tree is as deep as the chain is long. */
  private binary(tree: ast.Binary): Part {
    const links: ast.Binary[] = [];
    let first: ast.Formula = tree;
    for (; first.$type === "Binary"; first = first.left) links.push(first);
    let left = this.part(first);
    for (const { operator, right: next } of links.reverse()) {
      const place = this.at(tree);
      const joined = withUnit(left, operator, next);
      if (joined !== undefined) {
        left = joined;
        continue;
      }
      const right = this.part(next);
      if (operator === "and" || operator === "or" || operator === "implies" || operator === "iff")
        left = {
          formula: { kind: operator, left: asFormula(left), right: asFormula(right), place },
        };
      else
        left = {
          number: {
            kind: "operation",
            operator,
            left: asNumber(left),
            right: asNumber(right),
            place,
          },
        };
    }
    return left;
  }

  private at(node: AstNode): Place {
    return placeOf(node, this.file);
  }
}

/** `3 m` and `/ s^2` → `3 m/s^2`, where that is a unit; undefined elsewhere. */
function withUnit(left: Part, operator: string, right: ast.Formula): Part | undefined {
  const number = "number" in left ? left.number : undefined;
  if (number?.kind !== "number" || number.unit === undefined) return undefined;
  const text = operator === "^" ? exponentText(right) : unitText(right);
  const unit = `${number.unit}${operator}${text}`;
  if (text === undefined || !["*", "/", "^"].includes(operator)) return undefined;
  return parseUnit(unit) === undefined ? undefined : { number: { ...number, unit } };
}

/** `s`, `s^2`: a name without a dot, and a whole number. */
function unitText(tree: ast.Formula): string | undefined {
  if (tree.$type === "SignalName") return /[.']/.test(tree.name) ? undefined : tree.name;
  if (tree.$type !== "Binary" || tree.operator !== "^") return undefined;
  const [symbol, exponent] = [unitText(tree.left), exponentText(tree.right)];
  return symbol === undefined || exponent === undefined ? undefined : `${symbol}^${exponent}`;
}

function exponentText(tree: ast.Formula): string | undefined {
  if (tree.$type === "Negated") {
    const text = exponentText(tree.of);
    return text && `-${text}`;
  }
  return tree.$type === "NumberLiteral" && tree.measure === undefined ? tree.value : undefined;
}

function namePart(written: string, place: Place): Part {
  if (written === "time") return { number: { kind: "time", place } };
  if (written === "true" || written === "false")
    return { formula: { kind: "constant", value: written === "true", place } };
  return { number: { kind: "signal", signal: bare(written), place } };
}

/** A name without its quotes. */
function bare(name: string): string {
  return name.startsWith("'") ? name.slice(1, -1) : name;
}

/** The figure writes hertz in small letters. */
export function measured(unit: string): string {
  return unit.replace(/^([kMG]?)hz$/i, "$1Hz");
}
