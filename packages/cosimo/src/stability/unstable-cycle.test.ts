import { describe, expect, it } from "vitest";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { productOf, rateBelow } from "./certified-product.ts";
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
        fastest = Math.max(fastest, spectralRadius(2, productOf(system, word)) ** (1 / length));
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

  it("[JS14] is found in a walk that does not shrink, where only long words grow", () => {
    const fast = fastestClosedWalk(shears(0.7493), { maxLength: 21 })!.rate;
    const short = fastestClosedWalk(shears(0.7493), { maxLength: 3 })!.rate;
    const scale = 1 / Math.sqrt(fast * short);
    const { matrices, ...rest } = shears(0.7493);
    const system = { ...rest, matrices: matrices.map((a) => a.map((x) => x * scale)) };
    expect(fastestClosedWalk(system, { maxLength: 3 })!.rate).toBeLessThan(1);
    const cycle = findUnstableCycle(system, { maxLength: 3 })!;
    expect(cycle.rate).toBeGreaterThan(1);
    expect(cycle.word.length).toBeGreaterThan(3);
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

describe("the exact rate of a word", () => {
  it("[JS1] is that of the product in time order", () => {
    // A(2) A(1), exact in whole numbers.
    expect([...productOf(TWO_BY_TWO, [0, 1])]).toEqual([-15, -3, -2, 2]);
    expect(certify(TWO_BY_TWO, [0]).rate).toBeLessThanOrEqual((1 + Math.sqrt(17)) / 2);
  });

  it("[JS1] survives long words of matrices that are far from normal", () => {
    // Large shears there and back: 21 factors cancel to a third of the identity, in between entries
    // reach 10^13.
    const shear = [
      [1, 1e12],
      [0, 1],
    ];
    const back = [
      [1, -1e12],
      [0, 1],
    ];
    const third = [
      [1 / 3, 0],
      [0, 1 / 3],
    ];
    const system = freeSystem([shear, back, third]);
    const word = [...Array<number>(10).fill(0), 2, ...Array<number>(10).fill(1)];
    const rate = rateBelow(system, word);
    expect(rate).toBeLessThanOrEqual((1 / 3) ** (1 / 21) * (1 + 1e-15));
    expect(rate).toBeGreaterThan((1 / 3) ** (1 / 21) * (1 - 1e-12));
    // And words whose products leave the range of numbers.
    expect(rateBelow(freeSystem([[[1e30]]]), Array<number>(20).fill(0)) / 1e30).toBeCloseTo(1, 12);
    expect(rateBelow(freeSystem([[[1e-30]]]), Array<number>(20).fill(0)) / 1e-30).toBeCloseTo(
      1,
      12,
    );
  });

  it("[JS1] is never above the number itself, however large or small that is, also by words of odd length", () => {
    for (let power = -270; power <= 280; power += 11) {
      const x = Number(`1.7e${power}`);
      for (const length of [1, 3, 7]) {
        const rate = rateBelow(freeSystem([[[x]]]), Array<number>(length).fill(0));
        expect(rate).toBeLessThanOrEqual(x);
        expect(rate).toBeGreaterThan(x * (1 - 1e-11));
      }
    }
  });
});
