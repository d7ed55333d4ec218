/**
 * Answers about small graphs, computed from the definitions and not by the algorithms under test:
 * paths by Warshall's closure, depths by repetition until nothing changes.
 */
export type Edges = readonly (readonly number[])[];

/** `[v][w]`: a path of at least one edge leads from v to w. */
export function pathsIn(edges: Edges): boolean[][] {
  const found = edges.map((successors) => edges.map((_, w) => successors.includes(w)));
  for (let k = 0; k < edges.length; k++)
    for (const row of found)
      if (row[k]) for (let j = 0; j < edges.length; j++) row[j] ||= found[k][j];
  return found;
}

/** Largest sets of nodes that all reach each other and themselves, in ascending order. */
export function loopsByDefinition(edges: Edges): number[][] {
  const path = pathsIn(edges);
  const nodes = edges.map((_, v) => v);
  return nodes
    .map((v) => nodes.filter((w) => path[v][w] && path[w][v]))
    .filter((loop, v) => loop[0] === v);
}

/** Edges of the longest path that ends in each node; the graph has no loop. */
export function longestPaths(edges: Edges): number[] {
  const depth = edges.map(() => 0);
  for (let again = true; again; ) {
    again = false;
    edges.forEach((successors, v) => {
      for (const w of successors)
        if (depth[w] <= depth[v]) {
          depth[w] = depth[v] + 1;
          again = true;
        }
    });
    if (Math.max(0, ...depth) > edges.length) throw new Error("test: the graph has a loop");
  }
  return depth;
}
