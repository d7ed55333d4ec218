/**
 * Closed walks of an automaton whose products grow: what refutes stability, and the lower bound of
 * every joint spectral radius. A cycle is searched in the coordinates of quadratic forms, and its
 * rate is then bounded from below for the exact matrices.
 */

import { fastestCycle } from "../numerics/cycle-beam.ts";
import { GrowthRate } from "../numerics/growth-rate.ts";
import { minimizeRate } from "../numerics/lyapunov-centres.ts";
import { inCoordinatesOf } from "../numerics/lyapunov-coordinates.ts";
import { multiply } from "../numerics/matrix.ts";
import { rateBelow } from "./certified-product.ts";
import { walkTree } from "./gripenberg.ts";
import { type Component, componentsOf } from "./jsr-components.ts";
import { bestPathComplete, type Certificate } from "./quadratic-certificate.ts";
import type { SwitchedSystem } from "./switched-system.ts";

export interface Cycle {
  /**
   * Edges of the automaton in the order in which they are taken; the last one ends where the first
   * one begins.
   */
  readonly edges: readonly number[];
  /** The modes along them. */
  readonly word: readonly number[];
  /** Certified: the product of the word has a spectral radius of at least rate^length. */
  readonly rate: number;
}

export interface CycleSearch {
  readonly maxLength?: number;
  /** Walks kept a length. Below this number of walks, all are tried. */
  readonly width?: number;
  /** Only faster cycles count. */
  readonly floor?: number;
  /** A cycle this fast ends the search. */
  readonly enough?: number;
  /** Forms that give good coordinates; by default a rough search finds some. */
  readonly forms?: Certificate;
  readonly keepGoing?: () => boolean;
}

/**
 * The fastest closed walk that was found, or undefined when none is faster than `floor` (or the
 * automaton has no cycle).
 */
export function fastestClosedWalk(
  system: SwitchedSystem,
  options: CycleSearch = {},
): Cycle | undefined {
  let best: Cycle | undefined;
  for (const component of componentsOf(system)) {
    const floor = Math.max(options.floor ?? 0, best?.rate ?? 0);
    const found = searchComponent(component, { ...options, floor });
    if (found === undefined) continue;
    const cycle = certify(
      system,
      found.map((e) => component.edges[e]),
    );
    if (best === undefined || cycle.rate > best.rate) best = cycle;
  }
  return best;
}

/**
 * A closed walk that certainly grows (its rate is above 1), or undefined when none was found: among
 * walks with large products, then in a walk that does not shrink for long, which repeats cycles
 * sooner or later.
 */
export function findUnstableCycle(
  system: SwitchedSystem,
  options: CycleSearch = {},
): Cycle | undefined {
  const cycle = fastestClosedWalk(system, { floor: 1, enough: 1 + 1e-9, ...options });
  if (cycle !== undefined && cycle.rate > 1) return cycle;
  const { keepGoing } = options;
  const going = keepGoing ? { keepGoing } : {};
  const forms =
    options.forms ?? bestPathComplete(system, { tolerance: 1e-3, ...going }).certificate;
  let found: Cycle | undefined;
  const keep = (one: Cycle | undefined): void => {
    if (one !== undefined && one.rate > (found?.rate ?? 1)) found = one;
  };
  walkTree(system, forms.forms, 1, {
    maxProducts: 100_000,
    maxDepth: 300,
    floor: 1,
    onCycle: (edges) => keep(certify(system, edges)),
    onLongWalk: (edges) => keep(fastestPart(system, edges, 1)),
    ...going,
  });
  return found;
}

/** Longest part of a walk that is tried, and how many products in all. */
const LONGEST_PART = 150;
const MOST_PARTS = 60_000;

/** The fastest closed part of a walk, with its certified rate, if it is faster than `floor`. */
export function fastestPart(
  system: SwitchedSystem,
  walk: readonly number[],
  floor: number,
): Cycle | undefined {
  const { dimension: n, automaton, matrices } = system;
  const rates = new GrowthRate(n);
  let product = new Float64Array(n * n);
  let next = new Float64Array(n * n);
  let best: readonly number[] | undefined;
  let fastest = floor;
  let looked = 0;
  // What a long walk ends in says more than how it began.
  for (let i = walk.length - 1; i >= 0 && looked < MOST_PARTS; i--) {
    const start = automaton.edges[walk[i]].from;
    for (let j = i; j < Math.min(walk.length, i + LONGEST_PART); j++) {
      const { to, mode } = automaton.edges[walk[j]];
      if (j === i) product.set(matrices[mode]);
      else {
        multiply(n, matrices[mode], product, next);
        [product, next] = [next, product];
      }
      looked++;
      if (to !== start) continue;
      const length = j - i + 1;
      const rate = rates.above(product, 0, fastest ** length) ** (1 / length);
      if (!(rate > fastest * (1 + 1e-12))) continue;
      fastest = rate;
      best = walk.slice(i, j + 1);
    }
  }
  return best && certify(system, best);
}

/** The cycle of these edges with its certified rate. */
export function certify(system: SwitchedSystem, edges: readonly number[]): Cycle {
  const word = edges.map((e) => system.automaton.edges[e].mode);
  return { edges, word, rate: rateBelow(system, word) };
}

function searchComponent(
  { graph, nodes }: Component,
  options: CycleSearch,
): readonly number[] | undefined {
  const { forms, maxLength = 40, width = 600, floor = 0, enough, keepGoing } = options;
  const size = graph.n * graph.n;
  const blocks = new Float64Array(nodes.length * size);
  let scale = 1;
  if (forms) {
    nodes.forEach((node, i) => {
      blocks.set(forms.forms[node], i * size);
    });
  } else {
    const rough = minimizeRate(graph, { maxSteps: 12, ...(keepGoing && { keepGoing }) });
    blocks.set(rough.forms);
    scale = rough.gamma || 1;
  }
  const balanced = inCoordinatesOf(graph, blocks, scale) ?? graph;
  const divisor = balanced === graph ? 1 : scale;
  return fastestCycle(balanced, {
    maxLength,
    width,
    floor: floor / divisor,
    ...(enough !== undefined && { enough: enough / divisor }),
    ...(keepGoing && { keepGoing }),
  })?.edges;
}
