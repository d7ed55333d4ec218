import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { multiply } from "../numerics/matrix.ts";
import { components } from "./automaton.ts";
import { growthRate } from "./entropy.ts";
import { type Stabilized, stabilize } from "./stabilize.ts";
import { unstableCycles } from "./stabilize-cycles.ts";
import { judge } from "./stabilize-oracle.ts";
import { verifyStability } from "./stabilize-verify.ts";
import { freeSystem, type SwitchedSystem } from "./switched-system.ts";
import { doubleMass, pendulum } from "./testing/coupled-examples.ts";

function radiusOf(system: SwitchedSystem, word: readonly number[]): number {
  const n = system.dimension;
  let product = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  for (const mode of word) {
    const next = new Float64Array(n * n);
    multiply(n, system.matrices[mode], product, next);
    product = next;
  }
  return spectralRadius(n, product);
}

const wordOf = (system: SwitchedSystem, walk: readonly number[]): number[] =>
  walk.map((e) => system.automaton.edges[e].mode);

/** A rotation by an angle, times a factor. */
function turn(angle: number, factor: number): number[][] {
  const [c, s] = [factor * Math.cos(angle), factor * Math.sin(angle)];
  return [
    [c, -s],
    [s, c],
  ];
}

describe("unstable cycles by trying all", () => {
  it("[SB5] are those that an enumeration of all words finds, each once", () => {
    const system = pendulum();
    const { cycles, length } = unstableCycles(system, 3, 1e6);
    expect(length).toBe(3);
    const expected = new Set<string>();
    const consider = (word: number[]): void => {
      const isRepetition = word.length > 1 && word.every((mode) => mode === word[0]);
      if (isRepetition || radiusOf(system, word) < 1) return;
      const rotations = word.map((_, k) => [...word.slice(k), ...word.slice(0, k)].join());
      expected.add(rotations.toSorted()[0]);
    };
    for (let a = 0; a < 8; a++) {
      consider([a]);
      for (let b = 0; b < 8; b++) {
        consider([a, b]);
        for (let c = 0; c < 8; c++) consider([a, b, c]);
      }
    }
    expect(new Set(cycles.map((walk) => wordOf(system, walk).join()))).toEqual(expected);
    expect(cycles.length).toBe(expected.size);
  });

  it("[SB5] end where they would cost too much", () => {
    expect(unstableCycles(pendulum(), 10, 500).length).toBeLessThan(5);
  });
});

describe("the oracle", () => {
  it("[SB8] proves what a common quadratic form proves, and the proof is checked on its own", () => {
    const system = freeSystem([turn(0.3, 0.95), turn(1.2, 0.9)]);
    const verdict = judge(system);
    if (verdict.kind !== "stable") throw new Error(verdict.kind);
    expect(verifyStability(system, verdict.norms).holds).toBe(true);
  });

  it("[SB8] proves with longer paths what no common quadratic form does", () => {
    // The joint spectral radius of the pair is 1, the best common quadratic bound √2 (stability.md
    // of the theory).
    const scale = 0.9;
    const system = freeSystem([
      [
        [scale, 0],
        [scale, 0],
      ],
      [
        [0, scale],
        [0, -scale],
      ],
    ]);
    const verdict = judge(system);
    if (verdict.kind !== "stable") throw new Error(verdict.kind);
    expect(verdict.proof.longest).toBeGreaterThan(1);
    const check = verifyStability(system, verdict.norms);
    expect(check.holds).toBe(true);
  });

  it("[SB9] shows a long cycle where only long ones grow", () => {
    // A map that takes e2 to e1 and e1 to nothing, and a rotation by π/14: k rotations after it
    // have the trace f·0.95ᵏ·sin(kπ/14), which with f = 1.8 is below 1 up to k = 2 and above it at
    // k = 7.
    const map = [
      [0, 1.8],
      [0, 0],
    ];
    const system = freeSystem([turn(Math.PI / 14, 0.95), map]);
    expect(1.8 * 0.95 ** 2 * Math.sin((2 * Math.PI) / 14)).toBeLessThan(1);
    expect(1.8 * 0.95 ** 7).toBeGreaterThan(1);
    const verdict = judge(system);
    if (verdict.kind !== "unstable") throw new Error(verdict.kind);
    for (const walk of verdict.cycles)
      expect(radiusOf(system, wordOf(system, walk))).toBeGreaterThanOrEqual(1 - 1e-12);
    expect(verdict.cycles[0].length).toBeGreaterThan(3);
  });
});

describe("the oracle and the check, on random pairs", () => {
  // In hundredths: doubles would mostly be tiny.
  const entries = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 4, maxLength: 4 });
  const rows = ([a, b, c, d]: number[]): number[][] => [
    [a! / 100, b! / 100],
    [c! / 100, d! / 100],
  ];

  it("[SB8] [SB9] never call stable what has a product that grows, nor unstable what has none", () => {
    const reported = { stable: 0, unstable: 0, undecided: 0 };
    fc.assert(
      fc.property(entries, entries, (a, b) => {
        const system = freeSystem([rows(a), rows(b)]);
        const verdict = judge(system);
        reported[verdict.kind]++;
        const growing = unstableCycles(system, 8, 1e5).cycles;
        if (verdict.kind === "stable") {
          expect(growing).toEqual([]);
          expect(verifyStability(system, verdict.norms).holds).toBe(true);
          const larger = system.matrices.map((m) => m.map((value) => value / 0.4));
          const grows = unstableCycles({ ...system, matrices: larger }, 4, 1e4).cycles.length > 0;
          const limits = { maxLength: 40, maxProducts: 1e4 };
          if (grows)
            expect(
              verifyStability({ ...system, matrices: larger }, verdict.norms, limits).holds,
            ).toBe(false);
        }
        if (verdict.kind === "unstable")
          for (const walk of verdict.cycles)
            expect(radiusOf(system, wordOf(system, walk))).toBeGreaterThanOrEqual(1 - 1e-12);
      }),
      { seed: 14_142, numRuns: 60 },
    );
    expect(reported.stable).toBeGreaterThan(5);
    expect(reported.unstable).toBeGreaterThan(5);
    expect(reported.undecided).toBeLessThan(3);
  });
});

describe("the check of a proof", () => {
  const system = pendulum();
  const result = stabilize(system, { lift: 1 });
  const part = { ...system, automaton: result.automaton };

  it("[SB8] passes what was proven and fails when a form, an edge or a matrix was touched", () => {
    expect(verifyStability(part, result.forms).holds).toBe(true);
    const flat = result.forms.map((form, k) => (k === 0 ? new Float64Array(16) : form));
    expect(verifyStability(part, flat)).toMatchObject({ holds: false, reason: "form", node: 0 });
    const uneven = result.forms.map((form) => form.slice());
    uneven[2][1] = uneven[2][1] * (1 + 1e-9);
    expect(verifyStability(part, uneven)).toMatchObject({ holds: false, reason: "form", node: 2 });
    // The loop that repeats an unstable mode.
    const node = result.memories.findIndex(([mode]) => mode === 5);
    const edges = [...result.automaton.edges, { from: node, to: node, mode: 5 }];
    const loose = { ...part, automaton: { ...part.automaton, edges } };
    const limits = { maxLength: 30, maxProducts: 1e6 };
    expect(verifyStability(loose, result.forms, limits).holds).toBe(false);
    const matrices = system.matrices.map((a) => a.map((value) => 1.2 * value));
    expect(verifyStability({ ...part, matrices }, result.forms, limits).holds).toBe(false);
  });

  it("[SB8] says how much it was allowed to look at", () => {
    const limits = { maxLength: 1, maxProducts: 1e6 };
    const short = verifyStability(part, result.forms, limits);
    expect(result.proof.longest).toBeGreaterThan(1);
    expect(short).toMatchObject({ holds: false, reason: "length" });
    const few = { maxLength: 30, maxProducts: 3 };
    expect(verifyStability(part, result.forms, few)).toMatchObject({ reason: "effort" });
  });
});

describe("stabilization", () => {
  /**
   * Whatever is allowed is stable: the freest products that can be formed are tried, and the proof
   * is checked once more.
   */
  function expectStable(system: SwitchedSystem, result: Stabilized): void {
    const part = { ...system, automaton: result.automaton };
    expect(verifyStability(part, result.forms).holds).toBe(true);
    expect(unstableCycles(part, 4, 20_000).cycles).toEqual([]);
    expect(components(result.automaton)).toEqual([[...Array(result.automaton.nodes).keys()]]);
  }

  it("[SB11] finds the pendulum's policies as theory has them: three of eight unstable alone", () => {
    const system = pendulum();
    const radii = system.names.map((_, mode) => radiusOf(system, [mode]));
    // (0.1, 0.01), (0.1, 0.1), (0.2, 0.02), (0.2, 0.2), each with Euler and midpoint.
    const recomputed = [
      ...[0.920237, 0.920477, 0.91884, 0.919629],
      ...[1.359007, 1.629371, 0.84665, 1.11933],
    ];
    expect(radii).toEqual(recomputed.map((radius) => expect.closeTo(radius, 6)));
  });

  it("[SB10] [SB11] leaves the pendulum five policies without memory", () => {
    const system = pendulum();
    const result = stabilize(system, { lift: 0, exact: true });
    expectStable(system, result);
    expect(result.rate.lower).toBeCloseTo(5, 10);
    expect(result.isOptimal).toBe(true);
    expect(result.forbidden.toSorted()).toEqual([[4], [5], [7]]);
  });

  it("[SB10] [SB11] leaves it log2(7.2568898) bits with one decision remembered, and no choice leaves more", () => {
    const system = pendulum();
    const result = stabilize(system, { lift: 1, exact: true });
    expectStable(system, result);
    expect(result.rate.lower).toBeCloseTo(7.2568898, 7);
    expect(result.isOptimal).toBe(true);
    expect(result.forbidden.length).toBe(7);
    for (const mode of [4, 5, 7]) expect(result.forbidden).toContainEqual([mode, mode]);
  });

  it("[SB10] [SB11] leaves it at least log2(7.7083039) bits with two decisions remembered", () => {
    const system = pendulum();
    const result = stabilize(system, { lift: 2 });
    expectStable(system, result);
    expect(result.rate.lower).toBeGreaterThan(7.7083039);
    expect(result.unproven).toEqual([]);
    for (const { to, mode } of result.automaton.edges)
      expect(result.memories[to].at(-1)).toBe(mode);
    expect(growthRate(result.automaton).upper).toBeGreaterThanOrEqual(result.rate.lower);
  });

  it("[SB10] forbids the double mass what makes it unstable, and keeps cheap steps between careful ones", () => {
    const careful = { name: "E", steps: 10 } as const;
    const cheap = { name: "E", steps: 1 } as const;
    const system = doubleMass([
      [careful, careful],
      [cheap, cheap],
    ]);
    expect(radiusOf(system, [1])).toBeGreaterThan(1);
    const result = stabilize(system, { lift: 2 });
    expectStable(system, result);
    expect(result.automaton.edges.some(({ mode }) => mode === 1)).toBe(true);
    expect(result.rate.lower).toBeGreaterThan(1);
  });

  it("[SB10] leaves nothing where everything is unstable", () => {
    const result = stabilize(freeSystem([[[2]], [[-3]]]), { lift: 1 });
    expect(result.automaton).toEqual({ nodes: 0, edges: [] });
    expect(result.rate.lower).toBe(0);
  });

  it("[SB12] calls no result optimal that rests on a cycle nobody proved to grow", () => {
    // A rotation keeps every length exactly: it is not stable, and nothing can show that it grows.
    const result = stabilize(freeSystem([turn(1, 1), turn(0.5, 0.5)]), { lift: 0, exact: true });
    expect(result.automaton.edges.map(({ mode }) => mode)).toEqual([1]);
    expect(result.unproven).toEqual([[0]]);
    expect(result.reasons).toEqual([{ word: [0], rate: expect.closeTo(1, 12), grows: false }]);
    expect(result.isOptimal).toBe(false);
  });

  it("[SB12] says of each forbidden one of 16 policies which product grows, and how fast", () => {
    const system = doubleMass();
    expect(system.names.length).toBe(16);
    const result = stabilize(system, { lift: 0 });
    expectStable(system, result);
    expect(result.forbidden.length).toBe(4);
    expect(result.unproven).toEqual([]);
    result.forbidden.forEach((word, k) => {
      const { word: product, rate, grows } = result.reasons[k];
      expect(grows).toBe(true);
      expect(product).toEqual(word);
      expect(rate).toBeGreaterThanOrEqual(1);
      expect(rate).toBeLessThanOrEqual(radiusOf(system, product) * (1 + 1e-12));
    });
  });

  it("[SB13] forbids none of 16 policies for what is proved neither to grow nor to shrink", () => {
    // The first one shrinks by less than rounding can show: its product is not one that grows, and
    // no proof covers it.
    const others = Array.from({ length: 15 }, (_, k) => turn(0.1 * k, 0.5));
    const system = freeSystem([turn(1, 1 - 1e-15), ...others]);
    expect(radiusOf(system, [0])).toBeLessThan(1);
    const result = stabilize(system, { lift: 0 });
    expect(result.undecided).toMatchObject({ word: [0], because: "effort" });
    expect(result.forbidden).toEqual([]);
    expect(result.unproven).toEqual([]);
    expect(result.automaton.nodes).toBe(0);
  });

  it("[SB14] ends with its budget, with a proved answer or none", () => {
    const reported = { undecided: 0, proved: 0 };
    for (const budgetMs of [0, 10, 1e3, 1e5, 1e7]) {
      // A clock that goes on by a millisecond whenever it is read.
      let clock = 0;
      const system = pendulum();
      const result = stabilize(system, { lift: 1, budgetMs, now: () => clock++ });
      if (result.undecided === undefined) {
        reported.proved++;
        expectStable(system, result);
        for (const { grows } of result.reasons) expect(grows).toBe(true);
      } else {
        reported.undecided++;
        expect(result.undecided.because).toBe("budget");
        expect(result.isCutShort).toBe(true);
        expect(result.forbidden).toEqual([]);
      }
    }
    expect(reported.undecided).toBeGreaterThan(0);
    expect(reported.proved).toBeGreaterThan(0);
  });
});
