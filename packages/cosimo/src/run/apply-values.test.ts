import { describe, expect, it } from "vitest";
import { testPort, testUnit } from "../model/testing/plain-data.ts";
import type { Port } from "../model/unit-description.ts";
import { withNamedValues, withValues } from "./apply-values.ts";
import { singleUnitPorts, singleUnitScenario } from "./single-unit.ts";

const port = (index: number, name: string, shape: readonly number[] = []): Port =>
  testPort(index, name, {
    direction: "parameter",
    shape,
    variability: "tunable",
    nature: "piecewise-constant",
  });
const PLACE = { file: "scenario.yaml", line: 3 };
const SCENARIO = singleUnitScenario({
  name: "demo",
  source: { kind: "module", path: "demo" },
  description: testUnit([port(0, "k"), port(1, "c", [2]), port(2, "d")]),
  values: [
    { port: 0, values: [1], place: PLACE },
    { port: 2, values: [3], place: PLACE },
  ],
  file: "demo",
});
const PORTS = singleUnitPorts(SCENARIO);

describe("values over those of a scenario", () => {
  it("replace them, and leave the others", () => {
    const { units } = withValues(SCENARIO, PORTS, new Map([[0, [5]]]), "--set");
    expect(units[0].values).toEqual([
      { port: 2, values: [3], place: PLACE },
      { port: 0, values: [5], place: { file: "--set" } },
    ]);
    expect(SCENARIO.units[0].values[0].values).toEqual([1]);
  });

  it("change nothing where there are none", () => {
    expect(withValues(SCENARIO, PORTS, new Map(), "--set")).toBe(SCENARIO);
    expect(withNamedValues(SCENARIO, PORTS, {})).toBe(SCENARIO);
  });

  it("fill an array with one value, or give each element its own", () => {
    const given = (c: number | number[]) =>
      withNamedValues(SCENARIO, PORTS, { c }).units[0].values.at(-1)?.values;
    expect(given(7)).toEqual([7, 7]);
    expect(given([1, 2])).toEqual([1, 2]);
    expect(() => given([1, 2, 3])).toThrow("'c' has 2 elements, and 3 values are given");
  });
});
