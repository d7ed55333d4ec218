import { describe, expect, it } from "vitest";
import {
  type Experiment,
  NO_CAPABILITIES,
  type UnitDescription,
} from "../../model/unit-description.ts";
import { endsEarly, resolveExperiment } from "./experiment.ts";

const UNIT: UnitDescription = {
  name: "demo",
  backend: "fmi3",
  capabilities: NO_CAPABILITIES,
  experiment: {},
  ports: [],
};

describe("experiment", () => {
  const resolve = (request: Experiment, defaults = {}, preferred?: number) => {
    const codes: string[] = [];
    const value = resolveExperiment(request, defaults, preferred, (d) => {
      codes.push(d.place.file);
    });
    return { value, codes };
  };

  it("takes the command line before the FMU's default experiment", () => {
    const defaults = { start: 1, stop: 5, step: 0.1, tolerance: 1e-4 };
    expect(resolve({}, defaults).value).toEqual(defaults);
    expect(resolve({ stop: 9, step: 0.5 }, defaults).value).toEqual({
      ...defaults,
      stop: 9,
      step: 0.5,
    });
  });

  it("[RU1] refuses a step that is lost beside the times it leads to", () => {
    expect(resolve({ stop: 10, step: 1e-300 }).codes).toEqual(["--step"]);
    expect(resolve({ start: 1e9, stop: 1e9 + 1, step: 1e-8 }).codes).toEqual(["--step"]);
    expect(resolve({ start: 1e9, stop: 1e9 + 1, step: 1e-3 }).codes).toEqual([]);
  });

  it("[RU2] warns when constant steps do not reach the stop time", () => {
    const warned = (step: number, variableStep: boolean): string[] =>
      endsEarly(
        { start: 0, stop: 1, step },
        { ...UNIT, capabilities: { ...NO_CAPABILITIES, variableStep } },
      ).map((d) => d.message);
    expect(warned(0.3, false)).toEqual([
      expect.stringContaining("ends at t=0.8999999999999999, before 1"),
    ]);
    expect(warned(0.3, true)).toEqual([]);
    expect(warned(0.1, false)).toEqual([]);
  });

  it("finds a step that makes a plot when none is given", () => {
    expect(resolve({ stop: 7 }).value.step).toBe(0.01);
    expect(resolve({ stop: 30 }).value.step).toBe(0.05);
    expect(resolve({ stop: 1 }, {}, 0.25).value.step).toBe(0.25);
  });

  it.each([
    [{ start: 2, stop: 2 }, ["--stop"]],
    [{ step: 0 }, ["--step"]],
    [{ step: -1, tolerance: 0 }, ["--step", "--tolerance"]],
  ])("[CL3] refuses %j", (request, options) => {
    expect(resolve(request).codes).toEqual(options);
  });
});
