/**
 * Copies of few numbers. `TypedArray.set` is a call that costs as much as a hundred of them, and
 * masters copy a handful many times in every step.
 */

/** From here on `set` is faster. */
const MANY = 128;

/** `n` numbers from `from[fromAt]` on to `to[toAt]` on; arrays do not overlap. */
export function copyNumbers(
  n: number,
  from: Float64Array,
  fromAt: number,
  to: Float64Array,
  toAt: number,
): void {
  if (n > MANY) {
    to.set(from.subarray(fromAt, fromAt + n), toAt);
    return;
  }
  for (let i = 0; i < n; i++) to[toAt + i] = from[fromAt + i];
}

/** All of them; the arrays have the same length. */
export function copyAll(from: Float64Array, to: Float64Array): void {
  if (from.length > MANY) to.set(from);
  else for (let i = 0; i < from.length; i++) to[i] = from[i];
}
