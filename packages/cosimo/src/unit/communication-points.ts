/**
 * The points of a unit's communication step: counted, so that they do not depend on where the unit
 * was stopped.
 */
import type { conditionsOf, Predicate } from "./predicate.ts";

/** How exactly an instant is located, in parts of the communication step. */
export const RESOLUTION = 1e-9;

export function nextPoint(
  now: number,
  { start, step }: { readonly start: number; readonly step: number },
): number {
  const count = Math.floor((now - start) / step + RESOLUTION) + 1;
  const point = start + count * step;
  return point > now ? point : point + step;
}

export function untilOf(
  time: number,
  own: readonly ReturnType<typeof conditionsOf>[number][],
): Predicate {
  return own.length === 0
    ? { kind: "time", time }
    : { kind: "or", any: [{ kind: "time", time }, ...own] };
}
