/**
 * What the check of a plan catches: sound plans, harmed in one place each.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { NO_CAPABILITIES, type UnitDescription } from "../model/unit-description.ts";
import { checkPlan } from "./check-plan.ts";
import { compilePlan } from "./compile.ts";
import { Op, type Plan } from "./plan.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { editEach, fromNodes, type OpNode, toNodes, withStep } from "./testing/edit-ops.ts";
import { type ScenarioOptions, scenarioOf } from "./testing/scenario-of.ts";

interface Sound {
  readonly scenario: Scenario;
  readonly plan: Plan;
}

function sound(
  units: Readonly<Record<string, UnitDescription>>,
  wires: string,
  options: ScenarioOptions,
): Sound {
  const scenario = scenarioOf(units, wires, { step: 0.1, ...options });
  const { plan } = unwrap(compilePlan(scenario, { record: [] }));
  expect(checkPlan(plan, scenario)).toEqual([]);
  return { scenario, plan };
}

const moore = describedUnit("u -> x", { through: "" });
const mealy = describedUnit("u -> y");
const reactive = describedUnit("u! -> x", { through: "" });
const slopes = { ...NO_CAPABILITIES, inputDerivativeOrder: 1 };
const parts = { ...NO_CAPABILITIES, variableStep: true };
const RING = "a.x -> b.u; b.x -> a.u";

const HELD = sound({ a: moore, b: moore }, RING, {});
const CHAIN = sound({ a: moore, b: mealy, c: mealy }, "a.x -> b.u; b.y -> c.u; c.y -> a.u", {});
const RATES = sound({ a: moore, b: moore }, RING, { steps: { b: 0.3 } });
const SLOPED = sound({ a: reactive, b: { ...reactive, capabilities: slopes } }, RING, {
  master: "gauss-seidel",
  options: { order: ["a", "b"] },
});
const PARTED = sound({ a: reactive, b: { ...reactive, capabilities: parts } }, RING, {
  master: "gauss-seidel",
  options: { order: ["a", "b"], microSteps: 3 },
});
const EXTRAPOLATED = sound(
  { a: { ...moore, capabilities: slopes }, b: { ...moore, capabilities: parts } },
  RING,
  { options: { approximation: "linear", microSteps: 2 } },
);
const ALL = { HELD, CHAIN, RATES, SLOPED, PARTED, EXTRAPOLATED };

const drop = (): readonly OpNode[] => [];
const is =
  (...opcodes: readonly number[]) =>
  (op: OpNode["op"]): boolean =>
    opcodes.includes(op[0]);

/** Codes found after each way to harm the step. */
function harmed(
  { plan, scenario }: Sound,
  wanted: (op: OpNode["op"]) => boolean,
  edit: (node: OpNode) => readonly OpNode[],
): string[][] {
  return editEach(plan.segments.step, wanted, edit).map((step) =>
    checkPlan(withStep(plan, step), scenario).map(({ code }) => code),
  );
}

function expectEach(found: readonly (readonly string[])[], ...codes: readonly string[]): void {
  expect(found.length).toBeGreaterThan(0);
  for (const list of found)
    expect(
      codes.some((code) => list.includes(code)),
      `${list}`,
    ).toBe(true);
}

describe.each(Object.entries(ALL))("a plan (%s)", (_, plan) => {
  it("[PN43] is refused without one of its writes", () => {
    expectEach(harmed(plan, is(Op.Write), drop), "plan-input-unwritten");
  });

  it("[PN41] [PN45] is refused without one of its reads", () => {
    expectEach(harmed(plan, is(Op.Read), drop), "plan-reads-old", "plan-interpolates-old");
  });

  it("[PN44] is refused without one of its moves", () => {
    expectEach(harmed(plan, is(Op.Copy), drop), "plan-value-lost");
  });

  it("[PN44] is refused when a move ends in another slot", () => {
    const { f64 } = plan.plan.sizes;
    const astray = ({ op: [code, a, b, c], body }: OpNode): readonly OpNode[] => [
      { op: [code, a, (b + 1) % f64, c], body },
    ];
    expectEach(harmed(plan, is(Op.Copy), astray), "plan-value-lost");
  });

  it("[PN42] is refused when a unit is not advanced, advanced twice, or by a part", () => {
    expectEach(harmed(plan, is(Op.Advance), drop), "plan-advance-wrong");
    expectEach(
      harmed(plan, is(Op.Advance), (node) => [node, node]),
      "plan-advance-wrong",
    );
    const part = ({ op: [code, unit, k, n], body }: OpNode): readonly OpNode[] => [
      { op: [code, unit, k, n + 1], body },
    ];
    expectEach(harmed(plan, is(Op.Advance), part), "plan-advance-wrong");
  });
});

describe("a plan with approximations", () => {
  it("[PN43] is refused when a value is not computed again, or set without its slope", () => {
    for (const plan of [SLOPED, PARTED, EXTRAPOLATED]) {
      expectEach(harmed(plan, is(Op.Interpolate, Op.Predict), drop), "plan-input-unwritten");
    }
    for (const plan of [SLOPED, EXTRAPOLATED])
      expectEach(harmed(plan, is(Op.Slopes), drop), "plan-input-unwritten");
  });

  it("[PN44] is refused when a sample is not taken", () => {
    for (const plan of [SLOPED, PARTED, EXTRAPOLATED])
      expectEach(harmed(plan, is(Op.Sample), drop), "plan-value-lost");
  });

  it("[PN45] is refused when the source of an interpolation is read after it", () => {
    for (const { plan, scenario } of [SLOPED, PARTED]) {
      const nodes = toNodes(plan.segments.step);
      const early = nodes.findIndex(({ op }) => op[0] === Op.Read);
      const advanced = nodes.findLastIndex(({ op }) => op[0] === Op.Advance);
      const late = [
        ...nodes.slice(0, early),
        ...nodes.slice(early + 2, advanced + 1),
        ...nodes.slice(early, early + 2),
        ...nodes.slice(advanced + 1),
      ];
      const codes = checkPlan(withStep(plan, fromNodes(late)), scenario).map(({ code }) => code);
      expect(codes).toContain("plan-interpolates-old");
    }
  });
});

describe("a plan", () => {
  it("[PN46] is refused when a held input gets the value of the end of its step", () => {
    const { plan, scenario } = HELD;
    const nodes = toNodes(plan.segments.step);
    expect(nodes[1].op[0]).toBe(Op.Advance);
    const late = [nodes[0], ...nodes.slice(2), nodes[1]];
    const found = checkPlan(withStep(plan, fromNodes(late)), scenario);
    expect(found.map(({ code }) => code)).toContain("plan-input-untimely");
  });

  it("[PN41] is refused when an output is read before the input that acts on it at once is written", () => {
    const { plan, scenario } = CHAIN;
    const nodes = toNodes(plan.segments.step);
    const write = nodes.findIndex(
      ({ op }) => op[0] === Op.Write && plan.accesses[op[1]].unit === 1,
    );
    const read = nodes.findIndex(({ op }) => op[0] === Op.Read && plan.accesses[op[1]].unit === 1);
    expect(write).toBeLessThan(read);
    const swapped = nodes.with(write, nodes[read]).with(read, nodes[write]);
    const found = checkPlan(withStep(plan, fromNodes(swapped)), scenario);
    expect(found[0].code).toBe("plan-reads-old");
    expect(found[0].message).toContain("'b.y' was read before 'b.u', on which it depends directly");
  });

  it("[PN44] is refused when an access takes another slot, or a conversion another factor", () => {
    const { plan, scenario } = HELD;
    const written = toNodes(plan.segments.step).find(({ op }) => op[0] === Op.Write)!.op[1];
    const accesses = plan.accesses.map((access, i) => ({
      ...access,
      slots: access.slots.map(({ port, slot }) => ({
        port,
        slot: i === written ? slot ^ 1 : slot,
      })),
    }));
    const codes = checkPlan({ ...plan, accesses }, scenario).map(({ code }) => code);
    expect(codes).toContain("plan-value-lost");
    const converted = {
      ...scenario,
      connections: scenario.connections.map((c) => ({ ...c, factor: 1000, offset: 0 })),
    };
    const milli = unwrap(compilePlan(converted, { record: [] })).plan;
    expect(checkPlan(milli, converted)).toEqual([]);
    const wrong = { ...milli, constants: Float64Array.of(100, 0) };
    expect(checkPlan(wrong, converted)[0].message).toContain(
      "holds 100 · 'b.x' + 0 instead of 1000 · 'b.x' + 0",
    );
  });

  it("[PN42] is refused when a unit keeps another rhythm", () => {
    const slower = ({ body }: OpNode): readonly OpNode[] => [{ op: [Op.Every, 6, 0, 0], body }];
    const advancing = editEach(RATES.plan.segments.step, is(Op.Every), slower)[0];
    const codes = checkPlan(withStep(RATES.plan, advancing), RATES.scenario).map((d) => d.code);
    expect(codes).toContain("plan-advance-wrong");
  });

  it("[PN41] is refused when a recorded port is not read", () => {
    const scenario = scenarioOf({ a: moore }, "", { step: 0.1 });
    const { plan } = unwrap(compilePlan(scenario, { record: [{ unit: 0, port: 1, element: 0 }] }));
    expect(checkPlan(plan, scenario)).toEqual([]);
    expectEach(harmed({ plan, scenario }, is(Op.Read), drop), "plan-reads-old");
  });

  it("[PN47] may hold values that are one step old where a loop is broken, and only there", () => {
    const { plan, scenario } = sound({ a: mealy, b: mealy }, "a.y -> b.u; b.y -> a.u", {});
    const unbroken = { ...plan, loops: plan.loops.map((loop) => ({ ...loop, delayed: [] })) };
    const codes = checkPlan(unbroken, scenario).map(({ code }) => code);
    expect(codes).toContain("plan-reads-old");
  });

  it.each([
    ["an unwritten op", (): number[] => [0, 0, 0, 0]],
    ["an access that is not there", (): number[] => [Op.Read, 99, 0, 0]],
    ["slots beyond the bank", (): number[] => [Op.Copy, 0, 1, 99]],
    ["a negative slot", (): number[] => [Op.Affine, -1, 0, 0]],
    ["constants that are not there", (): number[] => [Op.Affine, 0, 1, 0]],
    ["a value table that is not there", (): number[] => [Op.Map, 0, 1, 0]],
    ["a skip beyond the end", (): number[] => [Op.Every, 2, 5, 0]],
    ["a part that is not there", (): number[] => [Op.Advance, 0, 2, 2]],
    ["a track that is not there", (): number[] => [Op.Sample, 0, 0, 0]],
    ["slopes that are not there", (): number[] => [Op.Slopes, 0, 0, 0]],
    ["a write to an output", (): number[] => [Op.Write, readAccess(), 0, 0]],
    ["half an op", (): number[] => [Op.Read]],
  ])("[PN40] is refused with %s", (_, op) => {
    const { plan, scenario } = HELD;
    const step = Int32Array.from([...plan.segments.step, ...op()]);
    const found = checkPlan(withStep(plan, step), scenario);
    expect(found.map(({ code }) => code)).toEqual(["plan-malformed"]);
    expect(found[0].message).toMatch(/^op \d+ of the step: /);
  });

  function readAccess(): number {
    return toNodes(HELD.plan.segments.step).find(({ op }) => op[0] === Op.Read)!.op[1];
  }

  it("[PN40] is refused when skips overlap, or when units advance before the step", () => {
    const { plan, scenario } = HELD;
    const crossing = Int32Array.from([
      ...plan.segments.step,
      ...[Op.Every, 2, 2, 0, Op.Every, 3, 2, 0, Op.Copy, 0, 1, 1, Op.Copy, 0, 1, 1],
    ]);
    expect(checkPlan(withStep(plan, crossing), scenario)[0].message).toContain("skips beyond");
    const start = Int32Array.of(Op.Advance, 0, 0, 1);
    const early = { ...plan, segments: { ...plan.segments, start } };
    expect(checkPlan(early, scenario)[0].message).toBe(
      "op 0 of the start: only the step advances units",
    );
  });
});
