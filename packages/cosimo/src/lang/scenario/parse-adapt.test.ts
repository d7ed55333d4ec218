/** `adapt:` in all the ways in which people write it. */
import { describe, expect, it } from "vitest";
import { formatDiagnostic } from "../../base/diagnostic.ts";
import type { AdaptedSource, UnitSource } from "../../model/scenario.ts";
import { parseScenarioYaml } from "./parse-scenario.ts";

function sourceOf(text: string): UnitSource {
  const { value, diagnostics } = parseScenarioYaml(text, "s.yaml");
  expect(diagnostics.map(formatDiagnostic)).toEqual([]);
  return value!.units[0]!.source;
}

/** `decay.fmu in a { x: 1 } in b`. */
function around(source: UnitSource): string {
  if (source.kind !== "adapted") return "path" in source ? source.path : "";
  const given = source.arguments.map(({ name, value }) => `${name}: ${JSON.stringify(value)}`);
  return `${around(source.inner)} in ${source.adaptation} { ${given.join(", ")} }`;
}

const block = (adapt: string): string =>
  `units:\n  d:\n    fmu: d.fmu\n    adapt: ${adapt}\n    set: { k: 1 }\n`;
const flow = (adapt: string): string =>
  `units: { d: { fmu: d.fmu, adapt: ${adapt}, set: { k: 1 } } }\n`;

describe("adapt", () => {
  it.each([
    ["multi-rate", "d.fmu in multi-rate {  }"],
    ["./own.sa", "d.fmu in ./own.sa {  }"],
    ["multi-rate {}", "d.fmu in multi-rate {  }"],
    ["multi-rate { rate: 10 }", "d.fmu in multi-rate { rate: 10 }"],
    ["multi-rate{rate: 10}", "d.fmu in multi-rate { rate: 10 }"],
    ['"multi-rate { rate: 10 }"', "d.fmu in multi-rate { rate: 10 }"],
    ["{ multi-rate: { rate: 10 } }", "d.fmu in multi-rate { rate: 10 }"],
    ["{ multi-rate: }", "d.fmu in multi-rate {  }"],
    ["./a/own.sa { signal: x, on: true }", 'd.fmu in ./a/own.sa { signal: "x", on: true }'],
    ["[hold, multi-rate]", "d.fmu in hold {  } in multi-rate {  }"],
    [
      "[hold { period: 0.5 }, { quantize: { quantum: 2 } }, reset]",
      "d.fmu in hold { period: 0.5 } in quantize { quantum: 2 } in reset {  }",
    ],
  ])("[SC44] reads %s, in a block and between braces", (adapt, expected) => {
    expect(around(sourceOf(block(adapt)))).toBe(expected);
    expect(around(sourceOf(flow(adapt)))).toBe(expected);
  });

  it("[SC44] reads a list on lines of their own, the innermost first", () => {
    const text = `units:
  d:
    fmu: d.fmu
    adapt: # two of them
      - hold { period: 0.5 }
      - quantize: { quantum: 2 }
    set: { k: 1 }
`;
    expect(around(sourceOf(text))).toBe("d.fmu in hold { period: 0.5 } in quantize { quantum: 2 }");
  });

  it.each(["fmu: d.fmu", "module: d.mjs", "adaptation: d.sa", "scenario: d.yaml"])(
    "[SC44] puts one around '%s'",
    (source) => {
      const { kind } = (sourceOf(`units: { d: { ${source}, adapt: hold } }`) as AdaptedSource)
        .inner;
      expect(kind).toBe(source.startsWith("scenario") ? "scenario-file" : source.split(":")[0]);
    },
  );

  it("[SC45] knows the places of what is written in short, and of what follows", () => {
    const text = block("multi-rate { rate: 10, kind: x }");
    const { value, diagnostics } = parseScenarioYaml(text, "s.yaml");
    const source = value!.units[0]!.source as AdaptedSource;
    expect(source.place).toEqual({ file: "s.yaml", line: 4, column: 12 });
    expect(source.arguments.map(({ place }) => place.column)).toEqual([25, 35]);
    expect(value!.units[0]!.values[0]!.place).toMatchObject({ line: 5, column: 12 });
    expect(diagnostics).toEqual([]);
    const wrong = flow("multi-rate { rate: [1] }");
    expect(parseScenarioYaml(wrong, "s.yaml").diagnostics[0]!.place).toMatchObject({
      line: 1,
      column: wrong.indexOf("[1]") + 1,
    });
  });

  it("[SC45] changes nothing that is YAML, and helps nothing else that is not", () => {
    const { value } = parseScenarioYaml(
      `description: "adapt: hold { a: 1 }"\nunits: { d: d.fmu }\n`,
      "s.yaml",
    );
    expect(value!.description).toBe("adapt: hold { a: 1 }");
    const { diagnostics } = parseScenarioYaml("units: { a: a.fmu, b { fmu: b.fmu } }", "s.yaml");
    expect(diagnostics.map(({ code }) => code)).toEqual(["yaml-syntax"]);
  });

  it.each([
    ["7", "'adapt' must be the name of an adaptation"],
    ["", "'adapt' must be the name of an adaptation"],
    ["{}", "'adapt' must be the name of an adaptation"],
    ['"multi-rate { : }"', "'adapt' must be the name of an adaptation"],
    ["{ multi-rate: 10 }", "what 'multi-rate' is given must be a map, not the number 10"],
    ["multi-rate { rate: [1, 2] }", "'rate' must be a number, a text, true or false"],
  ])("[SC10] reports what 'adapt: %s' cannot mean", (adapt, words) => {
    const { diagnostics } = parseScenarioYaml(block(adapt), "s.yaml");
    expect(diagnostics[0]).toMatchObject({ code: "scenario-wrong-type", place: { line: 4 } });
    expect(diagnostics[0]!.message).toContain(words);
  });
});
