/**
 * Zero-delay cycles before the run: values that may go round without time passing make a model illegitimate (infinitely many
 * transitions at one instant).
 *
 * Every coupling from i to d is an edge with the minimum delay of d, where d declares one. In the min-plus closure of that graph
 * (the distance matrix of conservative simulation) a zero on the diagonal is a zero-delay cycle. Delays are not negative, so the
 * diagonal has a zero exactly where the edges of weight zero alone form a cycle; strongly connected components of
 * these find it in linear time, without the matrix.
 */
import type { ReportDevs } from "./devs-diagnostics.ts";
import type { FlatModel } from "./flatten.ts";

export function reportZeroDelayCycles(model: FlatModel, report: ReportDevs): void {
  for (const cycle of zeroDelayCycles(model)) {
    report("devs-zero-delay-cycle", { cycle: cycle.map((u) => model.units[u].path) }, model.name);
  }
}

/** One cycle per group of units that are on zero-delay cycles together. */
export function zeroDelayCycles(model: FlatModel): number[][] {
  const edges = zeroEdges(model);
  const cycles: number[][] = [];
  const seen = new Set<number>();
  for (const [u] of edges.entries()) {
    if (seen.has(u)) continue;
    const cycle = cycleThrough(u, edges);
    if (cycle === undefined) continue;
    // What is on a cycle with u was found with it.
    for (const v of reachable(u, edges)) if (reachable(v, edges).has(u)) seen.add(v);
    cycles.push(cycle);
  }
  return cycles;
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

function reachable(from: number, edges: readonly (readonly number[])[]): Set<number> {
  const found = new Set<number>();
  const open = [from];
  for (let u = open.pop(); u !== undefined; u = open.pop()) {
    for (const v of edges[u]) {
      if (found.has(v)) continue;
      found.add(v);
      open.push(v);
    }
  }
  return found;
}

/** A shortest cycle through `u`, by breadth-first search; undefined: there is none. */
export function cycleThrough(
  u: number,
  edges: readonly (readonly number[])[],
): number[] | undefined {
  const before = new Map<number, number>();
  const open = [u];
  for (let k = 0; k < open.length; k++) {
    const v = open[k];
    for (const w of edges[v]) {
      if (w === u) {
        const cycle = [v];
        for (let at = v; at !== u; ) {
          at = before.get(at)!;
          cycle.unshift(at);
        }
        return cycle;
      }
      if (before.has(w)) continue;
      before.set(w, v);
      open.push(w);
    }
  }
  return undefined;
}
