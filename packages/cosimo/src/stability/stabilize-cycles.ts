/**
 * Unstable closed walks by trying them all, shortest first: most of what has to be forbidden is
 * short, and a product costs next to nothing compared with an oracle.
 */
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { multiply } from "../numerics/matrix.ts";
import { edgesByNode } from "./automaton.ts";
import type { SwitchedSystem } from "./switched-system.ts";

export interface Enumeration {
  /**
   * Closed walks (edges) whose product has a spectral radius of at least 1, each in one of its
   * rotations.
   */
  readonly cycles: readonly (readonly number[])[];
  /** All shorter or equally long closed walks were tried. */
  readonly length: number;
}

/**
 * @param maxLength longest walks that are tried.
 * @param maxProducts lengths that need more products than this are left out, but not 1.
 * @param keepGoing asked before every product; `false` ends the search with what was found by then.
 */
export function unstableCycles(
  system: SwitchedSystem,
  maxLength: number,
  maxProducts: number,
  keepGoing: () => boolean = () => true,
): Enumeration {
  const search = new ClosedWalks(system, keepGoing);
  let length = 0;
  let expected = system.automaton.edges.length;
  while (length < maxLength && (length === 0 || search.products + expected <= maxProducts)) {
    const before = search.products;
    search.ofLength(length + 1);
    if (!keepGoing()) break;
    length++;
    const made = search.products - before;
    // Each length costs more than the one before by about the number of edges that leave a node.
    expected = (made * system.automaton.edges.length) / system.automaton.nodes;
  }
  return { cycles: [...search.found.values()], length };
}

class ClosedWalks {
  readonly found: Map<string, readonly number[]> = new Map();
  products = 0;
  private readonly system: SwitchedSystem;
  private readonly leaving: readonly (readonly number[])[];
  private readonly powers: Float64Array[] = [];
  private readonly walk: number[] = [];
  private readonly squares: readonly [Float64Array, Float64Array];
  private readonly keepGoing: () => boolean;

  constructor(system: SwitchedSystem, keepGoing: () => boolean) {
    this.system = system;
    this.keepGoing = keepGoing;
    const size = system.dimension ** 2;
    this.squares = [new Float64Array(size), new Float64Array(size)];
    this.leaving = edgesByNode(system.automaton.nodes, system.automaton.edges);
  }

  /** A walk begins with its smallest edge, so that few of its rotations are tried. */
  ofLength(length: number): void {
    const { dimension: n, automaton, matrices } = this.system;
    while (this.powers.length < length) this.powers.push(new Float64Array(n * n));
    automaton.edges.forEach(({ to, mode }, first) => {
      this.powers[0].set(matrices[mode]);
      this.walk[0] = first;
      this.extend(to, 1, length);
    });
  }

  private extend(node: number, reached: number, length: number): void {
    const { dimension: n, automaton, matrices } = this.system;
    const first = this.walk[0];
    if (reached === length) {
      this.products++;
      if (automaton.edges[first].from === node) this.close(length);
      return;
    }
    for (const e of this.leaving[node]) {
      if (e < first) continue;
      if (!this.keepGoing()) return;
      const { to, mode } = automaton.edges[e];
      multiply(n, matrices[mode], this.powers[reached - 1], this.powers[reached]);
      this.walk[reached] = e;
      this.extend(to, reached + 1, length);
    }
  }

  private close(length: number): void {
    const product = this.powers[length - 1];
    if (this.surelyShrinks(product)) return;
    if (spectralRadius(this.system.dimension, product) < 1) return;
    const walk = canonical(this.walk.slice(0, length));
    this.found.set(walk.join(" "), walk);
  }

  /** Most products do, and repeated squares show it at a fraction of the cost of eigenvalues. */
  private surelyShrinks(product: Float64Array): boolean {
    const n = this.system.dimension;
    let [square, next] = this.squares;
    square.set(product);
    for (let k = 0; k <= SQUARES; k++) {
      let size = 0;
      for (let i = 0; i < square.length; i++) size += square[i] * square[i];
      if (size < 1) return true;
      if (!(size < Number.MAX_VALUE)) return false;
      multiply(n, square, square, next);
      [square, next] = [next, square];
    }
    return false;
  }
}

const SQUARES = 5;

/** The rotation that comes first, of the shortest walk that this one repeats. */
function canonical(walk: readonly number[]): readonly number[] {
  let best = walk;
  for (let k = 1; k < walk.length; k++) {
    const rotated = [...walk.slice(k), ...walk.slice(0, k)];
    const differs = rotated.findIndex((edge, i) => edge !== best[i]);
    if (differs < 0) return best.slice(0, k);
    if (rotated[differs] < best[differs]) best = rotated;
  }
  return best;
}
