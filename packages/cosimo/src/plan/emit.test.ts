/**
 * What the last pass makes of schedules and approximations, read as the text of the plan.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { Connection, Scenario } from "../model/scenario.ts";
import type { ValueType } from "../model/value-type.ts";
import { type CompileOptions, compilePlan } from "./compile.ts";
import { printPlan } from "./print-plan.ts";
import { codesOf } from "./testing/codes-of.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { type ScenarioOptions, scenarioOf } from "./testing/scenario-of.ts";

/** The lines of a section of the printed plan, without op numbers. */
function ops(scenario: Scenario, title: string, options: Partial<CompileOptions> = {}): string[] {
  const { plan } = unwrap(compilePlan(scenario, { record: [], ...options }));
  const text = printPlan(plan, scenario);
  const lines =
    text
      .split("\n\n")
      .find((part) => part.startsWith(title))
      ?.split("\n") ?? [];
  return lines.slice(1).map((line) => line.replace(/^\s*\d+ {2}/, ""));
}

const typed = (type: ValueType, shape: readonly number[] = []) =>
  describedUnit("u -> y", { through: "", type, shape });

function pair(from: ValueType, to: ValueType, change: Partial<Connection> = {}): Scenario {
  const scenario = scenarioOf({ a: typed(from), b: typed(to) }, "a.y -> b.u", { step: 1 });
  return { ...scenario, connections: scenario.connections.map((c) => ({ ...c, ...change })) };
}

const moveOf = (scenario: Scenario): string | undefined =>
  ops(scenario, "step").find((line) => line.startsWith("b.u ←"));

describe("a move", () => {
  it.each<[ValueType, ValueType, Partial<Connection>, string]>([
    ["float64", "float64", {}, "b.u ← a.y"],
    ["float64", "float32", { factor: 2 }, "b.u ← 2 · a.y"],
    ["float64", "float64", { offset: -1 }, "b.u ← a.y - 1"],
    ["float64", "float64", { factor: -1, offset: 3 }, "b.u ← -1 · a.y + 3"],
    ["boolean", "int32", {}, "b.u ← a.y"],
    ["int64", "int64", {}, "b.u ← a.y"],
    ["string", "string", {}, "b.u ← a.y"],
    ["int32", "int64", {}, "b.u ← a.y as integer"],
    ["int64", "float64", {}, "b.u ← a.y as real"],
    ["uint64", "float64", {}, "b.u ← a.y as real"],
    ["int32", "int32", { mapping: [{ from: 1, to: 2 }] }, "b.u ← table 0 of a.y: 1 → 2"],
  ])("[PN34] from %s to %s with %j", (from, to, change, expected) => {
    expect(moveOf(pair(from, to, change))).toBe(expected);
  });

  it("[PN34] scales a 64-bit integer once it is a real", () => {
    const lines = ops(pair("int64", "float64", { factor: 0.5 }), "step");
    const at = lines.indexOf("b.u ← a.y as real");
    expect(lines.slice(at, at + 2)).toEqual(["b.u ← a.y as real", "b.u ← 0.5 · b.u"]);
  });

  it("[PN34] is refused between numbers and texts", () => {
    expect(codesOf(pair("string", "float64"))).toContain("conversion-unsupported");
    expect(codesOf(pair("float64", "string"))).toContain("conversion-unsupported");
  });

  it("[PN31] shares equal constants, and no others; -0 is not 0", () => {
    const units = {
      a: typed("float64"),
      b: typed("float64"),
      c: typed("float64"),
      d: typed("float64"),
    };
    const scenario = scenarioOf(units, "a.y -> b.u * 2; a.y -> c.u * 2; a.y -> d.u * 3", {
      step: 1,
    });
    const constants = (connections: readonly Connection[]): number[] => [
      ...unwrap(compilePlan({ ...scenario, connections }, { record: [] })).plan.constants,
    ];
    expect(constants(scenario.connections)).toEqual([2, 0, 3, 0]);
    const [first, second, third] = scenario.connections;
    expect(constants([first, { ...second, offset: -0 }, third])).toHaveLength(6);
  });
});

describe("inputs of an array with several sources", () => {
  /**
   * b.u has three elements: the first from a, the second from c; the third keeps its start value.
   */
  function mixed(options: ScenarioOptions): Scenario {
    const able = { variableStep: true };
    const sink = describedUnit("u -> y", { through: "", shape: [3], capabilities: able });
    const source = describedUnit("u -> y", { through: "", capabilities: able });
    const scenario = scenarioOf({ a: source, b: sink, c: source }, "a.y -> b.u; c.y -> b.u", {
      step: 1,
      ...options,
    });
    const connections = scenario.connections.map((c, i) => ({ ...c, toElement: i, count: 1 }));
    return { ...scenario, connections };
  }

  it("[PN32] keep the start values of elements without a source", () => {
    expect(ops(mixed({}), "initialization")[0]).toBe("read b.u → s2..s4");
  });

  it("[PN26] are assembled before the advance, element by element", () => {
    const lines = ops(
      mixed({ master: "gauss-seidel", options: { order: ["a", "b", "c"] } }),
      "step",
    );
    const advance = lines.indexOf("advance b");
    // The first element has the end's value of a; the others were put aside when the last step was
    // over.
    expect(lines.slice(0, 3)).toEqual(["advance a", "read a.y → s0", "b.u[1] ← a.y"]);
    expect(advance).toBe(5);
    expect(lines[3]).toMatch(/← b\.u\[1\]$/);
    expect(lines[4]).toMatch(/^write b\.u ← /);
    const coming = lines.slice(advance).filter((line) => / ← b\.u\[[23]\]$/.test(line));
    expect(coming).toHaveLength(2);
  });

  it("[PN26] take whole ports where all elements take the end", () => {
    const lines = ops(
      mixed({ master: "gauss-seidel", options: { order: ["a", "c", "b"] } }),
      "step",
    );
    expect(lines.filter((line) => line.startsWith("write b.u"))).toHaveLength(1);
  });
});

describe("recorded ports", () => {
  const record = [{ unit: 0, port: 1, element: 0 }];

  it("[PN33] that are not connected are read as seldom as they are recorded", () => {
    const alone = scenarioOf({ a: describedUnit("u -> y", { through: "" }) }, "", { step: 1 });
    expect(ops(alone, "step", { record })).toEqual(["advance a", "read a.y → s0"]);
    expect(ops(alone, "step", { record, recordEvery: 5 })).toEqual([
      "advance a",
      "every 5 ticks:",
      "  read a.y → s0",
    ]);
    expect(ops(alone, "start", { record, recordEvery: 5 })).toEqual(["read a.y → s0"]);
  });

  it("[PN33] that are connected are read with every step anyway", () => {
    const scenario = scenarioOf({ a: typed("float64"), b: typed("float64") }, "a.y -> b.u", {
      step: 1,
    });
    expect(ops(scenario, "step", { record, recordEvery: 5 })).not.toContain("every 5 ticks:");
  });

  it("[PN33] may be numbers about the run, those that are wanted", () => {
    const able = describedUnit("u -> y", {
      through: "",
      capabilities: { rollback: true, variableStep: true },
    });
    const scenario = scenarioOf({ a: able, b: able }, "a.y -> b.u; b.y -> a.u", {
      step: 1,
      master: "iterative",
    });
    const columns = (options: Partial<CompileOptions>): (string | undefined)[] =>
      unwrap(compilePlan(scenario, { record: [], ...options })).plan.record.columns.map(
        ({ name }) => name,
      );
    expect(columns({})).toEqual(["master.step", "master.iterations", "master.residual"]);
    expect(columns({ statistics: (name) => name.endsWith("step") })).toEqual(["master.step"]);
    expect(columns({ statistics: () => false, growth: true })).toEqual(["master.growth"]);
  });
});

describe("rates", () => {
  it("[PN35] share one skip between neighbours of the same rate", () => {
    const unit = typed("float64");
    const scenario = scenarioOf({ a: unit, b: unit, c: unit }, "a.y -> b.u; b.y -> c.u", {
      step: 1,
      steps: { b: 3, c: 3 },
    });
    const lines = ops(scenario, "step");
    expect(lines.slice(0, 4)).toEqual([
      "advance a",
      "every 3 ticks:",
      "  advance b",
      "  advance c",
    ]);
  });

  it("[PN10] of a nested step are ticks of the common step", () => {
    const unit = typed("float64");
    const scenario = scenarioOf({ a: unit, b: unit }, "a.y -> b.u", { step: 0.4, steps: { a: 1 } });
    const { plan } = unwrap(compilePlan(scenario, { record: [] }));
    expect([plan.step, plan.units.map(({ ticks }) => ticks)]).toEqual([0.2, [5, 2]]);
  });
});

describe("what compiling refuses", () => {
  const moore = typed("float64");
  const scenario = scenarioOf({ a: moore, b: moore }, "a.y -> b.u", { step: 1 });
  const withMaster = (name: string, options: Readonly<Record<string, unknown>> = {}): Scenario => ({
    ...scenario,
    master: { ...scenario.master, name, options },
  });

  it.each<[Scenario, Partial<CompileOptions>, string[]]>([
    [scenario, {}, []],
    [withMaster("jacoby"), {}, ["master-unknown"]],
    [scenario, { master: "nothing" }, ["master-unknown"]],
    [{ ...scenario, experiment: {} }, {}, ["step-missing"]],
    [scenario, { step: 0 }, ["step-missing"]],
    [scenario, { step: -1 }, ["step-missing"]],
    [withMaster("jacobi", { approximation: "cubic" }), {}, ["approximation-unknown"]],
    [withMaster("jacobi", { microSteps: 0 }), {}, ["micro-steps-invalid"]],
    [withMaster("jacobi", { microSteps: 1.5 }), {}, ["micro-steps-invalid"]],
    [withMaster("gauss-seidel", { order: ["a"] }), {}, ["order-incomplete"]],
    [withMaster("jacobi", { order: ["a"] }), {}, []],
    [withMaster("gauss-seidel", { order: "automatic" }), {}, []],
    [
      {
        ...scenario,
        units: scenario.units.map((u, i) => ({ ...u, step: i === 0 ? 1 : Math.SQRT2 })),
      },
      {},
      ["steps-incommensurable"],
    ],
  ])("[PN11] [PN14] [PN25] case %#", (given, options, expected) => {
    expect(codesOf(given, options)).toEqual(expected);
  });

  it("[PN64] takes the smallest preferred step where none is given", () => {
    const prefers = (step: number) => ({ ...moore, experiment: { step } });
    const units = { a: prefers(0.5), b: prefers(0.25) };
    const { plan } = unwrap(compilePlan(scenarioOf(units, "a.y -> b.u"), { record: [] }));
    expect(plan.step).toBe(0.25);
  });
});
