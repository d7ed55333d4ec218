/**
 * What makes a plan impossible to execute: every table and every op, broken in one place each.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { checkPlan } from "./check-plan.ts";
import { compilePlan } from "./compile.ts";
import { OP_WIDTH, Op, type Plan } from "./plan.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { withStep } from "./testing/edit-ops.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const mealy = describedUnit("u -> y");
const sloped = describedUnit("u! -> y", { through: "", capabilities: { inputDerivativeOrder: 1 } });
const scenario: Scenario = scenarioOf(
  { a: sloped, b: sloped, c: mealy, d: mealy },
  "a.y -> b.u; c.y -> d.u; d.y -> c.u",
  { step: 0.1, master: "gauss-seidel", steps: { d: 0.2 } },
);
const { plan } = unwrap(compilePlan(scenario, { record: [{ unit: 0, port: 1, element: 0 }] }));

const malformed = (changed: Plan): string[] =>
  checkPlan(changed, scenario).map(({ code, message }) => `${code}: ${message}`);

/** The plan with one op more at the end of its step. */
const withOp = (opcode: number, a = 0, b = 0, c = 0): Plan =>
  withStep(plan, Int32Array.from([...plan.segments.step, opcode, a, b, c]));
const last = plan.segments.step.length / OP_WIDTH;

describe("a plan", () => {
  it("[PN40] has everything that these tests break", () => {
    expect(malformed(plan)).toEqual([]);
    for (const { length } of [
      plan.slopes,
      plan.tracks,
      plan.loops,
      plan.accesses,
      plan.record.columns,
    ])
      expect(length).toBeGreaterThan(0);
  });

  it.each<[string, Plan, string]>([
    [
      "units of another scenario",
      { ...plan, units: plan.units.toReversed() },
      "units: they are not those of the scenario",
    ],
    ["no step", { ...plan, step: 0 }, "step: 0 s is not a step"],
    ["a NaN step", { ...plan, step: Number.NaN }, "step: NaN s is not a step"],
    [
      "no ticks",
      { ...plan, units: plan.units.map((u) => ({ ...u, ticks: 0 })) },
      "unit 'a': 0 ticks are not a step",
    ],
    [
      "half a tick",
      { ...plan, units: plan.units.map((u) => ({ ...u, ticks: 1.5 })) },
      "unit 'a': 1.5 ticks are not a step",
    ],
    [
      "no rows",
      { ...plan, record: { ...plan.record, every: 0 } },
      "record: 'every 0 ticks' is not possible",
    ],
    [
      "a port too many",
      {
        ...plan,
        accesses: [{ unit: 0, slots: [{ port: 9, slot: 0 }] }, ...plan.accesses.slice(1)],
      },
      "access 0: its unit, ports or slots do not exist",
    ],
    [
      "a unit too many",
      {
        ...plan,
        accesses: [{ unit: 9, slots: [{ port: 0, slot: 0 }] }, ...plan.accesses.slice(1)],
      },
      "access 0: its unit, ports or slots do not exist",
    ],
    [
      "a slot beyond the bank",
      {
        ...plan,
        accesses: [
          { unit: 0, slots: [{ port: 0, slot: plan.sizes.f64 }] },
          ...plan.accesses.slice(1),
        ],
      },
      "access 0: its unit, ports or slots do not exist",
    ],
    [
      "a slope of order 3",
      { ...plan, slopes: plan.slopes.map((s) => ({ ...s, orders: s.orders.map(() => 3) })) },
      "slopes 0: their unit, ports or slots do not exist",
    ],
    [
      "a slope too few",
      { ...plan, slopes: plan.slopes.map((s) => ({ ...s, slots: [] })) },
      "slopes 0: their unit, ports or slots do not exist",
    ],
    [
      "a slope of an output",
      { ...plan, slopes: plan.slopes.map((s) => ({ ...s, ports: s.ports.map(() => 1) })) },
      "slopes 0: their unit, ports or slots do not exist",
    ],
    [
      "an order too many",
      { ...plan, slopes: plan.slopes.map((s) => ({ ...s, orders: [...s.orders, 1] })) },
      "slopes 0: their unit, ports or slots do not exist",
    ],
    [
      "a track of an output",
      { ...plan, tracks: plan.tracks.map((t) => ({ ...t, port: 1 })) },
      "track 0: its input, slots or ticks do not exist",
    ],
    [
      "an element too many",
      { ...plan, tracks: plan.tracks.map((t) => ({ ...t, element: 1 })) },
      "track 0: its input, slots or ticks do not exist",
    ],
    [
      "a history beyond the bank",
      { ...plan, tracks: plan.tracks.map((t) => ({ ...t, history: plan.sizes.f64 - 2 })) },
      "track 0: its input, slots or ticks do not exist",
    ],
    [
      "slopes beyond the bank",
      { ...plan, tracks: plan.tracks.map((t) => ({ ...t, slope: plan.sizes.f64 - 1 })) },
      "track 0: its input, slots or ticks do not exist",
    ],
    [
      "samples at no tick",
      { ...plan, tracks: plan.tracks.map((t) => ({ ...t, sampleTicks: 0 })) },
      "track 0: its input, slots or ticks do not exist",
    ],
    [
      "a track with another step",
      { ...plan, tracks: plan.tracks.map((t) => ({ ...t, stepTicks: 5 })) },
      "track 0: its input, slots or ticks do not exist",
    ],
    [
      "an unknown without image",
      { ...plan, loops: plan.loops.map((l) => ({ ...l, images: l.images.slice(1) })) },
      "loop 0: its unknowns and images do not fit together",
    ],
    [
      "an image beyond the bank",
      { ...plan, loops: plan.loops.map((l) => ({ ...l, images: l.images.map(() => -1) })) },
      "loop 0: its unknowns and images do not fit together",
    ],
    [
      "a loop too many",
      { ...plan, segments: { ...plan.segments, initial: [{ kind: "loop", loop: 9 }] } },
      "initialization: there is no loop 9",
    ],
    [
      "a column of no port",
      {
        ...plan,
        record: {
          ...plan.record,
          columns: [{ unit: 0, port: 9, element: 0, bank: "f64", slot: 0 }],
        },
      },
      "column 0: its port or slot does not exist",
    ],
    [
      "a column in an empty bank",
      {
        ...plan,
        record: {
          ...plan.record,
          columns: [{ unit: 0, port: 1, element: 0, bank: "obj", slot: 0 }],
        },
      },
      "column 0: its port or slot does not exist",
    ],
  ])("[PN40] is refused with %s", (_, changed, expected) => {
    expect(malformed(changed)).toContain(`plan-malformed: ${expected}`);
  });

  it.each<[string, Plan, string]>([
    ["an unwritten op", withOp(0), "there is no op 0"],
    ["an op of the future", withOp(99), "there is no op 99"],
    ["a read of nothing", withOp(Op.Read, 999), "there is no access 999"],
    ["a write of nothing", withOp(Op.Write, 999), "there is no access 999"],
    ["slopes of nothing", withOp(Op.Slopes, 999), "there are no slopes 999"],
    ["an advance of nobody", withOp(Op.Advance, 9, 0, 1), "there is no unit 9"],
    ["part 1 of 1", withOp(Op.Advance, 0, 1, 1), "there is no part 1 of 1"],
    ["part -1", withOp(Op.Advance, 0, -1, 1), "there is no part -1 of 1"],
    ["no parts", withOp(Op.Advance, 0, 0, 0), "there is no part 0 of 0"],
    ["a copy of nothing", withOp(Op.Copy, 0, 1, 0), "slots 0 and 1 do not hold 0 values each"],
    [
      "a copy from beyond",
      withOp(Op.Copy, plan.sizes.f64, 0, 1),
      `slots ${plan.sizes.f64} and 0 do not hold 1 values each`,
    ],
    [
      "a copy to beyond",
      withOp(Op.Copy, 0, plan.sizes.f64 - 1, 2),
      `slots 0 and ${plan.sizes.f64 - 1} do not hold 2 values each`,
    ],
    [
      "a copy in an empty bank",
      withOp(Op.CopyI64, 0, 0, 1),
      "slots 0 and 0 do not hold 1 values each",
    ],
    [
      "a change of bank without one",
      withOp(Op.ToI64, 0, 0, 1),
      "slots 0 and 0 do not hold 1 values each",
    ],
    [
      "constants that end too early",
      withOp(Op.Affine, 0, 0, plan.constants.length),
      "its slots or constants do not exist",
    ],
    [
      "constants before the first",
      withOp(Op.Affine, 0, 0, -1),
      "its slots or constants do not exist",
    ],
    ["a table of nothing", withOp(Op.Map, 0, 0, 9), "its slots or value table do not exist"],
    ["a sample of nothing", withOp(Op.Sample, 9), "there is no track 9"],
    ["a prediction of nothing", withOp(Op.Predict, 9), "there is no track 9"],
    ["a prediction of part 2 of 2", withOp(Op.Predict, 0, 2, 2), "there is no part 2 of 2"],
    ["an interpolation of part -1", withOp(Op.Interpolate, 0, -1, 2), "there is no part -1 of 2"],
    ["a skip of nothing", withOp(Op.Every, 2, 0), "'every 2 ticks' for 0 ops is not possible"],
    ["a skip at no tick", withOp(Op.Every, 0, 1), "'every 0 ticks' for 1 ops is not possible"],
    ["a skip beyond the end", withOp(Op.Every, 2, 1), "it skips beyond the ops around it"],
  ])("[PN40] is refused with %s", (_, changed, expected) => {
    expect(malformed(changed)).toEqual([`plan-malformed: op ${last} of the step: ${expected}`]);
  });

  it("[PN40] is refused where an op is cut off, or a skip leaves the one around it", () => {
    expect(malformed(withStep(plan, plan.segments.step.slice(0, -1)))[0]).toContain(
      "the last op is incomplete",
    );
    const nested = Int32Array.from([Op.Every, 2, 1, 0, Op.Every, 2, 1, 0, Op.Sample, 0, 0, 0]);
    expect(malformed(withStep(plan, nested))).toEqual([
      "plan-malformed: op 1 of the step: it skips beyond the ops around it",
    ]);
  });

  it("[PN40] writes inputs only, and advances units in the step only", () => {
    const output = plan.accesses.findIndex(({ slots }) => slots.some(({ port }) => port === 1));
    expect(malformed(withOp(Op.Write, output))).toEqual([
      `plan-malformed: op ${last} of the step: it writes something other than an input`,
    ]);
    const start = Int32Array.from([Op.Advance, 0, 0, 1]);
    expect(malformed({ ...plan, segments: { ...plan.segments, start } })).toEqual([
      "plan-malformed: op 0 of the start: only the step advances units",
    ]);
  });

  it("[PN40] is refused for one invalid element among several", () => {
    const wide = describedUnit("u! -> y", {
      through: "",
      shape: [3],
      capabilities: { inputDerivativeOrder: 2 },
    });
    const arrays = scenarioOf({ a: wide, b: wide }, "a.y -> b.u", {
      step: 0.1,
      options: { approximation: "quadratic" },
    });
    const compiled = unwrap(compilePlan(arrays, { record: [] })).plan;
    expect(checkPlan(compiled, arrays)).toEqual([]);
    const [group] = compiled.slopes;
    expect(group.slots).toHaveLength(6);
    const messages = (changed: Partial<typeof group>): string[] =>
      checkPlan(
        { ...compiled, slopes: compiled.slopes.with(0, { ...group, ...changed }) },
        arrays,
      ).map(({ message }) => message);
    for (const at of group.slots.keys()) {
      const slots = group.slots.map((slot, i) => (i === at ? compiled.sizes.f64 : slot));
      expect(messages({ slots })).toEqual(["slopes 0: their unit, ports or slots do not exist"]);
    }
    expect(messages({ orders: [1, 3] })).toEqual([
      "slopes 0: their unit, ports or slots do not exist",
    ]);
    expect(messages({ ports: [0, 1] })).toEqual([
      "slopes 0: their unit, ports or slots do not exist",
    ]);
    const access = compiled.accesses.findIndex(({ slots }) => slots.length === 1);
    const [slot] = compiled.accesses[access].slots;
    const accesses = compiled.accesses.map((one, i) =>
      i === access ? { ...one, slots: [slot, { ...slot, port: 9 }] } : one,
    );
    expect(checkPlan({ ...compiled, accesses }, arrays)).toHaveLength(1);
  });

  it("[PN40] is checked in the parts for masters that decide at run time, too", () => {
    const limits = [{ kind: "every" as const, every: 0.1, offset: 0 }];
    const able = { ...scenario, limits, units: scenario.units.map(({ step: _, ...u }) => u) };
    const compiled = unwrap(compilePlan(able, { record: [] })).plan;
    const bad = Int32Array.from([Op.Read, 999, 0, 0]);
    const coupling = compiled.coupling!;
    const stages = coupling.stages.map((stage, u) =>
      u === 1 ? { ...stage, collect: bad } : stage,
    );
    const found = (changed: typeof coupling): string[] =>
      checkPlan({ ...compiled, coupling: changed }, able).map(({ message }) => message);
    expect(found({ ...coupling, stages })).toEqual([
      "op 0 of what 'b' gives: there is no access 999",
    ]);
    expect(found({ ...coupling, watch: bad })).toEqual([
      "op 0 of what is watched: there is no access 999",
    ]);
    expect(found({ ...coupling, observe: bad })).toEqual([
      "op 0 of what is recorded: there is no access 999",
    ]);
  });
});
