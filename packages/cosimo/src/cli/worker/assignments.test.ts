import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { testPort, testUnit } from "../../model/testing/plain-data.ts";
import type { Port, UnitDescription } from "../../model/unit-description.ts";
import { assignedValues, findAssignments, structuralValues } from "./assignments.ts";

const port = (index: number, name: string, more: Partial<Port>): Port =>
  testPort(index, name, {
    direction: "parameter",
    variability: "tunable",
    nature: "piecewise-constant",
    ...more,
  });
const UNIT: UnitDescription = testUnit([
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
]);

function assign(...set: string[]) {
  const diagnostics: Diagnostic[] = [];
  const report = (d: Diagnostic) => void diagnostics.push(d);
  const found = findAssignments(set, UNIT, report);
  const values = assignedValues(found, report);
  return { found, values, codes: diagnostics.map((d) => d.code), diagnostics };
}

describe("values on the command line", () => {
  it("[CL9] are read in the way of their type", () => {
    const { values, codes } = assign(
      "k=2.5",
      "n=200",
      "big=18446744073709551615",
      "mode=fast",
      "on=true",
      "label=a=b",
      "raw=00ff",
    );
    expect(codes).toEqual([]);
    expect([...values.values()]).toEqual([
      [2.5],
      [200],
      [2n ** 64n - 1n],
      [2],
      [true],
      ["a=b"],
      [new Uint8Array([0, 255])],
    ]);
  });

  it("[CL9] fill arrays by one value, by all values or by element", () => {
    const matrix = (...set: string[]): unknown => assign(...set).values.get(1);
    expect(matrix("A=7")).toEqual([7, 7, 7, 7]);
    expect(matrix("A=1, 0 0;1")).toEqual([1, 0, 0, 1]);
    expect(matrix("A[1,2]=9", "A[2,1]=8")).toEqual([1, 9, 8, 4]);
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

  it("[CL9] leave elements without a start value at zero", () => {
    const vector = port(0, "v", { shape: [3] });
    const found = findAssignments(["v[2]=5"], { ...UNIT, ports: [vector] }, () => undefined);
    expect(assignedValues(found, () => undefined).get(0)).toEqual([0, 5, 0]);
  });

  it("say which structural parameters decide sizes before anything else is set", () => {
    const { found } = assign("m=5", "k=1");
    expect(structuralValues(found)).toEqual(new Map([["m", 5]]));
  });
});
