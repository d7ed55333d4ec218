/**
 * Unit texts as FMI, Modelica and users write them: `kg.m2/s3`, `N*m/rad`, `1/min`, `m/s^2`,
 * `W/(m2.K)`, `L/100km`.
 *
 * A product after a slash (`J/kg.K`) is ambiguous between tools, so it is refused; brackets make it
 * clear. An offset (degC) counts only for the unit alone: in `W/degC` the degree is a difference.
 */
import { DIMENSIONLESS, type Dimension, type PhysicalUnit } from "./physical-unit.ts";
import { PREFIXES, UNIT_TABLE } from "./unit-table.ts";

/** The unit that `text` names, or undefined when the text is not a unit that we know. */
export function parseUnit(text: string): PhysicalUnit | undefined {
  const name = text.trim();
  let known = parsed.get(name);
  if (known === undefined) {
    known = readUnit(name) ?? "unknown";
    if (parsed.size > CACHE_LIMIT) parsed.clear();
    parsed.set(name, known);
  }
  return known === "unknown" ? undefined : known;
}

/** Names repeat (every variable of an FMU has one), so each is read once. */
const parsed = new Map<string, PhysicalUnit | "unknown">();
const CACHE_LIMIT = 10_000;

interface Ratio {
  readonly numerator: number;
  readonly denominator: number;
  readonly offset: number;
  readonly dimension: Dimension;
}

const ONE: Ratio = { numerator: 1, denominator: 1, offset: 0, dimension: DIMENSIONLESS };

function readUnit(name: string): PhysicalUnit | undefined {
  const ratio = name === "" ? ONE : readAll(name);
  if (ratio === undefined) return undefined;
  const { numerator, denominator, offset, dimension } = ratio;
  const factor = numerator / denominator;
  if (!Number.isFinite(factor) || factor === 0) return undefined;
  return { name, base: { dimension, factor, offset } };
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** `m²` → `m^2`, and one sign for each product. */
function normalize(text: string): string {
  return text
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (digit) => String(SUPERSCRIPTS.indexOf(digit)))
    .replaceAll("⁻", "-")
    .replaceAll("**", "^")
    .replace(/\s*([/*·⋅×.^()])\s*/g, "$1")
    .replace(/[*·⋅×\s]+/g, ".");
}

function readAll(name: string): Ratio | undefined {
  const symbol = lookup(name);
  if (symbol !== undefined) return symbol;
  const reader: Reader = { text: normalize(name), at: 0 };
  const ratio = readProduct(reader);
  return reader.at === reader.text.length ? ratio : undefined;
}

interface Reader {
  readonly text: string;
  at: number;
}

function readProduct(reader: Reader): Ratio | undefined {
  let result = readFactor(reader);
  let divided = false;
  while (result !== undefined) {
    const sign = reader.text[reader.at];
    if (sign !== "." && sign !== "/") return result;
    if (sign === "." && divided) return undefined;
    divided ||= sign === "/";
    reader.at++;
    const next = readFactor(reader);
    if (next === undefined) return undefined;
    result = multiply(result, power(next, sign === "/" ? -1 : 1));
  }
  return undefined;
}

const NUMBER = /\d+(?:\.\d+(?![a-zA-Z]))?/y;
const SYMBOL = /[\p{L}°%‰_]+/uy;
const EXPONENT = /\^?(-?\d{1,2})|\^\((-?\d{1,2})\)/y;

function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  if (match !== null) reader.at += match[0].length;
  return match;
}

/**
 * A bracket, a number with or without a unit (`1`, `100km`), or a symbol with or without an
 * exponent.
 */
function readFactor(reader: Reader): Ratio | undefined {
  if (reader.text[reader.at] === "(") {
    reader.at++;
    const inner = readProduct(reader);
    if (inner === undefined || reader.text[reader.at] !== ")") return undefined;
    reader.at++;
    return withExponent(reader, inner);
  }
  const count = take(reader, NUMBER);
  const symbol = take(reader, SYMBOL);
  if (count !== null) {
    const number: Ratio = { ...ONE, numerator: Number(count[0]) };
    if (symbol === null) return withExponent(reader, number);
    const unit = lookup(symbol[0]);
    const raised = unit && withExponent(reader, unit);
    return raised && multiply(number, raised);
  }
  const unit = symbol === null ? undefined : lookup(symbol[0]);
  return unit && withExponent(reader, unit);
}

function withExponent(reader: Reader, ratio: Ratio): Ratio {
  const match = take(reader, EXPONENT);
  return match === null ? ratio : power(ratio, Number(match[1] ?? match[2]));
}

function lookup(symbol: string): Ratio | undefined {
  const direct = UNIT_TABLE.get(symbol);
  if (direct !== undefined) return ratioOf(direct, 0);
  for (const length of [2, 1]) {
    const exponent = PREFIXES.get(symbol.slice(0, length));
    const unit = UNIT_TABLE.get(symbol.slice(length));
    if (exponent !== undefined && unit?.prefixes) return ratioOf(unit, exponent);
  }
  return undefined;
}

type TableUnit = NonNullable<ReturnType<typeof UNIT_TABLE.get>>;

function ratioOf(unit: TableUnit, exponent: number): Ratio | undefined {
  const own: Ratio = {
    numerator: unit.numerator * 10 ** Math.max(exponent, 0),
    denominator: unit.denominator * 10 ** Math.max(-exponent, 0),
    offset: 0,
    dimension: typeof unit.of === "string" ? DIMENSIONLESS : unit.of,
  };
  if (typeof unit.of !== "string") return own;
  const of = readAll(unit.of);
  return of && { ...multiply(of, own), offset: unit.offset };
}

function multiply(a: Ratio, b: Ratio): Ratio {
  return {
    numerator: a.numerator * b.numerator,
    denominator: a.denominator * b.denominator,
    offset: 0,
    dimension: a.dimension.map((n, i) => n + (b.dimension[i] ?? 0)) as unknown as Dimension,
  };
}

function power(ratio: Ratio, exponent: number): Ratio {
  if (exponent === 1) return ratio;
  const inverse = exponent < 0;
  const size = Math.abs(exponent);
  return {
    numerator: (inverse ? ratio.denominator : ratio.numerator) ** size,
    denominator: (inverse ? ratio.numerator : ratio.denominator) ** size,
    offset: 0,
    // `+ 0` turns -0 into 0.
    dimension: ratio.dimension.map((one) => one * exponent + 0) as unknown as Dimension,
  };
}
