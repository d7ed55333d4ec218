/**
 * One Newton step towards the analytic centre of matrix inequalities along the edges of a graph:
 *
 *   g P(from) − Aᵀ P(to) A ≻ 0 for every edge,   minimise Σ trace P(node) − Σ log det of the left sides.
 *
 * The trace fixes the scale, which the inequalities leave free. Unknowns are the upper triangles of
 * the P; an edge adds to the Hessian only the blocks of its two nodes, so that everything but the
 * one Cholesky factorization is cheap. Nocedal & Wright ch. 19; Boyd & El Ghaoui, Method of centers
 * for minimizing generalized eigenvalues, 1993.
 */
import { choleskyFactor, choleskySolve } from "./cholesky.ts";
import { assemble, type CentreWork, type EdgeMatrices, leftSide } from "./lyapunov-assemble.ts";
import { spend } from "./time-limit.ts";

/** Writes Aᵀ P(to) A of every edge. */
export function imagesOf(
  graph: EdgeMatrices,
  forms: Float64Array,
  images: Float64Array,
  scratch: Float64Array,
): void {
  const { n, to, matrices } = graph;
  for (let e = 0; e < to.length; e++) {
    const a = matrices[e];
    const p = to[e] * n * n;
    for (let i = 0; i < n; i++) {
      spend(n * n);
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += forms[p + i * n + k] * a[k * n + j];
        scratch[i * n + j] = sum;
      }
    }
    const q = e * n * n;
    for (let i = 0; i < n; i++) {
      spend(n * n);
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += a[k * n + i] * scratch[k * n + j];
        images[q + i * n + j] = sum;
        images[q + j * n + i] = sum;
      }
    }
  }
}

/** Σ trace P − Σ log det (g P − image); Infinity where a left side is not positive definite. */
export function centreObjective(
  graph: EdgeMatrices,
  forms: Float64Array,
  images: Float64Array,
  g: number,
  scratch: Float64Array,
): number {
  const { n, nodes, from } = graph;
  let value = 0;
  for (let v = 0; v < nodes; v++) {
    for (let i = 0; i < n; i++) value += forms[v * n * n + i * n + i];
  }
  for (let e = 0; e < from.length; e++) {
    leftSide(n, forms, from[e], images, e, g, scratch);
    if (choleskyFactor(n, scratch) !== -1) return Infinity;
    for (let i = 0; i < n; i++) value -= 2 * Math.log(scratch[i * n + i]);
  }
  return value;
}

/** Whether all left sides are positive definite. */
export function isInside(
  graph: EdgeMatrices,
  forms: Float64Array,
  images: Float64Array,
  g: number,
  scratch: Float64Array,
): boolean {
  const { n, from } = graph;
  for (let e = 0; e < from.length; e++) {
    leftSide(n, forms, from[e], images, e, g, scratch);
    if (choleskyFactor(n, scratch) !== -1) return false;
  }
  return true;
}

function arePositive(
  { n, nodes }: EdgeMatrices,
  forms: Float64Array,
  scratch: Float64Array,
): boolean {
  for (let v = 0; v < nodes; v++) {
    for (let i = 0; i < n * n; i++) scratch[i] = forms[v * n * n + i];
    if (choleskyFactor(n, scratch) !== -1) return false;
  }
  return true;
}

/**
 * One damped Newton step from `work.forms`, which is inside. Returns the Newton decrement before
 * the step: below 1, the centre is near. NaN when the Newton system cannot be solved any more: the
 * forms are as good as rounding allows.
 */
export function newtonStep(graph: EdgeMatrices, g: number, work: CentreWork): number {
  const { gradient, hessian, drift } = work;
  const unknowns = gradient.length;
  assemble(graph, g, work);
  let largest = 0;
  for (let i = 0; i < unknowns; i++) largest = Math.max(largest, hessian[i * unknowns + i]);
  for (let i = 0; i < unknowns; i++) hessian[i * unknowns + i] += 1e-15 * largest;
  if (choleskyFactor(unknowns, hessian) !== -1) return Number.NaN;
  const slope = Float64Array.from(gradient);
  choleskySolve(unknowns, hessian, gradient);
  choleskySolve(unknowns, hessian, drift);
  let decrement = 0;
  for (let i = 0; i < unknowns; i++) decrement += slope[i] * gradient[i];
  if (!(decrement >= 0)) return Number.NaN;
  return descend(graph, g, work, decrement) ? Math.sqrt(decrement) : Number.NaN;
}

/** Halves the step until it stays inside and goes down as a Newton step should. */
function descend(graph: EdgeMatrices, g: number, work: CentreWork, decrement: number): boolean {
  const { forms, trialForms, images, trialImages, gradient, a, b } = work;
  const before = centreObjective(graph, forms, images, g, a);
  const slack = 1e-12 * Math.abs(before);
  for (let length = 1; length > 1e-6; length /= 2) {
    moveForms(graph, forms, gradient, -length, trialForms);
    imagesOf(graph, trialForms, trialImages, b);
    const after = centreObjective(graph, trialForms, trialImages, g, a);
    if (after <= before - 0.1 * length * decrement + slack) {
      forms.set(trialForms);
      images.set(trialImages);
      return true;
    }
  }
  return false;
}

/**
 * Follows the centre as g falls, along its tangent of the last step, as far as that stays inside;
 * keeps `kept` of the distance to the rim. Returns the new g, which is the old one when the tangent
 * leads nowhere.
 */
export function followCentre(
  graph: EdgeMatrices,
  g: number,
  kept: number,
  work: CentreWork,
): number {
  const { forms, trialForms, images, trialImages, drift, a, b } = work;
  const reach = (length: number): boolean => {
    moveForms(graph, forms, drift, length, trialForms);
    imagesOf(graph, trialForms, trialImages, b);
    // Below the joint spectral radius, indefinite forms are inside too: a jump must not land there.
    return (
      arePositive(graph, trialForms, a) && isInside(graph, trialForms, trialImages, g - length, a)
    );
  };
  let low = 0;
  let high = g;
  for (let i = 0; i < 50 && high - low > 0.05 * high; i++) {
    const middle = 0.5 * (low + high);
    if (reach(middle)) low = middle;
    else high = middle;
  }
  const length = (1 - kept) * low;
  if (!(length > 0) || !reach(length)) return g;
  forms.set(trialForms);
  images.set(trialImages);
  return g - length;
}

function moveForms(
  { n, nodes }: EdgeMatrices,
  forms: Float64Array,
  direction: Float64Array,
  length: number,
  out: Float64Array,
): void {
  let k = 0;
  for (let v = 0; v < nodes; v++) {
    const p = v * n * n;
    for (let i = 0; i < n; i++) {
      for (let j = i; j < n; j++) {
        const value = forms[p + i * n + j] + length * direction[k++];
        out[p + i * n + j] = value;
        out[p + j * n + i] = value;
      }
    }
  }
}
