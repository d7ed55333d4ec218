/**
 * Edits where YAML is written in braces over several lines, and where one place of it stands for
 * another.
 */
import { expect, it } from "vitest";
import { editScenarioText } from "./edit-text.ts";
import type { ScenarioEdit } from "./scenario-edit.ts";

function edit(text: string, one: ScenarioEdit): string {
  const made = editScenarioText(text, one);
  expect(made.problem).toBeUndefined();
  return made.text;
}

it("[SV20] adds to a list over several lines with a line and a comma of its own", () => {
  const connect = { kind: "connect", from: "c.y", to: "c.u" } as const;
  const lines = (...items: string[]): string => `connections: [\n${items.join("\n")}\n]\n`;
  expect(edit(lines("  a.y -> a.u,", "  b.y -> b.u,"), connect)).toBe(
    lines("  a.y -> a.u,", "  b.y -> b.u,", "  c.y -> c.u,"),
  );
  expect(edit(lines("  a.y -> a.u,", "  b.y -> b.u # last"), connect)).toBe(
    lines("  a.y -> a.u,", "  b.y -> b.u, # last", "  c.y -> c.u"),
  );
  expect(edit("connections: [\n  a.y -> a.u]\n", connect)).toBe(
    "connections: [\n  a.y -> a.u,\n  c.y -> c.u]\n",
  );
  const value = { kind: "set-value", unit: "a", port: "k", value: "2" } as const;
  expect(edit("units:\n  a:\n    fmu: a.fmu\n    set: {\n      h: 1,\n    }\n", value)).toBe(
    "units:\n  a:\n    fmu: a.fmu\n    set: {\n      h: 1,\n      k: 2,\n    }\n",
  );
});

it("[SV21] does not replace a list of adaptations by one", () => {
  const adapt = { kind: "adapt", unit: "a", adaptation: "hold { signal: x }" } as const;
  const several = "units:\n  a: { fmu: a.fmu, adapt: [multi-rate, quantize] }\n";
  expect(editScenarioText(several, adapt)).toMatchObject({ text: several, problem: /several/ });
  expect(edit("units:\n  a: { fmu: a.fmu, adapt: [multi-rate] }\n", adapt)).toContain("hold");
});

it("[SV21] does not change units through the anchor of another one", () => {
  const value = { kind: "set-value", unit: "a", port: "k", value: "2" } as const;
  const refused = (text: string): string | undefined => editScenarioText(text, value).problem;
  expect(refused("units:\n  a: &m { fmu: a.fmu, set: { k: 1 } }\n  b: *m\n")).toMatch(
    /write it out/,
  );
  expect(
    refused("units:\n  a: { fmu: a.fmu, set: &s { k: 1 } }\n  b: { fmu: a.fmu, set: *s }\n"),
  ).toMatch(/write it out/);
  expect(refused("units:\n  a: &m { fmu: a.fmu, set: { k: 1 } }\n")).toBeUndefined();
});

it("[SV21] does not replace a list of adaptations by one", () => {
  const adapt = { kind: "adapt", unit: "a", adaptation: "hold { signal: x }" } as const;
  const several = "units:\n  a: { fmu: a.fmu, adapt: [multi-rate, quantize] }\n";
  const refused = editScenarioText(several, adapt);
  expect(refused.text).toBe(several);
  expect(refused.problem).toMatch(/several/);
  expect(edit("units:\n  a: { fmu: a.fmu, adapt: [multi-rate] }\n", adapt)).toContain("hold");
});

it("[SV20] the first unit of an empty list begins lines of its own", () => {
  const add = { kind: "add-unit", name: "a", source: "a.fmu" } as const;
  expect(edit("name: x\n\nunits: {}\n\nexperiment: { stop: 1 s }\n", add)).toBe(
    "name: x\n\nunits:\n  a: a.fmu\n\nexperiment: { stop: 1 s }\n",
  );
});
