/**
 * The power window with its adapted units replaced by FMUs that were exported from them: nobody who
 * looks at the trace can tell. The controller refuses steps on the way to the crossing; the limit
 * makes sure that a master is chosen that can go back, because FMI has no word for units that
 * refuse.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import type { Trace } from "../src/record/trace.ts";
import { exportedUnit, newFolder } from "./export-adaptation/open-units.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "..", "examples", "power-window");
const UNITS = { controller: "controller.sa", power: "power.sa", window: "rate.sa" };

/** The scenario with units from other files. */
async function run(files: Readonly<Record<string, string>>): Promise<Trace> {
  let text = readFileSync(join(EXAMPLES, "adapted.yaml"), "utf8");
  for (const [unit, file] of Object.entries(UNITS))
    text = text.replace(`${unit}: ${file}`, `${unit}: ${files[unit]}`);
  const fixtures = join(EXAMPLES, "..", "..", "fixtures");
  const scenario = join(newFolder(), "window.yaml");
  writeFileSync(scenario, `${text.replace("../../fixtures", fixtures)}limits:\n  - { at: [1] }\n`);
  const { outcome, trace } = await simulateScenarioFile(scenario);
  expect(outcome.kind).toBe("completed");
  return trace;
}

/**
 * The greatest difference of any two values, in parts of what the column reaches, and of any two
 * times.
 */
function difference(one: Trace, other: Trace): number {
  expect(other.time).toHaveLength(one.time.length);
  const times = Math.max(...Array.from(one.time, (t, k) => Math.abs(t - other.time[k]!)));
  const parts = one.columns.map(({ name, data }) => {
    const values = Array.from(data, Number);
    const same = other.columns.find((column) => column.name === name)!;
    const largest = Math.max(...values.map(Math.abs));
    return Math.max(...values.map((v, k) => Math.abs(v - Number(same.data[k])))) / largest;
  });
  return Math.max(times, ...parts);
}

describe("the power window of exported FMUs", () => {
  let adapted: Trace;
  beforeAll(async () => {
    adapted = await run(
      Object.fromEntries(Object.entries(UNITS).map(([unit, file]) => [unit, join(EXAMPLES, file)])),
    );
  }, 60_000);

  it.each([2, 3] as const)(
    "[EXA5] moves, meets the obstacle and turns round as that of the adaptations, FMI %i.0",
    async (version) => {
      const files: Record<string, string> = {};
      for (const [unit, file] of Object.entries(UNITS))
        files[unit] = (await exportedUnit(join(EXAMPLES, file), version)).path;
      const exported = await run(files);
      // Both find the crossing with steps between the points of the grid.
      expect(exported.time.length).toBeGreaterThan(2501);
      expect(exported.columns.length).toBe(6);
      // Inputs of FMI 3.0 FMUs follow values at both ends of a step, which rounds once more than
      // slopes do.
      if (version === 2) expect(exported.time).toStrictEqual(adapted.time);
      expect(difference(adapted, exported)).toBeLessThan(1e-12);
    },
    180_000,
  );
});
