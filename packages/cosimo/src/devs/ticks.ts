/**
 * Time inside discrete-event models is counted in ticks: whole numbers in doubles, so that sums are
 * exact and times that should coincide do, bit for bit (decision 15). Seconds exist at the border
 * and in what authors write.
 */
/** A nanosecond per tick, for runs of up to 26 days. */
export const DEFAULT_TICKS_PER_SECOND = 1e9;

/**
 * The last time. Up to here ticks → seconds → ticks, two roundings of 2^-53, gives the same tick.
 */
export const MAX_TICKS: number = 2 ** 51;

/** The nearest tick of a time or a delay; infinities stay. */
export function toTicks(seconds: number, perSecond: number): number {
  return Math.round(seconds * perSecond);
}

/**
 * The last tick of a run: a run without an end ends with the last event, and no event lies beyond
 * the last tick.
 * @throws RangeError where it is not a time.
 */
export function stopTicks(seconds: number, perSecond: number): number {
  if (typeof seconds !== "number" || Number.isNaN(seconds))
    throw new RangeError(
      `'stop' is ${String(seconds)}; give seconds, or Infinity to run until nothing happens any more`,
    );
  return Math.min(toTicks(seconds, perSecond), MAX_TICKS);
}

/** A number of seconds to begin at. @throws RangeError where it is none. */
export function startTicks(seconds: number, perSecond: number): number {
  const start = toTicks(seconds, perSecond);
  if (typeof seconds === "number" && Math.abs(start) <= MAX_TICKS) return start;
  const last = toSeconds(MAX_TICKS, perSecond);
  throw new RangeError(`'start' is ${String(seconds)}; give seconds, up to ${last}`);
}

/** One correctly rounded division: 3e8 ticks of a nanosecond are the double 0.3. */
export function toSeconds(ticks: number, perSecond: number): number {
  return ticks / perSecond;
}
