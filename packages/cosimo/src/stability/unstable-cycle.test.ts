import { describe, expect, it } from "vitest";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { productOf } from "./certified-product.ts";
import { freeSystem, type SwitchedSystem } from "./switched-system.ts";
import {
  CONSTRAINED,
  EXACTLY_ONE,
  shears,
  TWO_BY_TWO,
  TWO_BY_TWO_RADIUS,
} from "./testing/switched-examples.ts";
import { certify, fastestClosedWalk, findUnstableCycle } from "./unstable-cycle.ts";

describe("the fastest closed walk", () => {
  it("[JS14] is found with a rate that is certain", () => {
    const cycle = fastestClosedWalk(TWO_BY_TWO)!;
    expect(cycle.word.toSorted()).toEqual([0, 1]);
    expect(cycle.rate).toBeLessThanOrEqual(TWO_BY_TWO_RADIUS);
    expect(cycle.rate).toBeGreaterThan(TWO_BY_TWO_RADIUS * (1 - 1e-12));
  });

  it("[JS14] is at least as fast as every word up to length 13, where long words are best", () => {
    // Near 0.7493 the best words of the two shears are Fibonacci words, and they get ever longer.
    const system = shears(0.7493);
    let fastest = 0;
    for (let length = 1; length <= 13; length++) {
      for (let bits = 0; bits < 2 ** length; bits++) {
        const word = Array.from({ length }, (_, k) => (bits >> k) & 1);
        fastest = Math.max(
          fastest,
          spectralRadius(2, productOf(system, word).matrix) ** (1 / length),
        );
      }
    }
    const cycle = fastestClosedWalk(system, { maxLength: 34 })!;
    expect(cycle.rate).toBeGreaterThan(fastest * (1 - 1e-12));
    expect(cycle.word.length).toBeGreaterThanOrEqual(8);
  });

  it("[JS14] follows the automaton: a ring of 33 edges is one cycle", () => {
    const nodes = 33;
    const edges = Array.from({ length: nodes }, (_, k) => ({
      from: k,
      to: (k + 1) % nodes,
      mode: k % 2,
    }));
    const system: SwitchedSystem = { ...freeSystem([[[3]], [[0.5]]]), automaton: { nodes, edges } };
    const cycle = findUnstableCycle(system)!;
    expect(cycle.edges).toHaveLength(33);
    // 17 threes and 16 halves.
    expect(cycle.rate).toBeCloseTo((3 ** 17 / 2 ** 16) ** (1 / 33), 12);
    expect(fastestClosedWalk(CONSTRAINED)!.word.length).toBe(8);
  });

  it("[JS14] is called unstable only if it certainly grows", () => {
    expect(findUnstableCycle(EXACTLY_ONE)).toBeUndefined();
    expect(findUnstableCycle(CONSTRAINED)).toBeUndefined();
    expect(findUnstableCycle(TWO_BY_TWO)!.rate).toBeGreaterThan(1);
    const acyclic = {
      ...TWO_BY_TWO,
      automaton: { nodes: 2, edges: [{ from: 0, to: 1, mode: 0 }] },
    };
    expect(fastestClosedWalk(acyclic)).toBeUndefined();
  });
});

describe("a product with its error", () => {
  it("[JS1] is applied in time order, and its error is 0 for one factor and tiny for a few", () => {
    const { matrix, error } = productOf(TWO_BY_TWO, [0, 1]);
    // A(2) A(1), exact in whole numbers.
    expect([...matrix]).toEqual([-15, -3, -2, 2]);
    expect(error).toBeGreaterThan(0);
    expect(error).toBeLessThan(1e-12);
    expect(productOf(TWO_BY_TWO, [1]).error).toBe(0);
    expect(certify(TWO_BY_TWO, [0]).rate).toBeLessThanOrEqual((1 + Math.sqrt(17)) / 2);
  });
});
