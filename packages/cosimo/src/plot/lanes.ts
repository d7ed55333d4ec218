/**
 * Lanes, as a logic analyser has them: booleans, events and enumerations one above the other, each
 * with its name at the left. The first signal is on top; lanes are 1 apart, and what a lane shows
 * lies between its base and LIFT above it.
 */
import type { Axis } from "./axis.ts";
import { fitText } from "./text-width.ts";

/** The rest of 1 is the room to the next lane. */
export const LIFT = 0.62;

/** Pixels that a name at the left may take. */
const NAME_WIDTH = 150;

/** What a lane needs of its signal. */
export interface LaneSignal {
  /** Names of an enumeration's items, by value; absent for booleans and events. */
  readonly items?: Readonly<Record<string, string>>;
  /** Least and greatest value; `low > high` when there is none. */
  readonly low: number;
  readonly high: number;
}

/**
 * From a value to its height in lane `lane` of `lanes`: 0 and 1 for booleans, the range that occurs
 * for enumerations.
 */
export function laneScale(
  { items, low, high }: LaneSignal,
  lane: number,
  lanes: number,
): (value: number) => number {
  const base = lanes - 1 - lane;
  if (items === undefined) return (value) => base + LIFT * value;
  const range = high > low ? high - low : 1;
  return (value) => base + (LIFT * (value - low)) / range;
}

/** The axis of a panel of lanes: a line at the base of each, with its name beside it. */
export function laneAxis(names: readonly string[], size: number): Axis {
  const lanes = names.length;
  const ticks = names.map((_, lane) => lanes - 1 - lane);
  const labels = names.map((name) => fitText(name, size, NAME_WIDTH));
  return { min: -0.22, max: lanes - 0.16, ticks, labels, offset: 0, exponent: 0 };
}

/** How far above its base a lane has its name. */
export const NAME_LIFT: number = LIFT / 2;

/** A value that holds for a while. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

/** Where a signal that changes in steps holds which value, between `from` and `to`. */
export function segmentsOf(
  time: ArrayLike<number>,
  values: ArrayLike<number | null>,
  from: number,
  to: number,
): Segment[] {
  const found: Segment[] = [];
  let begin = from;
  let held: number | null = null;
  const close = (at: number): void => {
    const end = Math.min(at, to);
    if (held !== null && Number.isFinite(held) && end > begin)
      found.push({ from: begin, to: end, value: held });
  };
  for (let row = 0; row < time.length && time[row]! <= to; row++) {
    const value = values[row] ?? null;
    if (value === held) continue;
    close(time[row]!);
    begin = Math.max(from, time[row]!);
    held = value;
  }
  close(Math.min(to, time[time.length - 1] ?? to));
  return found;
}
