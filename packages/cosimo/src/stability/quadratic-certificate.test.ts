import { describe, expect, it } from "vitest";
import { edgeShift } from "./kronecker-lift.ts";
import {
  bestPathComplete,
  type Certificate,
  findPathComplete,
  verifyCertificate,
} from "./quadratic-certificate.ts";
import { freeSystem, type SwitchedSystem } from "./switched-system.ts";
import {
  CONSTRAINED,
  EXACTLY_ONE,
  TWO_BY_TWO,
  TWO_BY_TWO_RADIUS,
} from "./testing/switched-examples.ts";

const ONE: Certificate = { kind: "quadratic", forms: [Float64Array.of(1)] };
const scalar = (a: number): SwitchedSystem => freeSystem([[[a]]]);

describe("checking a quadratic certificate", () => {
  it("[JS8] accepts a rate just above the true one, and none at it or below", () => {
    expect(verifyCertificate(scalar(0.5), 0.5 * (1 + 1e-13), ONE)).toBe(true);
    expect(verifyCertificate(scalar(0.5), 0.5, ONE)).toBe(false);
    expect(verifyCertificate(scalar(0.5), 0.5 * (1 - 1e-13), ONE)).toBe(false);
    // 1/3 is not a number of the machine: neither side of a bit is taken for granted.
    expect(verifyCertificate(scalar(1 / 3), 1 / 3 + 2 ** -54, ONE)).toBe(false);
  });

  it("[JS8] refuses forms that are not symmetric, not definite, missing or not finite", () => {
    const system = freeSystem([
      [
        [0.1, 0],
        [0, 0.1],
      ],
    ]);
    const proves = (form: readonly number[]): boolean =>
      verifyCertificate(system, 1, { kind: "quadratic", forms: [Float64Array.from(form)] });
    expect(proves([1, 0.5, 0.5, 1])).toBe(true);
    expect(proves([1, 0.5, 0.5000001, 1])).toBe(false);
    expect(proves([1, 1, 1, 1])).toBe(false);
    expect(proves([-1, 0, 0, -1])).toBe(false);
    expect(proves([1, 0, 0])).toBe(false);
    expect(proves([Number.NaN, 0, 0, 1])).toBe(false);
    expect(verifyCertificate(system, 1, { kind: "quadratic", forms: [] })).toBe(false);
    expect(
      verifyCertificate(system, Infinity, {
        kind: "quadratic",
        forms: [Float64Array.of(1, 0, 0, 1)],
      }),
    ).toBe(false);
  });

  it("[JS8] looks at every edge on a cycle, and at no other", () => {
    const edges = [
      { from: 0, to: 0, mode: 0 },
      { from: 0, to: 1, mode: 1 },
      { from: 1, to: 1, mode: 0 },
    ];
    const system = { ...freeSystem([[[0.5]], [[100]]]), automaton: { nodes: 2, edges } };
    const flat: Certificate = {
      kind: "quadratic",
      forms: [Float64Array.of(1), Float64Array.of(1)],
    };
    expect(verifyCertificate(system, 0.6, flat)).toBe(true);
    const closed = {
      ...system,
      automaton: { nodes: 2, edges: [...edges, { from: 1, to: 0, mode: 0 }] },
    };
    expect(verifyCertificate(closed, 0.6, flat)).toBe(false);
  });
});

describe("searching a quadratic certificate", () => {
  it("[JS9] finds one above the best rate and none below, one form for all or one per node", () => {
    const common = bestPathComplete(TWO_BY_TWO);
    // The published bound was computed with a tolerance of its own; the best one lies below it, and
    // above the radius.
    expect(common.gamma).toBeLessThan(3.980502849);
    expect(common.gamma).toBeGreaterThan(TWO_BY_TWO_RADIUS);
    expect(findPathComplete(TWO_BY_TWO, common.gamma * 1.001)).toBeDefined();
    expect(findPathComplete(TWO_BY_TWO, common.gamma * 0.999)).toBeUndefined();
    expect(findPathComplete(EXACTLY_ONE, 1.4)).toBeUndefined();
    expect(findPathComplete(EXACTLY_ONE, 1.42)).toBeDefined();
    expect(findPathComplete(CONSTRAINED, 1.01)).toBeDefined();
    expect(findPathComplete(CONSTRAINED, 0.97)).toBeUndefined();
  });

  it("[JS9] proves something of products that all vanish, however flat the best forms are", () => {
    const nilpotent = freeSystem([
      [
        [0, 1, 2, 1],
        [0, 0, 1, 1],
        [0, 0, 0, 3],
        [0, 0, 0, 0],
      ],
    ]);
    const { gamma, certificate } = bestPathComplete(nilpotent);
    // The matrix itself has a norm above 3.
    expect(gamma).toBeLessThan(0.5);
    expect(verifyCertificate(nilpotent, gamma, certificate)).toBe(true);
  });

  it("[JS9] begins with a certificate of a similar system", () => {
    const start = bestPathComplete(TWO_BY_TWO).certificate;
    const found = findPathComplete(TWO_BY_TWO, 4, { start, maxSteps: 0 });
    expect(found?.forms).toHaveLength(1);
    expect(findPathComplete(TWO_BY_TWO, 4, { maxSteps: 0 })).toBeUndefined();
  });

  it("[JS9] serves 64 nodes and 512 edges of size 4", () => {
    // Block rotations that shrink by 0.9, 0.89, …: no form can do better than 0.9, and every form
    // of its own kind does that.
    const turns = Array.from({ length: 8 }, (_, k) => {
      const [c, s] = [(0.9 - 0.01 * k) * Math.cos(k), (0.9 - 0.01 * k) * Math.sin(k)];
      return [
        [c, -s, 0, 0],
        [s, c, 0, 0],
        [0, 0, s, c],
        [0, 0, -c, s],
      ];
    });
    const system = edgeShift(edgeShift(freeSystem(turns)));
    expect([system.automaton.nodes, system.automaton.edges.length]).toEqual([64, 512]);
    const certificate = findPathComplete(system, 0.901)!;
    expect(certificate.forms).toHaveLength(64);
    expect(verifyCertificate(system, 0.901, certificate)).toBe(true);
    expect(verifyCertificate(system, 0.9, certificate)).toBe(false);
  });
});
