/**
 * The inverse of the standard normal distribution function: from a uniform number to a normal one,
 * monotonically, so that designs that fill the unit cube evenly fill normal factors evenly as well.
 *
 * Rational approximation by P. J. Acklam (relative error 1.15e-9), then one step of Halley's method
 * on the distribution function, which makes it exact to rounding.
 */
const A = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2,
  -3.066479806614716e1, 2.506628277459239,
];
const B = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1,
  -1.328068155288572e1, 1,
];
const C = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734,
  4.374664141464968, 2.938163982698783,
];
const D = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1];

/** Below it the tail has an approximation of its own. */
const TAIL = 0.02425;

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, c) => sum * x + c, 0);
}

/** @param p in (0, 1); 0 and 1 give infinities. */
export function normalQuantile(p: number): number {
  if (p <= 0 || p >= 1) return p === 0 ? -Infinity : p === 1 ? Infinity : Number.NaN;
  // Both tails are the lower one, so that p close to 1 loses nothing here that it has not lost
  // before.
  if (p > 0.5) return -lower(1 - p);
  return lower(p);
}

function lower(p: number): number {
  const x = approximate(p);
  const error = normalDistribution(x) - p;
  const u = error * Math.sqrt(2 * Math.PI) * Math.exp((x * x) / 2);
  return x - u / (1 + (x * u) / 2);
}

function approximate(p: number): number {
  if (p < TAIL) {
    const q = Math.sqrt(-2 * Math.log(p));
    return polynomial(C, q) / polynomial(D, q);
  }
  const q = p - 0.5;
  const r = q * q;
  return (q * polynomial(A, r)) / polynomial(B, r);
}

/**
 * The standard normal distribution function for x ≤ 0: the series of erf near 0, the continued
 * fraction of erfc (Abramowitz and Stegun 7.1.5 and 7.1.14) beyond.
 */
export function normalDistribution(x: number): number {
  if (x > 0) return 1 - normalDistribution(-x);
  const z = -x / Math.SQRT2;
  if (z < 2) {
    let term = z;
    let sum = z;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      term *= (-z * z) / n;
      sum += term / (2 * n + 1);
      if (n > 200) break;
    }
    return 0.5 - sum / Math.sqrt(Math.PI);
  }
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / 2 / (z + fraction);
  return Math.exp(-z * z) / (2 * Math.sqrt(Math.PI) * (z + fraction));
}
