/**
 * The part of a printed plan for masters that decide at run time: each section and its conditions.
 */
import { describe, expect, it } from "vitest";
import type { Scenario } from "../model/scenario.ts";
import type { Capabilities } from "../model/unit-description.ts";
import type { CouplingPlan } from "./coupling-plan.ts";
import { printCoupling } from "./print-plan-coupling.ts";
import { SlotNames } from "./print-plan-slots.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { planFor } from "./testing/plan-for.ts";
import { type ScenarioOptions, scenarioOf } from "./testing/scenario-of.ts";

const able: Partial<Capabilities> = { rollback: true, variableStep: true };
const unit = describedUnit("u -> y", { through: "", capabilities: able });
const RING = "a.y -> b.u; b.y -> a.u";
const place = { file: "test" };
const at = (u: number, port = 1) => ({ unit: u, port, element: 0 });

function sections(
  wires: string,
  options: ScenarioOptions = {},
  more: Partial<Scenario> = {},
  change: (coupling: CouplingPlan) => CouplingPlan = (coupling) => coupling,
): Map<string, string[]> {
  const scenario = {
    ...scenarioOf({ a: unit, b: unit }, wires, { step: 1, master: "iterative", ...options }),
    ...more,
  };
  const plan = planFor(scenario);
  if (plan.coupling === undefined) throw new Error("test: the plan is straight");
  const printed = printCoupling(plan, change(plan.coupling), new SlotNames(plan, scenario));
  return new Map(printed.map(([title, ...lines]) => [title, lines.map((line) => line.trim())]));
}

const INPUTS = "inputs whose trajectory the master chooses";
const GROUPS = "groups of units, in this order";

describe("the printed coupling", () => {
  it("[PN50] has inputs with their trajectory and source, and groups with their loops", () => {
    // Outputs have slots 0 and 1, inputs 2 and 3; then a value and two slopes per input.
    const found = sections(RING);
    expect(found.get(INPUTS)).toEqual([
      "u0  b.u: linear, s2 becomes s4, from a",
      "u1  a.u: linear, s3 becomes s7, from b",
    ]);
    expect(found.get(GROUPS)).toEqual(["a, b: a loop"]);
    expect(sections("a.y -> b.u").get(GROUPS)).toEqual(["a", "b"]);
    expect([...found.keys()]).toEqual([
      INPUTS,
      GROUPS,
      "unit a, in 10 parts per step",
      "unit b, in 10 parts per step",
    ]);
  });

  it.each([
    ["hold", "held", "unit b"],
    ["linear", "linear", "unit b, in 10 parts per step"],
    ["quadratic", "quadratic", "unit b, in 10 parts per step"],
  ])("[PN50] of %s inputs says so, and counts the parts", (approximation, word, title) => {
    const found = sections(RING, { options: { approximation } });
    expect(found.get(INPUTS)?.[0]).toContain(`b.u: ${word}, `);
    expect([...found.keys()]).toContain(title);
  });

  it("[PN50] lists what a unit writes and gives, as far as there is any", () => {
    expect(sections("a.y -> b.u", { options: { approximation: "hold" } }).get("unit a")).toEqual([
      "given to others",
      "0    read a.y → s0",
      "1    b.u ← a.y",
    ]);
    expect(sections("a.y -> b.u", { options: { approximation: "hold" } }).get("unit b")).toEqual([
      "at the start of a piece",
      "0    write b.u ← s2",
      "at its end",
      "0    write b.u ← s2",
    ]);
  });

  it("[PN50] has constraints and what they drive, with or without rates", () => {
    const by = [{ ...at(0, 0), factor: 1 }];
    const constraint = {
      left: at(0),
      right: at(1),
      factor: 1,
      offset: 0,
      by,
      text: "a.y = b.y",
      place,
    };
    const rate = { left: at(0), right: at(1), factor: 1 };
    const found = sections("", {}, { constraints: [constraint, { ...constraint, rate }] });
    expect(found.get("constraints")).toEqual(["a.y = b.y", "a.y = b.y, and their rates"]);
    expect(found.get(INPUTS)?.[0]).toMatch(/, from a constraint$/);
  });

  it("[PN50] has bonds, crossings, and what is watched for them", () => {
    const bonds = [{ name: "shaft", effort: 0, flow: 1, preserve: "energy" as const, place }];
    const event = {
      signal: at(1),
      level: 2,
      direction: "any" as const,
      tolerance: 0.25,
      text: "b.y crosses 2",
      place,
    };
    const found = sections(RING, {}, { bonds, events: [event] });
    expect(found.get("bonds")).toEqual(["shaft, preserves energy"]);
    expect(found.get("crossings")).toEqual(["b.y crosses 2, within 0.25"]);
    expect(found.get("watched after every step")).toEqual(["0    read b.y → s1"]);
  });

  it("[PN50] has policies with what they set, and a guard with where a run begins", () => {
    const policies = [
      { name: "quick", step: 0.5, coupling: "jacobi" as const, writes: [] },
      {
        name: "careful",
        step: 1,
        coupling: "iterative" as const,
        writes: [
          { unit: 0, ports: [2, 3], values: [10, 1] },
          { unit: 1, ports: [2], values: [5] },
        ],
      },
    ];
    const title = "policies, cheapest first";
    const written = [
      "quick: 0.5 s, jacobi",
      "careful: 1 s, iterative; a port 2, 3 becomes 10, 1; b port 2 becomes 5",
    ];
    expect(sections(RING, {}, {}, (c) => ({ ...c, policies: { policies } })).get(title)).toEqual(
      written,
    );
    // From node 1 both may follow; from node 2, where a run begins, only the second.
    const guard = { start: 1, nodes: 2, next: Int32Array.of(0, 1, -1, 0) };
    const guarded = sections(RING, {}, {}, (c) => ({ ...c, policies: { policies, guard } }));
    expect(guarded.get(title)).toEqual([
      ...written,
      "guard 1: quick to 1, careful to 2",
      "guard 2, where a run begins: careful to 1",
    ]);
  });
});
