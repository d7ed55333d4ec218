/**
 * Computes the expected trace without Cosimo.
 *
 *     node examples/model-swap/expected.mjs > examples/model-swap/expected.csv
 *
 * Both models are linear with constant losses, x' = A x + b, so x(t) = x* + Σ cᵢ exp(λᵢ t) vᵢ with the eigenvalues of A. When the difference of
 * the temperatures reaches 7 K is found by bisection. What the cheap model makes of
 * the time in between shows in where the second detailed model begins.
 */
const [winding, housing, inside, outside, losses] = [50, 400, 5, 0.5, 40];
const all = winding + housing;

/** Winding and housing, t seconds after they were w and h. */
function detailed(w, h, t) {
  const a = -inside / winding;
  const b = inside / winding;
  const c = inside / housing;
  const d = -(inside + outside) / housing;
  // Where everything rests: all losses go through both conductances.
  const restH = losses / outside;
  const restW = restH + losses / inside;
  const root = Math.sqrt((a - d) ** 2 + 4 * b * c);
  const slow = (a + d + root) / 2;
  const fast = (a + d - root) / 2;
  // Eigenvectors (b, λ - a); the coefficients solve two equations.
  const [x, y] = [w - restW, h - restH];
  const forFast = (y - (x / b) * (slow - a)) / (fast - slow);
  const forSlow = x / b - forFast;
  const [atSlow, atFast] = [forSlow * Math.exp(slow * t), forFast * Math.exp(fast * t)];
  return [restW + b * (atSlow + atFast), restH + (slow - a) * atSlow + (fast - a) * atFast];
}

/** How far the winding is above the mean and the housing below it, once the fast part is over. */
const above = ((housing / all) * losses) / inside;
const below = ((winding / all) * losses) / inside;

/** The mean, t seconds after it was `mean`. */
function cheap(mean, t) {
  const rest = losses / outside + below;
  return rest + (mean - rest) * Math.exp((-outside / all) * t);
}

let [low, high] = [0, 100];
for (let halvings = 0; halvings < 60; halvings++) {
  const middle = (low + high) / 2;
  const [w, h] = detailed(0, 0, middle);
  if (w - h < 7) low = middle;
  else high = middle;
}
const swap = high;
const [w, h] = detailed(0, 0, swap);
const mean = (winding * w + housing * h) / all;
const late = cheap(mean, 1000 - swap);
const fresh = [late + above, late - below];

console.log("time,meter.flow");
for (let t = 0; t <= 1500; t += 10) {
  // Between the two changes the steps begin where the first one was located.
  if (t > swap && t < 1000) continue;
  const [, temperature] = t < swap ? detailed(0, 0, t) : detailed(...fresh, t - 1000);
  console.log(`${t},${outside * temperature}`);
}
