/**
 * Products and powers of physical units, for expressions over signals.
 */
import { DIMENSIONLESS, type Dimension, type PhysicalUnit } from "./physical-unit.ts";
import { parseUnit } from "./physical-unit-parse.ts";

export const PLAIN_NUMBER: PhysicalUnit = {
  name: "1",
  base: { dimension: DIMENSIONLESS, factor: 1, offset: 0 },
};

/** What the unit is in base units; undefined where its name is not known. */
function baseOf(unit: PhysicalUnit): PhysicalUnit["base"] {
  return unit.base ?? parseUnit(unit.name)?.base;
}

/** Values are on a scale with a zero of its own: degC, and not K. */
export function hasOffset(unit: PhysicalUnit): boolean {
  return (baseOf(unit)?.offset ?? 0) !== 0;
}

/** `a * b ** exponent`; undefined where one of them is not known. */
export function productOf(
  a: PhysicalUnit,
  b: PhysicalUnit,
  exponent: 1 | -1,
): PhysicalUnit | undefined {
  const [left, right] = [baseOf(a), baseOf(b)];
  if (left === undefined || right === undefined) return undefined;
  const dimension = left.dimension.map(
    (n, i) => n + exponent * (right.dimension[i] ?? 0),
  ) as unknown as Dimension;
  const factor = left.factor * right.factor ** exponent;
  return { name: productName(a.name, b.name, exponent), base: { dimension, factor, offset: 0 } };
}

/** `N`, `m` → `N.m`; `m`, `s` → `m/s`. */
function productName(a: string, b: string, exponent: 1 | -1): string {
  const isSimple = (name: string): boolean => !/[./]/.test(name);
  if (b === "1") return a;
  if (exponent === 1) return a === "1" ? b : `${a}.${b}`;
  return `${a}/${isSimple(b) ? b : `(${b})`}`;
}

/** `unit ** exponent`; undefined where a base unit would get a broken exponent. */
export function powerOf(unit: PhysicalUnit, exponent: number): PhysicalUnit | undefined {
  const base = baseOf(unit);
  if (base === undefined) return undefined;
  const dimension = base.dimension.map((n) => n * exponent + 0);
  if (!dimension.every(Number.isInteger)) return undefined;
  const factor = base.factor ** exponent;
  const name = exponent === 1 || unit.name === "1" ? unit.name : `(${unit.name})^${exponent}`;
  return { name, base: { dimension: dimension as unknown as Dimension, factor, offset: 0 } };
}
