import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { NO_CAPABILITIES, type Port, type UnitDescription } from "../../model/unit-description.ts";
import type { RunJob } from "./protocol.ts";
import {
  endsEarly,
  findAssignments,
  parseAssignments,
  resolveExperiment,
  structuralValues,
} from "./settings.ts";

const port = (index: number, name: string, more: Partial<Port>): Port => ({
  index,
  name,
  direction: "parameter",
  type: "float64",
  shape: [],
  variability: "tunable",
  nature: "piecewise-constant",
  ...more,
});
const UNIT: UnitDescription = {
  name: "demo",
  backend: "fmi3",
  capabilities: NO_CAPABILITIES,
  experiment: {},
  ports: [
    port(0, "k", { min: 0, max: 10 }),
    port(1, "A", { shape: [2, 2], start: [1, 2, 3, 4] }),
    port(2, "n", { type: "uint8" }),
    port(3, "big", { type: "uint64" }),
    port(4, "mode", {
      type: "enumeration",
      items: new Map([
        [1, "slow"],
        [2, "fast"],
      ]),
    }),
    port(5, "on", { type: "boolean" }),
    port(6, "label", { type: "string" }),
    port(7, "raw", { type: "binary" }),
    port(8, "m", { type: "uint64", direction: "structural-parameter" }),
    port(9, "y", { direction: "output" }),
    port(10, "c", { variability: "constant" }),
  ],
};

function assign(...set: string[]) {
  const diagnostics: Diagnostic[] = [];
  const report = (d: Diagnostic) => void diagnostics.push(d);
  const found = findAssignments(set, UNIT, report);
  const { layout, banks } = parseAssignments(found, report);
  return { found, layout, banks, codes: diagnostics.map((d) => d.code), diagnostics };
}

describe("values on the command line", () => {
  it("[CL9] are read in the way of their type", () => {
    const { banks, codes } = assign(
      "k=2.5",
      "n=200",
      "big=18446744073709551615",
      "mode=fast",
      "on=true",
      "label=a=b",
      "raw=00ff",
    );
    expect(codes).toEqual([]);
    expect([...banks.f64]).toEqual([2.5, 200, 2, 1]);
    expect(banks.i64[0]).toBe(-1n);
    expect(banks.obj).toEqual(["a=b", new Uint8Array([0, 255])]);
  });

  it("[CL9] fill arrays by one value, by all values or by element", () => {
    expect([...assign("A=7").banks.f64]).toEqual([7, 7, 7, 7]);
    expect([...assign("A=1, 0 0;1").banks.f64]).toEqual([1, 0, 0, 1]);
    expect([...assign("A[1,2]=9", "A[2,1]=8").banks.f64]).toEqual([1, 9, 8, 4]);
  });

  it.each([
    ["k", "set-malformed"],
    ["kk=1", "unknown-variable"],
    ["y=1", "not-settable"],
    ["c=1", "not-settable"],
    ["k=fast", "bad-value"],
    ["n=256", "bad-value"],
    ["n=1.5", "bad-value"],
    ["mode=quick", "bad-value"],
    ["on=maybe", "bad-value"],
    ["raw=0", "bad-value"],
    ["A=1,2,3", "set-value-count"],
    ["k=11", "out-of-range"],
  ])("[CL3] '%s' is reported as %s", (text, code) => {
    expect(assign(text).codes).toEqual([code]);
  });

  it("[CL3] are all checked, not only the first", () => {
    expect(assign("kk=1", "n=-1", "k=1", "k=2").codes).toEqual([
      "unknown-variable",
      "set-twice",
      "bad-value",
    ]);
  });

  it("[CL2] that name nothing get the nearest name", () => {
    expect(assign("lable=x").diagnostics[0]?.fix).toBe("did you mean 'label'?");
  });

  it("take structural parameters apart: they decide sizes before anything else is set", () => {
    const { found, layout } = assign("m=5", "k=1");
    expect(structuralValues(found)).toEqual(new Map([["m", 5]]));
    expect(layout.slots.map((s) => s.port)).toEqual([0]);
  });
});

describe("experiment", () => {
  const JOB: RunJob = {
    kind: "run",
    trust: false,
    model: "x.fmu",
    folder: "",
    set: [],
    record: [],
    debugLogging: false,
    stopOnDivergence: false,
    events: "auto",
    executor: "auto",
    clocks: [],
  };
  const resolve = (job: Partial<RunJob>, defaults = {}, preferred?: number) => {
    const codes: string[] = [];
    const value = resolveExperiment(
      { ...JOB, ...job },
      defaults,
      preferred,
      (d) => void codes.push(d.place.file),
    );
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
    const told = (step: number, variableStep: boolean): string[] =>
      endsEarly(
        { start: 0, stop: 1, step },
        { ...UNIT, capabilities: { ...NO_CAPABILITIES, variableStep } },
      ).map((d) => d.message);
    expect(told(0.3, false)).toEqual([
      expect.stringContaining("ends at t=0.8999999999999999, before 1"),
    ]);
    expect(told(0.3, true)).toEqual([]);
    expect(told(0.1, false)).toEqual([]);
  });

  it("finds a step that makes a plot when nobody gives one", () => {
    expect(resolve({ stop: 7 }).value.step).toBe(0.01);
    expect(resolve({ stop: 30 }).value.step).toBe(0.05);
    expect(resolve({ stop: 1 }, {}, 0.25).value.step).toBe(0.25);
  });

  it.each([
    [{ start: 2, stop: 2 }, ["--stop"]],
    [{ step: 0 }, ["--step"]],
    [{ step: -1, tolerance: 0 }, ["--step", "--tolerance"]],
  ])("[CL3] refuses %j", (job, options) => {
    expect(resolve(job).codes).toEqual(options);
  });
});
