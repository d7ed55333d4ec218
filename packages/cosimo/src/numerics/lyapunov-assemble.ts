/**
 * Gradient and Hessian of the barrier over forms on a graph (lyapunov-newton.ts has the problem).
 * Unknowns are the upper triangles of the forms, node after node; an edge adds to the blocks of its
 * two nodes only.
 */
import { choleskyFactor, choleskyInverse } from "./cholesky.ts";

export interface EdgeMatrices {
  /** Size of the matrices. */
  readonly n: number;
  readonly nodes: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** One an edge, row-major. */
  readonly matrices: readonly Float64Array[];
}

export interface CentreWork {
  /** One n × n block per node: the current P. */
  readonly forms: Float64Array;
  /** One block an edge: Aᵀ P(to) A. */
  readonly images: Float64Array;
  /** One block an edge: inverse of the left side. At the centre, the dual variables. */
  readonly inverses: Float64Array;
  readonly gradient: Float64Array;
  /** How the gradient changes with g; after a step, how the centre does. */
  readonly drift: Float64Array;
  readonly hessian: Float64Array;
  readonly trialForms: Float64Array;
  readonly trialImages: Float64Array;
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly column: Float64Array;
}

/**
 * Newton systems beyond this size (128 MB) are not made: they would take minutes per step, or more
 * memory than there is.
 */
const MAX_UNKNOWNS = 4000;

const unknownsOf = ({ n, nodes }: EdgeMatrices): number => (nodes * n * (n + 1)) / 2;

/** Whether forms on this graph can be improved by Newton steps. */
export function canImprove(graph: EdgeMatrices): boolean {
  return unknownsOf(graph) <= MAX_UNKNOWNS;
}

export function centreWork(graph: EdgeMatrices): CentreWork {
  const { n, nodes, from } = graph;
  const unknowns = unknownsOf(graph);
  const edges = from.length;
  return {
    forms: new Float64Array(nodes * n * n),
    images: new Float64Array(edges * n * n),
    inverses: new Float64Array(edges * n * n),
    gradient: new Float64Array(unknowns),
    drift: new Float64Array(unknowns),
    hessian: new Float64Array(canImprove(graph) ? unknowns * unknowns : 0),
    trialForms: new Float64Array(nodes * n * n),
    trialImages: new Float64Array(edges * n * n),
    a: new Float64Array(n * n),
    b: new Float64Array(n * n),
    c: new Float64Array(n * n),
    column: new Float64Array(n),
  };
}

/** out = g P(node) − image(edge). */
export function leftSide(
  n: number,
  forms: Float64Array,
  node: number,
  images: Float64Array,
  edge: number,
  g: number,
  out: Float64Array,
): void {
  const size = n * n;
  const p = node * size;
  const q = edge * size;
  for (let i = 0; i < size; i++) out[i] = g * forms[p + i] - images[q + i];
}

/** Gradient and lower triangle of the Hessian; also leaves the inverses of the left sides. */
export function assemble(graph: EdgeMatrices, g: number, work: CentreWork): void {
  const { n, nodes, from, to, matrices } = graph;
  const { forms, images, inverses, gradient, drift, hessian, a, b, c, column } = work;
  const size = (n * (n + 1)) / 2;
  hessian.fill(0);
  gradient.fill(0);
  drift.fill(0);
  for (let v = 0; v < nodes; v++) {
    let k = v * size;
    for (let i = 0; i < n; k += n - i, i++) gradient[k] = 1;
  }
  for (let e = 0; e < from.length; e++) {
    leftSide(n, forms, from[e], images, e, g, a);
    choleskyFactor(n, a);
    choleskyInverse(n, a, b, column);
    // First of X P X, then of X itself, which the Hessian wants too.
    sandwich(n, b, forms, from[e] * n * n, a, c);
    addGradient(n, drift, from[e] * size, -1, b);
    addGradient(n, drift, from[e] * size, g, c);
    congruence(n, matrices[e], c, a, inverses, e * n * n);
    addGradient(n, drift, to[e] * size, -1, inverses.subarray(e * n * n, (e + 1) * n * n));
    inverses.set(b, e * n * n);
    congruence(n, matrices[e], b, a, c, 0);
    addGradient(n, gradient, from[e] * size, -g, b);
    addGradient(n, gradient, to[e] * size, 1, c);
    // Blocks of the lower triangle: rows (k, l) and columns (i, j), or the other way round.
    const stride = gradient.length;
    const [source, target] = [from[e] * size, to[e] * size];
    addBlock(n, hessian, source * stride + source, stride, 1, g * g, b);
    addBlock(n, hessian, target * stride + target, stride, 1, 1, c);
    if (target <= source) addBlock(n, hessian, source * stride + target, 1, stride, -g, a);
    if (target >= source) addBlock(n, hessian, target * stride + source, stride, 1, -g, a);
  }
}

/** c = X P X, with P at `p`; `a` is overwritten. */
function sandwich(
  n: number,
  x: Float64Array,
  forms: Float64Array,
  p: number,
  a: Float64Array,
  c: Float64Array,
): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += forms[p + i * n + k] * x[k * n + j];
      a[i * n + j] = sum;
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += x[i * n + k] * a[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

/** a = M X, and M X Mᵀ at `q` of `out`. */
function congruence(
  n: number,
  m: Float64Array,
  x: Float64Array,
  a: Float64Array,
  out: Float64Array,
  q: number,
): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += m[i * n + k] * x[k * n + j];
      a[i * n + j] = sum;
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += a[i * n + k] * m[j * n + k];
      out[q + i * n + j] = sum;
    }
  }
}

function addGradient(
  n: number,
  gradient: Float64Array,
  at: number,
  factor: number,
  s: Float64Array,
): void {
  let k = at;
  for (let i = 0; i < n; i++) {
    gradient[k++] += factor * s[i * n + i];
    for (let j = i + 1; j < n; j++) gradient[k++] += 2 * factor * s[i * n + j];
  }
}

/**
 * Adds factor · tr(E(ij) Yᵀ E(kl) Y), where E(ij) is the change of a symmetric matrix with its
 * entry (i, j): each off-diagonal entry stands for two. The next (k, l) is `step` numbers away, the
 * next (i, j) `innerStep`.
 */
function addBlock(
  n: number,
  hessian: Float64Array,
  at: number,
  step: number,
  innerStep: number,
  factor: number,
  y: Float64Array,
): void {
  let first = at;
  for (let k = 0; k < n; k++) {
    for (let l = k; l < n; l++, first += step) {
      const weight = k === l ? 0.5 * factor : factor;
      let h = first;
      for (let i = 0; i < n; i++, h += innerStep) {
        const ki = y[k * n + i];
        const li = y[l * n + i];
        hessian[h] += 2 * weight * ki * li;
        for (let j = i + 1; j < n; j++) {
          h += innerStep;
          hessian[h] += 2 * weight * (ki * y[l * n + j] + li * y[k * n + j]);
        }
      }
    }
  }
}
