/**
 * Instants of superdense time as parts of a model compare them: ticks, and the position among the
 * steps at that time. What is sent at a stamp is received at the same stamp; what a part answers
 * without a delay has the next index.
 */
export interface Stamp {
  /** Ticks. */
  readonly time: number;
  readonly index: number;
}

export const NEVER: Stamp = { time: Number.POSITIVE_INFINITY, index: 0 };

export function compareStamps(a: Stamp, b: Stamp): number {
  return a.time === b.time ? a.index - b.index : a.time < b.time ? -1 : 1;
}

export function isBefore(a: Stamp, b: Stamp): boolean {
  return a.time < b.time || (a.time === b.time && a.index < b.index);
}

export function isSame(a: Stamp, b: Stamp): boolean {
  return a.time === b.time && a.index === b.index;
}

export function earlier(a: Stamp, b: Stamp): Stamp {
  return isBefore(b, a) ? b : a;
}

export function after({ time, index }: Stamp): Stamp {
  return time === Number.POSITIVE_INFINITY ? NEVER : { time, index: index + 1 };
}

/** The first instant that an answer with at least this delay, in ticks, can have. */
export function answerTo(stamp: Stamp, delay: number): Stamp {
  return delay > 0 ? { time: stamp.time + delay, index: 0 } : after(stamp);
}
