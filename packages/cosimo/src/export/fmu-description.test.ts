/**
 * The description of an exported FMU, read back by the parser that reads all others.
 */

import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { FmuDescription } from "../fmi/description.ts";
import { parseModelDescription } from "../fmi/parse-description.ts";
import { toUnitDescription } from "../fmi/to-unit-description.ts";
import { testPort } from "../model/testing/plain-data.ts";
import { NO_CAPABILITIES, type UnitDescription } from "../model/unit-description.ts";
import { modelDescription } from "./fmu-description.ts";
import { fmuVariables } from "./fmu-variables.ts";

const port = testPort;

const DESCRIPTION: UnitDescription = {
  name: 'a "model" & <more>',
  backend: "typescript",
  ports: [
    port(0, "u", {
      unit: {
        name: "degC",
        base: { dimension: [0, 0, 0, 0, 1, 0, 0, 0], factor: 1, offset: 273.15 },
      },
      start: [20],
      min: -40,
    }),
    port(1, "matrix", {
      shape: [2, 3],
      start: [1, 2, 3, 4, 5, 6],
      direction: "parameter",
      variability: "tunable",
    }),
    port(2, "y", { direction: "output", feedThrough: [0] }),
    port(3, "held", { direction: "output", feedThrough: [], variability: "discrete" }),
    port(4, "open", { direction: "output", shape: [2] }),
    port(5, "mode", {
      type: "enumeration",
      variability: "discrete",
      items: new Map([
        [1, "on & off"],
        [2, "auto"],
      ]),
    }),
    port(6, "label", {
      type: "string",
      direction: "parameter",
      variability: "fixed",
      start: ['x "y"'],
    }),
    port(7, "tick", { type: "clock", variability: "discrete" }),
    port(8, "size", { type: "uint64", direction: "structural-parameter", variability: "fixed" }),
    port(9, "sum", { direction: "calculated-parameter", variability: "fixed" }),
    port(10, "t", { direction: "independent" }),
  ],
  capabilities: { ...NO_CAPABILITIES, rollback: true, inputDerivativeOrder: 1 },
  experiment: { start: 1, stop: 5, step: 0.25, tolerance: 1e-6 },
};

function written(version: 2 | 3): FmuDescription {
  const text = modelDescription(
    { description: DESCRIPTION, modelIdentifier: "m", token: "{1}", sources: ["a.c"], tool: "t" },
    version,
  );
  const parsed = parseModelDescription(text, "modelDescription.xml");
  expect(parsed.diagnostics).toEqual([]);
  return unwrap(parsed);
}

describe("the description of an exported FMU", () => {
  it("[EX11] says what the ports say, in both versions", () => {
    for (const version of [2, 3] as const) {
      const { variables, units, modelName, experiment, coSimulation } = written(version);
      expect(modelName).toBe(DESCRIPTION.name);
      const at = (name: string) => variables.find((variable) => variable.name === name);
      expect(at("u")).toMatchObject({ causality: "input", unit: "degC", start: [20], min: -40 });
      expect(units[0].unit.base).toEqual({
        dimension: [0, 0, 0, 0, 1, 0, 0, 0],
        factor: 1,
        offset: 273.15,
      });
      expect(at("held")).toMatchObject({ variability: "discrete", initial: "calculated" });
      expect(at("label")).toMatchObject({ type: "string", start: ['x "y"'] });
      expect(at("mode")).toMatchObject({ type: "enumeration", start: [1] });
      expect(at("sum")).toMatchObject({ causality: "calculatedParameter", initial: "calculated" });
      for (const name of ["tick", "size", "t"]) expect(at(name)).toBeUndefined();
      expect(experiment).toMatchObject({ start: 1, stop: 5, step: 0.25, tolerance: 1e-6 });
      expect(coSimulation).toMatchObject({ canGetAndSetState: true, canSerializeState: false });
    }
  });

  it("[EX11] says on which inputs outputs depend at once, and is silent where the port is", () => {
    for (const version of [2, 3] as const) {
      const { variables, structure } = written(version);
      const dependencies = new Map(
        structure.outputs.map((output) => [
          variables[output.variable].name,
          output.dependencies?.map((index) => variables[index].name),
        ]),
      );
      expect(dependencies.get("y")).toEqual(["u"]);
      expect(dependencies.get("held")).toEqual([]);
      expect(dependencies.get(version === 2 ? "open[1]" : "open")).toBeUndefined();
      const unknowns = structure.initialUnknowns.map(({ variable }) => variables[variable].name);
      expect(unknowns).toEqual(
        version === 2 ? ["y", "held", "open[1]", "open[2]", "sum"] : ["y", "held", "open", "sum"],
      );
    }
  });

  it("[EXA15] a reactive boolean is one again after export and import", () => {
    const ports = [
      port(0, "go", { type: "boolean", variability: "discrete", reactive: true }),
      port(1, "stop", { type: "boolean", variability: "discrete" }),
    ];
    for (const version of [2, 3] as const) {
      const text = modelDescription(
        {
          description: { ...DESCRIPTION, ports },
          modelIdentifier: "m",
          token: "{1}",
          sources: [],
          tool: "t",
        },
        version,
      );
      const parsed = parseModelDescription(text, "modelDescription.xml");
      expect(parsed.diagnostics).toEqual([]);
      const read = toUnitDescription(unwrap(parsed)).ports;
      expect(read.slice(0, 2).map(({ name, reactive }) => [name, reactive])).toEqual([
        ["go", true],
        ["stop", undefined],
      ]);
    }
  });

  it("[EX12] counts elements row by row, from 1", () => {
    const matrix = fmuVariables(DESCRIPTION, 2).filter(({ name }) => name.startsWith("matrix"));
    expect(matrix.map(({ name, element, start }) => [name, element, start])).toEqual([
      ["matrix[1,1]", 0, [1]],
      ["matrix[1,2]", 1, [2]],
      ["matrix[1,3]", 2, [3]],
      ["matrix[2,1]", 3, [4]],
      ["matrix[2,2]", 4, [5]],
      ["matrix[2,3]", 5, [6]],
    ]);
    const whole = fmuVariables(DESCRIPTION, 3).find(({ name }) => name === "matrix")!;
    expect([whole.shape, whole.count, whole.start]).toEqual([[2, 3], 6, [1, 2, 3, 4, 5, 6]]);
  });
});
