/**
 * The listings of the paper at work, as they are printed but for the errata, on small units with
 * known results. Window and obstacle are those of the power window: height = r · angle, torque = r
 * · (force + b · r · speed), force = k · max(0, disp - where).
 */
import { describe, expect, it } from "vitest";
import { runUnits } from "../engine/testing/run-units.ts";
import { listing } from "../lang/sa/testing/listings.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import type { PortSpec } from "../unit/port-spec.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import { getNumber, indexOf, portOf, setValues } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { adaptShort, started, step, watched } from "./testing/adapt.ts";

const RADIUS = 0.11;
const STIFFNESS = 40;
const WHERE = 0.3;
const REACTIVE: PortSpec = { reactive: true };

/** The listing with what it should say. */
function corrected(name: string, ...errata: readonly [printed: string, meant: string][]): string {
  let text = listing(name);
  for (const [printed, meant] of errata) {
    if (!text.includes(printed)) throw new Error(`${name} does not say '${printed}'`);
    text = text.replace(printed, meant);
  }
  return text;
}

const WINDOW = corrected("paper-1", ["-window.reaction_force", "-window.reaction_torque"]);
const LOOP = corrected("paper-3", ["reaction_force (m)", "reaction_force (N)"]);
const RATE = corrected("paper-4", ["*(dt + h)", "*(dt + h)/H"]);
const LAZY = corrected("paper-5", ["do_step(controller, t,", "do_step(controller, tl,"]);
// Bound to a boolean, the current would be one.
const CROSSING = corrected(
  "paper-6",
  ["amature_current -> lazy.obj_detected", "amature_current"],
  ["var aux_obj_detected := false;", "var aux_obj_detected := false; c := false;"],
);

describe("listing 1", () => {
  const window = (): Unit =>
    functionUnit({
      name: "window",
      inputs: { displacement: REACTIVE, speed: REACTIVE, reaction_force: REACTIVE },
      outputs: { height: {}, reaction_torque: {} },
      evaluate: (_t, u, _p, y) => {
        y[0] = 100 * RADIUS * u[0];
        y[1] = RADIUS * (u[2] + 10 * RADIUS * u[1]);
      },
    });

  it("[AU40] changes the sign of the torque and the unit of the height", () => {
    const unit = started(adaptShort(WINDOW, window()));
    setValues(unit, { displacement: 2, speed: 3, reaction_force: 4 });
    expect(getNumber(unit, "disp")).toBeCloseTo(RADIUS * 2, 12);
    expect(getNumber(unit, "tau")).toBeCloseTo(-RADIUS * (4 + 10 * RADIUS * 3), 12);
    step(unit, 0, 1);
    expect(getNumber(unit, "disp")).toBeCloseTo(RADIUS * 2, 12);
    expect(portOf(unit, "disp").unit?.name).toBe("m");
    expect(portOf(unit, "speed").unit?.name).toBe("rad/s");
  });
});

/** Yields when it is pressed: the window moves back by a part of the force. */
const softWindow = (): Unit =>
  functionUnit(
    {
      name: "window_sa",
      inputs: { displacement: REACTIVE, speed: REACTIVE, reaction_force: REACTIVE },
      outputs: { disp: {}, tau: {} },
      evaluate: (_t, u, _p, y) => {
        y[0] = RADIUS * u[0] - 0.01 * u[2];
        y[1] = -RADIUS * u[2];
      },
    },
    "window_sa",
  );

const obstacle = (): Unit =>
  functionUnit({
    name: "obstacle",
    inputs: { disp: REACTIVE },
    outputs: { reaction_force: {} },
    evaluate: (_t, u, _p, y) => {
      y[0] = STIFFNESS * Math.max(0, u[0] - WHERE);
    },
  });

describe("listing 3", () => {
  const loop = (rounds: number): Unit => {
    const unit = adaptShort(LOOP, softWindow(), obstacle());
    setValues(unit, { MAXITER: rounds, REL_TOL: 1e-12, ABS_TOL: 1e-12 });
    return started(unit);
  };

  it("[AU41] ends each step where window and obstacle agree", () => {
    const unit = loop(100);
    for (const [k, angle] of [1, 3, 4].entries()) {
      setValues(unit, { displacement: angle });
      step(unit, k, k + 1);
      // Free below the obstacle; pressed: F = k (r a - F/100 - where).
      const free = RADIUS * angle - WHERE;
      const force = free > 0 ? (STIFFNESS * free) / (1 + STIFFNESS / 100) : 0;
      expect(getNumber(unit, "tau")).toBeCloseTo(-RADIUS * force, 9);
    }
  });

  it("[AU41] shows what is stored between steps, because the two form a loop", () => {
    const unit = loop(100);
    setValues(unit, { displacement: 4 });
    expect(getNumber(unit, "tau")).toBe(0);
  });

  it("[AU41] says so in the next step when it did not converge and left its units behind", () => {
    const unit = loop(2);
    setValues(unit, { displacement: 4 });
    step(unit, 0, 1);
    expect(() => step(unit, 1, 2)).toThrow("do_step(obstacle) from t=1, but it is at t=0");
  });
});

describe("listing 4", () => {
  /** tau = ∫ speed. */
  const inner = (): Unit =>
    linearUnit({
      name: "loop_sa",
      inputs: { displacement: {}, speed: {} },
      states: { tau: {} },
      a: [[0]],
      b: [[0, 1]],
    });

  it("[AU42] takes ten steps along the line from the last input to this one", () => {
    const loop = watched(inner());
    const unit = started(adaptShort(RATE, loop.unit));
    let expected = 0;
    for (const [k, speed] of [2, -1, 5].entries()) {
      const last = [0, 2, -1][k];
      setValues(unit, { speed });
      step(unit, 0.2 * k, 0.2 * (k + 1));
      // Ten held values, each that of the end of its micro-step.
      for (let i = 1; i <= 10; i++) expected += (last + ((speed - last) * i) / 10) * 0.02;
      expect(getNumber(unit, "tau")).toBeCloseTo(expected, 12);
    }
    expect(loop.steps).toHaveLength(30);
    expect(loop.steps.at(-1)![1]).toBe(0.2 * 3);
  });

  it("[AU42] runs at the rate that its parameter says", () => {
    const loop = watched(inner());
    const unit = adaptShort(RATE, loop.unit);
    setValues(unit, { RATE: 3 });
    started(unit);
    step(unit, 0, 1);
    expect(loop.steps).toHaveLength(3);
  });
});

const BUTTONS = [
  "passenger_up",
  "passenger_down",
  "passenger_stop",
  "driver_up",
  "driver_down",
  "driver_stop",
];
const PULSE: PortSpec = { type: "boolean" };

/** Goes up when the driver says so; down for one second when an object is detected. */
const controller = (name: string): Unit =>
  stateMachineUnit(
    {
      name,
      inputs: Object.fromEntries(["obj_detected", ...BUTTONS].map((port) => [port, PULSE])),
      outputs: Object.fromEntries(
        ["up", "down", "stop"].map((port) => [port, { ...PULSE, feedThrough: [] }]),
      ),
      initial: "idle",
      states: {
        idle: {
          entry: (machine) => {
            machine.set("up", 0);
            machine.set("down", 0);
          },
          transitions: [{ to: "rising", on: "driver_up", when: (m) => m.get("driver_up") === 1 }],
        },
        rising: {
          entry: (machine) => machine.set("up", 1),
          transitions: [
            { to: "retracting", on: "obj_detected", when: (m) => m.get("obj_detected") === 1 },
          ],
        },
        retracting: {
          entry: (machine) => {
            machine.set("up", 0);
            machine.set("down", 1);
          },
          transitions: [{ to: "idle", after: 1 }],
        },
      },
    },
    name,
  );

describe("listing 5", () => {
  it("[AU43] executes the controller when an input changes and when its time has come", () => {
    const inner = watched(controller("controller"));
    const unit = started(adaptShort(LAZY, inner.unit));
    const shown: string[] = [];
    for (let k = 0; k < 24; k++) {
      // The driver presses before the third step, the object is met before the sixth.
      setValues(unit, { driver_up: k >= 2, obj_detected: k >= 5 });
      expect(step(unit, k / 8, (k + 1) / 8).reason).toBe("time");
      shown.push(`${getNumber(unit, "up")}${getNumber(unit, "down")}`);
    }
    // First: always. Then what changed. It retracts for a second from where that step of the
    // controller began, at 3/8, so its own time comes at 11/8.
    expect(inner.steps).toEqual([
      [0, 1 / 8],
      [1 / 8, 3 / 8],
      [3 / 8, 6 / 8],
      [6 / 8, 11 / 8],
    ]);
    const expected = (k: number): string => (k < 2 ? "00" : k < 5 ? "10" : k < 10 ? "01" : "00");
    expect(shown).toEqual(shown.map((_, k) => expected(k)));
  });
});

describe("listing 6", () => {
  const crossing = (): Unit => adaptShort(CROSSING, adaptedLazy());

  /** An adaptation inside another one. */
  function adaptedLazy(): Unit {
    const unit = adaptShort(LAZY, controller("controller"));
    return Object.assign(unit, { name: "lazy" });
  }

  it("[AU44] sends a step back until it ends at the crossing, and tells the event there", () => {
    const unit = started(crossing());
    const current = (t: number): number => 8 * t * t;
    const meets = Math.sqrt(5 / 8);
    let time = 0;
    let tries = 0;
    const visited: number[] = [];
    const down: number[] = [];
    setValues(unit, { driver_up: true });
    while (time < 1) {
      let to = Math.min(1, time + 0.15);
      const before = unit.save();
      for (;;) {
        setValues(unit, { amature_current: current(time) });
        const slope = (current(to) - current(time)) / (to - time);
        unit.setInputDerivatives([indexOf(unit, "amature_current")], [1], Float64Array.of(slope));
        const stop = step(unit, time, to);
        tries++;
        if (stop.reason === "time") break;
        expect(stop).toMatchObject({ reason: "discarded", port: -1 });
        expect(stop.time).toBeLessThan(to);
        unit.restore(before);
        to = stop.time;
      }
      unit.release(before);
      time = to;
      visited.push(time);
      down.push(getNumber(unit, "d"));
    }
    // Where the event is told, the current is 5 A within the tolerance of the listing (1e-4 of it).
    const at = down.indexOf(1);
    expect(Math.abs(current(visited[at]) - 5)).toBeLessThanOrEqual(5.1e-4);
    expect(visited[at]).toBeCloseTo(meets, 4);
    expect(tries).toBeGreaterThan(visited.length);
    expect(getNumber(unit, "u")).toBe(0);
  });

  it("[AU44] moves a whole scenario to the crossing, with a master that can go back", async () => {
    const ramp = functionUnit({
      name: "ramp",
      outputs: { y: { feedThrough: [] }, on: { ...PULSE, feedThrough: [] } },
      evaluate: (t, _u, _p, y) => {
        y[0] = 7 * t;
        y[1] = t > 0.1 ? 1 : 0;
      },
    });
    const run = await runUnits(
      { ramp, adapted: crossing() },
      "ramp.y -> adapted.amature_current; ramp.on -> adapted.driver_up",
      ["adapted.u", "adapted.d", "ramp.y"],
      { master: "gauss-seidel", step: 0.3, stop: 1.2 },
    );
    expect(run.outcome.kind).toBe("completed");
    const at = run.time.findIndex((t) => Math.abs(7 * t - 5) < 1e-9);
    expect(run.time[at]).toBeCloseTo(5 / 7, 12);
    expect(run.values["adapted.d"].map(Boolean)).toEqual(run.time.map((_, row) => row >= at));
  });
});
