/**
 * What happens at events: cascades, reactions, events that come too fast, units that stop and
 * others that cannot go back.
 */
import { describe, expect, it } from "vitest";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Stop } from "../../unit/predicate.ts";
import { stateMachineUnit } from "../../unit/state-machine-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { runUnits } from "../testing/run-units.ts";
import { crossing, THERMOSTAT_WIRES, thermostat } from "../testing/thermostat.ts";
import { toggleUnit } from "../testing/toggle-unit.ts";

/** x = t. Ports: x. */
function clock(): Unit {
  return linearUnit({
    name: "clock",
    inputs: { one: { start: 1 } },
    states: { x: {} },
    a: [[0]],
    b: [[1]],
  });
}
const CLOCK_X = 1;

describe("cascades at one instant", () => {
  const WIRES = "a.y -> b.u; b.y -> a.u";

  it("[EV16] end when nothing changes any more", async () => {
    // y := u / 2 in a ring, from 1 on: halved until the smallest number is nothing.
    const units = { a: toggleUnit("a", 0.5, 0), b: toggleUnit("b", 1, 0), start: clock() };
    const run = await runUnits(units, WIRES, ["a.y"], { step: 1, stop: 1, master: "iterative" });
    expect(run.outcome.kind).toBe("completed");
    expect(run.values["a.y"].every((y) => y === 0)).toBe(true);
  });

  it("[EV16] that do not end are stopped after a number of rounds, with the units and inputs in them", async () => {
    // y := 1 - u in one unit, y := u in the other: no value is right.
    const units = { a: toggleUnit("a", -1, 1), b: toggleUnit("b", 1, 0) };
    const run = await runUnits(units, WIRES, ["a.y"], {
      step: 1,
      stop: 1,
      master: "iterative",
      options: { maxEventRounds: 50 },
    });
    expect(run.outcome).toMatchObject({ kind: "failed", time: 0 });
    const { failure } = run.outcome as { failure: { unit: string; status: string } };
    expect(failure.unit).toMatch(/a|b/);
    expect(failure.status).toMatch(
      /[ab]\.u still change after 50 rounds at one instant: an endless cascade/,
    );
  });

  it("[EV17] reactions of units without event mode follow each other, within the tolerance of the event", async () => {
    // Three machines in a row, each of which passes on what the one before it says.
    const relay = (name: string): Unit =>
      stateMachineUnit({
        name,
        inputs: { u: { type: "boolean", variability: "discrete" } },
        outputs: { y: { type: "boolean" } },
        initial: "off",
        states: {
          off: {
            entry: (m) => m.set("y", 0),
            transitions: [{ to: "on", when: (m) => m.get("u") === 1 }],
          },
          on: {
            entry: (m) => m.set("y", 1),
            transitions: [{ to: "off", when: (m) => m.get("u") === 0 }],
          },
        },
      });
    const first = stateMachineUnit({
      name: "first",
      inputs: { u: {} },
      outputs: { y: { type: "boolean" } },
      initial: "low",
      states: {
        low: { transitions: [{ to: "high", when: (m) => m.get("u") >= 0.35 }] },
        high: { entry: (m) => m.set("y", 1) },
      },
    });
    const units = { clock: clock(), first, second: relay("second"), third: relay("third") };
    const run = await runUnits(
      units,
      "clock.x -> first.u; first.y -> second.u; second.y -> third.u",
      ["third.y"],
      { step: 0.5, stop: 1, extras: { events: [crossing([0, CLOCK_X], 0.35, "rising")] } },
    );
    expect(run.outcome.kind).toBe("completed");
    const at = run.time[run.values["third.y"].indexOf(1)];
    expect(at - 0.35).toBeGreaterThan(0);
    expect(at - 0.35).toBeLessThan(1e-8);
  });
});

describe("events that come too fast", () => {
  it("[EV9] of a crossing are named and put off by a minimum dwell, and the run goes on", async () => {
    // A switch that pulls its signal back as soon as it passes 0: the room of a thermostat without
    // a band.
    const { room } = thermostat();
    const controller = stateMachineUnit({
      name: "controller",
      inputs: { x: { start: 20 } },
      outputs: { q: { type: "boolean", start: true } },
      initial: "on",
      states: {
        on: {
          entry: (m) => m.set("q", 1),
          transitions: [{ to: "off", when: (m) => m.get("x") > 20.5 }],
        },
        off: {
          entry: (m) => m.set("q", 0),
          transitions: [{ to: "on", when: (m) => m.get("x") < 20.5 }],
        },
      },
    });
    const run = await runUnits({ room, controller }, THERMOSTAT_WIRES, ["room.x"], {
      step: 0.5,
      stop: 1,
      extras: { events: [crossing([0, 1], 20.5, "any", 1e-9)] },
    });
    expect(run.outcome).toMatchObject({ kind: "completed", time: 1 });
    const notes = run.summary!.notes.join("\n");
    expect(notes).toContain("chattering from t=0.5");
    expect(notes).toMatch(/[0-9]+ events were put off by the minimum dwell/);
    // The dwell is a thousandth of a step: so far the room gets at up to 2.05 degrees a second, to
    // and fro.
    const settled = run.values["room.x"].filter((_, i) => run.time[i] > 0.6);
    for (const x of settled) expect(Math.abs(x - 20.5)).toBeLessThan(3 * 0.5e-3 * 2.05);
  });
});

describe("units that stop while others cannot go back", () => {
  /**
   * A unit that stops its step at every multiple of `period`, as FMI 2 units do that discard the
   * rest.
   */
  function stopper(period: number, rollback: boolean): Unit {
    const unit = limitedUnit(clock(), { rollback, earlyReturn: true });
    const stop: Stop = { reason: "time", port: -1, time: 0 };
    return new Proxy(unit, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (key !== "advance") return member;
        return (from: number, until: { kind: "time"; time: number }): Stop => {
          const due = (Math.floor(from / period + 1e-9) + 1) * period;
          const end = Math.min(due, until.time);
          (member as Unit["advance"])(from, { kind: "time", time: end });
          stop.reason = end < until.time ? "discarded" : "time";
          stop.time = end;
          return stop;
        };
      },
    });
  }

  it("[EV18] go first, and the others meet them without going back", async () => {
    const units = {
      plain: limitedUnit(clock(), { rollback: false }),
      stopper: stopper(0.3, false),
    };
    const run = await runUnits(units, "stopper.x -> plain.one", ["stopper.x", "plain.x"], {
      step: 0.25,
      stop: 1,
      extras: { limits: [{ kind: "at", times: [0.1] }] },
    });
    expect(run.outcome).toMatchObject({ kind: "completed", time: 1 });
    for (const time of [0.3, 0.6, 0.9])
      expect(run.time.some((t) => Math.abs(t - time) < 1e-12)).toBe(true);
    // x = t everywhere: no unit was left behind.
    run.time.forEach((t, i) => {
      expect(run.values["stopper.x"][i]).toBeCloseTo(t, 12);
    });
  });

  it("[EV18] two of them, of which one can go back, meet where the earlier one stops", async () => {
    const units = { late: stopper(0.31, true), early: stopper(0.3, false) };
    const run = await runUnits(units, "early.x -> late.one", ["early.x"], {
      step: 0.5,
      stop: 1,
      extras: { limits: [{ kind: "at", times: [0.1] }] },
    });
    expect(run.outcome).toMatchObject({ kind: "completed", time: 1 });
    for (const time of [0.3, 0.31, 0.6, 0.62])
      expect(run.time.some((t) => Math.abs(t - time) < 1e-12)).toBe(true);
  });

  it("[EV18] end the run where no unit can roll back, with the unit and the time", async () => {
    const units = { a: stopper(0.31, false), b: stopper(0.3, false) };
    const run = await runUnits(units, "a.x -> b.one", ["a.x"], {
      step: 0.5,
      stop: 1,
      extras: { limits: [{ kind: "at", times: [0.1] }] },
    });
    expect(run.outcome).toMatchObject({ kind: "failed", failure: { unit: "b", time: 0.3 } });
  });
});
