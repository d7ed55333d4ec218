/**
 * Crossings that a scenario names: found where they are, however long the steps.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Crossing } from "../../model/scenario.ts";
import { compilePlan } from "../../plan/compile.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import { odeUnit } from "../../unit/ode-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";
import {
  ALPHA,
  crossing,
  FIRST_OFF,
  THERMOSTAT_PERIOD,
  THERMOSTAT_WIRES,
  thermostat,
} from "../testing/thermostat.ts";

const SEED = 20261116;
const TOLERANCE = 1e-9;
const BAND = [
  crossing([0, 1], 21, "rising", TOLERANCE),
  crossing([0, 1], 19, "falling", TOLERANCE),
];

/** Times at which `values` go down from 1 to 0. */
function fallsOf(time: readonly number[], values: readonly number[]): number[] {
  return time.filter((_, i) => i > 0 && values[i - 1] === 1 && values[i] === 0);
}

/** x'' = curve - stiffness x from x(0) and x'(0), solved exactly. Ports: x, v, der(x), der(v). */
function mover(x: number, v: number, curve = 0, stiffness = 0): Unit {
  return linearUnit({
    name: "mover",
    inputs: { f: { start: curve } },
    states: { x: { start: x }, v: { start: v } },
    a: [
      [0, 1],
      [-stiffness, 0],
    ],
    b: [[0], [1]],
  });
}
const X = 1;

/**
 * Runs one unit with crossings of its x; events are the rows that are not a multiple of the step.
 */
async function eventsOf(
  unit: Unit,
  events: readonly Crossing[],
  step: number,
  stop: number,
): Promise<{ times: number[]; run: CoupledRun }> {
  const run = await runUnits({ unit }, "", ["unit.x"], { step, stop, extras: { events } });
  expect(run.outcome.kind).toBe("completed");
  const isGrid = (t: number): boolean =>
    Math.abs(t / step - Math.round(t / step)) < 1e-12 || t === stop;
  return { times: run.time.filter((t) => !isGrid(t)), run };
}

function expectTimes(found: readonly number[], expected: readonly number[], within = 1e-8): void {
  expect(found.length).toBe(expected.length);
  expected.forEach((time, k) => {
    expect(Math.abs(found[k] - time)).toBeLessThan(within);
  });
}

describe("crossings", () => {
  it.each(["jacobi", "gauss-seidel", "iterative", "adaptive"])(
    "[EV1] a thermostat under %s switches within the tolerance of its levels, in the period of the exact cycle",
    async (master) => {
      const run = await runUnits(thermostat(), THERMOSTAT_WIRES, ["room.x", "controller.q"], {
        master,
        step: 0.5,
        stop: 30,
        extras: { events: BAND },
      });
      expect(run.outcome.kind).toBe("completed");
      const x = run.values["room.x"];
      expect(Math.max(...x)).toBeGreaterThan(21);
      expect(Math.max(...x) - 21).toBeLessThan(TOLERANCE);
      expect(Math.min(...x.slice(x.indexOf(Math.max(...x)))) - 19).toBeGreaterThan(-TOLERANCE);
      const offs = fallsOf(run.time, run.values["controller.q"]);
      expect(offs.length).toBe(Math.floor((30 - FIRST_OFF) / THERMOSTAT_PERIOD) + 1);
      offs.forEach((t, k) => {
        expect(Math.abs(t - FIRST_OFF - k * THERMOSTAT_PERIOD)).toBeLessThan(1e-6);
      });
    },
  );

  it(`[EV2] several in one step are found one after the other, each where it is (seed ${SEED})`, async () => {
    const level = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    const levels = fc.uniqueArray(level, {
      minLength: 1,
      maxLength: 5,
      // Levels within each other's tolerance are one event.
      comparator: (a, b) => Math.abs(a - b) < 1e-6,
    });
    await fc.assert(
      fc.asyncProperty(levels, async (list) => {
        const events = list.map((one) => crossing([0, X], one, "rising", TOLERANCE));
        const { times, run } = await eventsOf(mover(0, 1), events, 1, 1);
        // x = t crosses a level at the level.
        for (const one of list) expect(times.some((t) => Math.abs(t - one) < TOLERANCE)).toBe(true);
        expect(run.summary!.events).toBe(list.length);
        expect(run.summary!.notes).toEqual([]);
      }),
      { seed: SEED, numRuns: 40 },
    );
  });

  it.each([
    ["falling", [0.4]],
    ["rising", [0.6]],
    ["any", [0.4, 0.6]],
  ] as const)(
    "[EV3] two inside one step (%s) are found: rates at its ends, or a look inside, give them away",
    async (direction, expected) => {
      // x = (t - 0.5)² - 0.01 is above 0 at both ends of the step.
      const events = [crossing([0, X], 0, direction, TOLERANCE)];
      const rated = await eventsOf(mover(0.24, -1, 2), events, 1, 1);
      const within = (times: readonly number[]): number[] =>
        expected.map((t) => times.find((found) => Math.abs(found - t) < 1e-7) ?? Number.NaN);
      expectTimes(within(rated.times), expected);
      const silent = limitedUnit(mover(0.24, -1, 2), { outputDerivativeOrder: 0 });
      const looked = await eventsOf(silent, events, 1, 1);
      expectTimes(within(looked.times), expected);
    },
  );

  it("[EV3] a pair in a later step is found from the last points, where units give no rates", async () => {
    const silent = limitedUnit(mover(6.24, -5, 2), { outputDerivativeOrder: 0 });
    // x = (t - 2.5)² - 0.01
    const { times } = await eventsOf(silent, [crossing([0, X], 0, "falling")], 1, 4);
    expectTimes(times.slice(0, 1), [2.4], 1e-7);
  });

  it.each([4, 1, 0.1])(
    "[EV4] a signal on its level at the start and after every event is found when it comes back, with steps of %d s",
    async (step) => {
      // x = sin t
      const events = [crossing([0, X], 0, "any", TOLERANCE)];
      const run = await runUnits({ unit: mover(0, 1, 0, 1) }, "", ["unit.x"], {
        step,
        stop: 20,
        extras: { events },
      });
      const zeros = Array.from({ length: 6 }, (_, k) => (k + 1) * Math.PI);
      for (const zero of zeros) {
        const near = run.time.filter((t) => Math.abs(t - zero) < 1e-8);
        expect(near.length).toBe(1);
      }
      expect(run.summary!.events).toBe(6);
    },
  );

  it("[EV4] a signal that starts on its level and stays there makes no event", async () => {
    const { run } = await eventsOf(mover(0, 0), [crossing([0, X], 0, "any")], 0.5, 3);
    expect(run.summary!.events).toBe(0);
  });

  it("[EV4] a signal that stays on its level but for rounding makes no event", async () => {
    const LEVEL = 5;
    for (const roundings of [1, 4]) {
      const unit = functionUnit({
        name: "unit",
        outputs: { x: {} },
        // Above and below the level in turn, from step to step.
        evaluate: (t, _u, _p, out) => {
          out[0] =
            LEVEL + roundings * LEVEL * Number.EPSILON * Math.sign(Math.sin(Math.PI * (t + 0.5)));
        },
      });
      const run = await runUnits({ unit }, "", ["unit.x"], {
        step: 1,
        stop: 20,
        extras: { events: [crossing([0, 0], LEVEL, "any", TOLERANCE)] },
      });
      expect(run.outcome.kind).toBe("completed");
      expect(new Set(run.values["unit.x"].map((x) => Math.sign(x - LEVEL)))).toEqual(
        new Set([1, -1]),
      );
      expect(run.summary!.events).toBe(0);
    }
  });

  it("[EV5] of two signals is found where one passes the other", async () => {
    const other = { unit: 1, port: X, element: 0, factor: 2, offset: 0.5 };
    const events = [{ ...crossing([0, X], 0, "any"), other }];
    const units = { a: mover(0, 1), b: mover(0, 0.1) };
    const run = await runUnits(units, "", ["a.x"], { step: 1, stop: 1, extras: { events } });
    // t = 2 · 0.1 t + 0.5
    expect(run.time.some((t) => Math.abs(t - 0.625) < 1e-8)).toBe(true);
  });
});

describe("where units cannot go back", () => {
  const plain = (unit: Unit): Unit => limitedUnit(unit, { rollback: false });

  function rooms(): { room: Unit; controller: Unit } {
    const { room, controller } = thermostat();
    return { room: plain(room), controller: plain(controller) };
  }

  it("[EV6] steps become shorter on the way to a level, and the run says how late it was", async () => {
    const run = await runUnits(rooms(), THERMOSTAT_WIRES, ["room.x"], {
      step: 0.5,
      stop: 30,
      extras: { events: BAND },
    });
    expect(run.outcome.kind).toBe("completed");
    const x = run.values["room.x"];
    const beyond = Math.max(...x) - 21;
    // Two of the shortest steps, at the speed that the room has there.
    const bound = ((2 * 0.5) / 1024) * ALPHA * 9;
    expect(beyond).toBeGreaterThan(TOLERANCE);
    expect(beyond).toBeLessThan(bound);
    const [note = ""] = run.summary!.notes;
    expect(note).toMatch(/crosses 21 .*: [0-9]+ of [0-9]+ crossings were noticed late, by up to/);
    const [seconds, value] = /by up to ([0-9.e-]+) s and ([0-9.e-]+) beyond/
      .exec(note)!
      .slice(1)
      .map(Number) as [number, number];
    expect(value).toBeLessThan(bound);
    expect(seconds).toBeLessThan((2 * 0.5) / 1024);
  });

  it("[EV6] says so before the run, with the unit that prevents it", () => {
    const { room, controller } = rooms();
    const descriptions = { room: room.description, controller: controller.description };
    const scenario = scenarioOf(descriptions, THERMOSTAT_WIRES, {
      step: 0.5,
      extras: { events: BAND },
    });
    const found = compilePlan(scenario, { record: [] }).diagnostics;
    expect(found.map(({ code }) => code)).toEqual(["event-late", "event-late"]);
    expect(found[0].message).toContain("cannot be located exactly because 'room', 'controller'");
    const rigid = limitedUnit(room, { variableStep: false });
    const fixed = scenarioOf({ ...descriptions, room: rigid.description }, THERMOSTAT_WIRES, {
      step: 0.5,
      extras: { events: BAND },
    });
    const [warning] = compilePlan(fixed, { record: [] }).diagnostics;
    expect(warning).toMatchObject({ code: "event-at-points", severity: "warning" });
    expect(warning.message).toContain("'room'");
  });

  it("[EV15] a unit that stops at thresholds by itself is met there by all others", async () => {
    const wave = plain(
      functionUnit({
        name: "wave",
        inputs: { u: {} },
        outputs: { y: {} },
        evaluate: (_t, u, _p, y) => {
          y[0] = u[0];
        },
      }),
    );
    const source = plain(
      odeUnit({
        name: "source",
        states: { x: { start: 0 } },
        derivatives: (_t, _x, _u, _p, dx) => {
          dx[0] = 1;
        },
      }),
    );
    // The one that waits comes first in the scenario.
    const events = [crossing([1, 0], 0.35, "rising"), crossing([1, 0], 0.72, "rising")];
    const run = await runUnits({ wave, source }, "source.x -> wave.u", ["source.x"], {
      step: 0.5,
      stop: 1,
      extras: { events },
    });
    expect(run.outcome.kind).toBe("completed");
    expect(run.summary!.events).toBe(2);
    expect(run.summary!.notes).toEqual([]);
    for (const level of [0.35, 0.72])
      expect(run.time.some((t) => Math.abs(t - level) < 1e-8)).toBe(true);
  });
});
