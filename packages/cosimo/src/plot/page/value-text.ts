/**
 * The value under the cursor in words, and how much room such words take.
 */
import type { PlotPageSeries } from "../page-data.ts";

export function valueText({ items, unit, digits }: PlotPageSeries, value: number | null): string {
  if (value === null) return "–";
  const text = items?.[String(value)] ?? numberText(value, digits);
  return unit === undefined ? text : `${text} ${unit}`;
}

/** As many digits as `digits`, with a minus sign that is as wide as a plus. */
export function numberText(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/**
 * Characters that any value of the series takes at most; a sign, a point and an exponent included.
 */
export function valueWidth({
  items,
  unit,
  digits,
  low,
  high,
  whole,
  isLane,
  isEvent,
}: PlotPageSeries): number {
  if (isEvent) return 0;
  const names = Object.values(items ?? {}).map((name) => name.length);
  const ends = [low, high].map((value) => numberText(value, digits).length);
  // Near zero a signal has more characters than at its ends: zeros behind the point, or an
  // exponent.
  const between = isLane ? 1 : whole ? 0 : digits + 6;
  const number = Math.max(...ends, between, ...names);
  return number + (unit === undefined ? 0 : 1 + unit.length);
}
