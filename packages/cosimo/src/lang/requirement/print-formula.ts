/**
 * Formulas as text, with the brackets that they need. Both notations read it.
 */
import type { Formula, Interval, NumberExpression } from "../../model/requirement.ts";
import { FORMULA_WORDS } from "./words.ts";

/** From loose to tight, as the readers have it. */
const LEVEL = { implies: 1, until: 2, or: 3, and: 4, unary: 5, compare: 6 } as const;

/** @param level the loosest operator that may stand here without brackets. */
export function printFormula(f: Formula<string>, level = 0): string {
  const [text, own] = withLevel(f);
  return own < level ? `(${text})` : text;
}

function withLevel(f: Formula<string>): readonly [string, number] {
  switch (f.kind) {
    case "constant":
      return [String(f.value), LEVEL.compare];
    case "holds":
      return [printSignal(f.signal), LEVEL.compare];
    case "compare":
      return [`${printNumber(f.left)} ${f.operator} ${printNumber(f.right)}`, LEVEL.unary];
    case "not":
      return [`not ${printFormula(f.of, LEVEL.unary)}`, LEVEL.unary];
    case "rises":
    case "falls":
      return [`${f.kind}(${printFormula(f.of)})`, LEVEL.compare];
    case "and":
    case "or": {
      const chain = chainText(f);
      if (chain !== undefined) return [chain, LEVEL.unary];
      const level = LEVEL[f.kind];
      return [
        `${printFormula(f.left, level)} ${f.kind} ${printFormula(f.right, level + 1)}`,
        level,
      ];
    }
    case "implies":
    case "iff":
      return [
        `${printFormula(f.left, LEVEL.until)} ${f.kind} ${printFormula(f.right)}`,
        LEVEL.implies,
      ];
    case "until":
    case "since": {
      const [left, right] = [f.left, f.right].map((one) => printFormula(one, LEVEL.or));
      return [`${left} ${f.kind}${printInterval(f.interval)} ${right}`, LEVEL.until];
    }
    // They take all that follows, so something may stand behind them only in brackets.
    default:
      return [`${f.kind}${printInterval(f.interval)} ${printFormula(f.of)}`, 0];
  }
}

/** `1 < x and x < 2` → `1 < x < 2`. */
function chainText(f: Formula<string>): string | undefined {
  if (f.kind !== "and" || f.right.kind !== "compare") return undefined;
  const { left, right } = f;
  const before = left.kind === "compare" ? withLevel(left)[0] : chainText(left);
  const last = left.kind === "compare" ? left : left.kind === "and" ? left.right : undefined;
  if (before === undefined || last?.kind !== "compare") return undefined;
  if (printNumber(last.right) !== printNumber(right.left)) return undefined;
  return `${before} ${right.operator} ${printNumber(right.right)}`;
}

function printInterval({ from, to }: Interval): string {
  if (from === 0 && to === undefined) return "";
  return `[${from} s, ${to === undefined ? "end" : `${to} s`}]`;
}

const PRECEDENCE = { "+": 1, "-": 1, "*": 2, "/": 2, "^": 4 } as const;
const SIGN = 3;

function printNumber(e: NumberExpression<string>, level = 1): string {
  const [text, own] = numberWithLevel(e);
  return own < level ? `(${text})` : text;
}

function numberWithLevel(e: NumberExpression<string>): readonly [string, number] {
  switch (e.kind) {
    case "number": {
      const text = e.unit === undefined ? String(e.value) : `${e.value} ${e.unit}`;
      return [text, e.value < 0 ? SIGN : 5];
    }
    case "signal":
      return [printSignal(e.signal), 5];
    case "time":
      return ["time", 5];
    case "energy":
      return [`energy(${printSignal(e.bond)})`, 5];
    case "negate":
      return [`-${printNumber(e.of, SIGN)}`, SIGN];
    case "operation": {
      const level = PRECEDENCE[e.operator];
      const isPower = e.operator === "^";
      const left = printNumber(e.left, isPower ? level + 1 : level);
      const right = printNumber(e.right, isPower ? SIGN : level + 1);
      return [`${left} ${e.operator} ${right}`, level];
    }
    case "past": {
      const window = e.window === undefined ? "" : `, ${e.window} s`;
      return [`${e.function}(${printNumber(e.of)}${window})`, 5];
    }
    default:
      return [`${e.function}(${e.of.map((one) => printNumber(one)).join(", ")})`, 5];
  }
}

const PLAIN = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*(?:\[\d+(?:\s*,\s*\d+)*\])?)*$/u;

/** In quotes where it is a word of the language, or has other signs than names have. */
export function printSignal(name: string): string {
  return PLAIN.test(name) && !FORMULA_WORDS.includes(name) ? name : `'${name}'`;
}
