/**
 * One ellipsoidal norm per node, in which every edge shrinks vectors as much as such norms can
 * show: how the oracle of stabilization measures products.
 *
 * The norms are a fixed point: that of a node is raised above what its edges bring back from where
 * they lead, all are scaled together, and so on. A sweep costs one small eigenproblem an edge,
 * where a semidefinite program would be solved for all of them; that the norms are not the best
 * ones is made up for by looking at products (stabilize-oracle.ts). Nothing rests on them: the
 * oracle checks what it needs.
 */
import { choleskyFactor } from "../numerics/cholesky.ts";
import { loewnerWork, raiseAbove } from "../numerics/loewner.ts";
import { edgesByNode } from "./automaton.ts";
import type { SwitchedSystem } from "./switched-system.ts";

/** Norms that become this much larger than the round ones they begin with will not come to rest. */
const TOO_LARGE = 1e8;

/**
 * Norms in which every edge lengthens vectors by at most about `gamma`: |x| = √(xᵀPx), one
 * symmetric positive definite matrix per node.
 * @param atRest sweeps end when one raises no norm by more than this part. "About": later pieces
 * may still lengthen by as much.
 * @returns undefined where none were found.
 */
export function nodeNorms(
  system: SwitchedSystem,
  gamma: number,
  { sweeps, atRest }: { readonly sweeps: number; readonly atRest: number },
  keepGoing: () => boolean = () => true,
): Float64Array[] | undefined {
  const { dimension: n, matrices, automaton } = system;
  const { nodes, edges } = automaton;
  const leaving = edgesByNode(nodes, edges);
  const work = loewnerWork(n);
  const back = new Float64Array(n * n);
  const norms = Array.from({ length: nodes }, () => roundNorm(n));
  const scaled = matrices.map((a) => a.map((value) => value / gamma));
  for (let sweep = 0; sweep < sweeps && keepGoing(); sweep++) {
    let change = 0;
    for (let v = 0; v < nodes; v++) {
      const norm = norms[v];
      for (const e of leaving[v]) {
        const { to, mode } = edges[e];
        bringBack(n, scaled[mode], norms[to], back);
        change = Math.max(change, raiseAbove(n, norm, back, work) - 1);
      }
      if (!(trace(n, norm) < TOO_LARGE)) return undefined;
    }
    if (change < atRest) return norms.map((norm) => symmetric(n, norm));
  }
  return undefined;
}

/** Aᵀ P A. */
function bringBack(n: number, a: Float64Array, p: Float64Array, out: Float64Array): void {
  for (let j = 0; j < n; j++) {
    for (let i = 0; i <= j; i++) {
      let sum = 0;
      for (let k = 0; k < n; k++) {
        let row = 0;
        for (let l = 0; l < n; l++) row += p[k * n + l] * a[l * n + j];
        sum += a[k * n + i] * row;
      }
      out[i * n + j] = sum;
      out[j * n + i] = sum;
    }
  }
}

/**
 * Every edge's matrix in coordinates in which the norms of its two nodes are Euclidean: Lᵀ(to) A
 * L⁻ᵀ(from) with P = L Lᵀ.
 */
export function edgesInNorms(
  system: SwitchedSystem,
  norms: readonly Float64Array[],
): Float64Array[] {
  const { dimension: n, matrices, automaton } = system;
  const factors = norms.map((norm) => {
    const factor = norm.slice();
    if (choleskyFactor(n, factor) !== -1) throw new Error("internal: a norm that is none");
    return factor;
  });
  return automaton.edges.map(({ from, to, mode }) => {
    const a = matrices[mode];
    const [l, k] = [factors[to], factors[from]];
    const out = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++)
        for (let r = i; r < n; r++) out[i * n + j] += l[r * n + i] * a[r * n + j];
      // X Kᵀ = B, row by row: column j of Kᵀ reaches down to row j.
      for (let j = 0; j < n; j++) {
        let sum = out[i * n + j];
        for (let r = 0; r < j; r++) sum -= out[i * n + r] * k[j * n + r];
        out[i * n + j] = sum / k[j * n + j];
      }
    }
    return out;
  });
}

function roundNorm(n: number): Float64Array {
  const norm = new Float64Array(n * n);
  for (let i = 0; i < n; i++) norm[i * n + i] = 1;
  return norm;
}

/** The same to the last bit on both sides of the diagonal. */
function symmetric(n: number, a: Float64Array): Float64Array {
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) a[j * n + i] = a[i * n + j];
  return a;
}

function trace(n: number, a: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[i * n + i];
  return sum;
}
