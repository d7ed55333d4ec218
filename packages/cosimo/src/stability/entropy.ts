/**
 * How much freedom an automaton leaves: the entropy of its language, log2 of the growth rate of the
 * number of allowed sequences. For right-resolving automata the growth rate is the spectral radius
 * of the adjacency matrix (Lind & Marcus, An Introduction to Symbolic Dynamics and Coding, sec.
 * 4.3).
 *
 * The bounds are those of Collatz and Wielandt (Horn & Johnson, Matrix Analysis, 2nd ed., sec.
 * 8.1): for a positive vector x, the least and the largest of (Bx)ᵢ / xᵢ enclose the radius of an
 * irreducible matrix. They hold for any x, so nothing rests on the convergence of the iteration
 * that finds it.
 */
import type { Automaton } from "../model/decision-automaton.ts";
import { components, edgesByNode, restrict } from "./automaton.ts";

export interface GrowthRate {
  readonly lower: number;
  readonly upper: number;
}

const NO_FREEDOM: GrowthRate = { lower: 0, upper: 0 };

/** Of the component with the most freedom; 0 where no sequence goes on for ever. */
export function growthRate(automaton: Automaton, tolerance = 1e-12): GrowthRate {
  let best = NO_FREEDOM;
  for (const nodes of components(automaton)) {
    const rate = rateOf(restrict(automaton, nodes), tolerance);
    if (rate.lower > best.lower) best = rate;
  }
  return best;
}

/** The component with the most freedom (the first of equals), its nodes and its rate. */
export function freestComponent(automaton: Automaton): {
  readonly automaton: Automaton;
  readonly nodes: readonly number[];
  readonly rate: GrowthRate;
} {
  let best = {
    automaton: { nodes: 0, edges: [] } as Automaton,
    nodes: [] as number[],
    rate: NO_FREEDOM,
  };
  for (const nodes of components(automaton)) {
    const part = restrict(automaton, nodes);
    const rate = rateOf(part, 1e-12);
    if (rate.lower > best.rate.lower) best = { automaton: part, nodes, rate };
  }
  return best;
}

export function entropyBits(rate: GrowthRate): number {
  return rate.lower > 0 ? Math.log2(rate.lower) : Number.NEGATIVE_INFINITY;
}

const MAX_ROUNDS = 10_000;

/** @param automaton that is one strongly connected component. */
function rateOf({ nodes, edges }: Automaton, tolerance: number): GrowthRate {
  let x = new Float64Array(nodes).fill(1);
  let y = new Float64Array(nodes);
  // A sum of so many positive numbers, and the quotient after it, are off by less than this part of
  // themselves.
  const most = edgesByNode(nodes, edges).reduce((max, leaving) => Math.max(max, leaving.length), 0);
  const error = (most + 2) * Number.EPSILON;
  let [lower, upper] = [0, Number.POSITIVE_INFINITY];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    y.fill(0);
    for (const { from, to } of edges) y[from] += x[to];
    let [least, largest, sum] = [Number.POSITIVE_INFINITY, 0, 0];
    for (let i = 0; i < nodes; i++) {
      const ratio = y[i] / x[i];
      least = Math.min(least, ratio);
      largest = Math.max(largest, ratio);
      // B + 1 has the vectors of B and one dominant eigenvalue, also where B is periodic.
      y[i] += x[i];
      sum += y[i];
    }
    lower = Math.max(lower, least * (1 - error));
    upper = Math.min(upper, largest * (1 + error));
    if (upper - lower <= tolerance * upper + 2 * error * upper) break;
    for (let i = 0; i < nodes; i++) y[i] /= sum;
    [x, y] = [y, x];
  }
  return { lower, upper };
}
