/**
 * Derivatives of a model that offers none: central differences along one direction,
 * f′ ≈ (f(x + δ) − f(x − δ)) / 2δ (Nocedal & Wright, Numerical Optimization, 2nd ed., sec. 8.1).
 *
 * Error about the cube root of the machine precision squared, relative to the values' scale.
 * Everything the model is evaluated from lives in one array, so one kernel serves inputs, states,
 * parameters and time.
 */

/** Cube root of the machine precision: balances truncation against rounding. */
const RELATIVE_STEP = Number.EPSILON ** (1 / 3);

/**
 * `out[i]` = derivative of z[unknowns[i]] when z[knowns[j]] moves with speed seed[j]. `evaluate`
 * recomputes the unknowns inside `z` from its other entries. `z` is left as it was found, bit for
 * bit; `kept` is a buffer of z's length.
 */
export function directionalDifference(
  z: Float64Array,
  unknowns: ArrayLike<number>,
  knowns: ArrayLike<number>,
  seed: ArrayLike<number>,
  evaluate: () => void,
  out: Float64Array,
  kept: Float64Array,
): void {
  kept.set(z);
  const step = stepAlong(z, knowns, seed);
  if (step === 0) {
    out.fill(0, 0, unknowns.length);
    return;
  }
  for (let j = 0; j < knowns.length; j++) z[knowns[j]] = kept[knowns[j]] + step * seed[j];
  evaluate();
  for (let i = 0; i < unknowns.length; i++) out[i] = z[unknowns[i]];
  z.set(kept);
  for (let j = 0; j < knowns.length; j++) z[knowns[j]] = kept[knowns[j]] - step * seed[j];
  evaluate();
  for (let i = 0; i < unknowns.length; i++) out[i] = (out[i] - z[unknowns[i]]) / (2 * step);
  z.set(kept);
}

/**
 * How far to move along the seed, so that the fastest entry moves by a small part of its own scale.
 * 0 for a zero seed.
 */
function stepAlong(z: Float64Array, knowns: ArrayLike<number>, seed: ArrayLike<number>): number {
  let speed = 0;
  for (let j = 0; j < knowns.length; j++) {
    speed = Math.max(speed, Math.abs(seed[j]) / Math.max(1, Math.abs(z[knowns[j]])));
  }
  return speed === 0 ? 0 : RELATIVE_STEP / speed;
}
