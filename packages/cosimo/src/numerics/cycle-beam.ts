/**
 * Which closed walk of a graph grows fastest? Breadth first over all walks while they are few, then
 * only those whose products have the largest norms: in good coordinates these go on to grow. Finds
 * short cycles for certain and most of the longer ones.
 */
import { GrowthRate } from "./growth-rate.ts";
import type { EdgeMatrices } from "./lyapunov-assemble.ts";

export interface FoundCycle {
  /** Edges in the order in which they are taken. */
  readonly edges: readonly number[];
  /** Growth per step, as computed. */
  readonly rate: number;
}

export interface BeamOptions {
  readonly maxLength: number;
  /** Walks kept a length. */
  readonly width: number;
  /** Only faster cycles are reported. */
  readonly floor: number;
  /** A cycle this fast ends the search. */
  readonly enough?: number;
  readonly keepGoing?: () => boolean;
}

/** A cycle must be better by this factor: repetitions of one are as fast as it is. */
const BETTER = 1 + 1e-12;

interface Level {
  readonly count: number;
  readonly products: Float64Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** Where the walk without its last edge is in the level before. */
  readonly parent: Int32Array;
  readonly edge: Int32Array;
}

export function fastestCycle(graph: EdgeMatrices, options: BeamOptions): FoundCycle | undefined {
  const { maxLength, width, enough = Infinity, keepGoing = () => true } = options;
  const leaving = edgesLeaving(graph);
  const rates = new GrowthRate(graph.n);
  const levels: Level[] = [];
  let best: FoundCycle | undefined;
  let floor = options.floor;
  let current = firstLevel(graph);
  for (let length = 1; ; length++) {
    levels.push(current);
    for (let i = 0; i < current.count; i++) {
      if (current.start[i] !== current.end[i]) continue;
      const radius = rates.above(
        current.products,
        i * graph.n * graph.n,
        (floor * BETTER) ** length,
      );
      const rate = radius ** (1 / length);
      if (!(rate > floor * BETTER)) continue;
      floor = rate;
      best = { edges: walkTo(levels, i), rate };
    }
    if (length === maxLength || floor >= enough || current.count === 0 || !keepGoing()) return best;
    current = nextLevel(graph, leaving, current, width);
  }
}

/** Indices of the edges that leave each node. */
export function edgesLeaving({ nodes, from }: EdgeMatrices): number[][] {
  const leaving: number[][] = Array.from({ length: nodes }, () => []);
  for (let e = 0; e < from.length; e++) leaving[from[e]].push(e);
  return leaving;
}

function firstLevel({ n, from, to, matrices }: EdgeMatrices): Level {
  const products = new Float64Array(from.length * n * n);
  matrices.forEach((a, e) => {
    products.set(a, e * n * n);
  });
  return {
    count: from.length,
    products,
    start: Int32Array.from(from),
    end: Int32Array.from(to),
    parent: new Int32Array(from.length).fill(-1),
    edge: Int32Array.from(from, (_, e) => e),
  };
}

function nextLevel(
  graph: EdgeMatrices,
  leaving: readonly (readonly number[])[],
  level: Level,
  width: number,
): Level {
  const { n, nodes, to, matrices } = graph;
  let count = 0;
  for (let i = 0; i < level.count; i++) count += leaving[level.end[i]].length;
  const parent = new Int32Array(count);
  const edge = new Int32Array(count);
  const products = new Float64Array(count * n * n);
  const size = new Float64Array(count);
  let k = 0;
  for (let i = 0; i < level.count; i++) {
    for (const e of leaving[level.end[i]]) {
      parent[k] = i;
      edge[k] = e;
      size[k] = product(n, matrices[e], level.products, i * n * n, products, k * n * n);
      k++;
    }
  }
  const kept = choose(nodes, level.start, parent, size, width);
  const chosen = new Float64Array(kept.length * n * n);
  kept.forEach((c, i) => {
    chosen.set(products.subarray(c * n * n, (c + 1) * n * n), i * n * n);
  });
  return {
    count: kept.length,
    products: chosen,
    start: Int32Array.from(kept, (c) => level.start[parent[c]]),
    end: Int32Array.from(kept, (c) => to[edge[c]]),
    parent: Int32Array.from(kept, (c) => parent[c]),
    edge: Int32Array.from(kept, (c) => edge[c]),
  };
}

/**
 * The largest `width`, each start node with its share: a cycle can be entered anywhere, so none of
 * its nodes may be lost to the others.
 */
function choose(
  nodes: number,
  start: Int32Array,
  parent: Int32Array,
  size: Float64Array,
  width: number,
): Int32Array {
  const order = Int32Array.from(size, (_, i) => i);
  if (order.length <= width) return order;
  order.sort((a, b) => size[b] - size[a]);
  const share = Math.max(2, Math.ceil(width / nodes));
  const taken = new Int32Array(nodes);
  return order.filter((c) => size[c] > 0 && taken[start[parent[c]]]++ < share);
}

/** Writes A times the block at `p` and returns its squared Frobenius norm. */
function product(
  n: number,
  a: Float64Array,
  blocks: Float64Array,
  p: number,
  out: Float64Array,
  q: number,
): number {
  let size = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += a[i * n + k] * blocks[p + k * n + j];
      out[q + i * n + j] = sum;
      size += sum * sum;
    }
  }
  return size;
}

function walkTo(levels: readonly Level[], last: number): number[] {
  const edges: number[] = [];
  let at = last;
  for (let l = levels.length - 1; l >= 0; l--) {
    edges.push(levels[l].edge[at]);
    at = levels[l].parent[at];
  }
  return edges.reverse();
}
