/**
 * The features of the taxonomy, one by one: each is listed where it applies, and not without it.
 */
import { describe, expect, it } from "vitest";
import type { Scenario, UnitSource } from "../../model/scenario.ts";
import type { Capabilities, Port, UnitDescription } from "../../model/unit-description.ts";
import { describedUnit } from "../testing/described-unit.ts";
import { type ExplainedOptions, explained, featuresOf } from "../testing/explained.ts";

const able: Partial<Capabilities> = { rollback: true, variableStep: true };
const unit = (capabilities: Partial<Capabilities> = {}): UnitDescription =>
  describedUnit("u -> y", { through: "", capabilities });
const withPorts = (change: (port: Port) => Partial<Port>): UnitDescription => ({
  ...unit(),
  ports: unit().ports.map((port) => ({ ...port, ...change(port) })),
});
const RING = "a.y -> b.u; b.y -> a.u";
const place = { file: "test" };

const features = (a: UnitDescription, options: ExplainedOptions = {}): string[] =>
  featuresOf(explained({ a, b: unit(able) }, RING, options));

const sourced =
  (source: UnitSource) =>
  (scenario: Scenario): Scenario => ({
    ...scenario,
    units: scenario.units.map((one, u) => (u === 0 ? { ...one, source } : one)),
  });
const adapted: UnitSource = {
  kind: "adapted",
  adaptation: "multi-rate",
  arguments: [],
  inner: { kind: "fmu", path: "a.fmu" },
  place,
};

describe("a feature of one unit", () => {
  it.each<[string, UnitDescription]>([
    ["preferred step size", unit({ preferredStep: 0.1 })],
    ["time derivatives of outputs", unit({ outputDerivativeOrder: 1 })],
    ["output Jacobian", unit({ directionalDerivatives: true })],
    ["serialized state", unit({ serialize: true })],
    ["micro-step outputs", unit({ intermediateUpdate: true })],
    ["DE", unit({ eventMode: true })],
    ["input extrapolation", withPorts((p) => (p.direction === "input" ? { reactive: true } : {}))],
    [
      "nominal values of outputs",
      withPorts((p) => (p.direction === "output" ? { nominal: 5 } : {})),
    ],
    ["I/O signal kind", withPorts(() => ({ nature: "piecewise-constant" }))],
    ["IP protection", { ...unit(), backend: "fmi2" }],
    ["FMI", { ...unit(), backend: "fmi3" }],
  ])("[PN66] %s", (feature, description) => {
    expect(features(description)).toContain(feature);
    expect(features(unit())).not.toContain(feature);
  });

  it.each<[string, UnitDescription]>([
    [
      "nominal values of outputs",
      withPorts((p) => (p.direction === "input" ? { nominal: 5 } : {})),
    ],
    ["input extrapolation", withPorts((p) => (p.direction === "input" ? { reactive: false } : {}))],
  ])("[PN66] %s belongs to the other direction or kind", (feature, description) => {
    expect(features(description)).not.toContain(feature);
  });

  it("[PN66] feed-through is a fact that the unit discloses, also that it has none", () => {
    const silent = describedUnit("u -> y");
    expect(features(unit())).toContain("feed-through");
    expect(featuresOf(explained({ a: silent }, ""))).not.toContain("feed-through");
  });

  it.each<[string, Partial<Capabilities>, Partial<Capabilities>]>([
    ["rollback", able, able],
    ["rollback of some units", able, {}],
    ["no rollback", {}, {}],
  ])("[PN66] %s", (feature, a, b) => {
    const found = featuresOf(explained({ a: unit(a), b: unit(b) }, RING));
    expect(found.filter((text) => text.includes("rollback"))).toEqual([feature]);
  });
});

describe("a feature of the framework", () => {
  it.each([
    [0, "one unit"],
    [1, "one unit"],
    [2, "two units"],
    [3, "three or more units"],
    [4, "three or more units"],
  ])("[PN66] with %d units: %s", (count, feature) => {
    const units = Object.fromEntries([..."abcd"].slice(0, count).map((name) => [name, unit()]));
    const found = featuresOf(explained(units, ""));
    expect(found.filter((text) => /units?$/.test(text))).toContain(feature);
    expect(found.includes("platform independence")).toBe(count > 0);
  });

  it.each<[string, ExplainedOptions, string[], string[]]>([
    ["jacobi", {}, ["Jacobi", "fixed step", "explicit coupling", "single rate"], ["Gauss-Seidel"]],
    ["gauss-seidel", { master: "gauss-seidel" }, ["Gauss-Seidel", "explicit coupling"], ["Jacobi"]],
    ["several rates", { steps: { b: 0.2 } }, ["multi-rate", "performance"], ["single rate"]],
    ["iterative", { master: "iterative" }, ["fully implicit coupling", "Gauss-Seidel"], ["Jacobi"]],
    [
      "iterative by jacobi",
      { master: "iterative", options: { method: "jacobi" } },
      ["Jacobi", "fully implicit coupling"],
      ["Gauss-Seidel"],
    ],
    [
      "a fixed number of corrections",
      { master: "iterative", options: { corrections: 1 } },
      ["semi-implicit coupling", "fixed step"],
      ["fully implicit coupling"],
    ],
    [
      "adaptive",
      { master: "adaptive" },
      ["variable step", "fully implicit coupling"],
      ["fixed step"],
    ],
    [
      "adaptive, all at once",
      { master: "adaptive", options: { coupling: "jacobi" } },
      ["variable step", "explicit coupling", "Jacobi"],
      ["Gauss-Seidel"],
    ],
    [
      "adaptive, in sequence",
      { master: "adaptive", options: { coupling: "gauss-seidel" } },
      ["Gauss-Seidel", "explicit coupling"],
      ["Jacobi"],
    ],
    ["linear inputs", { options: { approximation: "linear" } }, ["accuracy", "performance"], []],
  ])("[PN66] %s", (_, options, present, absent) => {
    const found = features(unit(able), options);
    for (const feature of present) expect(found).toContain(feature);
    for (const feature of absent) expect(found).not.toContain(feature);
  });

  it("[PN66] an iterating master without a loop couples explicitly", () => {
    const units = { a: unit(able), b: unit(able) };
    expect(featuresOf(explained(units, "a.y -> b.u", { master: "iterative" }))).toContain(
      "explicit coupling",
    );
  });

  it("[PN66] held inputs of one rate are neither fast nor accurate", () => {
    expect(features(unit())).not.toContain("performance");
    expect(features(unit())).not.toContain("accuracy");
    expect(features(unit(), { steps: { b: 0.2 } })).not.toContain("accuracy");
  });

  it("[PN66] constraints and located events", () => {
    const at = (u: number, port: number) => ({ unit: u, port, element: 0 });
    const by = [{ ...at(0, 0), factor: 1 }];
    const constraint = {
      left: at(0, 1),
      right: at(1, 1),
      factor: 1,
      offset: 0,
      by,
      text: "",
      place,
    };
    const event = { signal: at(0, 1), level: 1, direction: "any" as const, text: "", place };
    const both = { a: unit(able), b: unit(able) };
    const found = (more: Partial<Scenario>): string[] =>
      featuresOf(explained(both, "", { master: "iterative", change: (s) => ({ ...s, ...more }) }));
    expect(found({ constraints: [constraint] })).toContain("algebraic constraints");
    expect(found({ events: [event] })).toContain("event location");
    expect(found({})).not.toContain("algebraic constraints");
    expect(found({})).not.toContain("event location");
  });

  it("[PN66] continuous time needs a continuous port", () => {
    const flag = describedUnit("u -> y", { through: "", type: "boolean" });
    expect(featuresOf(explained({ a: flag }, ""))).not.toContain("CT");
    expect(features(flag)).toContain("CT");
  });
});

describe("a feature of sources", () => {
  it.each<[string, UnitSource, { fmi: boolean; hierarchy: boolean; independent: boolean }]>([
    [
      "a module",
      { kind: "module", path: "a" },
      { fmi: false, hierarchy: false, independent: true },
    ],
    ["an FMU", { kind: "fmu", path: "a.fmu" }, { fmi: true, hierarchy: false, independent: false }],
    [
      "an FMU with an adaptation around it",
      adapted,
      { fmi: true, hierarchy: true, independent: false },
    ],
    [
      "two adaptations around an FMU",
      { ...adapted, inner: adapted },
      { fmi: true, hierarchy: true, independent: false },
    ],
    [
      "a module with an adaptation around it",
      { ...adapted, inner: { kind: "module", path: "a" } },
      { fmi: false, hierarchy: true, independent: true },
    ],
    // What an .sa file contains is not known here: it may be an FMU.
    [
      "an .sa file",
      { kind: "adaptation", path: "a.sa" },
      { fmi: false, hierarchy: true, independent: false },
    ],
    [
      "a state machine",
      { kind: "machine", path: "a.machine.yaml" },
      { fmi: false, hierarchy: false, independent: true },
    ],
  ])("[PN66] %s", (_, source, expected) => {
    const found = features(unit(), { change: sourced(source) });
    expect({
      fmi: found.includes("FMI"),
      hierarchy: found.includes("hierarchy"),
      independent: found.includes("platform independence"),
    }).toEqual(expected);
    expect(found.includes("IP protection")).toBe(expected.fmi);
  });

  it("[PN66] a nested scenario is a hierarchy", () => {
    const change = (scenario: Scenario): Scenario => ({
      ...scenario,
      units: scenario.units.map((one, u) => (u === 0 ? { ...one, scenario } : one)),
    });
    expect(features(unit(), { change })).toContain("hierarchy");
  });
});
