/**
 * Rules compute with doubles, ports may be integers. Typed arrays would keep the lowest bits of a number that is out of range, and make 0
 * of NaN, so such values are found here before they leave the rules.
 */
import type { ValueType } from "../model/value-type.ts";

/** A place for an integer in the numbers of an adaptation. */
export interface IntegerCell {
  /** As messages call it: `output 'n'`, `input 'n' of 'f'`. */
  readonly what: string;
  readonly index: number;
  readonly type: ValueType;
  readonly least: number;
  /** The first whole number above the range. */
  readonly end: number;
}

/** @returns undefined where the type is not an integer. */
export function integerCell(what: string, index: number, type: ValueType): IntegerCell | undefined {
  const [, unsigned, width] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (width === undefined) return undefined;
  const bits = Number(width);
  return unsigned === "u"
    ? { what, index, type, least: 0, end: 2 ** bits }
    : { what, index, type, least: -(2 ** (bits - 1)), end: 2 ** (bits - 1) };
}

/** The first of these whose value, rounded toward zero, is out of range. */
export function outOfRange(
  cells: readonly IntegerCell[],
  numbers: Float64Array,
): IntegerCell | undefined {
  for (let k = 0; k < cells.length; k++) {
    const { index, least, end } = cells[k];
    if (!(numbers[index] > least - 1 && numbers[index] < end)) return cells[k];
  }
  return undefined;
}
