/**
 * Time inside discrete-event models is counted in ticks: whole numbers in doubles, so that sums are exact and times that should
 * coincide do, bit for bit (decision 15). Seconds exist at the border and in what authors write.
 */
export interface Ticks {
  readonly perSecond: number;
}

/** A nanosecond per tick, for runs of up to 104 days. */
export const DEFAULT_TICKS_PER_SECOND = 1e9;

/** The last time: up to here all whole numbers are doubles. */
export const MAX_TICKS: number = Number.MAX_SAFE_INTEGER;

/** The nearest tick of an absolute time; infinities stay. */
export function toTicks(seconds: number, perSecond: number): number {
  return Math.round(seconds * perSecond);
}

/** One correctly rounded division: 3e8 ticks of a nanosecond are the double 0.3. */
export function toSeconds(ticks: number, perSecond: number): number {
  return ticks / perSecond;
}

/** A delay in ticks: the nearest, but one that is not zero takes at least a tick, so that time goes on. */
export function delayTicks(seconds: number, perSecond: number): number {
  const ticks = Math.round(seconds * perSecond);
  return ticks === 0 && seconds > 0 ? 1 : ticks;
}
