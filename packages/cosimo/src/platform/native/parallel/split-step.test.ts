import { describe, expect, it } from "vitest";
import { unwrap } from "../../../base/diagnostic.ts";
import { compilePlan } from "../../../plan/compile.ts";
import { OP_WIDTH, Op, type Plan } from "../../../plan/plan.ts";
import { type ScenarioOptions, scenarioOf } from "../../../plan/testing/scenario-of.ts";
import { linearUnit } from "../../../unit/linear-unit.ts";
import { partOf, splitStep } from "./split-step.ts";

const lag = (name: string) =>
  linearUnit(
    { name, inputs: { u: { reactive: true } }, states: { x: { start: 1 } }, a: [[-1]], b: [[1]] },
    name,
  ).description;

const UNITS = { a: lag("a"), b: lag("b"), c: lag("c") };
const descriptions = Object.values(UNITS);

function planOf(connections: string, options: ScenarioOptions): Plan {
  const scenario = scenarioOf(UNITS, connections, { step: 0.1, ...options });
  return unwrap(compilePlan(scenario, { record: [] })).plan;
}

const RING = "a.x -> b.u; b.x -> c.u; c.x -> a.u";

describe("the step of a plan", () => {
  it("[PA2] of master jacobi has as many independent parts as units", () => {
    const plan = planOf(RING, { master: "jacobi" });
    expect(splitStep(plan, descriptions).clusters).toEqual([[0], [1], [2]]);
  });

  it("[PA2] of master gauss-seidel keeps units together that interpolate to each other's outputs", () => {
    const plan = planOf("a.x -> b.u", { master: "gauss-seidel", approximation: "interpolation" });
    expect(splitStep(plan, descriptions).clusters).toEqual([[0, 1], [2]]);
  });

  it("[PA4] keeps units together that must not run at the same time", () => {
    const plan = planOf(RING, { master: "jacobi" });
    expect(splitStep(plan, descriptions, [[0, 2]]).clusters).toEqual([[0, 2], [1]]);
  });

  it.each([
    ["hold", {}],
    ["linear by micro-steps", { approximation: "linear" as const }],
    ["several rates", { steps: { b: 0.2, c: 0.3 }, approximation: "quadratic" as const }],
  ])("[PA2] is divided without loss: %s", (_, options) => {
    const plan = planOf(RING, { master: "jacobi", ...options });
    const split = splitStep(plan, descriptions);
    expect(split.clusters).toHaveLength(3);
    const parts = [[0], [1, 2]].map((units, i) => partOf(plan, split, new Set(units), i === 0));
    const all = parts.flatMap(({ numbers }) => numbers);
    const isEvery = (op: number): boolean => plan.segments.step[op * OP_WIDTH] === Op.Every;
    const ops = Array.from({ length: split.advancing }, (__, op) => op).filter(
      (op) => !isEvery(op),
    );
    expect(all.filter((op) => !isEvery(op)).sort((x, y) => x - y)).toEqual(ops);
    const unitsOf = (part: (typeof parts)[number]): number[] =>
      part.numbers
        .filter((op) => plan.segments.step[op * OP_WIDTH] === Op.Advance)
        .map((op) => plan.segments.step[op * OP_WIDTH + 1]);
    expect(new Set(unitsOf(parts[0]))).toEqual(new Set([0]));
    expect(new Set(unitsOf(parts[1]))).toEqual(new Set([1, 2]));
    for (const { ops: words } of parts) expectWholeSkips(words);
  });
});

/** Every `Every` skips ops that are there. */
function expectWholeSkips(words: Int32Array): void {
  for (let op = 0; op * OP_WIDTH < words.length; op++) {
    if (words[op * OP_WIDTH] !== Op.Every) continue;
    expect(words[op * OP_WIDTH + 2]).toBeGreaterThan(0);
    expect(op + 1 + words[op * OP_WIDTH + 2]).toBeLessThanOrEqual(words.length / OP_WIDTH);
  }
}
