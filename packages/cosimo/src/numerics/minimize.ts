/**
 * The least value of a function of one variable that is costly and perhaps not defined everywhere
 * (Infinity): a scan that finds the valley, golden sections that go down to its floor. Brent,
 * Algorithms for Minimization without Derivatives, sec. 5.
 */
const GOLDEN = (3 - Math.sqrt(5)) / 2;

export interface Minimum {
  readonly at: number;
  readonly value: number;
}

/**
 * The least value found in [low, high], with `at` known to `tolerance` where the function has one
 * valley there.
 */
export function goldenSection(
  f: (x: number) => number,
  low: number,
  high: number,
  tolerance: number,
): Minimum {
  let [a, b] = [low, high];
  let left = a + GOLDEN * (b - a);
  let right = b - GOLDEN * (b - a);
  let fLeft = f(left);
  let fRight = f(right);
  while (b - a > tolerance) {
    if (fLeft <= fRight) {
      b = right;
      right = left;
      fRight = fLeft;
      left = a + GOLDEN * (b - a);
      fLeft = f(left);
    } else {
      a = left;
      left = right;
      fLeft = fRight;
      right = b - GOLDEN * (b - a);
      fRight = f(right);
    }
    if (!(left > a && right < b)) break;
  }
  return fLeft <= fRight ? { at: left, value: fLeft } : { at: right, value: fRight };
}

/**
 * The least value over `points` (ascending) and, by golden sections, between the neighbours of the
 * best of them. `value` is Infinity where the function is so at all points.
 */
export function scanAndRefine(
  f: (x: number) => number,
  points: readonly number[],
  tolerance: number,
): Minimum {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < points.length; i++) {
    const value = f(points[i]);
    if (value < least) [best, least] = [i, value];
  }
  if (best < 0) return { at: Number.NaN, value: Number.POSITIVE_INFINITY };
  const found = { at: points[best], value: least };
  const low = points[Math.max(0, best - 1)];
  const high = points[Math.min(points.length - 1, best + 1)];
  const refined = goldenSection(f, low, high, tolerance);
  return refined.value < found.value ? refined : found;
}

/**
 * Where the parabola through three values around `at` is least: much closer to the floor of a
 * smooth valley than comparing values, which near the floor are equal but for rounding.
 */
export function parabolaFloor(f: (x: number) => number, at: number, width: number): number {
  const [left, middle, right] = [f(at - width), f(at), f(at + width)];
  const bend = left - 2 * middle + right;
  const floor = at + (width * (left - right)) / (2 * bend);
  return bend > 0 && Math.abs(floor - at) < width ? floor : at;
}
