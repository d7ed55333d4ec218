/**
 * Zero-delay cycles before the run: values that may go round without time passing make a model
 * illegitimate (infinitely many transitions at one instant).
 *
 * Every coupling from i to d is an edge with the minimum delay of d, where d declares one. In the
 * min-plus closure of that graph (the distance matrix of conservative simulation) a zero on the
 * diagonal is a zero-delay cycle. Delays are not negative, so the diagonal has a zero exactly where
 * the edges of weight zero alone form a cycle; strongly connected components of these find it in
 * linear time, without the matrix.
 */
import { separateCycles } from "../numerics/shortest-cycle.ts";
import type { ReportDevs } from "./devs-diagnostics.ts";
import type { FlatModel } from "./flatten.ts";

export function reportZeroDelayCycles(model: FlatModel, report: ReportDevs): void {
  for (const cycle of zeroDelayCycles(model)) {
    report("devs-zero-delay-cycle", { cycle: cycle.map((u) => model.units[u].path) }, model.name);
  }
}

/** One cycle per group of units that are on zero-delay cycles together. */
export function zeroDelayCycles(model: FlatModel): number[][] {
  return separateCycles(zeroEdges(model));
}

/** By unit: units that it sends to and that declare to answer at once. */
function zeroEdges({ units, routes, outBase }: FlatModel): number[][] {
  return units.map((_, u) => {
    const targets = new Set<number>();
    for (let r = routes.start[outBase[u]]; r < routes.start[outBase[u + 1]]; r++) {
      const target = routes.target[r];
      if (target >= 0 && units[target].model.minimumDelay === 0) targets.add(target);
    }
    return [...targets];
  });
}

/**
 * How long it takes at least from a value that arrives at the model to one that it sends because of
 * it: the shortest way through its components (min-plus), by relaxation (Bellman–Ford). Undefined
 * where that is not known: no value gets through, or a component on a way does not declare its
 * delay and no other way takes no time.
 */
export function modelDelay({ units, routes, inputRoutes, outBase }: FlatModel): number | undefined {
  const delays = units.map(({ model }) => model.minimumDelay);
  const known = shortest(delays.map((delay) => delay ?? Number.POSITIVE_INFINITY));
  if (known === 0) return 0;
  // A way through a component without declared delay is open where it is shorter with a delay of 0
  // there.
  const bound = shortest(delays.map((delay) => delay ?? 0));
  return bound === known && known < Number.POSITIVE_INFINITY ? known : undefined;

  function shortest(weights: readonly number[]): number {
    const sent = new Float64Array(units.length).fill(Number.POSITIVE_INFINITY);
    for (const target of inputRoutes.target) if (target >= 0) sent[target] = weights[target];
    let left = Number.POSITIVE_INFINITY;
    for (let round = 0; round <= units.length; round++) {
      let isChanged = false;
      for (let u = 0; u < units.length; u++) {
        for (let r = routes.start[outBase[u]]; r < routes.start[outBase[u + 1]]; r++) {
          const target = routes.target[r];
          if (target < 0) left = Math.min(left, sent[u]);
          else if (sent[u] + weights[target] < sent[target]) {
            sent[target] = sent[u] + weights[target];
            isChanged = true;
          }
        }
      }
      if (!isChanged) break;
    }
    return left;
  }
}
