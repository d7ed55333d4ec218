/**
 * Cycles in small directed graphs, for messages: values that go round, units that wait for each
 * other.
 */

/**
 * A shortest cycle through `u`, by breadth-first search over `edges` (targets by node); undefined:
 * there is none.
 */
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

/** One cycle for every group of nodes that are on cycles together. */
export function separateCycles(edges: readonly (readonly number[])[]): number[][] {
  const cycles: number[][] = [];
  const seen = new Set<number>();
  for (let u = 0; u < edges.length; u++) {
    if (seen.has(u)) continue;
    const cycle = cycleThrough(u, edges);
    if (cycle === undefined) continue;
    // What is on a cycle with u was found with it.
    for (const v of reachable(u, edges)) if (reachable(v, edges).has(u)) seen.add(v);
    cycles.push(cycle);
  }
  return cycles;
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
