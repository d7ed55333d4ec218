import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { freeAutomaton } from "../model/decision-automaton.ts";
import { liftAutomaton } from "./automaton.ts";
import { growthRate } from "./entropy.ts";
import { RemovalProblem } from "./stabilize-removal.ts";

const RUNS = { seed: 27_182, numRuns: cases(60) };
/** Two decisions, remembered once: 4 edges; remembered twice: 8. */
const GRAPH = liftAutomaton(freeAutomaton(2), 2).automaton;

const cycles = fc.array(
  fc.uniqueArray(fc.nat(GRAPH.edges.length - 1), { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 6 },
);

function problemOf(given: readonly (readonly number[])[]): RemovalProblem {
  const problem = new RemovalProblem(GRAPH);
  for (const cycle of given) problem.add(new Set(cycle));
  return problem;
}

const breaksAll = (given: readonly (readonly number[])[], removed: ReadonlySet<number>): boolean =>
  given.every((cycle) => cycle.some((edge) => removed.has(edge)));

describe("the edges that go", () => {
  it("[SB6] break every cycle, and each of them is needed", () => {
    fc.assert(
      fc.property(cycles, (given) => {
        const removed = problemOf(given).quick();
        expect(breaksAll(given, removed)).toBe(true);
        for (const edge of removed) {
          const fewer = new Set(removed);
          fewer.delete(edge);
          expect(breaksAll(given, fewer)).toBe(false);
        }
      }),
      RUNS,
    );
  });

  it("[SB7] are the best of all sets when asked to be", () => {
    fc.assert(
      fc.property(cycles, (given) => {
        const problem = problemOf(given);
        const exact = problem.exact(100_000)!;
        expect(breaksAll(given, exact)).toBe(true);
        const rate = growthRate(problem.without(exact)).lower;
        for (let set = 0; set < 1 << GRAPH.edges.length; set++) {
          const removed = new Set([...GRAPH.edges.keys()].filter((e) => (set >> e) & 1));
          if (!breaksAll(given, removed)) continue;
          expect(growthRate(problem.without(removed)).lower).toBeLessThan(rate + 1e-7);
        }
      }),
      { ...RUNS, numRuns: cases(15) },
    );
  });

  it("[SB7] are none when the search has to give up", () => {
    const problem = problemOf([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(problem.exact(1)).toBeUndefined();
  });

  it("[SB6] forget cycles that contain another one", () => {
    const problem = new RemovalProblem(GRAPH);
    expect(problem.add(new Set([1, 2, 3]))).toBe(true);
    expect(problem.add(new Set([1, 2]))).toBe(true);
    expect(problem.add(new Set([0, 1, 2]))).toBe(false);
    expect(problem.cycles).toBe(1);
  });
});
