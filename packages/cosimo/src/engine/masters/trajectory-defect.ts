/**
 * How far the polynomials that inputs follow are from smooth signals. A polynomial of degree m
 * through samples errs by u⁽ᵐ⁺¹⁾/(m + 1)! times the product of the distances to its samples; that
 * derivative is the same for a prediction and for the trajectory that was taken, so the quotient of
 * two products gives one error from the other, whatever the step sizes (Milne's device). Here are
 * the products: at the end of a step of length h, and their mean over it.
 *
 * Samples lie at the beginning of the step, `a1` and `a2` before it, and at the end where a
 * trajectory is interpolated.
 */
export type Degree = 0 | 1 | 2;

/** A prediction from the past, at the end of the step. */
export function predictionEnd(degree: Degree, h: number, a1: number, a2: number): number {
  if (degree === 0) return h;
  return degree === 1 ? h * (h + a1) : h * (h + a1) * (h + a2);
}

/** A trajectory extrapolated from the past: mean over the step. */
export function extrapolationMean(degree: Degree, h: number, a1: number, a2: number): number {
  if (degree === 0) return h / 2;
  if (degree === 1) return h * (h / 3 + a1 / 2);
  return h * (h * (h / 4 + (a1 + a2) / 3) + (a1 * a2) / 2);
}

/** A trajectory that also goes through the value of the end: mean over the step. */
export function interpolationMean(degree: Degree, h: number, a1: number): number {
  if (degree === 0) return h / 2;
  return degree === 1 ? (h * h) / 6 : h * h * (h / 12 + a1 / 6);
}
