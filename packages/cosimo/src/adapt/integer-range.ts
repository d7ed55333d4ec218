/**
 * Rules compute with doubles, ports may be integers. Typed arrays would keep the lowest bits of a
 * number that is out of range, and make 0 of NaN, so such values are found here before they leave
 * the rules.
 */
import type { ValueType } from "../model/value-type.ts";

/** A place for an integer in the numbers of an adaptation. */
export interface IntegerCell {
  /** As messages call it: `output 'n'`, `input 'n' of 'f'`. */
  readonly what: string;
  readonly index: number;
  readonly type: ValueType;
  readonly least: number;
  /** The largest value as a double, which for 64 bits is one too many (`longOf`). */
  readonly most: number;
}

/** undefined where the type is not an integer. */
export function integerCell(what: string, index: number, type: ValueType): IntegerCell | undefined {
  const [, unsigned, width] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (width === undefined) return undefined;
  const bits = Number(width);
  const isUnsigned = unsigned === "u";
  const least = isUnsigned ? 0 : -(2 ** (bits - 1));
  const most = 2 ** (isUnsigned ? bits : bits - 1) - 1;
  return { what, index, type, least, most };
}

/** The first of these whose value, rounded toward zero, is out of range. */
export function outOfRange(
  cells: readonly IntegerCell[],
  numbers: Float64Array,
): IntegerCell | undefined {
  for (let k = 0; k < cells.length; k++) {
    const { index, least, most } = cells[k];
    const whole = Math.trunc(numbers[index]);
    if (!(whole >= least && whole <= most)) return cells[k];
  }
  return undefined;
}

/**
 * A number in range as a 64-bit integer, unsigned ones with the same bits (a BigInt64Array keeps
 * these); exact up to 2^53.
 */
export function longOf(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value === 2 ** 63) return 2n ** 63n - 1n;
  return value === 2 ** 64 ? -1n : BigInt(Math.trunc(value));
}
