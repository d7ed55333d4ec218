/**
 * When a parabola crosses zero upwards: the time advance of quantized-state integrators, whose
 * trajectories are parabolas between events. Of the two roots of g(τ) = c0 + c1 τ + c2 τ² one is
 * rising, τ = (-c1 + √D) / 2 c2 with D = c1² - 4 c0 c2, so nothing has to be searched. The root is
 * computed from the sum that does not cancel (Numerical Recipes, §5.6).
 */

/**
 * The first τ ≥ 0 at which g rises through zero; Infinity where it never does.
 * Where g is at or above zero already and still rises, that is now: 0.
 */
export function risingTime(c0: number, c1: number, c2: number): number {
  if (c0 >= 0 && (c1 > 0 || (c1 === 0 && c2 > 0))) return 0;
  const discriminant = c1 * c1 - 4 * c0 * c2;
  if (!(discriminant >= 0)) return Number.POSITIVE_INFINITY;
  const root = Math.sqrt(discriminant);
  // g' at the root is √D; a double root touches zero and crosses nothing.
  if (root === 0) return Number.POSITIVE_INFINITY;
  const time = c1 > 0 ? (-2 * c0) / (c1 + root) : (root - c1) / (2 * c2);
  return time >= 0 ? time : Number.POSITIVE_INFINITY;
}

/** The first τ ≥ 0 at which g falls through zero; Infinity where it never does. */
export function fallingTime(c0: number, c1: number, c2: number): number {
  return risingTime(-c0, -c1, -c2);
}
