import { describe, expect, it } from "vitest";
import { formatDiagnostic, unwrap } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { compilePlan } from "./compile.ts";
import { Op, type Plan } from "./plan.ts";
import { planHash } from "./plan-hash.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { toNodes } from "./testing/edit-ops.ts";
import { type ScenarioOptions, scenarioOf } from "./testing/scenario-of.ts";

const moore = describedUnit("u -> y", { through: "" });
const mealy = describedUnit("u -> y", { through: "y" });
const RING = "a.y -> b.u; b.y -> a.u";

function planOf(scenario: Scenario, record: readonly [number, number][] = [], every = 1): Plan {
  const columns = record.map(([unit, port]) => ({ unit, port, element: 0 }));
  return unwrap(compilePlan(scenario, { record: columns, recordEvery: every })).plan;
}

/** Ports of the ops of one kind, as unit numbers and port lists, in order. */
function accessed(plan: Plan, opcode: number, ops: Int32Array = plan.segments.step): string[] {
  return toNodes(ops)
    .flatMap(({ op, body }) => [op, ...body.map((inner) => inner.op)])
    .filter(([code]) => code === opcode)
    .map(([, a]) => plan.accesses[a])
    .map(({ unit, slots }) => `${unit}:${slots.map(({ port }) => port)}`);
}

function mistakes(options: ScenarioOptions, units = { a: moore, b: moore }): string[] {
  const scenario = scenarioOf(units, RING, options);
  const { diagnostics } = compilePlan(scenario, { record: [] });
  return diagnostics.map((d) => `${d.severity} ${d.code}`);
}

describe("compiling a scenario", () => {
  it("[PN31] advances first, then reads, moves and writes", () => {
    const plan = planOf(scenarioOf({ a: moore, b: moore }, RING, { step: 0.1 }));
    expect(toNodes(plan.segments.step).map(({ op }) => op[0])).toEqual([
      Op.Advance,
      Op.Advance,
      Op.Read,
      Op.Read,
      Op.Copy,
      Op.Copy,
      Op.Write,
      Op.Write,
    ]);
  });

  it("[PN35] does at slower rates only what belongs to slower units", () => {
    const scenario = scenarioOf({ a: moore, b: moore }, RING, { step: 0.1, steps: { b: 0.3 } });
    const nodes = toNodes(planOf(scenario).segments.step);
    const slow = nodes.filter(({ op }) => op[0] === Op.Every);
    expect(slow.every(({ op }) => op[1] === 3)).toBe(true);
    expect(slow.flatMap(({ body }) => body.map(({ op }) => op[0]))).toEqual([
      Op.Advance,
      Op.Read,
      Op.Copy,
      Op.Write,
    ]);
  });

  it("[PN32] begins with start values where no connection brings others: open elements, loops", () => {
    const pair = describedUnit("u -> y", { through: "", shape: [2] });
    const scenario = scenarioOf({ a: pair, b: pair }, "a.y -> b.u", { step: 0.1 });
    const connections = [{ ...scenario.connections[0], count: 1 }];
    const first = (plan: Plan): Int32Array => {
      const [item] = plan.segments.initial;
      return item?.kind === "ops" ? item.ops : new Int32Array();
    };
    const partial = planOf({ ...scenario, connections });
    expect(accessed(partial, Op.Read, first(partial))).toContain("1:0");
    const whole = planOf(scenario);
    expect(accessed(whole, Op.Read, first(whole))).not.toContain("1:0");
    const loop = planOf(scenarioOf({ a: mealy, b: mealy }, RING, { step: 0.1 }));
    expect(accessed(loop, Op.Read, first(loop))).toEqual(["1:0", "0:0"]);
  });

  it("[PN33] reads a recorded output after the inputs that act on it at once were written", () => {
    const sink = describedUnit("u -> y", {
      through: "y",
      capabilities: { inputDerivativeOrder: 1 },
    });
    const options = { step: 0.1, options: { approximation: "linear" } };
    const plan = planOf(scenarioOf({ a: moore, b: sink }, "a.y -> b.u", options), [[1, 1]]);
    const codes = toNodes(plan.segments.step).map(({ op }) => op[0]);
    expect(codes).toEqual([
      ...[Op.Advance, Op.Advance, Op.Read, Op.Copy],
      ...[Op.Write, Op.Read],
      ...[Op.Sample, Op.Predict, Op.Write, Op.Slopes],
    ]);
  });

  it("[PN33] reads what is only recorded as seldom as it is recorded", () => {
    const scenario = scenarioOf({ a: moore, b: mealy }, "a.y -> b.u", { step: 0.1 });
    const seldom = toNodes(planOf(scenario, [[1, 1]], 5).segments.step).find(
      ({ op }) => op[0] === Op.Every,
    );
    expect(seldom?.op[1]).toBe(5);
    expect(seldom?.body.map(({ op }) => op[0])).toEqual([Op.Read]);
  });

  it("[PN36] reads an output once where it was read early and no input acts on it", () => {
    const reactive = describedUnit("u! -> y", {
      through: "",
      capabilities: { inputDerivativeOrder: 1 },
    });
    const options = { step: 0.1, master: "gauss-seidel" };
    const once = planOf(scenarioOf({ a: moore, b: reactive }, "a.y -> b.u", options));
    expect(accessed(once, Op.Read)).toEqual(["0:1"]);
    const again = planOf(
      scenarioOf({ a: mealy, b: reactive, c: moore }, "a.y -> b.u; c.y -> a.u", options),
    );
    expect(accessed(again, Op.Read).filter((text) => text === "0:1")).toHaveLength(2);
  });

  it("[PN37] is deterministic", () => {
    const plan = (): string =>
      planHash(planOf(scenarioOf({ a: mealy, b: moore }, RING, { step: 0.1 })));
    expect(plan()).toBe(plan());
  });

  it("[PN11] [PN14] [PN25] reports what it cannot do, with a fix", () => {
    expect(mistakes({})).toEqual(["error step-missing"]);
    expect(mistakes({ step: 1, steps: { b: Math.SQRT2 } })).toEqual([
      "error steps-incommensurable",
    ]);
    expect(mistakes({ step: 1, master: "jakobi" })).toEqual(["error master-unknown"]);
    expect(mistakes({ step: 1, master: "gauss-seidel", options: { order: ["a"] } })).toEqual([
      "error order-incomplete",
    ]);
    expect(mistakes({ step: 1, options: { approximation: "cubic" } })).toEqual([
      "error approximation-unknown",
    ]);
    expect(mistakes({ step: 1, options: { microSteps: 2.5 } })).toEqual([
      "error micro-steps-invalid",
    ]);
    expect(mistakes({ step: 1, options: { microSteps: "many" } })).toEqual([
      "error micro-steps-invalid",
    ]);
    expect(mistakes({ step: 1 }, { a: mealy, b: mealy })).toEqual(["warning loop-delayed"]);
    const scenario = scenarioOf({ a: moore, b: moore }, RING, { step: 1, master: "jakobi" });
    expect(compilePlan(scenario, { record: [] }).diagnostics.map(formatDiagnostic)[0]).toBe(
      "test error master-unknown: there is no master 'jakobi'\n  fix: did you mean 'jacobi'?",
    );
  });

  it("[PN6] reports every loop where it is broken, in connections of its own", () => {
    const units = { a: mealy, b: mealy, c: mealy, d: mealy };
    const scenario = scenarioOf(units, `${RING}; c.y -> d.u; d.y -> c.u`, { step: 1 });
    const connections = scenario.connections.map((connection, c) => ({
      ...connection,
      place: { file: "test", line: c + 1 },
    }));
    const { diagnostics } = compilePlan({ ...scenario, connections }, { record: [] });
    expect(diagnostics.map((d) => d.code)).toEqual(["loop-delayed", "loop-delayed"]);
    const lines = diagnostics.map((d) => d.place?.line ?? 0).sort();
    expect(lines[0]).toBeLessThanOrEqual(2);
    expect(lines[1]).toBeGreaterThanOrEqual(3);
  });

  it("[PN34] refuses loops of anything but numbers, and types that cannot hold each other", () => {
    const whole = describedUnit("u -> y", { through: "y", type: "int64" });
    expect(mistakes({ step: 1 }, { a: whole, b: whole })).toContain("error loop-not-numeric");
    const text = describedUnit("u -> y", { through: "", type: "string" });
    expect(mistakes({ step: 1 }, { a: text, b: moore })).toContain("error conversion-unsupported");
  });
});
