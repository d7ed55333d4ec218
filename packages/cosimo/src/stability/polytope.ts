/**
 * Invariant polytopes: a symmetric polytope per node of the automaton, so that every matrix maps
 * the polytope of its edge's source into γ times that of its target. When the fastest cycle is the
 * only one of its rate, growing its leading eigenvector closes after finitely many vertices, and γ
 * is the joint spectral radius itself (Guglielmi & Protasov, 2013; Philippe et al. for automata).
 */
import { choleskyFactor } from "../numerics/cholesky.ts";
import { eigensystem } from "../numerics/eigenvalues.ts";
import { SymmetricHull } from "../numerics/hull-norm.ts";
import { roundedUp, ULP } from "../numerics/rounding.ts";
import { inverseBound } from "../numerics/spectral-radius-bound.ts";
import { productOf } from "./certified-product.ts";
import { componentsOf } from "./jsr-components.ts";
import type { SwitchedSystem } from "./switched-system.ts";
import type { Cycle } from "./unstable-cycle.ts";

export interface PolytopeProof {
  readonly kind: "polytope";
  /** Per node the vertices, one after the other; with v, −v is meant too. */
  readonly vertices: readonly Float64Array[];
}

export interface PolytopeSearch {
  /**
   * Forms of the nodes: directions that the cycle leaves out begin as small axes of these
   * ellipsoids.
   */
  readonly forms: readonly Float64Array[];
  readonly maxVertices: number;
  readonly keepGoing: () => boolean;
}

/**
 * Sizes of the axes that fill the directions the cycle leaves out: small ones do not disturb, large
 * ones close sooner.
 */
const AXES = [0.3, 0.05, 0.005];

/**
 * Polytopes that close for the rate `gamma`, which is a little above the rate of `cycle`; not yet
 * verified.
 */
export function findPolytopes(
  system: SwitchedSystem,
  cycle: Cycle,
  gamma: number,
  search: PolytopeSearch,
): PolytopeProof | undefined {
  for (const axis of AXES) {
    const growth = new Growth(system, gamma, search);
    if (!growth.seed(cycle, axis)) continue;
    const closed = growth.run();
    if (closed !== undefined) return closed;
    if (!search.keepGoing()) return undefined;
  }
  return undefined;
}

class Growth {
  private readonly system: SwitchedSystem;
  private readonly gamma: number;
  private readonly search: PolytopeSearch;
  private readonly hulls: SymmetricHull[];
  private readonly leaving: number[][];
  private readonly queue: { readonly node: number; readonly x: Float64Array }[] = [];

  constructor(system: SwitchedSystem, gamma: number, search: PolytopeSearch) {
    const { automaton, dimension } = system;
    this.system = system;
    this.gamma = gamma;
    this.search = search;
    this.hulls = Array.from({ length: automaton.nodes }, () => new SymmetricHull(dimension));
    this.leaving = Array.from({ length: automaton.nodes }, () => []);
    for (const { edges } of componentsOf(system)) {
      for (const e of edges) this.leaving[automaton.edges[e].from].push(e);
    }
  }

  /** Axes of every ellipsoid, then the leading direction of the cycle at each of its nodes. */
  seed(cycle: Cycle, axis: number): boolean {
    const { dimension: n, automaton } = this.system;
    for (let node = 0; node < automaton.nodes; node++) {
      const axes = axesOf(n, this.search.forms[node]);
      if (axes === undefined) return false;
      for (const x of axes) this.add(node, scaled(x, axis));
      if (!this.hulls[node].begin(Array.from({ length: n }, (_, i) => i))) return false;
    }
    for (const start of leadingDirections(this.system, cycle)) {
      const first = automaton.edges[cycle.edges[0]].from;
      let x = scaled(start, 1 / lengthOf(n, this.search.forms[first], start));
      for (const e of cycle.edges) {
        this.add(automaton.edges[e].from, x);
        x = this.image(e, x);
      }
    }
    return true;
  }

  run(): PolytopeProof | undefined {
    const { maxVertices, keepGoing } = this.search;
    for (let at = 0; at < this.queue.length; at++) {
      if (at > maxVertices || (at % 16 === 0 && !keepGoing())) return undefined;
      const { node, x } = this.queue[at];
      for (const e of this.leaving[node]) {
        const y = this.image(e, x);
        const to = this.system.automaton.edges[e].to;
        if (!(this.hulls[to].norm(y, 1, 1) <= 1)) this.add(to, y);
      }
    }
    const n = this.system.dimension;
    return {
      kind: "polytope",
      vertices: this.hulls.map(({ vertices, count }) => vertices.slice(0, count * n)),
    };
  }

  private add(node: number, x: Float64Array): void {
    this.hulls[node].add(x);
    this.queue.push({ node, x });
  }

  private image(edge: number, x: Float64Array): Float64Array {
    const { dimension: n, automaton, matrices } = this.system;
    return scaled(times(n, matrices[automaton.edges[edge].mode], x), 1 / this.gamma);
  }
}

/**
 * Real and imaginary part of the leading eigenvector of the cycle's product, as far as they are
 * there.
 */
function leadingDirections(system: SwitchedSystem, { word }: Cycle): Float64Array[] {
  const n = system.dimension;
  const { re, im, vectorsRe, vectorsIm } = eigensystem(n, productOf(system, word));
  const size = (k: number): number => Math.hypot(re[k], im[k]);
  const indices = Array.from({ length: n }, (_, k) => k);
  const most = Math.max(...indices.map(size));
  const leading = indices.filter((k) => size(k) > most * (1 - 1e-9) && im[k] >= 0);
  return leading.flatMap((k) => {
    const part = (vectors: Float64Array): Float64Array =>
      Float64Array.from({ length: n }, (_, i) => vectors[i * n + k]);
    return im[k] === 0 ? [part(vectorsRe)] : [part(vectorsRe), part(vectorsIm)];
  });
}

/** Half axes of the ellipsoid xᵀ P x ≤ 1: columns of L⁻ᵀ with P = L Lᵀ. */
function axesOf(n: number, form: Float64Array): Float64Array[] | undefined {
  const l = Float64Array.from(form);
  if (choleskyFactor(n, l) !== -1) return undefined;
  return Array.from({ length: n }, (_, k) => {
    const x = new Float64Array(n);
    for (let i = k; i >= 0; i--) {
      let sum = i === k ? 1 : 0;
      for (let j = i + 1; j <= k; j++) sum -= l[j * n + i] * x[j];
      x[i] = sum / l[i * n + i];
    }
    return x;
  });
}

function lengthOf(n: number, form: Float64Array, x: Float64Array): number {
  const y = times(n, form, x);
  return Math.sqrt(x.reduce((sum, value, i) => sum + value * y[i], 0));
}

function times(n: number, a: Float64Array, x: Float64Array): Float64Array {
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
  return y;
}

function scaled(x: Float64Array, factor: number): Float64Array {
  return x.map((value) => value * factor);
}

/**
 * A rate that the polytopes prove, whatever rounding does; Infinity when they prove nothing. Each
 * image A v is written as Σ c w + r over vertices w of the target; what is left, r, costs its size
 * times a bound for the inverse of some n vertices.
 */
export function polytopeRate(system: SwitchedSystem, { vertices }: PolytopeProof): number {
  const { dimension: n, automaton, matrices } = system;
  const hulls = new Map<number, { hull: SymmetricHull; unit: number }>();
  let rate = 0;
  for (const { nodes, edges } of componentsOf(system)) {
    for (const node of nodes) {
      const found = hullOf(n, vertices[node]);
      if (found === undefined) return Infinity;
      hulls.set(node, found);
    }
    for (const e of edges) {
      const { from, to, mode } = automaton.edges[e];
      const source = vertices[from];
      for (let at = 0; at < source.length; at += n) {
        const target = hulls.get(to)!;
        const bound = imageNorm(n, matrices[mode], source.subarray(at, at + n), target);
        if (!(bound < Infinity)) return Infinity;
        rate = Math.max(rate, bound);
      }
    }
  }
  return rate;
}

/**
 * The hull with a basis, and a bound for the norm of a vector whose absolute values add up to 1.
 */
function hullOf(
  n: number,
  vertices: Float64Array | undefined,
): { hull: SymmetricHull; unit: number } | undefined {
  if (vertices === undefined || vertices.length < n * n || vertices.length % n !== 0)
    return undefined;
  const hull = new SymmetricHull(n);
  for (let at = 0; at < vertices.length; at += n) hull.add(vertices.subarray(at, at + n));
  // The first n are axes: independent.
  const unit = inverseBound(n, vertices.slice(0, n * n));
  if (!(unit < Infinity) || !hull.begin(Array.from({ length: n }, (_, i) => i))) return undefined;
  return { hull, unit };
}

function imageNorm(
  n: number,
  a: Float64Array,
  x: Float64Array,
  { hull, unit }: { hull: SymmetricHull; unit: number },
): number {
  const y = times(n, a, x);
  hull.norm(y, 0, Infinity);
  let sum = 0;
  let rest = 0;
  let size = 0;
  for (let k = 0; k < n; k++) sum += Math.abs(hull.coefficients[k]);
  for (let i = 0; i < n; i++) {
    let left = y[i];
    for (let j = 0; j < n; j++) size += Math.abs(a[i * n + j] * x[j]);
    for (let k = 0; k < n; k++) {
      const part = hull.coefficients[k] * hull.vertices[hull.basis[k] * n + i];
      left -= part;
      size += Math.abs(part);
    }
    rest += Math.abs(left);
  }
  return roundedUp(sum * (1 + n * ULP) + unit * (rest + (2 * n + 4) * ULP * size));
}
