/**
 * Locates where a function changes its sign: thresholds and events inside a step.
 *
 * The Illinois variant of regula falsi: keeps a bracket, needs no derivative, converges superlinearly. Dowell & Jarratt 1971.
 */

/** Far more than any bracket of doubles needs; a function that is not deterministic must not hang a run. */
const MAX_ITERATIONS = 200;

/**
 * The far end of a bracket narrower than `tolerance` (or as narrow as doubles allow) in which `g` changes its sign.
 * `ga` and `gb` are g(a) and g(b): one strictly on one side of zero, `gb` zero or on the other.
 */
export function locateCrossing(
  g: (t: number) => number,
  a: number,
  ga: number,
  b: number,
  gb: number,
  tolerance: number,
): number {
  let near = a;
  let gNear = ga;
  let far = b;
  let gFar = gb;
  let moved = 0;
  for (let i = 0; i < MAX_ITERATIONS && far - near > tolerance && gFar !== 0; i++) {
    let t = far - (gFar * (far - near)) / (gFar - gNear);
    if (!(t > near && t < far)) t = near + (far - near) / 2;
    if (t === near || t === far) break;
    const gt = g(t);
    if (gt !== 0 && gt > 0 === ga > 0) {
      if (moved === -1) gFar /= 2;
      moved = -1;
      near = t;
      gNear = gt;
    } else {
      if (moved === 1) gNear /= 2;
      moved = 1;
      far = t;
      gFar = gt;
    }
  }
  return far;
}
