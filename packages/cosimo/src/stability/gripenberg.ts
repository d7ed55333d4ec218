/**
 * Branch and bound over products (Gripenberg 1996, here along the walks of an automaton): if from
 * every node every walk sooner or later has a product of norm at most γ^length, all long walks are
 * cut into such pieces and none grows faster than γ.
 *
 * The norm at a node is |T x| for the factor T of its quadratic form. Walks are followed depth
 * first and never stored, so the proof is the forms alone: a check walks again. Matrices in these
 * coordinates carry a bound of their error, products accumulate it, and a piece is cut only if its
 * norm is small enough with all of that on top.
 */
import { edgesLeaving } from "../numerics/cycle-beam.ts";
import { GrowthRate } from "../numerics/growth-rate.ts";
import type { EdgeMatrices } from "../numerics/lyapunov-assemble.ts";
import { multiply } from "../numerics/matrix.ts";
import { isSurelyPositiveDefinite, normFrobenius, roundedUp, ULP } from "../numerics/rounding.ts";
import {
  type CertifiedCoordinates,
  certifiedCoordinates,
  nextError,
} from "./certified-coordinates.ts";
import { componentsOf } from "./jsr-components.ts";
import type { SwitchedSystem } from "./switched-system.ts";

export interface TreeProof {
  readonly kind: "tree";
  /** One per node of the automaton, whose lengths measure products. */
  readonly forms: readonly Float64Array[];
  /** Length of the longest piece. */
  readonly depth: number;
}

export interface TreeSearch {
  readonly maxProducts: number;
  readonly maxDepth: number;
  readonly keepGoing?: () => boolean;
  /** Closed walks faster than this are passed to `onCycle`. */
  readonly floor?: number;
  readonly onCycle?: (edges: readonly number[], rate: number) => void;
  /** A walk that was not cut up to `maxDepth`: something in it may be fast. */
  readonly onLongWalk?: (edges: readonly number[]) => void;
}

export type TreeResult =
  | { readonly kind: "proved"; readonly depth: number; readonly products: number }
  /** A closed walk is faster than γ, so there is nothing to prove. */
  | { readonly kind: "refuted"; readonly products: number }
  | { readonly kind: "gave-up"; readonly products: number };

/**
 * Whether the walks of the system can be cut into pieces that grow by at most `gamma` per step. A
 * "proved" is certain.
 */
export function walkTree(
  system: SwitchedSystem,
  forms: readonly Float64Array[],
  gamma: number,
  search: TreeSearch,
): TreeResult {
  let products = 0;
  let depth = 0;
  for (const { graph, nodes, edges } of componentsOf(system)) {
    const size = graph.n * graph.n;
    const whole = (walk: readonly number[]): number[] => walk.map((e) => edges[e]);
    const blocks = new Float64Array(nodes.length * size);
    for (const [i, node] of nodes.entries()) {
      if (forms[node]?.length !== size) return { kind: "gave-up", products };
      blocks.set(forms[node], i * size);
    }
    const tree = Tree.of(graph, blocks, gamma, {
      ...search,
      maxProducts: search.maxProducts - products,
      onCycle: (walk, rate) => search.onCycle?.(whole(walk), rate),
      onLongWalk: (walk) => search.onLongWalk?.(whole(walk)),
    });
    const result = tree?.run() ?? "gave-up";
    products += tree?.products ?? 0;
    depth = Math.max(depth, tree?.depth ?? 0);
    if (result !== "proved") return { kind: result, products };
  }
  return { kind: "proved", depth, products };
}

class Tree {
  products = 0;
  depth = 0;
  private readonly graph: EdgeMatrices;
  private readonly coordinates: CertifiedCoordinates;
  private readonly gamma: number;
  private readonly search: TreeSearch;
  private readonly leaving: readonly (readonly number[])[];
  private readonly stack: Float64Array[] = [];
  private readonly path: number[] = [];
  private readonly gram: Float64Array;
  private readonly work: Float64Array;
  private readonly rates: GrowthRate;
  private floor: number;
  private refuted = false;

  /** Undefined when the forms give no coordinates. */
  static of(
    graph: EdgeMatrices,
    blocks: Float64Array,
    gamma: number,
    search: TreeSearch,
  ): Tree | undefined {
    const coordinates = certifiedCoordinates(graph, blocks);
    return coordinates && new Tree(coordinates, gamma, search);
  }

  private constructor(coordinates: CertifiedCoordinates, gamma: number, search: TreeSearch) {
    const { graph } = coordinates;
    const size = graph.n * graph.n;
    this.graph = graph;
    this.coordinates = coordinates;
    this.gamma = gamma;
    this.search = search;
    this.leaving = edgesLeaving(graph);
    this.gram = new Float64Array(size);
    this.work = new Float64Array(size);
    this.rates = new GrowthRate(graph.n);
    this.floor = search.floor ?? Infinity;
  }

  run(): TreeResult["kind"] {
    const { n, nodes } = this.graph;
    const identity = this.level(0);
    identity.fill(0);
    for (let i = 0; i < n; i++) identity[i * n + i] = 1;
    for (let node = 0; node < nodes; node++) {
      if (this.endsShort(node, node, 0)) continue;
      return this.refuted ? "refuted" : "gave-up";
    }
    return "proved";
  }

  private level(k: number): Float64Array {
    const { n } = this.graph;
    while (this.stack.length <= k) this.stack.push(new Float64Array(n * n));
    return this.stack[k];
  }

  /**
   * Whether every walk that goes on from here is cut. @param error bounds that of the product so
   * far, in the spectral norm.
   */
  private endsShort(start: number, node: number, error: number): boolean {
    const { n, to, matrices } = this.graph;
    const { path, search } = this;
    const product = this.level(path.length);
    const next = this.level(path.length + 1);
    const size = normFrobenius(product);
    for (const e of this.leaving[node]) {
      if (++this.products > search.maxProducts) return false;
      if (this.products % 1024 === 0 && search.keepGoing?.() === false) return false;
      multiply(n, matrices[e], product, next);
      path.push(e);
      const off = nextError(this.coordinates, e, size, error);
      const cut = this.isShort(next, off) || this.goesOn(start, to[e], next, off);
      path.pop();
      if (!cut) return false;
    }
    return true;
  }

  private goesOn(start: number, node: number, next: Float64Array, error: number): boolean {
    const { path, search } = this;
    this.depth = Math.max(this.depth, path.length + 1);
    if (node === start) this.lookAt(next);
    if (this.refuted) return false;
    if (path.length < search.maxDepth) return this.endsShort(start, node, error);
    search.onLongWalk?.([...path]);
    return false;
  }

  /** A closed walk may be the fastest so far. */
  private lookAt(product: Float64Array): void {
    const k = this.path.length;
    const radius = this.rates.above(product, 0, this.floor ** k);
    const rate = radius ** (1 / k);
    if (!(rate > this.floor * (1 + 1e-12))) return;
    this.floor = rate;
    this.refuted = rate > this.gamma;
    this.search.onCycle?.([...this.path], rate);
  }

  /**
   * Whether the norm is certainly at most γ^length: γ^(2 length) − MᵀM is positive definite, with
   * all errors taken off.
   */
  private isShort(m: Float64Array, error: number): boolean {
    const { n } = this.graph;
    const { gram, work, path } = this;
    const k = path.length;
    const limit = this.gamma ** (2 * k);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let l = 0; l < n; l++) sum -= m[l * n + i] * m[l * n + j];
        gram[i * n + j] = sum;
        gram[j * n + i] = sum;
      }
      gram[i * n + i] = gram[i * n + i] + limit;
    }
    const size = normFrobenius(m);
    const off = 2 * size * error + error * error;
    const rounding = (n + 2) * ULP * size * size + (8 * k + 8) * ULP * limit;
    return isSurelyPositiveDefinite(n, gram, roundedUp(off + rounding), work);
  }
}
