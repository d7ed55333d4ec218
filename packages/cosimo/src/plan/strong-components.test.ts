import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { strongComponents } from "./strong-components.ts";

/** By definition: v and w are together when each reaches the other. */
function reachable(edges: readonly (readonly number[])[]): boolean[][] {
  const n = edges.length;
  const reach = edges.map((successors, v) =>
    Array.from({ length: n }, (_, w) => v === w || successors.includes(w)),
  );
  for (let k = 0; k < n; k++)
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) if (reach[i][k] && reach[k][j]) reach[i][j] = true;
  return reach;
}

describe("strong components", () => {
  it("[PN2] are those of mutual reachability, and sources come first", () => {
    const graph = fc.integer({ min: 1, max: 9 }).chain((n) =>
      fc.array(fc.uniqueArray(fc.nat({ max: n - 1 }), { maxLength: n }), {
        minLength: n,
        maxLength: n,
      }),
    );
    fc.assert(
      fc.property(graph, (edges) => {
        const components = strongComponents(edges);
        const reach = reachable(edges);
        expect(components.flat().toSorted((a, b) => a - b)).toEqual(edges.map((_, v) => v));
        const place = new Map(components.flatMap((nodes, c) => nodes.map((v) => [v, c] as const)));
        for (let v = 0; v < edges.length; v++) {
          for (let w = 0; w < edges.length; w++) {
            expect(place.get(v) === place.get(w)).toBe(reach[v][w] && reach[w][v]);
          }
          for (const w of edges[v]) expect(place.get(v)).toBeLessThanOrEqual(place.get(w)!);
        }
      }),
      { seed: 11 },
    );
  });

  it("[PN2] take a chain of 100 000 nodes without recursion", () => {
    const n = 100_000;
    const edges = Array.from({ length: n }, (_, v) => (v + 1 < n ? [v + 1] : []));
    expect(strongComponents(edges)).toHaveLength(n);
  });
});
