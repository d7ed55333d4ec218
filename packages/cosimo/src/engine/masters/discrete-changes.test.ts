/**
 * Unannounced changes, with adaptive steps: found where they happened, or bounded by the
 * experiment's step.
 */
import { describe, expect, it } from "vitest";
import { compilePlan } from "../../plan/compile.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import { stateMachineUnit } from "../../unit/state-machine-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";
import {
  crossing,
  FIRST_OFF,
  heatController,
  heatedRoom,
  THERMOSTAT_PERIOD,
  THERMOSTAT_WIRES,
  thermostat,
} from "../testing/thermostat.ts";

const COUPLINGS = ["jacobi", "gauss-seidel", "iterative"];
/** The room changes by no more than that, degrees per second. */
const FASTEST = 2.1;
const TOLERANCES = [1e-2, 1e-3, 1e-4, 1e-5];

/** The controller's output jumps, and nothing says that it does. */
const realThermostat = (variability: "continuous" | "discrete"): Record<string, Unit> => ({
  room: heatedRoom(),
  controller: heatController(variability),
});

function switchesOf(run: CoupledRun): number[] {
  const q = run.values["controller.q"];
  return run.time.filter((_, i) => i > 0 && q[i] !== q[i - 1]);
}

/** A boolean that is on from 2 s to 3 s, then again after every 2 s for one second. */
function toggling(): Unit {
  return stateMachineUnit({
    name: "toggle",
    outputs: { y: { type: "boolean", start: [false] } },
    initial: "low",
    states: {
      low: { entry: (m) => m.set("y", 0), transitions: [{ to: "high", after: 2 }] },
      high: { entry: (m) => m.set("y", 1), transitions: [{ to: "low", after: 1 }] },
    },
  });
}

describe("discrete outputs with adaptive steps", () => {
  it.each(COUPLINGS.flatMap((coupling) => TOLERANCES.map((tol) => [coupling, tol] as const)))(
    "[AD14] of a thermostat are located: all 20 switches, from 19 to 21 degrees (%s, %s)",
    async (coupling, tolerance) => {
      const run = await runUnits(thermostat(), THERMOSTAT_WIRES, ["room.x", "controller.q"], {
        master: "adaptive",
        options: { coupling, relative: tolerance, absolute: tolerance },
        step: 0.01,
        stop: 30,
      });
      expect(run.outcome.kind).toBe("completed");
      const found = switchesOf(run);
      expect(found.length).toBe(20);
      // Half a micro-step of the longest step, which is ten of the experiment's; nine periods add
      // it up.
      const late = (10 * 0.01) / 20;
      found
        .filter((_, k) => k % 2 === 0)
        .forEach((t, k) => {
          expect(Math.abs(t - FIRST_OFF - k * THERMOSTAT_PERIOD)).toBeLessThan(20 * late);
        });
      const x = run.values["room.x"];
      expect(Math.max(...x)).toBeLessThan(21 + FASTEST * late);
      expect(Math.min(...x)).toBeGreaterThan(19 - FASTEST * late);
    },
  );

  it("[AD15] that change twice within what the error allows are found all the same", async () => {
    const listener = linearUnit({
      name: "listener",
      inputs: { on: { type: "boolean", start: [false] } },
      states: { x: {} },
      a: [[0]],
      b: [[1]],
    });
    const units = { toggle: toggling(), listener };
    const run = await runUnits(units, "toggle.y -> listener.on", ["toggle.y", "listener.x"], {
      master: "adaptive",
      step: 0.01,
      stop: 6.5,
    });
    expect(run.outcome.kind).toBe("completed");
    const y = run.values["toggle.y"];
    const found = run.time.filter((_, i) => i > 0 && y[i] !== y[i - 1]);
    expect(found.length).toBe(4);
    [2, 3, 5, 6].forEach((t, k) => {
      expect(Math.abs(found[k] - t)).toBeLessThan(1e-9);
    });
    const sizes = run.time.map((t, i) => (i === 0 ? 0 : t - run.time[i - 1]));
    expect(Math.max(...sizes)).toBeLessThan(0.1 + 1e-12);
    const grown = sizes.flatMap((h, i) => (h > 0.01 && sizes[i - 1] > 0 ? [h / sizes[i - 1]] : []));
    expect(grown.length).toBeGreaterThan(40);
    expect(Math.max(...grown)).toBeLessThan(2 * (1 + 1e-9));
  });

  describe.each(COUPLINGS)("of a counter under %s", (coupling) => {
    const SECONDS = [1, 2, 3, 4, 5, 6];
    const counted = async (step: number, rollback: boolean): Promise<CoupledRun> => {
      const counter = functionUnit({
        name: "counter",
        outputs: { y: { type: "int32" } },
        evaluate: (t, _u, _p, out) => {
          out[0] = Math.floor(t);
        },
      });
      const sum = linearUnit({
        name: "sum",
        inputs: { u: { type: "int32" } },
        states: { x: {} },
        a: [[0]],
        b: [[1]],
      });
      const units = { counter: limitedUnit(counter, { rollback }), sum };
      return runUnits(units, "counter.y -> sum.u", ["counter.y", "sum.x"], {
        master: "adaptive",
        options: { coupling },
        step,
        stop: 6.5,
      });
    };
    const changesOf = ({ time, values: { "counter.y": y = [] } }: CoupledRun): number[] =>
      time.filter((_, i) => i > 0 && y[i] !== y[i - 1]);

    it.each([0.01, 1 / 3, 1])("[AD14] are located, every second (step %s)", async (step) => {
      const run = await counted(step, true);
      const found = changesOf(run);
      expect(found.length).toBe(SECONDS.length);
      // A change counts at the end of a step as short as an event, one and a half times
      // eventTolerance.
      for (const [k, t] of SECONDS.entries()) expect(Math.abs(found[k] - t)).toBeLessThan(1.5e-9);
      // 1 + 2 + … + 5, and half a second at 6.
      expect(Math.abs(run.values["sum.x"].at(-1)! - 18)).toBeLessThan(1e-8);
    });

    it.each([0.01, 1 / 3])(
      "[AD16] are at most one step late where units cannot go back (%s)",
      async (step) => {
        const run = await counted(step, false);
        const found = changesOf(run);
        expect(found.length).toBe(SECONDS.length);
        for (const [k, t] of SECONDS.entries()) {
          expect(found[k]).toBeGreaterThanOrEqual(t);
          expect(found[k]).toBeLessThanOrEqual(t + step);
        }
        const sizes = run.time.slice(1).map((t, i) => t - run.time[i]);
        expect(Math.max(...sizes)).toBeLessThan(step * (1 + 1e-9));
      },
    );
  });

  it("[AD16] bound the step where a unit cannot go back, and a warning names it", async () => {
    const { room, controller } = thermostat();
    const units = { room, controller: limitedUnit(controller, { rollback: false }) };
    const options = { master: "adaptive", options: { coupling: "jacobi" }, step: 0.01 };
    const descriptions = { room: room.description, controller: units.controller.description };
    const { diagnostics } = compilePlan(scenarioOf(descriptions, THERMOSTAT_WIRES, options), {
      record: [],
    });
    expect(diagnostics.map(({ code }) => code)).toContain("discrete-late");
    expect(diagnostics.find(({ code }) => code === "discrete-late")!.message).toMatch(
      /'controller\.q'.*'controller' cannot roll back/,
    );
    const run = await runUnits(units, THERMOSTAT_WIRES, ["room.x", "controller.q"], {
      ...options,
      stop: 30,
    });
    expect(switchesOf(run).length).toBe(20);
    const x = run.values["room.x"];
    // Two steps may pass before the room hears of it.
    expect(Math.max(...x)).toBeLessThan(21 + 2 * 0.01 * FASTEST);
    expect(Math.min(...x)).toBeGreaterThan(19 - 2 * 0.01 * FASTEST);
  });
});

describe("steps at events", () => {
  const events = [crossing([0, 1], 21, "rising"), crossing([0, 1], 19, "falling")];
  const cases = (["continuous", "discrete"] as const).flatMap((variability) =>
    COUPLINGS.flatMap((coupling) =>
      [1e-2, 1e-4].map((tolerance) => [variability, coupling, tolerance] as const),
    ),
  );
  it.each(cases)(
    "[AD17] are never empty and not judged by their error: %s jumps at declared events (%s, %s)",
    async (variability, coupling, tolerance) => {
      const run = await runUnits(
        realThermostat(variability),
        THERMOSTAT_WIRES,
        ["room.x", "controller.q"],
        {
          master: "adaptive",
          options: { coupling, relative: tolerance, absolute: tolerance },
          step: 0.01,
          stop: 10,
          extras: { events },
        },
      );
      expect(run.outcome).toMatchObject({ kind: "completed", time: 10 });
      const x = run.values["room.x"];
      expect(Math.max(...x)).toBeLessThan(21 + tolerance * 21);
      expect(Math.min(...x)).toBeGreaterThan(19 - tolerance * 21);
    },
  );
});
