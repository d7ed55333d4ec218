import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Scenario } from "../../model/scenario.ts";
import { testPort, testUnit } from "../../model/testing/plain-data.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { folderOfFile } from "../../platform/node/testing/folders.ts";
import { singleUnitPorts, singleUnitScenario } from "../../run/single-unit.ts";
import { driveInputs, readInputs } from "./inputs.ts";

const folder = folderOfFile("inputs");

const port = testPort;
const UNIT: UnitDescription = testUnit([
  port(0, "u", { unit: { name: "m" } }),
  port(1, "n", { type: "int32", variability: "discrete" }),
  port(2, "A", { shape: [2] }),
  port(3, "tick", { type: "clock", clock: { interval: "triggered", shift: 0 } }),
  port(4, "y", { direction: "output" }),
  port(5, "stiffness", { direction: "parameter", variability: "fixed" }),
  port(6, "gain", { direction: "parameter", variability: "tunable", aliases: ["k"] }),
]);
const SCENARIO: Scenario = singleUnitScenario({
  name: "demo",
  source: { kind: "module", path: "demo" },
  description: UNIT,
  file: "demo",
});

function file(text: string): string {
  const path = join(folder, "input.csv");
  writeFileSync(path, text);
  return path;
}

function read(text: string) {
  const found: Diagnostic[] = [];
  const value = readInputs(file(text), UNIT, (d) => found.push(d));
  return { value, codes: found.map(({ code }) => code), fixes: found.map(({ fix }) => fix) };
}

describe("signals of a unit that runs alone", () => {
  it("[RU3] are interpolated where they are continuous and held where they are discrete", () => {
    const { value, codes } = read("time,u,n\n0,0,1\n1,4,1\n1,8,2\n2,8,3\n");
    expect(codes).toEqual([]);
    const { inputs } = value!;
    const at = (time: number): number[] => {
      inputs.sample(time, "after");
      return inputs.slots.map(({ slot }) => inputs.banks.f64[slot]!);
    };
    expect(at(0.25)).toEqual([1, 1]);
    expect(at(1)).toEqual([8, 2]);
    expect(at(1.5)).toEqual([8, 2]);
    expect(inputs.nextEventAfter(0)).toBe(1);
  });

  it("[RU3] may be tunable parameters, which hold, under any of their names", () => {
    for (const name of ["gain", "k"]) {
      const { value, codes } = read(`time,${name}\n0,1\n1,3\n`);
      expect(codes).toEqual([]);
      const { slots, banks } = value!.inputs;
      expect(slots.map((slot) => slot.port)).toEqual([6]);
      value!.inputs.sample(0.75, "after");
      expect(banks.f64[slots[0]!.slot]).toBe(1);
    }
  });

  it("[RC25] are converted to the unit of their variable, and refused where theirs does not fit", () => {
    const { value, codes } = read("time [s],u [mm]\n0,1000\n1,3000\n");
    expect(codes).toEqual([]);
    const { slots, banks } = value!.inputs;
    value!.inputs.sample(0.5, "after");
    expect(banks.f64[slots[0]!.slot]).toBe(2);
    expect(read("time,u\ns,kg\n0,1\n").codes).toEqual(["input-unusable"]);
  });

  it("say when a triggered clock ticks, and give it no value", () => {
    const { value } = read("time,u,tick\n0,0,0\n0.5,0,1\n0.7,0,0\n2,0,1\n");
    expect(value!.triggers).toEqual(new Map([[3, [0.5, 2]]]));
    expect(value!.inputs.slots.map((slot) => slot.port)).toEqual([0]);
  });

  it.each([
    ["time,uu\n0,1\n", "unknown-variable", "did you mean 'u'?"],
    ["time,y\n0,1\n", "input-not-an-input", ""],
    ["time,stiffness\n0,1\n", "input-not-an-input", "--set"],
    ["time,A[1]\n0,1\n", "input-elements-missing", ""],
    ["time\n0\n", "input-empty", ""],
    ["time,u\n", "input-empty", ""],
    ["time,u\n0,much\n", "input-unusable", ""],
  ])("[CL3] %j is refused", (text, code, fix) => {
    const { codes, fixes } = read(text);
    expect(codes).toContain(code);
    expect(fixes.join()).toContain(fix);
  });

  it("[CL2] that are in no file are refused with its name", () => {
    const found: Diagnostic[] = [];
    expect(readInputs(join(folder, "none.csv"), UNIT, (d) => found.push(d))).toBeUndefined();
    expect(found).toMatchObject([
      { code: "file-unreadable", message: expect.stringMatching(/no such file/) },
    ]);
  });
});

describe("signals of a scenario", () => {
  const drive = (text: string, scenario = SCENARIO) => {
    const found: Diagnostic[] = [];
    const value = driveInputs(scenario, singleUnitPorts(scenario), file(text), (d) =>
      found.push(d),
    );
    return { value, codes: found.map(({ code }) => code) };
  };

  it("come from one more unit that plays the file", () => {
    const { value, codes } = drive("time,n,u\n0,1,0\n2,3,1\n");
    expect(codes).toEqual([]);
    const { scenario, make, source } = value!;
    expect(scenario.units.map(({ name }) => name)).toEqual(["demo", "input"]);
    expect(scenario.units[1]!.source).toBe(source);
    expect(scenario.connections.map(({ from, to }) => [from, to])).toEqual([
      [
        { unit: 1, port: 0 },
        { unit: 0, port: 1 },
      ],
      [
        { unit: 1, port: 1 },
        { unit: 0, port: 0 },
      ],
    ]);
    expect(make("input").description.ports.map(({ name }) => name)).toEqual(["n", "u"]);
  });

  it("[RU3] change tunable parameters, which the plan then writes as it writes inputs", () => {
    const { value, codes } = drive("time,gain\n0,1\n1,3\n");
    expect(codes).toEqual([]);
    expect(value!.scenario.connections).toMatchObject([{ to: { unit: 0, port: 6 } }]);
    expect(value!.scenario.units[0]!.description.ports[6]!.direction).toBe("input");
  });

  it("[CL3] do not replace a connection", () => {
    const { value } = drive("time,u\n0,0\n");
    expect(drive("time,u\n0,1\n", value!.scenario).codes).toEqual(["input-connected"]);
  });
});
