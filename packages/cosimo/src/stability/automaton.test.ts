import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { type Automaton, freeAutomaton } from "../model/decision-automaton.ts";
import { components, liftAutomaton, pathNumbers, restrict } from "./automaton.ts";
import { entropyBits, freestComponent, growthRate } from "./entropy.ts";

const RUNS = { seed: 16_180, numRuns: cases(100) };

/** `a b 0` is an edge from a to b with mode 0. */
function automaton(nodes: number, text: string): Automaton {
  return {
    nodes,
    edges: text.split(",").map((edge) => {
      const [from, to, mode] = edge.trim().split(" ").map(Number);
      return { from: from!, to: to!, mode: mode! };
    }),
  };
}

/** All words of a length that can be read from some node. */
function words({ nodes, edges }: Automaton, length: number): string[] {
  let reached = Array.from({ length: nodes }, (_, node) => ({ node, word: "" }));
  for (let k = 0; k < length; k++)
    reached = reached.flatMap(({ node, word }) =>
      edges.filter((e) => e.from === node).map((e) => ({ node: e.to, word: word + e.mode })),
    );
  return [...new Set(reached.map(({ word }) => word))].sort();
}

/** Right-resolving, every node with an edge in and out by a ring of mode 0. */
const automata = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.integer({ min: 1, max: 2 })), { maxLength: 6 }),
  )
  .map(([nodes, extra]): Automaton => {
    const edges = new Map<string, { from: number; to: number; mode: number }>();
    for (let v = 0; v < nodes; v++) edges.set(`${v} 0`, { from: v, to: (v + 1) % nodes, mode: 0 });
    for (const [a, b, mode] of extra)
      edges.set(`${a % nodes} ${mode}`, { from: a % nodes, to: b % nodes, mode });
    return { nodes, edges: [...edges.values()] };
  });

/** Whether no two edges that leave a node carry the same decision. */
function isRightResolving({ edges }: Automaton): boolean {
  return new Set(edges.map(({ from, mode }) => `${from} ${mode}`)).size === edges.length;
}

describe("lifted automata", () => {
  it("[SB1] have the paths as nodes and the same sequences", () => {
    const { automaton: lifted, paths } = liftAutomaton(freeAutomaton(3), 2);
    expect([lifted.nodes, lifted.edges.length]).toEqual([9, 27]);
    expect(paths.every((path) => path.length === 3)).toBe(true);
    fc.assert(
      fc.property(automata, fc.integer({ min: 1, max: 2 }), (plain, degree) => {
        const { automaton: more } = liftAutomaton(plain, degree);
        expect(words(more, 4)).toEqual(words(plain, 4));
        expect(isRightResolving(more)).toBe(true);
      }),
      RUNS,
    );
  });

  it("[SB1] name the path of every edge, so that closed walks are found again", () => {
    const plain = automaton(2, "0 1 0, 1 0 1, 0 0 2");
    const lifted = liftAutomaton(plain, 2);
    const walk = [2, 0, 1]; // modes 2 0 1, from node 0
    const edges = pathNumbers(lifted)(walk);
    expect(edges.map((e) => lifted.paths[e])).toEqual([
      [2, 0, 1],
      [0, 1, 2],
      [1, 2, 0],
    ]);
    edges.forEach((e, k) => {
      const next = edges[(k + 1) % edges.length];
      expect(lifted.automaton.edges[e].to).toBe(lifted.automaton.edges[next].from);
    });
  });
});

describe("components", () => {
  it("[SB2] are strongly connected parts with an edge", () => {
    // 0 ⇄ 1 → 2 → 3 with a loop at 3; 2 has no way back, 4 has no edge.
    const chain = automaton(5, "0 1 0, 1 0 0, 1 2 1, 2 3 0, 3 3 0");
    expect(components(chain).sort((a, b) => a[0] - b[0])).toEqual([[0, 1], [3]]);
    expect(restrict(chain, [0, 1]).edges).toEqual([
      { from: 0, to: 1, mode: 0 },
      { from: 1, to: 0, mode: 0 },
    ]);
  });

  it("[SB2] have a way from every node to every node, and no others do", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 14 }),
        (pairs) => {
          const graph = {
            nodes: 6,
            edges: pairs.map(([from, to], mode) => ({ from, to, mode })),
          };
          const reach = Array.from({ length: 6 }, (_, i) =>
            Array.from({ length: 6 }, (_, j) => pairs.some(([a, b]) => a === i && b === j)),
          );
          for (let k = 0; k < 6; k++)
            for (let i = 0; i < 6; i++)
              for (let j = 0; j < 6; j++) reach[i][j] ||= reach[i][k] && reach[k][j];
          const expected = new Set<string>();
          for (let i = 0; i < 6; i++)
            if (reach[i][i])
              expected.add([0, 1, 2, 3, 4, 5].filter((j) => reach[i][j] && reach[j][i]).join());
          expect(new Set(components(graph).map((part) => part.join()))).toEqual(expected);
        },
      ),
      RUNS,
    );
  });
});

describe("the entropy of a language", () => {
  it("[SB3] is that of the golden mean shift, of all sequences and of a single one", () => {
    const golden = growthRate(automaton(2, "0 0 0, 0 1 1, 1 0 0"));
    const exact = (1 + Math.sqrt(5)) / 2;
    expect(golden.lower).toBeLessThanOrEqual(exact);
    expect(golden.upper).toBeGreaterThanOrEqual(exact);
    expect(golden.upper - golden.lower).toBeLessThan(1e-11);
    const three = growthRate(liftAutomaton(freeAutomaton(3), 2).automaton);
    expect(three.lower).toBeLessThanOrEqual(3);
    expect(entropyBits(three)).toBeCloseTo(Math.log2(3), 12);
    expect(growthRate(automaton(3, "0 1 0, 1 2 0, 2 0 0")).lower).toBeCloseTo(1, 12);
    expect(growthRate(automaton(2, "0 1 0"))).toEqual({ lower: 0, upper: 0 });
  });

  it("[SB3] is that of the freest component and does not change with lifts", () => {
    const two = automaton(3, "0 0 0, 0 1 1, 1 1 0, 1 1 1, 1 1 2, 1 2 3, 2 2 0");
    expect(growthRate(two).lower).toBeCloseTo(3, 12);
    expect(freestComponent(two).nodes).toEqual([1]);
    fc.assert(
      fc.property(automata, (plain) => {
        const [before, after] = [growthRate(plain), growthRate(liftAutomaton(plain, 2).automaton)];
        expect(after.lower).toBeLessThanOrEqual(before.upper);
        expect(after.upper).toBeGreaterThanOrEqual(before.lower);
      }),
      RUNS,
    );
  });
});
