/**
 * Explanations in detail: sources that are named once, values of unconnected inputs, steps, needs.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { Capabilities, Port, UnitDescription } from "../../model/unit-description.ts";
import { compilePlan } from "../compile.ts";
import { describedUnit } from "../testing/described-unit.ts";
import { explain } from "../testing/explain.ts";
import { randomCase } from "../testing/random-scenario.ts";
import { type ScenarioOptions, scenarioOf } from "../testing/scenario-of.ts";
import { explainScenario } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import { explanationText } from "./explanation-text.ts";

const section = (explanation: Explanation, title: string): string =>
  explanationText(explanation)
    .split("\n\n")
    .find((part) => part.startsWith(title)) ?? "";

const open = describedUnit("u, v -> x, y", { through: "" });
const reactive = describedUnit("u!, v! -> x, y", {
  through: "",
  capabilities: { variableStep: true },
});

describe("two connections from one unit", () => {
  it("[PN63] name the source once in the order, and count both in the couplings", () => {
    const e = explain({ a: open, b: open }, "a.x -> b.u; a.y -> b.v", { master: "gauss-seidel" });
    expect(e.order.units).toEqual([
      { name: "a", reason: "needs no new values" },
      { name: "b", reason: "after a, whose new values it gets" },
    ]);
    expect(e.couplings).toEqual([{ from: "a", to: "b", count: 2 }]);
    expect(section(e, "couplings")).toBe("couplings\n  a  → b (2)");
  });

  it("[PN63] name several sources once each, in the order of their connections", () => {
    const e = explain({ a: open, b: open, c: open }, "b.x -> c.u; a.x -> c.v; b.y -> a.u", {
      master: "gauss-seidel",
    });
    expect(e.order.units.at(-1)).toEqual({
      name: "c",
      reason: "after b, a, whose new values it gets",
    });
  });

  it("[PN61] count a reactive loop once, whatever the number of wires", () => {
    const e = explain(
      { a: reactive, b: reactive },
      "a.x -> b.u; a.y -> b.v; b.x -> a.u; b.y -> a.v",
      {
        master: "gauss-seidel",
      },
    );
    expect(e.loops).toHaveLength(1);
    expect(e.loops[0].units).toEqual(["a", "b"]);
    expect(e.loops[0].treatment).toBe(
      "a.u, a.v use their sources' values of the start instead; an iterating master would solve it",
    );
  });
});

describe("names in random scenarios", () => {
  it("[PN67] are never repeated in one reason, one coupling or one loop", () => {
    const isDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length;
    fc.assert(
      fc.property(randomCase(5), ({ scenario }) => {
        const { value } = compilePlan(scenario, { record: [] });
        const e = explainScenario(scenario, unwrap({ ...(value && { value }), diagnostics: [] }));
        for (const { reason } of e.order.units) {
          const [, sources] = /^after (.*), whose/.exec(reason) ?? [];
          expect(isDistinct(sources?.split(", ") ?? [])).toBe(true);
        }
        expect(isDistinct(e.couplings.map(({ from, to }) => `${from} ${to}`))).toBe(true);
        for (const { ports } of e.loops) expect(isDistinct(ports)).toBe(true);
        const wires = e.couplings.reduce((sum, { count }) => sum + count, 0);
        expect(wires).toBe(scenario.connections.length);
      }),
      { numRuns: 60 },
    );
  });
});

describe("unconnected inputs", () => {
  const port = (more: Partial<Port>): UnitDescription => {
    const [u] = describedUnit("u ->").ports;
    return { ...describedUnit("u ->"), ports: [{ ...u, ...more }] };
  };
  const shown = (more: Partial<Port>): string | undefined =>
    explain({ a: port(more) }, "").openInputs[0]?.value;

  it.each<[Partial<Port>, string | undefined]>([
    [{ start: [2.5] }, "2.5"],
    [{ start: [2.5], unit: { name: "m" } }, "2.5 m"],
    [{ type: "boolean", start: [true] }, "true"],
    [{ type: "boolean", start: [0] }, "false"],
    [{ type: "string", start: ["hi"] }, '"hi"'],
    [{ type: "binary", start: [new Uint8Array(3)] }, "3 bytes"],
    [{ type: "enumeration", start: [2], items: new Map([[2, "open"]]) }, "open"],
    [{ type: "enumeration", start: [3], items: new Map([[2, "open"]]) }, "3"],
    [{ shape: [3], start: [7] }, "7"],
    [{ shape: [2], start: [1, 2] }, "(1, 2)"],
    [{ shape: [7], start: [1, 2, 3, 4, 5, 6, 7] }, "(1, 2, 3, 4, 5, 6, …)"],
    [{ shape: [6], start: [1, 2, 3, 4, 5, 6] }, "(1, 2, 3, 4, 5, 6)"],
    [{}, undefined],
  ])("[PN62] keep %j", (more, expected) => {
    expect(shown(more)).toBe(expected);
  });

  it("[PN62] are not clocks, and not inputs that hold a constraint", () => {
    expect(explain({ a: port({ type: "clock" }) }, "").openInputs).toEqual([]);
    const able = describedUnit("u -> y", {
      through: "",
      capabilities: { rollback: true, variableStep: true },
    });
    const place = { file: "test" };
    const [left, right] = [0, 1].map((unit) => ({ unit, port: 1, element: 0 }));
    const by = [{ unit: 0, port: 0, element: 0, factor: 1 }];
    const constraints = [{ left, right, factor: 1, offset: 0, by, text: "a.y = b.y", place }];
    const e = explain({ a: able, b: able }, "", { master: "iterative", extras: { constraints } });
    expect(e.openInputs.map(({ input }) => input)).toEqual(["b.u"]);
  });
});

describe("the recommended step", () => {
  const unit = (step?: number, preferredStep?: number): UnitDescription => ({
    ...describedUnit("u -> y", {
      through: "",
      capabilities: preferredStep === undefined ? {} : { preferredStep },
    }),
    experiment: step === undefined ? {} : { step },
  });
  const stepOf = (
    units: Readonly<Record<string, UnitDescription>>,
    more: (s: Scenario) => Scenario = (s) => s,
  ) => {
    const { step, stepReason } = explain(units, "", {}, more).recommendation;
    return [step, stepReason];
  };

  it("[PN64] is the smallest that a unit prefers, with its experiment before its capability", () => {
    expect(stepOf({ a: unit(0.5), b: unit(undefined, 0.25) })).toEqual([
      0.25,
      "'b' prefers it, the smallest of 2 preferences",
    ]);
    expect(stepOf({ a: unit(0.5, 0.1) })).toEqual([0.5, "'a' prefers it"]);
    expect(stepOf({ a: unit(0) })[1]).toBe("as the scenario says; no unit prefers another");
  });

  it("[PN64] is a thousandth of the experiment, or unknown, where nothing prefers one", () => {
    // The plan has its step from outside; the scenario says none.
    const without = (experiment: Scenario["experiment"]): unknown[] => {
      const scenario = { ...scenarioOf({ a: unit() }, ""), experiment };
      const compiled = unwrap(compilePlan(scenario, { record: [], step: 1 }));
      const { step, stepReason } = explainScenario(scenario, compiled).recommendation;
      return [step, stepReason];
    };
    expect(without({ start: 1, stop: 3 })).toEqual([
      0.002,
      "no unit prefers a step: start with 1000 points over the experiment",
    ]);
    expect(without({ start: 3, stop: 3 })).toEqual([
      undefined,
      "no unit prefers one: start with a tenth of the fastest time constant",
    ]);
    expect(without({})[0]).toBeUndefined();
  });
});

describe("what a master needs", () => {
  const unit = (capabilities: Partial<Capabilities>): UnitDescription =>
    describedUnit("u -> y", { through: "", capabilities });
  const needs = (
    units: Readonly<Record<string, UnitDescription>>,
    options: ScenarioOptions = {},
  ): string[] =>
    explain(units, "a.y -> b.u", options).master.needs.map(
      ({ need, met, detail }) => `${met ? "ok" : "NO"} ${need}: ${detail}`,
    );

  it("[PN65] names units that end steps early, and those that need their tool", () => {
    const found = needs({
      a: unit({ earlyReturn: true }),
      b: unit({ eventMode: true, needsExecutionTool: true }),
    });
    expect(found).toContain(
      "ok whole steps: a, b may have events inside a step: they take effect at the next communication point",
    );
    expect(found).toContain("ok every unit in this process: b also need their tool installed");
  });

  it("[PN65] accepts whole multiples of a preferred step, and nothing else", () => {
    const steps = (preferredStep: number): string =>
      needs({ a: unit({ preferredStep }), b: unit({}) }).find((text) =>
        text.includes("fixed size"),
      ) ?? "";
    expect(steps(0.05)).toBe("ok steps of a fixed size: every unit can take them");
    expect(steps(0.1)).toContain("ok ");
    expect(steps(0.2)).toBe(
      "NO steps of a fixed size: a works with 0.2 s and gets 0.1 s: choose a whole multiple",
    );
    expect(steps(0.03)).toContain("NO ");
    expect(steps(0)).toContain("ok ");
  });

  it("[PN65] says which reactive inputs of a sequence get the value of the start", () => {
    const follows = (order: readonly string[]): string | undefined =>
      needs(
        {
          a: unit({}),
          b: describedUnit("u! -> y", { through: "", capabilities: { variableStep: true } }),
        },
        {
          master: "gauss-seidel",
          options: { order },
        },
      ).find((text) => text.includes("reactive inputs"));
    const need = "ok reactive inputs that follow their source within a step";
    expect(follows(["a", "b"])).toBe(`${need}: 1 of 1 do`);
    expect(follows(["b", "a"])).toBe(`${need}: 1 of 1 get the value of the start instead: b.u`);
  });
});

describe("the page", () => {
  it("[PN67] cuts long lists, and says how to see the rest", () => {
    const names = Array.from({ length: 25 }, (_, i) => `u${String(i).padStart(2, "0")}`);
    const units = Object.fromEntries(names.map((name) => [name, open]));
    const wires = names.slice(1).map((name, i) => `${names[i]}.x -> ${name}.u`);
    const lines = section(explain(units, wires.join("; ")), "couplings").split("\n");
    expect(lines).toHaveLength(1 + 20 + 1);
    expect(lines.at(-1)).toBe("  … and 4 more: --json has all");
    const all = section(
      explain(
        units,
        names
          .slice(1)
          .map((name) => `u00.x -> ${name}.u`)
          .join("; "),
      ),
      "couplings",
    );
    expect(all).toBe("couplings\n  u00  → u01, u02, u03, u04, u05, u06 and 18 more");
  });

  it("[PN67] says how values are held, converted, declared and delayed", () => {
    const mealy = describedUnit("u -> y", { through: "y" });
    const e = explain(
      { a: mealy, b: mealy },
      "a.y -> b.u; b.y -> a.u",
      { master: "gauss-seidel", kind: "delayed" },
      (s) => ({
        ...s,
        connections: s.connections.map((c, i) => (i === 0 ? { ...c, factor: 2, offset: -3 } : c)),
      }),
    );
    expect(section(e, "conversions")).toBe("conversions\n  a.y → b.u  · 2 - 3");
    expect(section(e, "inputs within a step").split("\n")).toEqual([
      "inputs within a step",
      "  all are held constant",
      "  b.u is delayed: declared by its connection",
      "  a.u is delayed: declared by its connection",
      "  b.y → a.u is one step old",
    ]);
    expect(section(e, "rates")).toBe("rates\n  one tick is 0.1 s; every unit steps every tick");
  });

  it("[PN67] has no couplings and no order where nothing is connected", () => {
    const e = explain({ a: open }, "");
    expect(section(e, "couplings")).toBe("couplings\n  none: the units run side by side");
    expect(section(e, "order")).toContain(
      "any: every unit gets the values of the start of the step",
    );
  });
});
