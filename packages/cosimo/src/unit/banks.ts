/**
 * Banks of values as a whole: copied, filled and compared. Numbers are compared bit for bit.
 */
import type { Banks, ObjectValue } from "../model/value-type.ts";
import { copyAll } from "../numerics/copy-numbers.ts";

/** Most units have no integers of 64 bits, and an empty array costs as much as others. */
const NO_INTEGERS = new BigInt64Array(0);

export function copyBanks({ f64, i64, obj }: Banks): Banks {
  return {
    f64: f64.slice(),
    i64: i64.length === 0 ? NO_INTEGERS : i64.slice(),
    obj: obj.slice(),
  };
}

/** Copies the values of `from` into `banks`, which have the same sizes. */
export function fillBanks(banks: Banks, from: Banks): void {
  copyAll(from.f64, banks.f64);
  if (banks.i64.length > 0) banks.i64.set(from.i64);
  for (let i = 0; i < banks.obj.length; i++) banks.obj[i] = from.obj[i];
}

export function areSameBanks(a: Banks, b: Banks): boolean {
  return (
    a.f64.every((value, i) => Object.is(value, b.f64[i])) &&
    a.i64.every((value, i) => value === b.i64[i]) &&
    a.obj.every((value, i) => isSameValue(value, b.obj[i]))
  );
}

/** Whether two values of a bank are the same; binary ones by their bytes. */
export function isSameValue(
  a: number | bigint | ObjectValue,
  b: number | bigint | ObjectValue | undefined,
): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
  return Object.is(a, b);
}
