/**
 * The smallest rate γ for which quadratic forms exist, one per node, that grow by less than γ along
 * every edge of a graph: Aᵀ P(to) A ≺ γ² P(from). The engine behind certificates of switched
 * systems.
 *
 * Method of centres (Boyd & El Ghaoui, "Method of centers for minimizing generalized eigenvalues",
 * 1993): hold γ² above the rate of the current forms, go to the analytic centre, follow
 * it along its tangent to a lower γ². Lowering γ² alone would stop at the nearest of very many
 * rims. Nothing here is trusted: what comes out are numbers for `quadratic-certificate.ts` to
 * check.
 */
import { type CentreWork, canImprove, centreWork, type EdgeMatrices } from "./lyapunov-assemble.ts";
import { followCentre, imagesOf, isInside, newtonStep } from "./lyapunov-newton.ts";

export interface CentreOptions {
  /** Forms whose rate is below this are good enough. */
  readonly target?: number;
  /** Relative distance of γ to the best possible that is good enough. */
  readonly tolerance?: number;
  readonly maxSteps?: number;
  /** Asked before every step. */
  readonly keepGoing?: () => boolean;
  /** Forms to begin with, as in the result. */
  readonly start?: Float64Array;
}

export interface Centre {
  /** One n × n block per node. */
  readonly forms: Float64Array;
  /** Every edge grows by less than this; computed, not certified. */
  readonly gamma: number;
  /** About where the best possible rate lies; an estimate. */
  readonly bestGamma: number;
  readonly steps: number;
}

/** How much of the way to the rim is kept when following the centre. */
const KEPT = 0.3;
/** Lower γ² only near the centre: at the rim, every step is a short one along it. */
const CENTRED = 1.2;
/** So many estimated gaps below, a target is out of reach. */
const SURELY = 2;

/**
 * Of graphs that are too large for Newton steps: the rate of the forms that the search would begin
 * with.
 */
export function minimizeRate(graph: EdgeMatrices, options: CentreOptions = {}): Centre {
  const { target = 0, tolerance = 1e-9, keepGoing = () => true } = options;
  const maxSteps = canImprove(graph) ? (options.maxSteps ?? 200) : 0;
  const work = centreWork(graph);
  const { forms } = work;
  start(graph, work, options.start);
  let g = firstRate(graph, work);
  let reached = rateOf(graph, work, g);
  let gap = g;
  let steps = 0;
  // Where nothing lasts the rate falls to zero, and the forms with it: enough is enough.
  const vanishing = 1e-12 * reached;
  // Without a target, only the tolerance ends it.
  const wanted = target > 0 ? target * target : Infinity;
  g = reached + Math.max(0.1 * (g - reached), 0.3 * reached);
  while (steps < maxSteps && (target === 0 || reached >= wanted) && keepGoing()) {
    const decrement = newtonStep(graph, g, work);
    if (Number.isNaN(decrement)) break;
    steps++;
    reached = rateOf(graph, work, g);
    if (decrement > CENTRED) continue;
    gap = gapEstimate(graph, work);
    if (gap <= tolerance * g || reached - SURELY * gap > wanted || reached < vanishing) break;
    const next = followCentre(graph, g, KEPT, work);
    if (!(next < g)) break;
    g = next;
    reached = rateOf(graph, work, g);
  }
  return {
    forms: Float64Array.from(forms),
    gamma: Math.sqrt(reached),
    bestGamma: Math.sqrt(Math.max(0, reached - gap)),
    steps,
  };
}

/**
 * Given forms, or those that a few turns of P ← Σ Aᵀ P A make out of the identity; then the scale
 * of the centre.
 */
function start(graph: EdgeMatrices, work: CentreWork, given: Float64Array | undefined): void {
  const { n, nodes, from } = graph;
  const { forms, images } = work;
  if (given) forms.set(given);
  else {
    for (let v = 0; v < nodes; v++) addIdentity(n, forms, v, 1);
    for (let turn = 0; turn < 12; turn++) {
      imagesOf(graph, forms, images, work.b);
      forms.fill(0);
      for (let e = 0; e < from.length; e++) {
        for (let i = 0; i < n * n; i++) forms[from[e] * n * n + i] += images[e * n * n + i];
      }
      // A floor keeps directions that nothing maps into.
      const trace = traceOf(graph, forms);
      if (!(trace > 0)) break;
      for (let i = 0; i < forms.length; i++) forms[i] *= (n * nodes) / trace;
      for (let v = 0; v < nodes; v++) addIdentity(n, forms, v, 0.05);
    }
    for (let v = 0; v < nodes; v++) addIdentity(n, forms, v, 0.01);
  }
  const scale = (from.length * n) / traceOf(graph, forms);
  for (let i = 0; i < forms.length; i++) forms[i] *= scale;
  imagesOf(graph, forms, images, work.b);
}

function addIdentity(n: number, forms: Float64Array, node: number, value: number): void {
  for (let i = 0; i < n; i++) forms[node * n * n + i * n + i] += value;
}

function traceOf({ n, nodes }: EdgeMatrices, forms: Float64Array): number {
  let sum = 0;
  for (let v = 0; v < nodes; v++) {
    for (let i = 0; i < n; i++) sum += forms[v * n * n + i * n + i];
  }
  return sum;
}

/** Some g inside, by doubling. */
function firstRate(graph: EdgeMatrices, work: CentreWork): number {
  let g = 1e-12;
  while (g < 1e300 && !isInside(graph, work.forms, work.images, g, work.a)) g *= 4;
  return g;
}

/**
 * The smallest g for which the forms are inside, from above, fine against its distance to `above`.
 */
function rateOf(graph: EdgeMatrices, work: CentreWork, above: number): number {
  let low = 0;
  let high = above;
  for (let i = 0; i < 70; i++) {
    const middle = 0.5 * (low + high);
    if (isInside(graph, work.forms, work.images, middle, work.a)) high = middle;
    else low = middle;
    if (high - low <= 1e-2 * (above - high) || high - low <= 1e-16 * above) break;
  }
  return high;
}

/**
 * How far g is above the best possible: at the centre, at most Σ tr P* / Σ ⟨P*, X⟩ for the best
 * forms P*, for which the current ones stand here.
 */
function gapEstimate(graph: EdgeMatrices, work: CentreWork): number {
  const { n, from } = graph;
  const { forms, inverses } = work;
  let pairing = 0;
  for (let e = 0; e < from.length; e++) {
    for (let i = 0; i < n * n; i++) pairing += forms[from[e] * n * n + i] * inverses[e * n * n + i];
  }
  return traceOf(graph, forms) / pairing;
}
