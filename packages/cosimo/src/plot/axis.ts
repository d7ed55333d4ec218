/**
 * Axes that people read without effort: ticks at 1, 2 or 5 times a power of ten, labels with the
 * same number of decimals, and powers of thousand or a common offset moved out of the labels into
 * the axis title.
 *
 * A label shows `(value - offset) / 10^exponent`; the title says so: `p - 101325 [10⁻³ Pa]`.
 */

export interface Axis {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
  readonly labels: readonly string[];
  readonly offset: number;
  readonly exponent: number;
}

export interface AxisOptions {
  /** Room beyond the data at both ends, as a share of the range. */
  readonly padding?: number;
  /** Ticks at whole numbers only. */
  readonly whole?: boolean;
}

/** An axis for data between `low` and `high` with at most about `maxTicks` ticks. */
export function makeAxis(
  low: number,
  high: number,
  maxTicks: number,
  options: AxisOptions = {},
): Axis {
  const [from, to] = widened(low, high, options);
  // Shares of each end, because the difference of two huge numbers would overflow.
  const padding = options.padding ?? 0;
  const min = Math.max(from + (from * padding - to * padding), -Number.MAX_VALUE);
  const max = Math.min(to + (to * padding - from * padding), Number.MAX_VALUE);
  const rough = max / maxTicks - min / maxTicks;
  const step = niceStep(options.whole ? Math.max(rough, 1) : rough);
  const ticks: number[] = [];
  // An end that is a tick but for rounding counts as one.
  const slack = 1e-9 + Math.max(Math.abs(min / step), Math.abs(max / step)) * 4 * Number.EPSILON;
  const first = Math.ceil(min / step - slack);
  const last = Math.floor(max / step + slack);
  for (let i = first; i <= last; i++) ticks.push(i * step);
  const offset = commonOffset(min, max, step);
  const exponent = commonExponent(Math.max(Math.abs(min - offset), Math.abs(max - offset)));
  const decimals = Math.min(20, Math.max(0, exponent - Math.floor(Math.log10(step) + 1e-9)));
  const labels = ticks.map((tick) => typographic((tick - offset) / 10 ** exponent, decimals));
  return { min, max, ticks, labels, offset, exponent };
}

/** `x [m]` with what the labels leave out: `x - 5 [10³ m]`. Either part may be empty. */
export function axisTitle(quantity: string, unit: string | undefined, axis: Axis): string {
  const sign = axis.offset < 0 ? "+" : "\u2212";
  const shift =
    axis.offset === 0 ? "" : ` ${sign} ${Number(Math.abs(axis.offset).toPrecision(12))}`;
  const power = axis.exponent === 0 ? "" : `10${superscript(axis.exponent)}`;
  const bracket = [power, unit ?? ""].filter((part) => part !== "").join(" ");
  return [`${quantity}${shift}`.trim(), bracket === "" ? "" : `[${bracket}]`]
    .filter((part) => part !== "")
    .join(" ");
}

/** Below this, ranges are zero: steps between such numbers would underflow. */
const SMALLEST = 1e-290;

/** A range that can be drawn: a constant gets room around it, nonsense becomes 0 to 1. */
function widened(low: number, high: number, options: AxisOptions): [number, number] {
  if (!(low <= high)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size > SMALLEST && high - low > size * 1e-12) return [low, high];
  const room = options.whole || size <= SMALLEST ? 1 : size * 0.1;
  return [low - room, high + room];
}

/** The smallest of 1, 2, 5 times a power of ten that is not below `rough`. */
function niceStep(rough: number): number {
  const power = Math.floor(Math.log10(rough));
  const share = rough / 10 ** power;
  const factor = share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10;
  // A division, because 10 ** -1 and its like are not exact.
  return power < 0 ? factor / 10 ** -power : factor * 10 ** power;
}

/** What to subtract from all labels, when they would need more than eight digits to differ. */
function commonOffset(min: number, max: number, step: number): number {
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (size / step < 1e7 || min <= 0 === max >= 0) return 0;
  const unit = 10 ** Math.ceil(Math.log10(max - min) + 1);
  return Math.round(min / unit) * unit;
}

/** A multiple of three; zero for numbers of everyday size. */
function commonExponent(size: number): number {
  if (size === 0 || (size >= 0.01 && size < 1e5)) return 0;
  return Math.floor(Math.log10(size) / 3) * 3;
}

function typographic(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
}

function superscript(exponent: number): string {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const text = [...String(Math.abs(exponent))].map((digit) => digits[Number(digit)]).join("");
  return exponent < 0 ? `⁻${text}` : text;
}
