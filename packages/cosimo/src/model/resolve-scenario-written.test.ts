/**
 * Scenarios from their text to what runs: what requirements, faults and formulas make of ports that
 * are not real numbers, and of scenarios inside of others.
 */
import { describe, expect, it } from "vitest";
import { parseScenarioYaml } from "../lang/scenario/parse-scenario.ts";
import { unlocatedIn } from "./apply-faults.ts";
import { resolveScenario } from "./resolve-scenario.ts";
import type { Scenario, ScenarioDraft } from "./scenario.ts";
import { standIn } from "./testing/stand-in-units.ts";

const UNITS = {
  plant: standIn("Plant", "in u =0; out x; out n :int32; out on :boolean; out word :string"),
  lamp: standIn("Lamp", "in on :boolean =false; in word :string =dark"),
};

function draftOf(text: string): ScenarioDraft {
  const units = "units: { p: plant.fmu, q: plant.fmu, lamp: lamp.fmu }\n";
  const { value, diagnostics } = parseScenarioYaml(`${units}${text}\n`, "s.yaml");
  expect(diagnostics).toEqual([]);
  return value!;
}

function resolved(draft: ScenarioDraft): { scenario?: Scenario; messages: string[] } {
  const { value, diagnostics } = resolveScenario(
    draft,
    (source) => (source.kind === "fmu" && source.path === "lamp.fmu" ? UNITS.lamp : UNITS.plant),
    () => undefined,
  );
  const messages = diagnostics.map(({ code, message }) => `${code}: ${message}`);
  return value === undefined ? { messages } : { scenario: value, messages };
}

describe("requirements of nested scenarios", () => {
  const nested = (text: string): ScenarioDraft => {
    const outer = draftOf("");
    const scenario = { ...draftOf(text), name: "inner" };
    const source = { kind: "scenario", scenario } as const;
    return { ...outer, units: outer.units.map((unit) => ({ ...unit, source })) };
  };

  it("are not checked, which is said once where there are some", () => {
    expect(resolved(nested("")).messages).toEqual([]);
    const { scenario, messages } = resolved(nested("requirements: ['always p.x < 5']"));
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain("requirement-nested: ");
    expect(scenario?.requirements).toBeUndefined();
  });

  it("are those of the scenario that runs otherwise", () => {
    const { scenario, messages } = resolved(draftOf("requirements: ['always p.x < 5']"));
    expect(messages).toEqual([]);
    expect(scenario?.requirements).toHaveLength(1);
    expect(scenario).not.toHaveProperty("hints");
  });
});

describe("conditions of faults", () => {
  const unlocated = (condition: string): readonly string[] => {
    const { scenario, messages } = resolved(
      draftOf(`faults: [{ port: p.u, stuck: 0, while: '${condition}' }]`),
    );
    expect(messages).toEqual([]);
    return scenario!.faults!.flatMap((fault) => unlocatedIn(scenario!, fault));
  };

  it("[FA12] have instants that masters locate where they compare reals, but not the time alone", () => {
    expect(unlocated("abs(q.x) > 2")).toEqual([]);
    expect(unlocated("q.x > 2")).toEqual([]);
    expect(unlocated("time > 2")).toEqual(["time > 2"]);
  });

  it("[FA12] change at communication points anyway where they compare whole numbers", () => {
    expect(unlocated("abs(q.n) > 2")).toEqual([]);
    expect(unlocated("q.n > 2")).toEqual([]);
    expect(unlocated("q.on")).toEqual([]);
  });

  it("flip bits of numbers and booleans, and of nothing else", () => {
    const flipped = (port: string): string[] =>
      resolved(draftOf(`faults: [{ port: ${port}, bit-flip: 0, at: 1 }]`)).messages;
    expect(flipped("p.n")).toEqual([]);
    expect(flipped("p.on")).toEqual([]);
    expect(flipped("p.x")).toEqual([]);
    expect(flipped("p.word")[0]).toContain("'bit-flip' is for numbers and booleans");
  });
});

describe("units that formulas become", () => {
  it("have inputs that start as their type does", () => {
    const { scenario, messages } = resolved(
      draftOf("connections: [p.on and not q.on -> lamp.on, p.x + q.x -> p.u]"),
    );
    expect(messages).toEqual([]);
    const starts = scenario!.units
      .filter(({ source }) => source.kind === "formula")
      .map(({ description }) =>
        description.ports
          .filter(({ direction }) => direction === "input")
          .map(({ start }) => start),
      );
    expect(starts).toEqual([
      [[false], [false]],
      [[0], [0]],
    ]);
  });
});
