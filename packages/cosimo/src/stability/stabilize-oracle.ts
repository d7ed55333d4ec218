/**
 * Is every endless path of a switched system stable? Says yes with a proof, or shows a cycle that
 * is not.
 *
 * The proof is one norm per node and a tree of paths: beginning at any node, every path sooner or
 * later shrinks, that is, its product has a norm below 1 from its first to its last node. Then
 * every endless path is cut into pieces that shrink, and as there are finitely many kinds of
 * pieces, it shrinks exponentially. With pieces of one edge this is the usual path-complete
 * Lyapunov function; longer pieces prove what no single ellipsoid per node could. The tree is
 * walked depth first and never stored: with the norms it can be walked again (stabilize-verify.ts).
 * A path that does not shrink for long repeats cycles, and one of these is the answer.
 */
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { multiply } from "../numerics/matrix.ts";
import { edgesByNode } from "./automaton.ts";
import { bestPathComplete } from "./quadratic-certificate.ts";
import { edgesInNorms, nodeNorms } from "./stabilize-norms.ts";
import { DEFAULT_LIMITS, type Verification, verifyStability } from "./stabilize-verify.ts";
import type { SwitchedSystem } from "./switched-system.ts";
import { fastestClosedWalk, findUnstableCycle } from "./unstable-cycle.ts";

export type Verdict =
  /** With a proof that was checked. */
  | {
      readonly kind: "stable";
      readonly norms: readonly Float64Array[];
      readonly proof: Verification & { readonly holds: true };
    }
  /** Closed walks (edges) whose products have a spectral radius of at least 1, shortest first. */
  | { readonly kind: "unstable"; readonly cycles: readonly (readonly number[])[] }
  /**
   * Neither was found with the effort that is allowed. At most one closed walk: the one that is
   * nearest to unstable.
   */
  | { readonly kind: "undecided"; readonly cycles: readonly (readonly number[])[] };

/** Asked all the time; `false` ends the search, and what is not known by then stays undecided. */
type KeepGoing = () => boolean;

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

/**
 * Good norms cost time and make trees small. What is clearly unstable shows with rough ones, so
 * these come first.
 */
const EFFORTS: readonly Effort[] = [
  { from: 1.07, sweeps: 30, atRest: 3e-2, maxProducts: 20_000, maxLength: 40 },
  { from: 0, sweeps: 60, atRest: 1e-2, maxProducts: 300_000, maxLength: 60 },
];
/**
 * Entries of all norms together that a semidefinite program is asked for; beyond, only sweeps are
 * fast enough.
 */
const MAX_UNKNOWNS = 1500;
const SWEEPING: Effort = {
  from: 0,
  sweeps: 300,
  atRest: 1e-3,
  maxProducts: 3_000_000,
  maxLength: 200,
};
/** With the best norms there are, first some and then as much as the check of a proof may cost. */
const LAST: readonly Limits[] = [
  { maxProducts: 1_000_000, maxLength: 200 },
  { maxProducts: 15_000_000, maxLength: 240 },
];
/** Paths count as shrinking when they do by more than rounding. */
const SHRINKS = 0.9999;
/** Rates that norms are sought for, smallest first: the first is a proof at once. */
const RATES = [SHRINKS, 1.003, 1.01, 1.02, 1.04, 1.07, 1.1, 1.2, 1.4, 1.7, 2.2, 3, 5, 10, 100];

/** @param system whose automaton is strongly connected. */
export function judge(system: SwitchedSystem, keepGoing: KeepGoing = () => true): Verdict {
  const { dimension: n, automaton } = system;
  const isLarge = (automaton.nodes * n * (n + 1)) / 2 > MAX_UNKNOWNS;
  let last: Search = { kind: "undecided", cycle: [] };
  for (const effort of isLarge ? [...EFFORTS, SWEEPING] : EFFORTS) {
    if (!keepGoing()) break;
    const norms = bestNorms(system, effort, keepGoing);
    last = new PathSearch(system, norms, effort, keepGoing).run();
    const answer = proved(system, norms, last, keepGoing);
    if (answer !== undefined) return answer;
  }
  if (!isLarge && keepGoing()) return judgeSlowly(system, keepGoing);
  return undecided(last.kind === "undecided" ? last.cycle : shortestWay(system, 0, 0));
}

function undecided(nearest: readonly number[] | undefined): Verdict {
  return {
    kind: "undecided",
    cycles: nearest === undefined || nearest.length === 0 ? [] : [nearest],
  };
}

/**
 * Where what grows or shrinks does so slowly, sweeps do not come to rest: the norms are those of a
 * semidefinite program.
 */
function judgeSlowly(system: SwitchedSystem, keepGoing: KeepGoing): Verdict {
  const { certificate, gamma } = bestPathComplete(system, { keepGoing });
  const norms = certificate.forms;
  if (gamma < 1) {
    const answer = proved(system, norms, { kind: "stable" }, keepGoing);
    if (answer !== undefined) return answer;
  }
  const unstable =
    gamma < 1 ? undefined : findUnstableCycle(system, { forms: certificate, keepGoing });
  if (unstable !== undefined) return { kind: "unstable", cycles: [unstable.edges] };
  for (const limits of LAST) {
    if (!keepGoing()) break;
    const search = new PathSearch(system, norms, limits, keepGoing).run();
    const answer = proved(system, norms, search, keepGoing);
    if (answer !== undefined) return answer;
  }
  return undecided(fastestClosedWalk(system, { forms: certificate, keepGoing })?.edges);
}

/** What a search found; that all paths shrink only where the check agrees. */
function proved(
  system: SwitchedSystem,
  norms: readonly Float64Array[],
  search: Search,
  keepGoing: KeepGoing,
): Verdict | undefined {
  if (search.kind !== "stable") return search.kind === "unstable" ? search : undefined;
  const proof = verifyStability(system, norms, { ...DEFAULT_LIMITS, keepGoing });
  return proof.holds ? { kind: "stable", norms, proof } : undefined;
}

/** What the search along paths says. */
type Search =
  | { readonly kind: "stable" }
  /** The closed walk that is nearest to unstable, of those that were met. */
  | { readonly kind: "undecided"; readonly cycle: readonly number[] }
  | { readonly kind: "unstable"; readonly cycles: readonly (readonly number[])[] };

/** Norms for about the smallest rate that they are found for. */
function bestNorms(
  system: SwitchedSystem,
  effort: Effort,
  keepGoing: KeepGoing,
): readonly Float64Array[] {
  for (const rate of RATES) {
    if (rate < effort.from) continue;
    const norms = nodeNorms(system, rate, effort, keepGoing);
    if (norms !== undefined) return norms;
  }
  const identity = new Float64Array(system.dimension ** 2);
  for (let i = 0; i < system.dimension; i++) identity[i * system.dimension + i] = 1;
  return Array.from({ length: system.automaton.nodes }, () => identity);
}

/** Edges from a node to a node, at least one where they are the same. */
function shortestWay({ automaton }: SwitchedSystem, from: number, to: number): number[] {
  const { nodes, edges } = automaton;
  const leaving = edgesByNode(nodes, edges);
  const cameBy = new Map<number, number>();
  const reached = [from];
  for (const node of reached) {
    if (cameBy.has(to)) break;
    for (const e of leaving[node]) {
      const { to: next } = edges[e];
      if (cameBy.has(next)) continue;
      cameBy.set(next, e);
      reached.push(next);
    }
  }
  const way: number[] = [];
  for (let node = to; way.length === 0 || node !== from; node = edges[way[0]].from)
    way.unshift(cameBy.get(node)!);
  return way;
}

/** How many nodes with paths that do not shrink are visited: one answer shall show many cycles. */
const ENOUGH_FAILURES = 16;

/** About the golden part of `nodes`, without a common divisor. */
function strideThrough(nodes: number): number {
  let stride = Math.max(1, Math.round(0.618 * nodes));
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  while (divisor(nodes, stride) > 1) stride++;
  return stride;
}

class PathSearch {
  private readonly n: number;
  private readonly system: SwitchedSystem;
  private readonly edges: readonly Float64Array[];
  private readonly leaving: readonly (readonly number[])[];
  private readonly limits: Limits;
  private readonly keepGoing: KeepGoing;
  /** By length of the path: its product. */
  private readonly products: Float64Array[] = [];
  /** By length of the path: what follows it and does not shrink, largest first. */
  private readonly following: { edge: number; size: number }[][] = [];
  private readonly factor: Float64Array;
  private readonly path: number[] = [];
  private count = 0;
  private nearest: { rate: number; cycle: readonly number[] } = { rate: -1, cycle: [] };

  constructor(
    system: SwitchedSystem,
    norms: readonly Float64Array[],
    limits: Limits,
    keepGoing: KeepGoing,
  ) {
    const n = system.dimension;
    this.keepGoing = keepGoing;
    this.n = n;
    this.system = system;
    this.edges = edgesInNorms(system, norms);
    this.leaving = edgesByNode(system.automaton.nodes, system.automaton.edges);
    this.limits = limits;
    this.factor = new Float64Array(n * n);
    for (let k = 0; k <= limits.maxLength; k++) {
      this.products.push(new Float64Array(n * n));
      this.following.push([]);
    }
  }

  run(): Search {
    const n = this.n;
    const nodes = this.leaving.length;
    for (let i = 0; i < n; i++) this.products[0][i * n + i] = 1;
    const unstable: (readonly number[])[] = [];
    let failures = 0;
    // Neighbours lead into the same cycles, so the nodes are visited here and there.
    const stride = strideThrough(nodes);
    for (let k = 0; k < nodes && failures < ENOUGH_FAILURES; k++) {
      this.path.length = 0;
      if (this.shrinks((k * stride) % nodes)) continue;
      failures++;
      unstable.push(...this.unstableCycles());
      if (this.count > this.limits.maxProducts || !this.keepGoing()) break;
    }
    if (unstable.length > 0)
      return { kind: "unstable", cycles: unstable.sort((x, y) => x.length - y.length) };
    if (failures === 0) return { kind: "stable" };
    return { kind: "undecided", cycle: this.nearest.cycle };
  }

  /**
   * Whether all that goes on from the present path shrinks. If not, the path is left where it was
   * too long.
   */
  private shrinks(node: number): boolean {
    const length = this.path.length;
    const { maxLength, maxProducts } = this.limits;
    if (length === maxLength || this.count > maxProducts || !this.keepGoing()) return false;
    const product = this.products[length];
    const next = this.products[length + 1];
    const following = this.following[length];
    following.length = 0;
    for (const edge of this.leaving[node]) {
      multiply(this.n, this.edges[edge], product, next);
      if (this.isShort(next)) continue;
      let size = 0;
      for (let k = 0; k < next.length; k++) size += next[k] * next[k];
      following.push({ edge, size });
    }
    this.count += this.leaving[node].length;
    following.sort((a, b) => b.size - a.size);
    for (const { edge } of following) {
      this.path.push(edge);
      multiply(this.n, this.edges[edge], product, next);
      if (!this.shrinks(this.system.automaton.edges[edge].to)) return false;
      this.path.pop();
    }
    return true;
  }

  /** The closed walks within the path whose products have a spectral radius of at least 1. */
  private unstableCycles(): (readonly number[])[] {
    const { edges } = this.system.automaton;
    const n = this.n;
    const path = this.path;
    let product = new Float64Array(n * n);
    let next = new Float64Array(n * n);
    const found: (readonly number[])[] = [];
    for (let i = 0; i < path.length; i++) {
      const { from } = edges[path[i]];
      for (let k = 0; k < n * n; k++) product[k] = k % (n + 1) === 0 ? 1 : 0;
      for (let j = i; j < path.length; j++) {
        multiply(n, this.edges[path[j]], product, next);
        [product, next] = [next, product];
        if (edges[path[j]].to !== from) continue;
        const radius = spectralRadius(n, product);
        const rate = radius ** (1 / (j - i + 1));
        if (radius >= 1) found.push(path.slice(i, j + 1));
        else if (rate > this.nearest.rate) this.nearest = { rate, cycle: path.slice(i, j + 1) };
      }
    }
    if (found.length === 0 && this.nearest.cycle.length === 0 && path.length > 0) {
      const [start, end] = [edges[path[0]].from, edges[path.at(-1)!].to];
      this.nearest.cycle = [...path, ...shortestWay(this.system, end, start)];
    }
    return found;
  }

  /** Whether |Mx| ≤ SHRINKS |x|: SHRINKS² − MᵀM has a Cholesky factor. */
  private isShort(m: Float64Array): boolean {
    const n = this.n;
    const l = this.factor;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let left = i === j ? SHRINKS * SHRINKS : 0;
        for (let k = 0; k < n; k++) left -= m[k * n + i] * m[k * n + j];
        for (let k = 0; k < j; k++) left -= l[i * n + k] * l[j * n + k];
        if (j < i) l[i * n + j] = left / l[j * n + j];
        else if (left > 0) l[i * n + i] = Math.sqrt(left);
        else return false;
      }
    }
    return true;
  }
}
