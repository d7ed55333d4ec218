import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { automatonOf } from "../model/testing/automaton.ts";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { walkTree } from "./gripenberg.ts";
import { JSR_METHODS, jsrBounds } from "./jsr.ts";
import { verifyProof } from "./jsr-proof.ts";
import { proofFromJson, proofToJson } from "./jsr-proof-json.ts";
import { edgeShift, symmetricSquare } from "./kronecker-lift.ts";
import { findPolytopes, type PolytopeProof, polytopeRate } from "./polytope.ts";
import { bestPathComplete } from "./quadratic-certificate.ts";
import { freeSystem } from "./switched-system.ts";
import {
  CONSTRAINED,
  EXACTLY_ONE,
  GOLDEN,
  SHEARS,
  THREE_BY_THREE,
  TWO_BY_TWO,
  TWO_BY_TWO_RADIUS,
} from "./testing/switched-examples.ts";
import { fastestClosedWalk } from "./unstable-cycle.ts";

const SEED = 20_261_116;
const search = { maxProducts: 20_000, maxDepth: 400 };

describe("branch and bound", () => {
  const { forms } = bestPathComplete(TWO_BY_TWO).certificate;

  it("[JS10] proves rates above the radius, by pieces that get longer the nearer it is", () => {
    const far = walkTree(TWO_BY_TWO, forms, TWO_BY_TWO_RADIUS * 1.01, search);
    const near = walkTree(TWO_BY_TWO, forms, TWO_BY_TWO_RADIUS * 1.0005, search);
    expect(far.kind).toBe("proved");
    expect(near.kind).toBe("proved");
    if (far.kind !== "proved" || near.kind !== "proved") return;
    expect(near.depth).toBeGreaterThan(far.depth);
    expect(
      verifyProof(TWO_BY_TWO, TWO_BY_TWO_RADIUS * 1.01, { kind: "tree", forms, depth: far.depth }),
    ).toBe(true);
    expect(
      verifyProof(TWO_BY_TWO, TWO_BY_TWO_RADIUS * 1.0005, {
        kind: "tree",
        forms,
        depth: far.depth,
      }),
    ).toBe(false);
  });

  it("[JS10] never proves a rate at the radius or below, and tells the cycle that refutes it", () => {
    const reported: { edges: readonly number[]; rate: number }[] = [];
    const below = walkTree(TWO_BY_TWO, forms, TWO_BY_TWO_RADIUS * 0.99, {
      ...search,
      floor: 0,
      onCycle: (edges, rate) => reported.push({ edges, rate }),
    });
    expect(below.kind).toBe("refuted");
    expect(reported.at(-1)!.rate).toBeGreaterThan(TWO_BY_TWO_RADIUS * 0.99);
    expect(walkTree(TWO_BY_TWO, forms, TWO_BY_TWO_RADIUS, search).kind).toBe("gave-up");
    expect(walkTree(EXACTLY_ONE, [Float64Array.of(1, 0, 0, 1)], 1, search).kind).toBe("gave-up");
  });

  it("[JS10] walks an automaton from every node", () => {
    const best = bestPathComplete(CONSTRAINED).certificate.forms;
    expect(walkTree(CONSTRAINED, best, 0.976, search).kind).toBe("proved");
    expect(walkTree(CONSTRAINED, best, 0.9748, search).kind).toBe("gave-up");
    expect(walkTree(CONSTRAINED, best.slice(1), 2, search).kind).toBe("gave-up");
  });
});

describe("invariant polytopes", () => {
  it.each([
    { name: "size 2", system: TWO_BY_TWO, radius: TWO_BY_TWO_RADIUS },
    { name: "size 3", system: THREE_BY_THREE, radius: GOLDEN },
    { name: "shears", system: SHEARS, radius: GOLDEN * Math.sqrt(0.8) },
    { name: "radius 1", system: EXACTLY_ONE, radius: 1 },
    { name: "an automaton", system: CONSTRAINED, radius: 0.9748171979372074 },
  ])("[JS11] close within 1e-9 of the radius: $name", ({ system, radius }) => {
    const cycle = fastestClosedWalk(system, { maxLength: 12 })!;
    const { forms } = bestPathComplete(system).certificate;
    const found = findPolytopes(system, cycle, cycle.rate * (1 + 5e-10), {
      forms,
      maxVertices: 500,
      keepGoing: () => true,
    })!;
    const rate = polytopeRate(system, found);
    expect(rate).toBeGreaterThanOrEqual(radius);
    expect(rate).toBeLessThan(radius * (1 + 1e-9));
    expect(verifyProof(system, rate, found)).toBe(true);
    expect(verifyProof(system, radius * (1 - 1e-9), found)).toBe(false);
  });

  it("[JS11] are measured as they are: the square and the diamond", () => {
    // [[0, 2], [1, 0]] maps the square [−1, 1]² to a box that fits twice its size.
    const system = freeSystem([
      [
        [0, 2],
        [1, 0],
      ],
    ]);
    const square: PolytopeProof = { kind: "polytope", vertices: [Float64Array.of(1, 1, 1, -1)] };
    expect(polytopeRate(system, square)).toBeGreaterThanOrEqual(2);
    expect(polytopeRate(system, square)).toBeCloseTo(2, 12);
    // Stretched by √2, the diamond fits exactly √2 times.
    const diamond: PolytopeProof = {
      kind: "polytope",
      vertices: [Float64Array.of(Math.SQRT2, 0, 0, 1)],
    };
    expect(polytopeRate(system, diamond)).toBeGreaterThanOrEqual(Math.SQRT2 * (1 - 1e-15));
    expect(polytopeRate(system, diamond)).toBeCloseTo(Math.SQRT2, 12);
    for (const vertices of [[], [Float64Array.of(1, 1)], [Float64Array.of(1, 1, 2, 2)]])
      expect(polytopeRate(system, { kind: "polytope", vertices })).toBe(Infinity);
  });
});

describe("lifts", () => {
  it(`[JS12] the symmetric square squares spectral radii, products and doubts (seed ${SEED})`, () => {
    const entries = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(entries, (a) => {
        const rows = [a.slice(0, 3), a.slice(3, 6), a.slice(6, 9)];
        const { system, doubt } = symmetricSquare(freeSystem([rows]));
        expect(system.dimension).toBe(6);
        const radius = spectralRadius(3, Float64Array.from(a));
        expect(spectralRadius(6, system.matrices[0])).toBeCloseTo(radius ** 2, 1);
        // (Ax)₁(Ax)₂ for x = (1, 2, 3), whose pairs are (1, 2, 3, 4, 6, 9): exact in whole numbers.
        const image = rows.map(([p, q, r]) => p! + 2 * q! + 3 * r!);
        const pairs = [1, 2, 3, 4, 6, 9];
        const second = pairs.reduce((sum, x, j) => sum + system.matrices[0][6 + j] * x, 0);
        expect(second).toBe(image[0] * image[1]);
        system.matrices[0].forEach((x, i) => {
          expect(doubt.sizes[0][i]).toBeGreaterThanOrEqual(Math.abs(x));
        });
      }),
      { seed: SEED, numRuns: cases(50) },
    );
  });

  it("[JS12] the edge shift has a node an edge and the same words behind them", () => {
    const { automaton } = edgeShift(CONSTRAINED);
    const { edges } = CONSTRAINED.automaton;
    expect(automaton.nodes).toBe(edges.length);
    expect(
      automaton.edges.every(
        ({ from, to, mode }) => edges[from].to === edges[to].from && edges[to].mode === mode,
      ),
    ).toBe(true);
    const follows = edges.map(({ to }) => edges.filter((e) => e.from === to).length);
    expect(automaton.edges).toHaveLength(follows.reduce((a, b) => a + b));
  });

  it("[JS12] proofs on lifts bound the system itself, and better than on it", () => {
    for (const [shifts, squares] of [
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      let system = TWO_BY_TWO;
      if (shifts === 1) system = edgeShift(system);
      const { system: lifted, doubt } =
        squares === 1 ? symmetricSquare(system) : { system, doubt: undefined };
      const { certificate, gamma } = bestPathComplete(lifted, doubt ? { doubt } : {});
      const rate = squares === 1 ? Math.sqrt(gamma) * (1 + 1e-14) : gamma;
      expect(rate).toBeLessThan(bestPathComplete(TWO_BY_TWO).gamma * 0.999);
      expect(rate).toBeGreaterThan(TWO_BY_TWO_RADIUS);
      const proof = { kind: "lifted", shifts, squares, certificate } as const;
      expect(verifyProof(TWO_BY_TWO, rate, proof)).toBe(true);
      expect(verifyProof(TWO_BY_TWO, TWO_BY_TWO_RADIUS, proof)).toBe(false);
    }
  });
});

describe(`proofs that are made up (seed ${SEED})`, () => {
  const whole = fc.integer({ min: -40, max: 40 });
  /** L Lᵀ of whole numbers: positive definite or nearly so. */
  const form = fc
    .tuple(whole, whole, whole)
    .map(([a, b, c]) => Float64Array.of(a * a, a * b, a * b, b * b + c * c));
  const systems = [
    { system: TWO_BY_TWO, radius: TWO_BY_TWO_RADIUS },
    { system: SHEARS, radius: GOLDEN * Math.sqrt(0.8) },
    { system: EXACTLY_ONE, radius: 1 },
  ];

  it("[JS2] never prove less than the radius, whatever their forms and vertices", () => {
    const vertices = fc
      .array(whole, { minLength: 4, maxLength: 16 })
      .map((list) => Float64Array.from(list));
    fc.assert(
      fc.property(form, vertices, fc.constantFrom(...systems), (p, points, { system, radius }) => {
        const below = radius * (1 - 1e-15);
        expect(verifyProof(system, below, { kind: "quadratic", forms: [p] })).toBe(false);
        expect(verifyProof(system, below, { kind: "tree", forms: [p], depth: 6 })).toBe(false);
        expect(verifyProof(system, below, { kind: "polytope", vertices: [points] })).toBe(false);
      }),
      { seed: SEED, numRuns: cases(300) },
    );
  });

  it("[JS2] never prove a radius below zero, not even where nothing goes on", () => {
    for (const method of JSR_METHODS) {
      const { value, certificate } = jsrBounds(SHEARS, { methods: [method] }).upper;
      expect(verifyProof(SHEARS, value, certificate!)).toBe(true);
      expect(verifyProof(SHEARS, -value, certificate!)).toBe(false);
    }
    const ends = { ...SHEARS, automaton: automatonOf(2, "0 a 1") };
    expect(verifyProof(ends, 0, { kind: "parts", parts: [] })).toBe(true);
    expect(verifyProof(ends, -1, { kind: "parts", parts: [] })).toBe(false);
  });

  it("[JS2] prove what they show, if it is enough", () => {
    fc.assert(
      fc.property(form, fc.constantFrom(...systems), (p, { system }) => {
        fc.pre(p[0] * p[3] - p[1] ** 2 > 0);
        // The largest entry of a matrix is 4, and forms of whole numbers up to 40 stretch it by
        // their condition at most.
        expect(verifyProof(system, 1e5, { kind: "quadratic", forms: [p] })).toBe(true);
      }),
      { seed: SEED, numRuns: cases(100) },
    );
  });
});

describe("proofs as JSON", () => {
  it("[JS2] come back as they were, and prove the same", () => {
    for (const methods of [
      ["quadratic"],
      ["polytope"],
      ["gripenberg"],
      ["kronecker"],
      ["lift"],
    ] as const) {
      const { upper } = jsrBounds(TWO_BY_TWO, { methods, tolerance: 1e-2 });
      const text = JSON.stringify(proofToJson(upper.certificate!));
      const back = proofFromJson(JSON.parse(text))!;
      expect(back).toEqual(upper.certificate);
      expect(verifyProof(TWO_BY_TWO, upper.value, back)).toBe(true);
    }
    const apart = {
      ...TWO_BY_TWO,
      automaton: automatonOf(2, "0 a 0, 1 b 1"),
    };
    const { upper } = jsrBounds(apart);
    expect(proofFromJson(proofToJson(upper.certificate!))).toEqual(upper.certificate);
    const scaled = { kind: "scaled", exponents: [0, 1], proof: upper.certificate! } as const;
    expect(proofFromJson(proofToJson(scaled))).toEqual(scaled);
    expect(verifyProof(apart, 100, { ...scaled, exponents: [0, 0.5] })).toBe(false);
    expect(verifyProof(apart, 100, { ...scaled, exponents: [0] })).toBe(false);
  });

  it("[JS2] that are none are told apart", () => {
    for (const text of [
      "null",
      "[]",
      "{}",
      '{"kind":"quadratic"}',
      '{"kind":"quadratic","forms":[["1"]]}',
      '{"kind":"tree","forms":[[1]]}',
      '{"kind":"tree","forms":[[1]],"depth":1e9}',
      '{"kind":"polytope","vertices":1}',
      '{"kind":"lifted","shifts":9,"squares":0,"certificate":{"kind":"quadratic","forms":[]}}',
      '{"kind":"lifted","shifts":1,"squares":0}',
      '{"kind":"parts","parts":[{}]}',
      '{"kind":"parts"}',
      '{"kind":"scaled","exponents":[1,2]}',
    ])
      expect(proofFromJson(JSON.parse(text))).toBeUndefined();
  });

  it("[JS2] are read up to three lifts and a depth of 2000", () => {
    const certificate = { kind: "quadratic", forms: [[1]] };
    const lifted = (shifts: number, squares: number): unknown =>
      proofFromJson({ kind: "lifted", shifts, squares, certificate });
    expect(lifted(3, 3)).toMatchObject({ shifts: 3, squares: 3 });
    expect(lifted(4, 0)).toBeUndefined();
    expect(lifted(0, 4)).toBeUndefined();
    const tree = (depth: number): unknown => proofFromJson({ kind: "tree", forms: [[1]], depth });
    expect(tree(2000)).toMatchObject({ depth: 2000 });
    expect(tree(2001)).toBeUndefined();
  });
});
