/**
 * The printed plan against the plan, in random scenarios: every op has its line, its number, its
 * depth and its words; every slot has one name.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { cases } from "../base/testing/cases.ts";
import { compilePlan } from "./compile.ts";
import { Op, type Plan } from "./plan.ts";
import { printPlan } from "./print-plan.ts";
import { printOps } from "./print-plan-ops.ts";
import { SlotNames, slotRange } from "./print-plan-slots.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { type OpNode, toNodes } from "./testing/edit-ops.ts";
import { planFor } from "./testing/plan-for.ts";
import { randomCase } from "./testing/random-scenario.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

/** Ops in order with the number of skips around them. */
function withDepth(nodes: readonly OpNode[], depth = 0): { op: OpNode["op"]; depth: number }[] {
  return nodes.flatMap(({ op, body }) => [{ op, depth }, ...withDepth(body, depth + 1)]);
}

const FIRST_WORD: Readonly<Record<number, string>> = {
  [Op.Read]: "read",
  [Op.Write]: "write",
  [Op.Slopes]: "slopes",
  [Op.Advance]: "advance",
  [Op.Sample]: "sample",
  [Op.Predict]: "predict",
  [Op.Interpolate]: "interpolate",
  [Op.Every]: "every",
};

describe("the text of a plan", () => {
  it("[PN50] has a line for every op, with its number, its depth and its words", () => {
    let lines = 0;
    fc.assert(
      fc.property(randomCase(6), ({ scenario, record }) => {
        const { plan } = unwrap(compilePlan(scenario, { record }));
        const names = new SlotNames(plan, scenario);
        const { start, resolve, inputs, step } = plan.segments;
        for (const ops of [start, resolve, inputs, step, ...plan.loops.map(({ sweep }) => sweep)]) {
          const text = printOps(ops, plan, names);
          const expected = withDepth(toNodes(ops));
          expect(text).toHaveLength(expected.length);
          expected.forEach(({ op, depth }, i) => {
            const [, number, shift, words] = /^ *(\d+) {2}((?: {2})*)(\S.*)$/.exec(text[i]) ?? [];
            expect([Number(number), shift.length / 2]).toEqual([i, depth]);
            const first = FIRST_WORD[op[0]];
            if (first === undefined) expect(words).toContain(" ← ");
            else expect(words.split(" ")[0]).toBe(first);
            if (op[0] === Op.Every) expect(words).toBe(`every ${op[1]} ticks:`);
            if (op[0] === Op.Advance) expect(words).toContain(plan.units[op[1]].name);
          });
          lines += text.length;
        }
      }),
      { seed: 23, numRuns: cases(150) },
    );
    expect(lines).toBeGreaterThan(0);
  });

  it("[PN50] names every slot at most once, within the banks", () => {
    fc.assert(
      fc.property(randomCase(6), ({ scenario, record }) => {
        const { plan } = unwrap(compilePlan(scenario, { record }));
        const seen = new Set<string>();
        for (const { slots, name } of new SlotNames(plan, scenario).table()) {
          expect(name).not.toBe("");
          const [first, last = first] = slots.split("..");
          const bank = ({ s: "f64", i: "i64", o: "obj" } as const)[first[0] as "s" | "i" | "o"];
          for (let n = Number(first.slice(1)); n <= Number(last.slice(1)); n++) {
            expect(seen).not.toContain(slotRange(bank, n, 1));
            seen.add(slotRange(bank, n, 1));
            expect(n).toBeLessThan(plan.sizes[bank]);
          }
        }
      }),
      { seed: 24, numRuns: cases(150) },
    );
  });

  it("[PN50] [PN51] ends with a newline and begins with its own hash, the same each time", () => {
    fc.assert(
      fc.property(randomCase(4), ({ scenario }) => {
        const plan = planFor(scenario);
        const text = printPlan(plan, scenario);
        expect(text).toMatch(/^plan 'random' [0-9a-f]{16}\n/);
        expect(text.endsWith("\n")).toBe(true);
        expect(text).not.toMatch(/undefined|NaN|\[object|\n\n\n/);
        expect(printPlan(structuredClone(plan), scenario)).toBe(text);
      }),
      { seed: 25, numRuns: cases(60) },
    );
  });
});

describe("the names of slots", () => {
  const wide = describedUnit("u -> y", {
    through: "",
    shape: [3],
    capabilities: { inputDerivativeOrder: 1 },
  });
  const scenario = scenarioOf({ a: wide, b: wide }, "a.y -> b.u", {
    step: 1,
    options: { approximation: "linear" },
  });
  const plan = planFor(scenario, { growth: true });
  const names = new SlotNames(plan, scenario);
  const [track] = plan.tracks;

  it.each<[string, number, number, string]>([
    ["a whole port", track.signal, 3, "b.u"],
    ["its first element", track.signal, 1, "b.u[1]"],
    ["its last element", track.signal + 2, 1, "b.u[3]"],
    ["two of its elements", track.signal + 1, 2, "b.u[2..3]"],
    ["what is written in its place", track.value, 3, "b.u within the step"],
    ["an element of that", track.value + 1, 1, "b.u within the step[2]"],
    ["three samples", track.history, 3, "history of b.u[1]"],
    ["the oldest sample", track.history + 2, 1, "history of b.u[1][3]"],
    ["two slopes", track.slope, 2, "slopes of b.u[1]"],
    ["the growth", plan.growth ?? -1, 1, "master.growth"],
    ["a slot of nothing", plan.sizes.f64, 1, `s${plan.sizes.f64}`],
    ["slots of nothing", plan.sizes.f64, 2, `s${plan.sizes.f64}..s${plan.sizes.f64 + 1}`],
  ])("[PN50] %s", (_, slot, count, expected) => {
    expect(names.at("f64", slot, count)).toBe(expected);
  });

  it("[PN50] count elements of arrays from 1, and those of scalars not at all", () => {
    expect(names.element(1, 0, 2)).toBe("b.u[3]");
    expect(names.port(0, 1)).toBe("a.y");
    expect(names.size(0, 1)).toBe(3);
    expect(names.slots(0, 1, 7)).toBe("s7..s9");
    const scalar = scenarioOf({ a: describedUnit("u -> y") }, "", { step: 1 });
    expect(new SlotNames(planFor(scalar), scalar).element(0, 1, 0)).toBe("a.y");
  });

  it("[PN50] are listed bank by bank, numbers first, each by slot", () => {
    const typed = (type: "float64" | "int64" | "string") =>
      describedUnit("u -> y", { through: "", type });
    const mixed = scenarioOf(
      {
        t: typed("string"),
        v: typed("string"),
        l: typed("int64"),
        m: typed("int64"),
        r: typed("float64"),
        s: typed("float64"),
      },
      "t.y -> v.u; l.y -> m.u; r.y -> s.u",
      { step: 1 },
    );
    const table = new SlotNames(planFor(mixed), mixed).table();
    expect(table.map(({ slots, name }) => `${slots} ${name}`)).toEqual([
      "s0 r.y",
      "s1 s.u",
      "o0 t.y",
      "o1 v.u",
      "i0 l.y",
      "i1 m.u",
    ]);
  });
});

describe("an op in words", () => {
  const unit = describedUnit("u! -> y", { through: "", capabilities: { inputDerivativeOrder: 1 } });
  const scenario = scenarioOf({ a: unit, b: unit }, "a.y -> b.u", {
    step: 1,
    master: "gauss-seidel",
  });
  const base = planFor(scenario);
  const words = (op: readonly number[], more: Partial<Plan> = {}): string => {
    const plan = { ...base, ...more };
    return printOps(Int32Array.from(op), plan, new SlotNames(plan, scenario))[0].replace(
      /^ +0 {2}/,
      "",
    );
  };

  it.each<[readonly number[], string]>([
    [[Op.Advance, 1, 0, 1], "advance b"],
    [[Op.Advance, 1, 1, 3], "advance b (part 2 of 3)"],
    [[Op.Predict, 0, 0, 0], "predict b.u (t0) over the coming step"],
    [[Op.Predict, 0, 1, 2], "predict b.u (t0) for part 2 of 2"],
    [[Op.Interpolate, 0, 0, 0], "interpolate b.u (t0) over this step"],
    [[Op.Interpolate, 0, 0, 4], "interpolate b.u (t0) for part 1 of 4"],
    [[Op.Sample, 0, 0, 0], "sample b.u (t0)"],
    [[0, 1, 2, 3], "unknown op 0 1 2 3"],
  ])("[PN50] %j", (op, expected) => {
    expect(words(op)).toBe(expected);
  });

  it.each<[readonly number[], string]>([
    [[1, 0], "a.y"],
    [[2, 0], "2 · a.y"],
    [[1, 3], "a.y + 3"],
    [[1, -3], "a.y - 3"],
    [[-0.5, 3], "-0.5 · a.y + 3"],
  ])("[PN50] with the constants %j", (constants, expected) => {
    const source = base.accesses.find(({ unit: u }) => u === 0)?.slots[0].slot ?? -1;
    const more = { constants: Float64Array.from([9, 9, ...constants]) };
    expect(words([Op.Affine, source, base.tracks[0].signal, 2], more)).toBe(`b.u ← ${expected}`);
  });
});
