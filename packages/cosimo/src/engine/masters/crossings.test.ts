/**
 * Crossings that a scenario names: found where they are, however long the steps.
 */
import { describe, expect, it } from "vitest";
import { runUnits } from "../testing/run-units.ts";
import {
  crossing,
  FIRST_OFF,
  THERMOSTAT_PERIOD,
  THERMOSTAT_WIRES,
  thermostat,
} from "../testing/thermostat.ts";

/** Times at which `values` go down from 1 to 0. */
function fallsOf(time: readonly number[], values: readonly number[]): number[] {
  return time.filter((_, i) => i > 0 && values[i - 1] === 1 && values[i] === 0);
}

const TOLERANCE = 1e-9;
const EVENTS = [
  crossing([0, 1], 21, "rising", TOLERANCE),
  crossing([0, 1], 19, "falling", TOLERANCE),
];

describe("crossings", () => {
  it.each(["jacobi", "gauss-seidel", "iterative"])(
    "[EV1] a thermostat under %s switches within the tolerance of its levels, in the period of the exact cycle",
    async (master) => {
      const run = await runUnits(thermostat(), THERMOSTAT_WIRES, ["room.x", "controller.q"], {
        master,
        step: 0.5,
        stop: 30,
        extras: { events: EVENTS },
      });
      expect(run.outcome.kind).toBe("completed");
      const x = run.values["room.x"]!;
      expect(Math.max(...x)).toBeGreaterThan(21);
      expect(Math.max(...x) - 21).toBeLessThan(TOLERANCE);
      expect(Math.min(...x.slice(x.indexOf(Math.max(...x)))) - 19).toBeGreaterThan(-TOLERANCE);
      const offs = fallsOf(run.time, run.values["controller.q"]!);
      expect(offs.length).toBe(Math.floor((30 - FIRST_OFF) / THERMOSTAT_PERIOD) + 1);
      offs.forEach((t, k) => {
        expect(Math.abs(t - FIRST_OFF - k * THERMOSTAT_PERIOD)).toBeLessThan(1e-6);
      });
    },
  );
});
