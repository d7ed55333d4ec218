/**
 * Numbers that models of the library are made with: checked where they are given, because a model
 * with a wrong one runs all the same.
 */

/** @throws RangeError where it is not a whole number from `least` on; Infinity is one. */
export function needCount(what: string, count: number, least: number): void {
  if (count === Number.POSITIVE_INFINITY || (Number.isInteger(count) && count >= least)) return;
  throw new RangeError(`${what} is a whole number from ${least} on, or Infinity, not ${count}`);
}

/** @throws RangeError where it is not a number of seconds, 0 or more. */
export function needSeconds(what: string, seconds: number): number {
  if (typeof seconds === "number" && seconds >= 0) return seconds;
  throw new RangeError(`${what} takes 0 or more seconds, not ${String(seconds)}`);
}
