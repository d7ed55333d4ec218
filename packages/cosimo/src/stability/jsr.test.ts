import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { freeAutomaton } from "../model/decision-automaton.ts";
import { automatonOf } from "../model/testing/automaton.ts";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { exactOf, nearestDoubles } from "../numerics/exact-product.ts";
import { multiply } from "../numerics/matrix.ts";
import { type JsrBounds, jsrBounds } from "./jsr.ts";
import { verifyProof } from "./jsr-proof.ts";
import { freeSystem, type SwitchedSystem } from "./switched-system.ts";
import {
  CONSTRAINED,
  EXACTLY_ONE,
  GOLDEN,
  massSpringPolicies,
  only,
  SHEARS,
  THREE_BY_THREE,
  TWO_BY_TWO,
  TWO_BY_TWO_RADIUS,
} from "./testing/switched-examples.ts";

const SEED = 20_261_116;

/** Modes of a word are read along edges that lead back to where they began. */
function isClosedWalk({ automaton }: SwitchedSystem, { lower }: JsrBounds): boolean {
  const edges = lower.edges.map((e) => automaton.edges[e]);
  return (
    edges.length > 0 &&
    edges.every(({ to }, i) => to === edges[(i + 1) % edges.length].from) &&
    edges.every(({ mode }, i) => mode === lower.word[i])
  );
}

function radiusOf({ dimension: n, matrices }: SwitchedSystem, word: readonly number[]): number {
  let product = matrices[word[0]];
  for (const mode of word.slice(1)) {
    const next = new Float64Array(n * n);
    multiply(n, matrices[mode], product, next);
    product = next;
  }
  return spectralRadius(n, product) ** (1 / word.length);
}

function expectSound(system: SwitchedSystem, bounds: JsrBounds): void {
  expect(bounds.lower.value).toBeLessThanOrEqual(bounds.upper.value);
  expect(verifyProof(system, bounds.upper.value, bounds.upper.certificate!)).toBe(true);
  if (bounds.lower.word.length === 0) return;
  expect(isClosedWalk(system, bounds)).toBe(true);
  expect(bounds.lower.value).toBeLessThanOrEqual(radiusOf(system, bounds.lower.word) * (1 + 1e-12));
}

describe("the joint spectral radius", () => {
  it.each([
    { name: "two matrices of size 2", system: TWO_BY_TWO, radius: TWO_BY_TWO_RADIUS },
    { name: "two matrices of size 3", system: THREE_BY_THREE, radius: GOLDEN },
    { name: "two shears", system: SHEARS, radius: GOLDEN * Math.sqrt(0.8) },
    { name: "a set of radius exactly 1", system: EXACTLY_ONE, radius: 1 },
  ])("[JS3] of $name is enclosed with a gap below 1e-6", ({ system, radius }) => {
    const bounds = jsrBounds(system);
    expectSound(system, bounds);
    expect(bounds.lower.value).toBeLessThanOrEqual(radius);
    expect(bounds.upper.value).toBeGreaterThanOrEqual(radius);
    expect(bounds.upper.value / bounds.lower.value - 1).toBeLessThan(1e-6);
  });

  it("[JS3] is the published one of the first set, for the word that is published", () => {
    expect(TWO_BY_TWO_RADIUS).toBeCloseTo(3.917384715148, 11);
    expect(jsrBounds(TWO_BY_TWO).lower.word.toSorted()).toEqual([0, 1]);
  });

  it("[JS4] calls a set of radius exactly 1 neither stable nor, without proof, unstable", () => {
    const { verdict, upper } = jsrBounds(EXACTLY_ONE, { tolerance: 1e-12 });
    expect(upper.value).toBeGreaterThanOrEqual(1);
    expect(verdict).toBe("undecided");
  });

  it("[JS5] under an automaton is that of the walks it allows: the published value within 1e-4", () => {
    const bounds = jsrBounds(CONSTRAINED);
    expectSound(CONSTRAINED, bounds);
    expect(bounds.lower.value).toBeLessThanOrEqual(0.9748171979372074 + 1e-15);
    expect(bounds.upper.value).toBeGreaterThanOrEqual(0.9748171979372074);
    expect(bounds.upper.value - bounds.lower.value).toBeLessThan(1e-4);
    expect(bounds.verdict).toBe("stable");
    expect(
      jsrBounds({ ...CONSTRAINED, automaton: freeSystem([[[1]], [[1]], [[1]], [[1]]]).automaton })
        .verdict,
    ).toBe("unstable");
  });

  it("[JS5] does not depend on edges that are on no cycle, and is 0 where there is no cycle", () => {
    const half = [[0.5]];
    const ten = [[10]];
    const system = {
      ...freeSystem([half, ten]),
      automaton: automatonOf(3, "0 a 0, 0 b 1, 1 b 2, 2 a 2"),
    };
    const bounds = jsrBounds(system);
    expectSound(system, bounds);
    expect(bounds.verdict).toBe("stable");
    expect(bounds.lower.value).toBeCloseTo(0.5, 12);
    expect(bounds.upper.value).toBeCloseTo(0.5, 6);
    const acyclic = {
      ...system,
      automaton: { nodes: 3, edges: system.automaton.edges.slice(1, 3) },
    };
    expect(jsrBounds(acyclic)).toMatchObject({
      lower: { value: 0, word: [] },
      upper: { value: 0 },
      verdict: "stable",
    });
  });

  it("[JS7] of sixteen policies for two masses: four are unstable alone, the others together are not", () => {
    const policies = massSpringPolicies();
    const radius = policies.matrices.map((a) => spectralRadius(4, a));
    const unstable = policies.names.filter((_, k) => radius[k] > 1);
    expect(unstable).toEqual(["E1 E1", "E10 E1", "M1 E1", "M10 E1"]);
    const recomputed = {
      "E1 E1": 1.002506,
      "E10 E1": 1.000276,
      "M1 E1": 1.00004,
      "M10 E1": 1.000027,
    };
    for (const [name, value] of Object.entries(recomputed))
      expect(radius[policies.names.indexOf(name)]).toBeCloseTo(value, 6);
    const all = jsrBounds(policies);
    expectSound(policies, all);
    expect(all.verdict).toBe("unstable");
    const rest = only(policies, (mode) => radius[mode] < 1);
    const bounds = jsrBounds(rest);
    expectSound(rest, bounds);
    expect(bounds.verdict).toBe("stable");
    // The slowest of the twelve alone decides; a printed bound of 0.992905 cannot hold for them.
    const slowest = Math.max(...radius.filter((r) => r < 1));
    expect(slowest).toBeCloseTo(0.999119, 6);
    expect(Math.min(...radius)).toBeCloseTo(0.996247, 6);
    expect(bounds.lower.value).toBeGreaterThan(slowest * (1 - 1e-9));
    expect(bounds.upper.value).toBeLessThan(slowest * (1 + 1e-6));
  });

  it("[JS10] branch and bound sees that products of strict triangles end in zero", () => {
    const system = freeSystem([
      [
        [0, 90, -30],
        [0, 0, 30],
        [0, 0, 0],
      ],
      [
        [0, -30, 120],
        [0, 0, 60],
        [0, 0, 0],
      ],
    ]);
    const bounds = jsrBounds(system, { methods: ["gripenberg"] });
    expect(bounds).toMatchObject({ verdict: "stable", lower: { value: 0 } });
    expect(verifyProof(system, bounds.upper.value, bounds.upper.certificate!)).toBe(true);
  });

  it("[JS20] does not depend on the units that states are measured in", () => {
    // The first set with one state in units 2³⁰ times smaller.
    const scale = 2 ** 30;
    const rows = TWO_BY_TWO.matrices.map(([a, b, c, d]) => [
      [a!, b! * scale],
      [c! / scale, d!],
    ]);
    const system = freeSystem(rows);
    const bounds = jsrBounds(system);
    expectSound(system, bounds);
    expect(bounds.upper.certificate?.kind).toBe("scaled");
    expect(bounds.lower.value).toBeLessThanOrEqual(TWO_BY_TWO_RADIUS);
    expect(bounds.upper.value).toBeGreaterThanOrEqual(TWO_BY_TWO_RADIUS);
    expect(bounds.upper.value / bounds.lower.value - 1).toBeLessThan(1e-6);
    expect(verifyProof(system, TWO_BY_TWO_RADIUS * 0.999, bounds.upper.certificate!)).toBe(false);
  });

  it("[JS13] gets better only, and stops when the clock says so", () => {
    let reported: JsrBounds | undefined;
    let time = 0;
    const bounds = jsrBounds(massSpringPolicies(), {
      budgetMs: 40,
      now: () => time++,
      tolerance: 1e-14,
      onProgress: (now) => {
        expect(now.lower.value).toBeGreaterThanOrEqual(reported?.lower.value ?? 0);
        expect(now.upper.value).toBeLessThanOrEqual(reported?.upper.value ?? Infinity);
        reported = now;
      },
    });
    expect(bounds).toEqual({ ...reported, isCutShort: true });
    expect(time).toBeLessThan(60);
  });

  it("[JS23] ends inside a large factorization, with what norms prove by then", () => {
    const n = 240;
    const rows = Array.from({ length: n }, (_, i) =>
      Array.from({ length: n }, (_entry, j) => Math.sin((i * n + j) ** 2) / n),
    );
    const system = freeSystem([rows]);
    let asked = 0;
    const none = jsrBounds(system, { budgetMs: 5, now: () => asked++ });
    expect(none).toMatchObject({ isCutShort: true, verdict: "undecided" });
    expect(asked).toBeLessThan(12);
    // Time for the norms, and not for eigenvalues.
    let time = 0;
    const some = jsrBounds(system, { budgetMs: 150, now: () => time++ });
    expect(some.isCutShort).toBe(true);
    expect(some.upper.method).toBe("norms of the matrices");
    expect(verifyProof(system, some.upper.value, some.upper.certificate!)).toBe(true);
    expect(jsrBounds(system, {}).isCutShort).toBe(false);
  });

  it("[JS13] uses only the methods that are asked for", () => {
    const common = jsrBounds(EXACTLY_ONE, { methods: ["quadratic"], maxProducts: 1000 });
    expect(common.upper.method).toBe("common quadratic form");
    expect(common.upper.value).toBeGreaterThanOrEqual(Math.SQRT2);
    expect(common.upper.value).toBeLessThan(Math.SQRT2 * (1 + 1e-6));
    expect(common.verdict).toBe("undecided");
    const walked = jsrBounds(SHEARS, { methods: ["gripenberg"], tolerance: 1e-3 });
    expect(walked.upper.certificate?.kind).toBe("tree");
    expect(walked.upper.value / walked.lower.value - 1).toBeLessThan(1e-3);
  });

  it("[JS13] can do nothing in no time, and says so", () => {
    const bounds = jsrBounds(TWO_BY_TWO, { budgetMs: 0, now: () => 1 });
    expect(bounds.verdict).toBe("undecided");
    expect(bounds.upper.value).toBeGreaterThanOrEqual(TWO_BY_TWO_RADIUS);
  });
});

const entry = fc.integer({ min: -8, max: 8 }).map((k) => k / 4);

describe(`radii that theory tells (seed ${SEED})`, () => {
  it("[JS6] polynomials of one matrix commute: the largest of their spectral radii", () => {
    const rows = fc.array(fc.array(entry, { minLength: 3, maxLength: 3 }), {
      minLength: 3,
      maxLength: 3,
    });
    const sets = fc.tuple(
      rows,
      fc.array(fc.tuple(entry, entry, entry), { minLength: 2, maxLength: 3 }),
    );
    check(sets, 1e-6, ([a, polynomials]) => {
      const square = product(a, a);
      const set = polynomials.map(([p, q, r]) =>
        a.map((row, i) => row.map((x, j) => (i === j ? p : 0) + q * x + r * square[i][j])),
      );
      return {
        set,
        radius: Math.max(...set.map((m) => spectralRadius(3, Float64Array.from(m.flat())))),
      };
    });
  });

  it("[JS6] triangles: the largest entry on a diagonal", () => {
    const triangles = fc.array(fc.array(entry, { minLength: 6, maxLength: 6 }), {
      minLength: 2,
      maxLength: 3,
    });
    check(triangles, 0, (list) => {
      const set = list.map(([a, b, c, d, e, f]) => [
        [a!, b!, c!],
        [0, d!, e!],
        [0, 0, f!],
      ]);
      return { set, radius: Math.max(...set.flatMap((m) => m.map((row, i) => Math.abs(row[i])))) };
    });
  });

  it("[JS6] scaled rotations and reflections in one slanted basis: the largest scale", () => {
    const turns = fc.array(
      fc.tuple(fc.double({ min: 0, max: 6, noNaN: true }), entry, fc.boolean()),
      {
        minLength: 2,
        maxLength: 4,
      },
    );
    check(turns, 1e-12, (list) => {
      const set = list.map(([angle, scale, flip]) => {
        const [c, s] = [scale * Math.cos(angle), scale * Math.sin(angle)];
        const turn = [
          [c, flip ? s : -s],
          [s, flip ? -c : c],
        ];
        // S T S⁻¹ with S = [[1, 2], [0, 1]].
        return product(
          product(
            [
              [1, 2],
              [0, 1],
            ],
            turn,
          ),
          [
            [1, -2],
            [0, 1],
          ],
        );
      });
      return { set, radius: Math.max(...list.map(([, scale]) => Math.abs(scale))) };
    });
  });

  it("[JS2] no upper bound is below the rate of any product, whatever the method", () => {
    const rows = fc.array(fc.array(entry, { minLength: 2, maxLength: 2 }), {
      minLength: 2,
      maxLength: 2,
    });
    fc.assert(
      fc.property(fc.array(rows, { minLength: 2, maxLength: 3 }), (set) => {
        const system = freeSystem(set);
        const fastest = Math.max(...words(set.length, 5).map((word) => radiusOf(system, word)));
        for (const method of [
          "quadratic",
          "polytope",
          "gripenberg",
          "lift",
          "kronecker",
        ] as const) {
          const bounds = jsrBounds(system, {
            methods: [method],
            maxProducts: 3000,
            tolerance: 1e-2,
          });
          expect(bounds.upper.value).toBeGreaterThanOrEqual(fastest * (1 - 1e-13));
        }
      }),
      { seed: SEED, numRuns: cases(12) },
    );
  });
});

function words(modes: number, longest: number): number[][] {
  let last: number[][] = [[]];
  const all: number[][] = [];
  for (let length = 1; length <= longest; length++) {
    last = last.flatMap((word) => Array.from({ length: modes }, (_, mode) => [...word, mode]));
    all.push(...last);
  }
  return all;
}

function product(a: readonly (readonly number[])[], b: readonly (readonly number[])[]): number[][] {
  return a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));
}

/**
 * The radius lies between the bounds, up to what rounding did to the matrices, or to the radius,
 * when they were made.
 */
function check<T>(
  arbitrary: fc.Arbitrary<T>,
  made: number,
  build: (drawn: T) => { set: number[][][]; radius: number },
): void {
  fc.assert(
    fc.property(arbitrary, (drawn) => {
      const { set, radius } = build(drawn);
      const bounds = jsrBounds(freeSystem(set), { maxProducts: 2000, tolerance: 1e-3 });
      const rounding = made * Math.max(1, radius);
      expect(bounds.lower.value).toBeLessThanOrEqual(radius + rounding);
      expect(bounds.upper.value).toBeGreaterThanOrEqual(radius - rounding);
      if (bounds.verdict === "stable") expect(radius).toBeLessThanOrEqual(1 + rounding);
      if (bounds.verdict === "unstable") expect(radius).toBeGreaterThanOrEqual(1 - rounding);
    }),
    { seed: SEED, numRuns: cases(60) },
  );
}

describe("large matrices", () => {
  /** Small numbers of either sign, and a large one in the corner. */
  function randomMatrix(n: number, seed: number, corner: number): Float64Array {
    const a = new Float64Array(n * n);
    for (let i = 0, x = seed; i < n * n; i++) {
      x = (x * 16807) % 2147483647;
      a[i] = (x / 2147483647 - 0.5) / n;
    }
    a[0] = corner;
    return a;
  }

  const largeSystem = (n: number, corner: number): SwitchedSystem => ({
    dimension: n,
    matrices: [randomMatrix(n, 7, corner), randomMatrix(n, 11, 0.25)],
    names: ["1", "2"],
    automaton: freeAutomaton(2),
  });

  it("[JS21] get bounds from modes alone and from forms that are not improved", () => {
    const n = 110;
    const stable = largeSystem(n, 0.5);
    const bounds = jsrBounds(stable);
    expectSound(stable, bounds);
    expect(bounds.verdict).toBe("stable");
    expect(bounds.lower.value).toBeGreaterThan(0.4);
    const unstable = largeSystem(n, 1.2);
    expect(jsrBounds(unstable)).toMatchObject({ verdict: "unstable", lower: { word: [0] } });
  });

  it("[JS21] become exact numbers, however many entries they have", () => {
    const a = randomMatrix(400, 3, 2);
    const { matrix, scale, isExact } = nearestDoubles(exactOf(a));
    expect(isExact).toBe(true);
    expect(matrix[0] * 2 ** scale).toBe(2);
    expect(matrix[399] * 2 ** scale).toBe(a[399]);
  });
});
