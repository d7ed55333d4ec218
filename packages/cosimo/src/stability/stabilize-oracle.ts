/**
 * Is every endless path of a switched system stable? Says yes with a proof, or shows a cycle that is not.
 *
 * The proof is a norm a node and a tree of paths: beginning at any node, every path sooner or later shrinks, that is, its product has a
 * norm below 1 from its first to its last node. Then every endless path is cut into pieces that shrink, and as there are finitely many
 * kinds of pieces, it shrinks exponentially. With pieces of one edge this is the usual path-complete Lyapunov function; longer pieces prove
 * what no single ellipsoid a node could. The tree is walked depth first and never stored: whoever has the norms can walk it again
 * (stabilize-verify.ts). A path that does not shrink for long goes around in circles, and one of these is the cycle.
 */
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { multiply } from "../numerics/matrix.ts";
import { edgesByNode } from "./automaton.ts";
import { bestPathComplete } from "./quadratic-certificate.ts";
import { edgesInNorms, nodeNorms } from "./stabilize-norms.ts";
import type { SwitchedSystem } from "./switched-system.ts";
import { findUnstableCycle } from "./unstable-cycle.ts";

export type Verdict =
  /** `longest`: edges of the longest path that was needed to shrink. */
  | { readonly kind: "stable"; readonly norms: readonly Float64Array[]; readonly longest: number }
  /** Closed walks (edges) whose products have a spectral radius of at least 1, shortest first. */
  | { readonly kind: "unstable"; readonly cycles: readonly (readonly number[])[] }
  /** Neither was found with the effort that is allowed. One closed walk: the one that is nearest to unstable. */
  | { readonly kind: "undecided"; readonly cycles: readonly (readonly number[])[] };

interface Limits {
  readonly maxProducts: number;
  readonly maxLength: number;
}

interface Effort extends Limits {
  /** Norms are sought for rates from this on. */
  readonly from: number;
  readonly sweeps: number;
  readonly atRest: number;
}

/** Good norms cost time and make trees small. What is clearly unstable shows with rough ones, so these come first. */
const EFFORTS: readonly Effort[] = [
  { from: 1.07, sweeps: 30, atRest: 3e-2, maxProducts: 20_000, maxLength: 40 },
  { from: 0, sweeps: 60, atRest: 1e-2, maxProducts: 300_000, maxLength: 60 },
];
/** With the best norms there are. */
const LAST: Limits = { maxProducts: 1_000_000, maxLength: 200 };
/** Paths count as shrinking when they do by more than rounding. */
const SHRINKS = 0.9999;
/** Rates that norms are sought for, smallest first: the first is a proof at once. */
const RATES = [SHRINKS, 1.003, 1.01, 1.02, 1.04, 1.07, 1.1, 1.2, 1.4, 1.7, 2.2, 3, 5, 10, 100];

/** @param system whose automaton is strongly connected. */
export function judge(system: SwitchedSystem): Verdict {
  for (const effort of EFFORTS) {
    const verdict = new PathSearch(system, bestNorms(system, effort), effort).run();
    if (verdict.kind !== "undecided") return verdict;
  }
  return judgeSlowly(system);
}

/** Where what grows or shrinks does so slowly, sweeps do not come to rest: the norms are those of a semidefinite program. */
function judgeSlowly(system: SwitchedSystem): Verdict {
  const { certificate, gamma } = bestPathComplete(system);
  if (gamma < 1) return { kind: "stable", norms: certificate.forms, longest: 1 };
  const cycle = findUnstableCycle(system, { forms: certificate });
  if (cycle !== undefined) return { kind: "unstable", cycles: [cycle.edges] };
  return new PathSearch(system, certificate.forms, LAST).run();
}

/** Norms for about the smallest rate that they are found for. */
function bestNorms(system: SwitchedSystem, effort: Effort): readonly Float64Array[] {
  for (const rate of RATES) {
    if (rate < effort.from) continue;
    const norms = nodeNorms(system, rate, effort);
    if (norms !== undefined) return norms;
  }
  const identity = new Float64Array(system.dimension ** 2);
  for (let i = 0; i < system.dimension; i++) identity[i * system.dimension + i] = 1;
  return Array.from({ length: system.automaton.nodes }, () => identity);
}

/** So many nodes with paths that do not shrink are looked at: one answer shall show many cycles. */
const ENOUGH_FAILURES = 16;

/** About the golden part of `nodes`, without a common divisor. */
function strideThrough(nodes: number): number {
  let stride = Math.max(1, Math.round(0.618 * nodes));
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  while (divisor(nodes, stride) > 1) stride++;
  return stride;
}

class PathSearch {
  readonly #n: number;
  readonly #system: SwitchedSystem;
  readonly #norms: readonly Float64Array[];
  readonly #edges: readonly Float64Array[];
  readonly #leaving: readonly (readonly number[])[];
  readonly #limits: Limits;
  /** By length of the path: its product. */
  readonly #products: Float64Array[] = [];
  /** By length of the path: what follows it and does not shrink, largest first. */
  readonly #following: { edge: number; size: number }[][] = [];
  readonly #factor: Float64Array;
  readonly #path: number[] = [];
  #count = 0;
  #longest = 0;

  constructor(system: SwitchedSystem, norms: readonly Float64Array[], limits: Limits) {
    const n = system.dimension;
    this.#n = n;
    this.#system = system;
    this.#norms = norms;
    this.#edges = edgesInNorms(system, norms);
    this.#leaving = edgesByNode(system.automaton.nodes, system.automaton.edges);
    this.#limits = limits;
    this.#factor = new Float64Array(n * n);
    for (let k = 0; k <= limits.maxLength; k++) {
      this.#products.push(new Float64Array(n * n));
      this.#following.push([]);
    }
  }

  run(): Verdict {
    const n = this.#n;
    const nodes = this.#leaving.length;
    for (let i = 0; i < n; i++) this.#products[0]![i * n + i] = 1;
    const unstable: (readonly number[])[] = [];
    let undecided: Verdict | undefined;
    let failures = 0;
    // Neighbours lead into the same circles, so the nodes are visited here and there.
    const stride = strideThrough(nodes);
    for (let k = 0; k < nodes && failures < ENOUGH_FAILURES; k++) {
      this.#path.length = 0;
      if (this.#shrinks((k * stride) % nodes)) continue;
      failures++;
      const verdict = this.#nearestCycle();
      if (verdict.kind === "unstable") unstable.push(...verdict.cycles);
      else undecided ??= verdict;
      if (this.#count > this.#limits.maxProducts) break;
    }
    if (unstable.length > 0)
      return { kind: "unstable", cycles: unstable.sort((x, y) => x.length - y.length) };
    return undecided ?? { kind: "stable", norms: this.#norms, longest: this.#longest };
  }

  /** Whether all that goes on from the present path shrinks. If not, the path is left where it was too long. */
  #shrinks(node: number): boolean {
    const length = this.#path.length;
    const { maxLength, maxProducts } = this.#limits;
    if (length === maxLength || this.#count > maxProducts) return false;
    const product = this.#products[length]!;
    const next = this.#products[length + 1]!;
    const following = this.#following[length]!;
    following.length = 0;
    for (const edge of this.#leaving[node]!) {
      multiply(this.#n, this.#edges[edge]!, product, next);
      if (this.#isShort(next)) continue;
      let size = 0;
      for (let k = 0; k < next.length; k++) size += next[k]! * next[k]!;
      following.push({ edge, size });
    }
    this.#count += this.#leaving[node]!.length;
    this.#longest = Math.max(this.#longest, length + 1);
    following.sort((a, b) => b.size - a.size);
    for (const { edge } of following) {
      this.#path.push(edge);
      multiply(this.#n, this.#edges[edge]!, product, next);
      if (!this.#shrinks(this.#system.automaton.edges[edge]!.to)) return false;
      this.#path.pop();
    }
    return true;
  }

  /** Of the closed walks within the path: the unstable ones, or else the one that grows fastest. */
  #nearestCycle(): Verdict {
    const { edges } = this.#system.automaton;
    const n = this.#n;
    const path = this.#path;
    let product = new Float64Array(n * n);
    let next = new Float64Array(n * n);
    const unstable: (readonly number[])[] = [];
    let nearest = { rate: -1, cycle: [] as readonly number[] };
    for (let i = 0; i < path.length; i++) {
      const { from } = edges[path[i]!]!;
      for (let k = 0; k < n * n; k++) product[k] = k % (n + 1) === 0 ? 1 : 0;
      for (let j = i; j < path.length; j++) {
        multiply(n, this.#edges[path[j]!]!, product, next);
        [product, next] = [next, product];
        if (edges[path[j]!]!.to !== from) continue;
        const radius = spectralRadius(n, product);
        const rate = radius ** (1 / (j - i + 1));
        if (radius >= 1) unstable.push(path.slice(i, j + 1));
        else if (rate > nearest.rate) nearest = { rate, cycle: path.slice(i, j + 1) };
      }
    }
    if (unstable.length > 0)
      return { kind: "unstable", cycles: unstable.sort((a, b) => a.length - b.length) };
    const cycle = nearest.cycle.length > 0 ? nearest.cycle : this.#closed();
    return { kind: "undecided", cycles: [cycle] };
  }

  /** The path and the shortest way back to where it began. */
  #closed(): readonly number[] {
    const { edges } = this.#system.automaton;
    const goal = edges[this.#path[0]!]!.from;
    const start = edges[this.#path.at(-1)!]!.to;
    const cameBy = new Map<number, number>();
    const reached = [start];
    for (const node of reached) {
      if (node === goal) break;
      for (const e of this.#leaving[node]!) {
        const { to } = edges[e]!;
        if (cameBy.has(to) || to === start) continue;
        cameBy.set(to, e);
        reached.push(to);
      }
    }
    const back: number[] = [];
    for (let node = goal; node !== start; node = edges[back[0]!]!.from)
      back.unshift(cameBy.get(node)!);
    return [...this.#path, ...back];
  }

  /** Whether |Mx| ≤ SHRINKS |x|: SHRINKS² − MᵀM has a Cholesky factor. */
  #isShort(m: Float64Array): boolean {
    const n = this.#n;
    const l = this.#factor;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let left = i === j ? SHRINKS * SHRINKS : 0;
        for (let k = 0; k < n; k++) left -= m[k * n + i]! * m[k * n + j]!;
        for (let k = 0; k < j; k++) left -= l[i * n + k]! * l[j * n + k]!;
        if (j < i) l[i * n + j] = left / l[j * n + j]!;
        else if (left > 0) l[i * n + i] = Math.sqrt(left);
        else return false;
      }
    }
    return true;
  }
}
