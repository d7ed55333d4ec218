/**
 * From steps in seconds to ticks: the greatest common step, and how many of it every unit takes.
 */

export interface Rates {
  /** Seconds of one tick. */
  readonly step: number;
  readonly ticks: readonly number[];
}

/** Two steps whose ratio is this close to a whole number are whole multiples. */
const TOLERANCE = 1e-9;
const MAX_TICKS = 1_000_000;
/** Parts of the smallest step that are tried: 0.4 s and 1 s need two, 3 ms and 7 ms three. */
const MAX_PARTS = 10_000;

/** Whether whole steps of `inner` fill one of `outer`. */
export function fillsStep(inner: number, outer: number): boolean {
  const parts = outer / inner;
  return Math.round(parts) >= 1 && Math.abs(parts - Math.round(parts)) <= TOLERANCE * parts;
}

/**
 * The largest step of which all `steps` are whole multiples.
 * @returns undefined when there is none, or none that is at least a millionth of the largest.
 */
export function commonRates(steps: readonly number[]): Rates | undefined {
  const smallest = steps.reduce((a, b) => Math.min(a, b), Infinity);
  const largest = steps.reduce((a, b) => Math.max(a, b), -Infinity);
  for (let parts = 1; parts <= MAX_PARTS; parts++) {
    const step = smallest / parts;
    if (step * MAX_TICKS < largest * (1 - TOLERANCE)) return undefined;
    const ticks = steps.map((s) => Math.round(s / step));
    if (steps.every((s, i) => Math.abs(s / step - ticks[i]) <= TOLERANCE * ticks[i]))
      return { step, ticks };
  }
  return undefined;
}
