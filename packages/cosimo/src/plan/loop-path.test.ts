import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { loopPath, loopText } from "./loop-path.ts";
import { loopsIn } from "./strong-components.ts";

describe("a way around a loop", () => {
  it("[PN60] is the shortest through its first node", () => {
    expect(loopPath([[1], [2], [0, 3], [0]], [0, 1, 2, 3])).toEqual([0, 1, 2]);
    expect(loopPath([[0]], [0])).toEqual([0]);
    expect(loopPath([[1], [0]], [0, 1], (v) => v === 1)).toEqual([1, 0]);
  });

  it("[PN60] exists in every loop: each node leads to the next, the last one to the first", () => {
    const graphs = fc
      .integer({ min: 1, max: 9 })
      .chain((n) => fc.array(fc.uniqueArray(fc.nat(n - 1)), { minLength: n, maxLength: n }));
    fc.assert(
      fc.property(graphs, (edges) => {
        for (const members of loopsIn(edges)) {
          const path = loopPath(edges, members);
          path.forEach((node, i) => {
            expect(edges[node]).toContain(path[(i + 1) % path.length]);
          });
          expect(new Set(path).size).toBe(path.length);
          expect(members).toEqual(expect.arrayContaining(path));
        }
      }),
      { seed: 14, numRuns: cases(300) },
    );
  });

  it("[PN60] ends where it begins, and counts what lies beside it", () => {
    expect(loopText(["a.y", "b.u"], ["a.y", "b.u"])).toBe("a.y → b.u → a.y");
    expect(loopText(["a.y", "b.u"], ["b.u", "a.y", "c.u"])).toBe(
      "a.y → b.u → a.y (and 1 more port)",
    );
  });
});
