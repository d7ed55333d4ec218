import { describe, expect, it } from "vitest";
import { parseScenarioYaml } from "../lang/scenario/parse-scenario.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { defineScenario, type ScenarioModel } from "./define-scenario.ts";

const mass = (): Unit =>
  odeUnit({
    name: "mass",
    inputs: { F: { unit: "N" }, u: { unit: "m/s" }, w: { unit: "m" } },
    states: { x: { unit: "m" }, v: { unit: "m/s" } },
    derivatives: (_t, [, v], [F], _p, dx) => {
      dx[0] = v!;
      dx[1] = F!;
    },
  });

const EXTRAS: Omit<ScenarioModel, "units"> = {
  bonds: [
    {
      name: "hub",
      effort: "a.x -> b.w",
      flow: { from: "b.v", to: "a.u", factor: -1, integral: "b.x" },
      preserve: "energy",
    },
    { name: "axle", effort: "a.v -> b.u", flow: "b.x -> a.w" },
  ],
  constraints: [
    { constraint: "a.x = b.x", by: "a.F, -0.5 * b.F" },
    { constraint: "c.v = d.v", by: ["c.F", "-d.F"], rate: "c.der(v) = d.der(v)" },
    { constraint: "c.x = d.x", by: "c.u", rate: "none" },
  ],
  events: [
    { when: "a.x", crosses: "3 mm", direction: "rising", tolerance: 1e-9 },
    { when: "a.v", crosses: 2 },
    { when: "a.v", crosses: "b.v" },
  ],
  limits: [
    { every: 0.1 },
    { every: 1, offset: 0.5 },
    { at: [1, 2] },
    { difference: "a.x", atMost: "1 cm" },
    { difference: "a.v", atMost: 2 },
  ],
};

const UNITS = { a: mass, b: mass, c: mass, d: mass };

/** A YAML file is JSON too: what code says can be read as a file, word for word. */
const asFile = (model: Omit<ScenarioModel, "units">): string =>
  JSON.stringify({ units: { a: "a.js", b: "b.js", c: "c.js", d: "d.js" }, ...model });

const withoutPlaces = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, item) => (key === "place" ? undefined : item)));

describe("scenarios written in code", () => {
  it("[SC57] say bonds, constraints, events and limits with the words of scenario.yaml", () => {
    const { draft } = defineScenario({ units: UNITS, ...EXTRAS });
    const read = parseScenarioYaml(asFile(EXTRAS), "s.yaml");
    expect(read.diagnostics).toEqual([]);
    for (const key of ["bonds", "constraints", "events", "limits"] as const) {
      expect(draft[key]).toHaveLength(EXTRAS[key]!.length);
      expect(withoutPlaces(draft[key])).toEqual(withoutPlaces(read.value![key]));
    }
  });

  it("[SC57] get the same checks", () => {
    const { scenario } = defineScenario({ units: UNITS, ...EXTRAS });
    expect(scenario.constraints.map(({ by }) => by.map(({ factor }) => factor))).toEqual([
      [1, -0.5],
      [1, -1],
      [1],
    ]);
    expect(scenario.events[0]).toMatchObject({ level: 0.003 });
    const events = [{ when: "a.x", crosses: "b.v" }];
    expect(() => defineScenario({ units: UNITS, events })).toThrow(/cannot be compared/);
  });

  it.each<[string, Omit<ScenarioModel, "units">, RegExp]>([
    ["equation", { constraints: [{ constraint: "a.x", by: "a.F" }] }, /'a.x' is not an equation/],
    ["force", { constraints: [{ constraint: "a.x = b.x", by: "* a.F" }] }, /is not an input/],
    ["no force", { constraints: [{ constraint: "a.x = b.x", by: [] }] }, /no input holds/],
    ["bond", { bonds: [{ name: "b", effort: "a.x", flow: "b.v -> a.u" }] }, /is not a connection/],
    ["tolerance", { events: [{ when: "a.x", crosses: 1, tolerance: 0 }] }, /'tolerance' must/],
    ["period", { limits: [{ every: Number.NaN }] }, /'every' must/],
    ["change", { limits: [{ difference: "a.x", atMost: "much" }] }, /'much' is not a number/],
  ])("[SC57] name the text or number that is wrong: %s", (_, model, message) => {
    expect(() => defineScenario({ units: UNITS, ...model })).toThrow(message);
  });
});
