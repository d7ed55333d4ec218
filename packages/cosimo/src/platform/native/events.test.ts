/**
 * Events of real FMUs that concern other FMUs: event mode, clocks, early returns, discarded steps,
 * coupled by masters.
 */
import { afterAll, describe, expect, it } from "vitest";
import { type CoupledRun, runUnits } from "../../engine/testing/run-units.ts";
import {
  crossing,
  FIRST_OFF,
  THERMOSTAT_PERIOD,
  THERMOSTAT_WIRES,
} from "../../engine/testing/thermostat.ts";
import type { Crossing } from "../../model/scenario.ts";
import { portNamed } from "../../model/unit-description.ts";
import { makeBanks } from "../../model/value-type.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import type { NativeUnitOptions } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
const opened: Unit[] = [];
afterAll(() => {
  for (const unit of opened) unit.dispose();
});

async function open(
  file: string,
  values: Readonly<Record<string, number>> = {},
  options: NativeUnitOptions = {},
): Promise<Unit> {
  const unit = openNativeUnit(await fixture(file), options);
  opened.push(unit);
  const banks = makeBanks({ f64: 1 });
  for (const [name, value] of Object.entries(values)) {
    banks.f64[0] = value;
    const { index } = portNamed(unit.description, name)!;
    unit.write(unit.bind([{ port: index, slot: 0 }]), banks);
  }
  return unit;
}

function levelOf(room: Unit, level: number, direction: Crossing["direction"]): Crossing {
  return crossing([0, portNamed(room.description, "x")!.index], level, direction, 1e-9);
}

/** Rows at which a column has another value than in the row before. */
function changesOf(run: CoupledRun, column: string): number[] {
  const values = run.values[column];
  return [...values.keys()].filter((i) => i > 0 && values[i] !== values[i - 1]);
}

// ---- the ball, in closed form -------------------------------------------------------------------

const G = 9.81;
const E = 0.7;
const FIRST_BOUNCE = Math.sqrt(2 / G);
/** Times of the bounces of a ball that falls from 1 m, and how fast it is then. */
function bounces(count: number): { time: number; speed: number }[] {
  const found: { time: number; speed: number }[] = [];
  let [time, speed] = [FIRST_BOUNCE, Math.sqrt(2 * G)];
  for (let k = 0; k < count; k++) {
    found.push({ time, speed });
    speed *= E;
    time += (2 * speed) / G;
  }
  return found;
}
/**
 * With the usual parameters the ball comes to rest with the bounce after which it would be slower
 * than 0.1 m/s.
 */
const BOUNCES = Math.ceil(Math.log(0.1 / Math.sqrt(2 * G)) / Math.log(E));

describe("a thermostat of two FMUs", () => {
  it.each([
    ["fmi3", "jacobi"],
    ["fmi3", "iterative"],
    ["fmi3", "adaptive"],
    ["fmi2", "jacobi"],
    ["fmi2", "gauss-seidel"],
  ])(
    "[EV1] as %s under %s switches within the tolerance of its levels",
    async (version, master) => {
      const room = await open(`${version}/ThermostatRoom`);
      const controller = await open(`${version}/ThermostatController`);
      const run = await runUnits(
        { room, controller },
        THERMOSTAT_WIRES,
        ["room.x", "controller.q", "controller.switches"],
        {
          master,
          step: 0.5,
          stop: 30,
          extras: { events: [levelOf(room, 21, "rising"), levelOf(room, 19, "falling")] },
        },
      );
      expect(run.outcome.kind).toBe("completed");
      const x = run.values["room.x"];
      expect(Math.max(...x) - 21).toBeLessThan(1e-9);
      expect(Math.min(...x.slice(x.indexOf(Math.max(...x)))) - 19).toBeGreaterThan(-1e-9);
      const q = run.values["controller.q"];
      const offs = changesOf(run, "controller.q").filter((i) => q[i] === 0);
      expect(offs.length).toBeGreaterThan(9);
      offs.forEach((i, k) => {
        expect(Math.abs(run.time[i] - FIRST_OFF - k * THERMOSTAT_PERIOD)).toBeLessThan(1e-6);
        // With event mode the row before the event and the row after it are of one instant.
        if (version === "fmi3") expect(run.time[i - 1]).toBe(run.time[i]);
      });
    },
  );

  const COUPLINGS = ["jacobi", "gauss-seidel", "iterative"] as const;
  it.each(VERSIONS.flatMap((version) => COUPLINGS.map((coupling) => [version, coupling] as const)))(
    "[AD14] as %s under adaptive (%s) with nothing declared makes all 20 switches between 19 and 21 degrees",
    async (version, coupling) => {
      const room = await open(`${version}/ThermostatRoom`);
      const controller = await open(`${version}/ThermostatController`);
      const run = await runUnits(
        { room, controller },
        THERMOSTAT_WIRES,
        ["room.x", "controller.q"],
        {
          master: "adaptive",
          options: { coupling, relative: 1e-4, absolute: 1e-6 },
          step: 0.01,
          stop: 30,
        },
      );
      expect(run.outcome.kind).toBe("completed");
      const switches = changesOf(run, "controller.q").map((row) => run.time[row]);
      expect(switches.length).toBe(20);
      switches
        .filter((_, k) => k % 2 === 0)
        .forEach((time, k) => {
          expect(Math.abs(time - FIRST_OFF - k * THERMOSTAT_PERIOD)).toBeLessThan(0.02);
        });
      // What the controller is told of the room may be off by the tolerance on average over a step,
      // 0.002 degrees.
      const x = run.values["room.x"];
      expect(Math.max(...x)).toBeLessThan(21.006);
      expect(Math.max(...x)).toBeGreaterThan(21 - 1e-6);
      expect(Math.min(...x)).toBeGreaterThan(18.994);
      expect(Math.min(...x)).toBeLessThan(19 + 1e-6);
    },
  );
});

describe("a ball that is counted elsewhere", () => {
  const COLUMNS = ["ball.bounces", "counter.changes"];

  it.each(["jacobi", "iterative", "adaptive"])(
    "[EV7] as FMI 3 under %s bounces when it should, and the counter hears of every bounce at that instant, once",
    async (master) => {
      const ball = await open("fmi3/BouncingBallClocked");
      const counter = await open("fmi3/Counter");
      const run = await runUnits(
        { ball, counter },
        "ball.bounce -> counter.tick; ball.impact -> counter.weight; ball.bounces -> counter.u",
        [...COLUMNS, "counter.count", "counter.sum"],
        { master, step: 0.1, stop: 3 },
      );
      expect(run.outcome.kind).toBe("completed");
      const rows = changesOf(run, "ball.bounces");
      const expected = bounces(BOUNCES);
      expect(rows.length).toBe(expected.length);
      let sum = 0;
      expected.forEach(({ time, speed }, k) => {
        const row = rows[k];
        sum += speed;
        expect(Math.abs(run.time[row] - time)).toBeLessThan(1e-8);
        expect(run.time[row - 1]).toBe(run.time[row]);
        for (const column of ["ball.bounces", "counter.count", "counter.changes"])
          expect(run.values[column][row]).toBe(k + 1);
        expect(run.values["counter.sum"][row]).toBeCloseTo(sum, 8);
      });
      expect(run.values["counter.count"].at(-1)).toBe(BOUNCES);
    },
  );

  it.each(["iterative", "adaptive"])(
    "[EV8] as FMI 2 under %s discards what is left of its step; all meet it there, and the counter counts right behind it",
    async (master) => {
      const ball = await open("fmi2/BouncingBallClocked");
      const counter = await open("fmi2/Counter");
      const run = await runUnits({ ball, counter }, "ball.bounces -> counter.u", COLUMNS, {
        master,
        step: 0.1,
        stop: 3,
      });
      expect(run.outcome.kind).toBe("completed");
      const expected = bounces(BOUNCES);
      for (const column of COLUMNS) {
        const rows = changesOf(run, column);
        expect(rows.length).toBe(expected.length);
        rows.forEach((row, k) => {
          expect(Math.abs(run.time[row] - expected[k].time)).toBeLessThan(1e-8);
          expect(run.values[column][row]).toBe(k + 1);
        });
      }
    },
  );

  it("[EV9] is said to bounce ever faster, and towards which time", async () => {
    const ball = await open("fmi3/BouncingBallClocked", { v_min: 0 });
    const counter = await open("fmi3/Counter");
    const run = await runUnits({ ball, counter }, "ball.bounce -> counter.tick", COLUMNS, {
      step: 0.1,
      stop: 3,
    });
    expect(run.outcome.kind).toBe("completed");
    const limit = FIRST_BOUNCE * (1 + (2 * E) / (1 - E));
    const [note = ""] = run.summary!.notes;
    expect(note).toContain("events of 'ball': Zeno behaviour");
    const reported = Number(/get past t=([0-9.]+)/.exec(note)?.[1]);
    expect(Math.abs(reported - limit)).toBeLessThan(1e-6);
  });
});

describe("clocks", () => {
  const COLUMNS = ["x.a", "x.b", "x.c", "x.activations"];
  /** a counts the ticks of 0.1 s; every third of them b takes what a is then. */
  function after(time: number): { n: number; b: number } {
    const n = Math.floor(time / 0.1 + 1e-9) + 1;
    let b = 0;
    for (let i = 1; i <= n; i += 3) b += i;
    return { n, b };
  }

  it.each(["jacobi", "adaptive"])(
    "[EV10] of 0.1 s and 0.3 s that tick at one instant are one event, their partitions in the order of the model structure (%s)",
    async (master) => {
      const x = await open("fmi3/ClockedRates");
      const run = await runUnits({ x }, "x.a -> x.w", COLUMNS, { master, step: 0.25, stop: 2.05 });
      expect(run.outcome.kind).toBe("completed");
      run.time.forEach((time, row) => {
        // Two rows at one time: before the event and after it.
        if (run.time[row + 1] === time) return;
        const { n, b } = after(time);
        expect(run.values["x.activations"][row]).toBe(n);
        expect(run.values["x.a"][row]).toBe(n);
        expect(run.values["x.b"][row]).toBe(b);
        expect(run.values["x.c"][row]).toBe(b);
      });
    },
  );

  it("[EV10] of two units tick together, and what one computes reaches the other at that instant", async () => {
    const [x, y] = [await open("fmi3/ClockedRates"), await open("fmi3/ClockedRates")];
    const run = await runUnits({ y, x }, "y.a -> x.w; x.a -> y.w", [...COLUMNS, "y.c"], {
      step: 0.25,
      stop: 2.05,
    });
    expect(run.outcome.kind).toBe("completed");
    const { n, b } = after(2.05);
    expect(COLUMNS.map((column) => run.values[column].at(-1))).toEqual([n, b, b, n]);
    expect(run.values["y.c"].at(-1)).toBe(b);
  });

  it.each(["hold", "linear"])(
    "[EV11] sample a plant between communication points, and what jumps there is not extrapolated (%s)",
    async (approximation) => {
      const plant = linearUnit({
        name: "plant",
        inputs: { u: {} },
        states: { x: { start: 0 } },
        a: [[0]],
        b: [[1]],
      });
      const controller = await open("fmi3/ClockedController");
      const run = await runUnits(
        { plant, controller },
        "plant.x -> controller.y; controller.u -> plant.u",
        ["plant.x", "controller.u"],
        { step: 0.07, stop: 2.03, options: { approximation } },
      );
      expect(run.outcome.kind).toBe("completed");
      let [x, integral] = [0, 0];
      for (let tick = 0; tick < 20; tick++) {
        const error = 1 - x;
        integral += 0.1 * error;
        const u = 2 * error + integral;
        const at = run.time.findLastIndex((time) => time <= tick * 0.1 + 1e-12);
        expect(run.values["controller.u"][at]).toBeCloseTo(u, 12);
        expect(run.values["plant.x"][at]).toBeCloseTo(x, 12);
        x += 0.1 * u;
      }
    },
  );

  it("[EV12] whose intervals change, count down or are triggered by another unit tick when they should", async () => {
    const clocks = await open("fmi3/Clocks");
    const ball = await open("fmi3/BouncingBallClocked");
    const run = await runUnits(
      { ball, clocks },
      "ball.bounce -> clocks.trigger",
      ["clocks.slows", "clocks.alarms", "clocks.sum", "clocks.ticks"],
      { step: 0.2, stop: 2 },
    );
    expect(run.outcome.kind).toBe("completed");
    const timesOf = (column: string): number[] =>
      changesOf(run, column).map((row) => run.time[row]);
    // The n-th interval of slower is n · 0.25 s.
    expect(timesOf("clocks.slows")).toEqual([0.25, 0.75, 1.5]);
    const heard = bounces(4).map(({ time }) => time);
    timesOf("clocks.sum").forEach((time, k) => {
      expect(Math.abs(time - heard[k])).toBeLessThan(1e-8);
    });
    expect(timesOf("clocks.sum").length).toBe(heard.filter((time) => time < 2).length);
    // An alarm 0.3 s behind every trigger; while one counts down, a new trigger restarts it.
    const alarms = heard
      .filter((time, k) => (heard[k + 1] ?? Number.POSITIVE_INFINITY) - time > 0.3)
      .map((time) => time + 0.3)
      .filter((time) => time < 2);
    expect(timesOf("clocks.alarms").length).toBe(alarms.length);
    timesOf("clocks.alarms").forEach((time, k) => {
      expect(Math.abs(time - alarms[k])).toBeLessThan(1e-8);
    });
  });
});

describe("time events", () => {
  it("[EV13] are communication points for all units, and a unit may end the run at one", async () => {
    const stair = await open("fmi3/Stair", { limit: 9 });
    const counter = await open("fmi3/Counter");
    const run = await runUnits(
      { stair, counter },
      "stair.counter -> counter.u",
      ["stair.counter", "counter.changes"],
      { step: 0.7, stop: 20 },
    );
    expect(run.outcome).toMatchObject({ kind: "stopped-by-unit", unit: "stair", time: 8 });
    const rows = changesOf(run, "counter.changes");
    expect(rows.map((row) => run.time[row])).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(run.values["stair.counter"].slice(-2)).toEqual([8, 9]);
  });
});

it.each(VERSIONS)(
  "[EV14] without event mode, %s FMUs hear of events one communication step later",
  async (version) => {
    const [ball, counter] = [
      await open(`${version}/BouncingBall`, {}, { eventMode: false }),
      await open(`${version}/Counter`, {}, { eventMode: false }),
    ];
    const run = await runUnits(
      { ball, counter },
      "ball.bounces -> counter.u",
      ["counter.changes"],
      {
        step: 0.1,
        stop: 1,
      },
    );
    const [row = 0] = changesOf(run, "counter.changes");
    expect(run.time[row] - FIRST_BOUNCE).toBeGreaterThan(0.1);
  },
);
