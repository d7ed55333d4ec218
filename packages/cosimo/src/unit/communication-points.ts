/**
 * The points of a unit's communication step: counted, so that they do not depend on where the unit
 * was stopped.
 */
import { countedInstant } from "../base/instants.ts";
import type { conditionsOf, Predicate } from "./predicate.ts";

/** How exactly an instant is located, in parts of the communication step. */
export const RESOLUTION = 1e-9;

export interface Points {
  readonly start: number;
  /** The communication step, seconds. */
  readonly step: number;
  /** How points are counted; default: as all instants of periods. */
  readonly instant?: typeof countedInstant;
}

export function nextPoint(now: number, { start, step, instant = countedInstant }: Points): number {
  const count = Math.floor((now - start) / step + RESOLUTION) + 1;
  const point = instant(start, step, count);
  return point > now ? point : instant(start, step, count + 1);
}

export function untilOf(
  time: number,
  own: readonly ReturnType<typeof conditionsOf>[number][],
): Predicate {
  return own.length === 0
    ? { kind: "time", time }
    : { kind: "or", any: [{ kind: "time", time }, ...own] };
}
