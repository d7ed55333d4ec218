import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../requirements/check-requirement.ts";
import {
  type Candidate,
  explore,
  frontOf,
  neverSatisfied,
  scoresOf,
  type VariantRun,
} from "./explore.ts";
import { chanceAbove, learnScores } from "./learn.ts";
import type { SearchSpace } from "./space.ts";
import { rankedVariants } from "./variant-diagram.ts";

const verdict = (robustness: number, name = "r"): Verdict => ({
  name,
  text: name,
  state: robustness < 0 ? "violated" : "satisfied",
  robustness,
  isVacuous: false,
  violations: [],
});
const run = (...robustness: number[]): VariantRun => ({
  isCompleted: true,
  verdicts: robustness.map((value, i) => verdict(value, `r${i}`)),
  wallSeconds: 0,
});

/** Points with so many choices each. */
const spaceOf = (...sizes: number[]): SearchSpace => ({
  fixed: [],
  notes: [],
  points: sizes.map((size, p) => ({
    name: `p${p}`,
    choices: Array.from({ length: size }, (_, c) => ({
      label: `${c}`,
      weight: 100 - 10 * p - c,
      decided: [],
    })),
  })),
});
const levels = ({ variant }: Candidate): number[] =>
  variant.choices.map(({ choice }) => Number(choice.label));
const candidates = (space: SearchSpace, cost: (levels: number[]) => number): Candidate[] =>
  [...rankedVariants(space)].map((variant) => ({
    variant,
    cost: cost(variant.choices.map(({ choice }) => Number(choice.label))),
  }));

describe("the exploration of variants", () => {
  it("[SR5] runs the cheapest first, and finds the cheapest that satisfies", async () => {
    // p0 = 1 is needed; costs grow with p1 and p2.
    const order: number[] = [];
    const found = await explore(
      candidates(spaceOf(3, 3, 3), ([, b = 0, c = 0]) => 1 + b + 3 * c),
      {
        run: async (one) => {
          order.push(one.cost);
          const [a] = levels(one);
          return run(a === 1 ? 0.5 : -1);
        },
      },
    );
    expect(order.slice(0, 3)).toEqual([1, 1, 1]);
    expect(found.winner && levels(found.winner)).toEqual([1, 0, 0]);
    expect(found.front.map((one) => one.cost)).toEqual([1]);
  });

  it("[SR5] learns which choices matter, and stops when nothing better is likely", async () => {
    let runs = 0;
    const found = await explore(
      candidates(spaceOf(3, 4, 4), ([a = 0, b = 0, c = 0]) => 1 + 0.01 * a + b + 5 * c),
      {
        run: async (one) => {
          runs++;
          const [a = 0, b = 0] = levels(one);
          return run([-1, 0.5, -0.5][a]! + 0.0001 * b);
        },
      },
    );
    expect(found.why).toBe("nothing better is likely");
    // A third of all at most; what is left costs more and cannot be much better.
    expect(runs).toBeLessThan(16);
    expect(found.skipped.length + runs).toBe(48);
    const [first, ...others] = found.matters;
    for (const other of others) expect(first?.matters).toBeGreaterThan(other.matters + 0.1);
    expect(found.winner && levels(found.winner)).toEqual([1, 0, 0]);
  });

  it("[SR5] goes on where a dearer variant may be better", async () => {
    // Nothing satisfies but the dearest level of p1.
    const found = await explore(
      candidates(spaceOf(2, 5), ([, b = 0]) => 1 + b),
      { run: async (one) => run((levels(one)[1] ?? 0) - 3.5) },
    );
    expect(found.winner && levels(found.winner)[1]).toBe(4);
  });

  it("[SR5] ends after so many runs, when the time is over, and when a run is cancelled", async () => {
    const all = candidates(spaceOf(3, 3), () => 1);
    const few = await explore(all, { run: async () => run(-1), runs: 2 });
    expect([few.tried.length, few.skipped.length, few.why]).toEqual([
      2,
      7,
      "after 2 runs, as requested",
    ]);
    const late = await explore(all, { run: async () => run(-1), isOver: () => true });
    expect([late.tried.length, late.why]).toEqual([0, "the time is over"]);
    const cancelled = await explore(all, { run: async () => undefined });
    expect([cancelled.skipped.length, cancelled.why]).toEqual([9, "cancelled"]);
  });

  it("[SR5] scores are not negative exactly where everything is satisfied, for random robustness", () => {
    const value = fc.oneof(
      fc.double({ min: -9, max: 9, noNaN: true }),
      fc.constantFrom(Infinity, -Infinity),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 6 }), (pairs) => {
        const runs = pairs.map(([a, b]) => run(a, b));
        for (const [i, score] of scoresOf(runs).entries()) {
          const isViolated = runs[i]?.verdicts.some(({ state }) => state === "violated");
          expect(score < 0).toBe(isViolated);
          expect(Math.abs(score)).toBeLessThanOrEqual(1);
        }
      }),
    );
    expect(scoresOf([{ isCompleted: false, verdicts: [], wallSeconds: 0 }])).toEqual([-1]);
  });

  it("[SR5] the front is what nothing beats, for random costs and scores", () => {
    const [variant] = rankedVariants(spaceOf(1));
    const one = fc.record({
      cost: fc.integer({ min: 1, max: 9 }),
      score: fc.double({ min: -1, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), (points) => {
        const tried = points.map((point) => ({
          ...point,
          variant: variant!,
          run: run(1),
          isSatisfied: true,
        }));
        const front = frontOf(tried);
        const beats = (
          a: { cost: number; score: number },
          b: { cost: number; score: number },
        ): boolean =>
          a.cost <= b.cost && a.score >= b.score && (a.cost < b.cost || a.score > b.score);
        for (const f of front) expect(tried.some((other) => beats(other, f))).toBe(false);
        for (const t of tried)
          if (!tried.some((other) => beats(other, t)))
            expect(front.some(({ cost, score }) => cost === t.cost && score === t.score)).toBe(
              true,
            );
      }),
    );
  });

  it("[SR7] a requirement that no run satisfies is reported with the one that comes closest", async () => {
    const found = await explore(
      candidates(spaceOf(3), (l) => 1 + (l[0] ?? 0)),
      {
        run: async (one) => run(-3 + (levels(one)[0] ?? 0), 1),
      },
    );
    expect(found.winner).toBeUndefined();
    expect(neverSatisfied(found.tried)).toMatchObject([
      { name: "r0", closest: { robustness: -1 } },
    ]);
  });
});

describe("what is learned of scores", () => {
  it("[SR5] predicts what was seen, and is unsure elsewhere", () => {
    const seen = [0, 1, 2].flatMap((a) =>
      [0, 1].map((b) => ({ levels: [a, b], score: a === 1 ? 1 : -1 })),
    );
    const learned = learnScores(2, seen.slice(0, 5));
    for (const { levels: at, score } of seen.slice(0, 5))
      expect(learned.predict(at).mean).toBeCloseTo(score, 1);
    // p1 did not matter so far, so the sixth is like the fifth.
    const last = learned.predict([2, 1]);
    expect(last.mean).toBeLessThan(-0.5);
    expect(learned.matters[0]).toBeGreaterThan(learned.matters[1] ?? 1);
    expect(learned.predict([3, 0]).deviation).toBeGreaterThan(last.deviation);
    expect(chanceAbove({ mean: 0, deviation: 1 }, 0)).toBeCloseTo(0.5, 6);
    expect(chanceAbove({ mean: 0, deviation: 1 }, 1.6448536269514722)).toBeCloseTo(0.05, 5);
  });
});
