/**
 * Communication points that the author asked for: sampling instants and single times. Steps end there exactly, whoever
 * chooses them.
 */
import type { CouplingPlan } from "../../plan/coupling-plan.ts";

/** Times closer than this, relative to themselves, are one instant. */
const SAME_INSTANT = 1e-13;

export class AskedPoints {
  readonly #every: readonly { readonly every: number; readonly first: number }[];
  readonly #at: readonly number[];

  constructor({ every, at }: CouplingPlan["points"], start: number) {
    this.#every = every.map((one) => ({ every: one.every, first: start + one.offset }));
    this.#at = at;
  }

  /** The first one after `time`; infinity: none. */
  after(time: number): number {
    const later = time + sameInstant(time);
    let next = Number.POSITIVE_INFINITY;
    for (const { every, first } of this.#every) {
      // Counted, not accumulated, so that points that should coincide do; rounding may put the count one too low.
      let count = Math.max(0, Math.floor((later - first) / every));
      while (first + count * every <= later) count++;
      next = Math.min(next, first + count * every);
    }
    for (const at of this.#at) if (at > later) next = Math.min(next, at);
    return next;
  }
}

/** What times near `time` may differ by and still mean the same instant. */
export function sameInstant(time: number): number {
  return SAME_INSTANT * Math.max(1, Math.abs(time));
}
