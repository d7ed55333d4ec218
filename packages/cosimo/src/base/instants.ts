/**
 * Instants that are counted: the n-th one of a period from an origin. All such instants
 * (connections with a period, timers of state machines, clocks, communication points of units that
 * are sampled) are computed here, so that times which should coincide do, bit for bit, with each
 * other and with events of discrete-event models, whose ticks are nanoseconds (decision 15).
 *
 * c-runtime/adaptation.h has the same in C (`sa_instant`): the same operations in the same order,
 * none of them fused, so the same bits.
 */

/** Times that differ by no more roundings than products and sums cause are one instant. */
export const ROUNDING: number = 4 * Number.EPSILON;

/** Up to here a tick is 2^7 doubles wide at least, so that rounding leads to no other one. */
const MOST_TICKS = 2 ** 46;

/**
 * The instant origin + count · period. Where origin and period are whole numbers of nanoseconds, up
 * to their rounding, it is the double nearest to it: 3 · 0.1 s is 0.3 s. Elsewhere product and sum
 * are rounded.
 */
export function countedInstant(origin: number, period: number, count: number): number {
  // From seconds to nanoseconds: the longest ticks have the longest reach.
  for (let perSecond = 1; perSecond <= 1e9; perSecond *= 10) {
    const first = wholeTicks(origin * perSecond);
    const each = wholeTicks(period * perSecond);
    const ticks = first + count * each;
    if (Math.abs(ticks) <= Number.MAX_SAFE_INTEGER) return ticks / perSecond;
  }
  return gridInstant(origin, period, count);
}

/** The same instant as plans with common steps have it: product and sum, rounded. */
export function gridInstant(origin: number, period: number, count: number): number {
  return origin + count * period;
}

/** How many of the instants origin + k · period, k = 1, 2, …, are not after `time`. */
export function countedUntil(
  origin: number,
  period: number,
  time: number,
  instant: typeof countedInstant = countedInstant,
): number {
  let passed = Math.max(0, Math.floor((time - origin) / period));
  while (instant(origin, period, passed + 1) <= time) passed++;
  while (passed > 0 && instant(origin, period, passed) > time) passed--;
  return passed;
}

/** Whether two times mean one instant: where one of them was computed, it may be rounded. */
export function areSameInstant(a: number, b: number): boolean {
  const apart = Math.abs(a - b);
  return apart <= ROUNDING * Math.max(Math.abs(a), Math.abs(b)) && apart < Number.POSITIVE_INFINITY;
}

/** NaN: it is none. */
function wholeTicks(ticks: number): number {
  const whole = Math.floor(ticks + 0.5);
  const isWhole = Math.abs(ticks - whole) <= ROUNDING * Math.abs(whole);
  return isWhole && Math.abs(whole) <= MOST_TICKS ? whole : Number.NaN;
}
