import { describe, expect, it } from "vitest";
import {
  elementCount,
  excessOf,
  MAX_SCENARIO_ELEMENTS,
  MAX_UNIT_ELEMENTS,
} from "./element-limits.ts";
import { resolveScenario } from "./resolve-scenario.ts";
import type { UnitDraft } from "./scenario.ts";
import { testDraft } from "./testing/plain-data.ts";
import { standIn } from "./testing/stand-in-units.ts";
import type { UnitDescription } from "./unit-description.ts";

const sized = (...shapes: readonly number[][]) => shapes.map((shape) => ({ shape }));

describe("elements of a unit", () => {
  it("[SC58] are those of all ports; a scalar has one", () => {
    expect(elementCount(standIn("U", "in a; out b [3]; out c [2x5]"))).toBe(14);
  });

  it("[SC58] count a longer list of start values, and a port of no size as one", () => {
    expect(
      elementCount({ ports: standIn("U", "in a").ports.map((p) => ({ ...p, start: [1, 2, 3] })) }),
    ).toBe(3);
    expect(excessOf(sized([0]), 1)).toBeUndefined();
    expect(excessOf(sized([0], [0]), 1)).toMatchObject({ index: 1, total: 2 });
  });

  it("[SC58] fit exactly at the limit, and not one beyond", () => {
    expect(excessOf(sized([MAX_UNIT_ELEMENTS]))).toBeUndefined();
    expect(excessOf(sized([MAX_UNIT_ELEMENTS - 1], []))).toBeUndefined();
    expect(excessOf(sized([MAX_UNIT_ELEMENTS + 1]))).toMatchObject({
      index: 0,
      total: MAX_UNIT_ELEMENTS + 1,
    });
    const beyond = sized([MAX_UNIT_ELEMENTS], []);
    expect(excessOf(beyond)).toEqual({ index: 1, port: beyond[1], total: MAX_UNIT_ELEMENTS + 1 });
  });

  it("[SC58] do not fit where a dimension is NaN", () => {
    expect(excessOf(sized([Number.NaN]))).toMatchObject({ index: 0 });
  });
});

const place = { file: "s.yaml" };

/** A scenario of units with so many elements each. */
function codesOf(...sizes: readonly number[]): string[] {
  const units = sizes.map(
    (_, u): UnitDraft => ({
      name: `u${u}`,
      source: { kind: "fmu", path: String(u) },
      values: [],
      place,
    }),
  );
  const draft = testDraft(units, { place });
  const describeUnit = (source: UnitDraft["source"]): UnitDescription => {
    const size = sizes[Number((source as { path: string }).path)];
    return standIn("U", `out y [${size}]`);
  };
  return resolveScenario(draft, describeUnit).diagnostics.map(
    ({ code, message }) => `${code}: ${message}`,
  );
}

describe("elements of a scenario", () => {
  const quarter = MAX_SCENARIO_ELEMENTS / 4;

  it("[SC58] fit exactly at the limit, and not one beyond", () => {
    expect(quarter).toBeLessThanOrEqual(MAX_UNIT_ELEMENTS);
    expect(codesOf(quarter, quarter, quarter, quarter)).toEqual([]);
    expect(codesOf(quarter, quarter, quarter, quarter, 1)).toEqual([
      `scenario-too-large: with the unit 'u4' the scenario has ${MAX_SCENARIO_ELEMENTS + 1} elements; at most ${MAX_SCENARIO_ELEMENTS} are possible`,
    ]);
  });

  it("[SC58] name the unit and the port that are too large by themselves", () => {
    expect(codesOf(1, MAX_UNIT_ELEMENTS + 1)).toEqual([
      `unit-too-large: with its port 'y' (${MAX_UNIT_ELEMENTS + 1}) the unit 'u1' has ${MAX_UNIT_ELEMENTS + 1} elements; at most ${MAX_UNIT_ELEMENTS} are possible`,
    ]);
  });
});
