/**
 * What the check of a plan finds where values are not plain doubles and where ops lie outside of
 * the step: each kind of op, each segment, each message.
 */
import { describe, expect, it } from "vitest";
import type { Connection, Scenario } from "../model/scenario.ts";
import type { ValueType } from "../model/value-type.ts";
import { checkPlan } from "./check-plan.ts";
import { OP_WIDTH, Op, type Plan } from "./plan.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { editEach, type OpNode, withStep } from "./testing/edit-ops.ts";
import { planFor } from "./testing/plan-for.ts";
import { type ScenarioOptions, scenarioOf } from "./testing/scenario-of.ts";

const moore = describedUnit("u -> y", { through: "" });
const mealy = describedUnit("u -> y", { through: "y" });
const RING = "a.y -> b.u; b.y -> a.u";

const codes = (plan: Plan, scenario: Scenario): string[] =>
  checkPlan(plan, scenario).map(({ code }) => code);
const messages = (plan: Plan, scenario: Scenario): string[] =>
  checkPlan(plan, scenario).map(({ message }) => message);
const drop = (): readonly OpNode[] => [];
const only =
  (...opcodes: readonly number[]) =>
  ([code]: OpNode["op"]): boolean =>
    opcodes.includes(code);

function pair(from: ValueType, to: ValueType, change: Partial<Connection> = {}): Scenario {
  const units = {
    a: describedUnit("-> y", { type: from, shape: [2] }),
    b: describedUnit("u ->", { type: to, shape: [2] }),
  };
  const scenario = scenarioOf(units, "a.y -> b.u", { step: 1 });
  return { ...scenario, connections: scenario.connections.map((c) => ({ ...c, ...change })) };
}

describe("a move of every kind", () => {
  const mapping = [
    { from: 0, to: 5 },
    { from: 1, to: 7 },
  ];

  it.each<[string, number, Scenario]>([
    ["reals", Op.Copy, pair("float64", "float64")],
    ["64-bit integers", Op.CopyI64, pair("int64", "int64")],
    ["texts", Op.CopyObj, pair("string", "string")],
    ["to 64 bits", Op.ToI64, pair("int32", "int64")],
    ["from 64 bits", Op.FromI64, pair("int64", "float64")],
    ["from 64 unsigned bits", Op.FromU64, pair("uint64", "float64")],
    ["scaled reals", Op.Affine, pair("float64", "float64", { factor: 2 })],
    ["a table", Op.Map, pair("int32", "int32", { mapping })],
  ])("[PN44] is missed where it is dropped: %s", (_, opcode, scenario) => {
    const plan = planFor(scenario);
    expect(codes(plan, scenario)).toEqual([]);
    const harmed = editEach(plan.segments.step, only(opcode), drop);
    expect(harmed.length).toBeGreaterThan(0);
    for (const step of harmed)
      expect(codes(withStep(plan, step), scenario)).toContain("plan-value-lost");
  });

  it.each<[string, Scenario, number]>([
    ["copied", pair("string", "string"), 1],
    ["to 64 bits", pair("int32", "int64"), 1],
  ])("[PN44] is missed for the last of its elements: %s", (_, scenario, count) => {
    const plan = planFor(scenario);
    const shorter = editEach(
      plan.segments.step,
      ([code]) => code === Op.CopyObj || code === Op.ToI64,
      ({ op: [code, a, b], body }) => [{ op: [code, a, b, count], body }],
    );
    expect(shorter).toHaveLength(1);
    expect(codes(withStep(plan, shorter[0]), scenario)).toEqual(["plan-value-lost"]);
  });

  it("[PN44] goes through its own table, entry by entry", () => {
    const scenario = pair("int32", "int32", { mapping });
    const plan = planFor(scenario);
    const wrong = (from: number[], to: number[]): string[] =>
      messages({ ...plan, maps: [{ from, to }] }, scenario);
    expect(wrong([0, 1], [5, 7])).toEqual([]);
    for (const [from, to] of [
      [
        [0, 1],
        [5, 8],
      ],
      [
        [0, 2],
        [5, 7],
      ],
      [
        [1, 0],
        [5, 7],
      ],
      [[0], [5]],
      [
        [0, 1, 2],
        [5, 7, 9],
      ],
    ])
      expect(wrong(from, to)[0]).toContain(
        "'b.u' holds 'a.y' through a value table instead of 'a.y' through a value table",
      );
  });

  it("[PN44] has no table where none is written, and no factor where there is a table", () => {
    const plain = pair("int32", "int32");
    const mapped = pair("int32", "int32", { mapping });
    expect(messages(planFor(mapped), plain)[0]).toContain(
      "'b.u' holds 'a.y' through a value table instead of 'a.y'",
    );
    expect(messages(planFor(plain), mapped)[0]).toContain(
      "'b.u' holds 'a.y' instead of 'a.y' through a value table",
    );
  });

  it("[PN44] is told apart by factor, offset and element", () => {
    const scenario = pair("float64", "float64", { factor: 2, offset: 3 });
    const plan = planFor(scenario);
    const first = (constants: readonly number[]): string | undefined =>
      messages({ ...plan, constants: Float64Array.from(constants) }, scenario)[0];
    expect(first([2, 3])).toBeUndefined();
    expect(first([2, 4])).toContain("'b.u' holds 2 · 'a.y' + 4 instead of 2 · 'a.y' + 3");
    expect(first([1, 3])).toContain("'b.u' holds 1 · 'a.y' + 3 instead of 2 · 'a.y' + 3");
    const [source] = plan.accesses[0].slots;
    const astray = editEach(plan.segments.step, only(Op.Affine), ({ op: [code, , b, c], body }) => [
      { op: [code, source.slot + 1, b, c], body },
    ]);
    expect(messages(withStep(plan, astray[0]), scenario)[0]).toContain(
      "holds 2 · 'a.y' element 1 + 3 instead of 2 · 'a.y' + 3",
    );
  });
});

describe("ops outside of the step", () => {
  const sloped = describedUnit("u -> y", {
    through: "",
    capabilities: { inputDerivativeOrder: 2 },
  });
  const held = scenarioOf({ a: moore, b: mealy }, RING, { step: 1 });
  const looped = scenarioOf({ a: mealy, b: mealy }, RING, { step: 1 });
  const quadratic = scenarioOf({ a: sloped, b: sloped }, "a.y -> b.u", {
    step: 1,
    options: { approximation: "quadratic" },
  });

  const edited = (plan: Plan, segment: "start" | "resolve" | "inputs", opcode: number): Plan[] =>
    editEach(plan.segments[segment], only(opcode), drop).map((ops) => ({
      ...plan,
      segments: { ...plan.segments, [segment]: ops },
    }));

  it.each<[string, Scenario, "start" | "inputs", number, string]>([
    ["a write", quadratic, "start", Op.Write, "plan-input-unwritten"],
    ["a sample", quadratic, "start", Op.Sample, "plan-value-lost"],
    ["a prediction", quadratic, "start", Op.Predict, "plan-input-unwritten"],
    ["slopes", quadratic, "start", Op.Slopes, "plan-input-unwritten"],
    ["a prediction of the inputs made again", quadratic, "inputs", Op.Predict, ""],
  ])("[PN43] [PN44] of %s are needed", (_, scenario, segment, opcode, expected) => {
    const plan = planFor(scenario);
    expect(codes(plan, scenario)).toEqual([]);
    const harmed = edited(plan, segment, opcode);
    expect(harmed.length).toBeGreaterThan(0);
    // The inputs made again change nothing where nothing else changed: that segment may be empty.
    for (const one of harmed)
      expect(codes(one, scenario)).toEqual(
        expected === "" ? [] : expect.arrayContaining([expected]),
      );
  });

  it("[PN41] that resolve signals again keep to the order of dependencies", () => {
    const plan = planFor(held);
    const [swapped] = [plan.segments.resolve].map((ops) => {
      const list = Array.from({ length: ops.length / OP_WIDTH }, (_, i) =>
        ops.subarray(i * OP_WIDTH, (i + 1) * OP_WIDTH),
      );
      const write = list.findIndex(([code]) => code === Op.Write);
      expect(write).toBeGreaterThan(0);
      return Int32Array.from(
        [...list.filter((_, i) => i !== write), list[write]].flatMap((op) => [...op]),
      );
    });
    const harmed = { ...plan, segments: { ...plan.segments, resolve: swapped } };
    // At the same instant all values are the same: nothing is stale.
    expect(codes(harmed, held)).toEqual([]);
    const initial = plan.segments.initial.map((item) =>
      item.kind === "ops" ? { ...item, ops: editEach(item.ops, only(Op.Write), drop)[0] } : item,
    );
    const unwritten = { ...plan, segments: { ...plan.segments, initial } };
    expect(codes(unwritten, held)).toContain("plan-reads-old");
  });

  it("[PN32] of a loop's sweep leave every image", () => {
    const plan = planFor(looped);
    const [loop] = plan.loops;
    const sweeps = editEach(loop.sweep, only(Op.Copy), drop);
    expect(sweeps).toHaveLength(2);
    for (const sweep of sweeps)
      expect(messages({ ...plan, loops: [{ ...loop, sweep }] }, looped)).toContainEqual(
        expect.stringMatching(/^loop 0: '[ab]\.u' holds nothing instead of/),
      );
    const unread = editEach(loop.sweep, only(Op.Read), drop);
    for (const sweep of unread)
      expect(codes({ ...plan, loops: [{ ...loop, sweep }] }, looped)).toContain("plan-value-lost");
  });

  it("[PN44] at initialization give every input its first value", () => {
    const plan = planFor(held);
    const initial = plan.segments.initial.map((item) =>
      item.kind === "ops" ? { ...item, ops: editEach(item.ops, only(Op.Copy), drop)[0] } : item,
    );
    expect(codes({ ...plan, segments: { ...plan.segments, initial } }, held)).not.toEqual([]);
  });
});

describe("recorded columns", () => {
  const scenario = scenarioOf({ a: moore, b: mealy }, "a.y -> b.u", { step: 1 });
  const record = [
    { unit: 0, port: 1, element: 0 },
    { unit: 1, port: 1, element: 0 },
    { unit: 1, port: 0, element: 0 },
  ];
  const plan = planFor(scenario, { record });
  const changed = (slot: (own: number, column: number) => number): string[] =>
    messages(
      {
        ...plan,
        record: {
          ...plan.record,
          columns: plan.record.columns.map((one, i) => ({ ...one, slot: slot(one.slot, i) })),
        },
      },
      scenario,
    );

  it("[PN41] come from the port that they name; what an input holds is not held to its time", () => {
    expect(changed((own) => own)).toEqual([]);
    const [first, second] = plan.record.columns;
    expect(changed((own, i) => (i === 0 ? second.slot : own))).toEqual([
      expect.stringContaining("column 0: 'a.y' is recorded from 'b.y'"),
    ]);
    expect(changed((own, i) => (i === 2 ? first.slot : own))).toEqual([]);
  });

  it("[PN41] belong to the newest state, and to the inputs of the same instant", () => {
    const reads = editEach(
      plan.segments.step,
      ([code, access]) => code === Op.Read && plan.accesses[access].unit === 1,
      drop,
    );
    expect(reads).toHaveLength(1);
    expect(messages(withStep(plan, reads[0]), scenario)).toEqual([
      expect.stringContaining("column 1: 'b.y': of tick 0 is recorded at tick 1"),
    ]);
    const writes = editEach(plan.segments.step, only(Op.Write), drop);
    expect(messages(withStep(plan, writes[0]), scenario)).toContainEqual(
      expect.stringContaining(
        "column 1: 'b.y': 'b.y' was read before 'b.u', on which it depends directly",
      ),
    );
  });
});

describe("findings", () => {
  it("[PN40] are at most twenty, each once, though every tick repeats them", () => {
    const count = 25;
    const units = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`u${String(i).padStart(2, "0")}`, moore]),
    );
    const names = Object.keys(units);
    const wires = names.map((name, i) => `${name}.y -> ${names[(i + 1) % count]}.u`).join("; ");
    const scenario = scenarioOf(units, wires, { step: 1 });
    const plan = planFor(scenario);
    expect(codes(plan, scenario)).toEqual([]);
    const found = checkPlan(withStep(plan, new Int32Array()), scenario);
    expect(found).toHaveLength(20);
    expect(new Set(found.map(({ message }) => message)).size).toBe(20);
    for (const { message } of found)
      expect(message).toContain("is not advanced to the end of its step");
  });

  it("[PN40] of a period that is too long are partial, and a note says so", () => {
    // Three rates without common factors: the period is their product, about 10^9 ticks.
    const steps = { a: 997, b: 1009, c: 1013 };
    const units = { a: moore, b: moore, c: moore };
    const scenario = scenarioOf(units, "a.y -> b.u; b.y -> c.u", { step: 1, steps });
    const [note, ...others] = checkPlan(planFor(scenario), scenario);
    expect(others).toEqual([]);
    expect([note.code, note.severity]).toEqual(["plan-check-partial", "note"]);
    expect(note.message).toContain(String(997 * 1009 * 1013));
  });

  it("[PN42] of a unit that is advanced by parts name the next part", () => {
    const options: ScenarioOptions = {
      step: 1,
      options: { approximation: "linear", microSteps: 3 },
    };
    const parts = describedUnit("u -> y", { through: "", capabilities: { variableStep: true } });
    const scenario = scenarioOf({ a: moore, b: parts }, "a.y -> b.u", options);
    const plan = planFor(scenario);
    const isLater = ([code, unit, part]: OpNode["op"]): boolean =>
      code === Op.Advance && unit === 1 && part === 1;
    const [without] = editEach(plan.segments.step, isLater, drop);
    expect(messages(withStep(plan, without), scenario)[0]).toContain(
      "'b' takes part 3 of 3 of its step, the next one is 2",
    );
    const [shorter] = editEach(plan.segments.step, isLater, ({ op: [code, u, k], body }) => [
      { op: [code, u, k, 2], body },
    ]);
    expect(codes(withStep(plan, shorter), scenario)).toContain("plan-advance-wrong");
  });
});
