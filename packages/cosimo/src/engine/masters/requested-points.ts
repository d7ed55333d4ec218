/**
 * Communication points that the scenario requests: sampling instants and single times. Steps end
 * there exactly, whatever chooses them.
 */
import type { CouplingPlan } from "../../plan/coupling-plan.ts";
import type { Plan } from "../../plan/plan.ts";

/** Times closer than this, relative to themselves or to the communication step, are one instant. */
const SAME_INSTANT = 1e-13;

export class RequestedPoints {
  private readonly every: readonly { readonly every: number; readonly first: number }[];
  private readonly at: readonly number[];

  private readonly step: number;

  constructor(
    { every, at }: CouplingPlan["points"],
    { start, step }: Pick<Plan, "start" | "step">,
  ) {
    this.step = step;
    this.every = every.map((one) => ({ every: one.every, first: start + one.offset }));
    this.at = at;
  }

  /** The first one after `time`; infinity: none. */
  after(time: number): number {
    const later = time + sameInstant(time, this.step);
    let next = Number.POSITIVE_INFINITY;
    for (const { every, first } of this.every) {
      // Counted, not accumulated, so that points that should coincide do; rounding may put the
      // count one too low.
      let count = Math.max(0, Math.floor((later - first) / every));
      while (first + count * every <= later) count++;
      next = Math.min(next, first + count * every);
    }
    for (const at of this.at) if (at > later) next = Math.min(next, at);
    return next;
  }
}

/**
 * What times near `time` may differ by and still mean the same instant.
 * @param step of the experiment: nanoseconds are not an instant to what lives for microseconds.
 */
export function sameInstant(time: number, step: number): number {
  return SAME_INSTANT * Math.max(step, Math.abs(time));
}
