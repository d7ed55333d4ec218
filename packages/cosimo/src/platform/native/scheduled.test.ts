/**
 * Scheduled Execution: partitions of a real, strict FMU, activated by the engine's clocks in order
 * of priority.
 */
import { afterAll, describe, expect, it } from "vitest";
import { UnitError } from "../../base/outcome.ts";
import { withoutEventMode } from "../../engine/event-steps.ts";
import { runUnits } from "../../engine/testing/run-units.ts";
import { unitContract } from "../../unit/testing/contract.ts";
import { getNumber, setValues, startUnit, type Values } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import { openNativeUnit, openScheduledUnit } from "./open-native-unit.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
const partitions = fixture("fmi3/Partitions");
const opened: Unit[] = [];
afterAll(() => {
  for (const unit of opened) unit.dispose();
});

async function open(values: Values = {}, calls?: string[]): Promise<Unit> {
  const unit = openScheduledUnit(await partitions, {
    ...(calls && { callLog: (line: string) => calls.push(line) }),
  });
  opened.push(unit);
  setValues(unit, values);
  return unit;
}

/** A unit at the start, without a schedule: clocks tick where the test says so. */
async function started(values: Values = {}, calls?: string[]): Promise<Unit> {
  const unit = await open(values, calls);
  startUnit(unit);
  return unit;
}

function event(unit: Unit, time: number, from: number, values: Values): void {
  if (time > from) unit.advance(from, { kind: "time", time });
  unit.enterEventMode();
  setValues(unit, values);
  while (unit.updateDiscreteStates().again);
  unit.enterStepMode();
}

// Nobody ticks its clocks: what is left is a unit on which time passes.
unitContract("Scheduled Execution without a schedule", {
  open: async () => openScheduledUnit(await partitions),
  step: 0.1,
  behaviour: { port: "y", at: () => 0, tolerance: 0 },
  settable: { port: "gain", value: 2 },
  fixed: { port: "delay", value: 0.5 },
});

// With its clocks: fast ticks in the first event and every quarter of a second, and the first
// countdown ends at 0.125 s.
unitContract("Scheduled Execution with its clocks", {
  open: async () => withoutEventMode(openScheduledUnit(await partitions), new Set()),
  step: 0.1,
  values: { early: 1 },
  behaviour: { port: "y", at: (t) => (t === 0 ? 0 : 1 + Math.floor(4 * t + 1e-9)), tolerance: 0 },
  settable: { port: "gain", value: 2 },
  fixed: { port: "delay", value: 0.5 },
  event: { port: "done", time: 0.125, timeTolerance: 0 },
  updated: { port: "timeouts", time: 0.125, timeTolerance: 0 },
});

describe("a unit of Scheduled Execution", () => {
  it("[SE2] computes partitions of one instant by priority, not in the order of their ticks", async () => {
    const unit = await started();
    event(unit, 1, 0, { slow: 1, timeout: 1, fast: 1, urgent: 1, growing: 1 });
    expect(getNumber(unit, "order")).toBe(52341);
    expect(getNumber(unit, "seen")).toBe(1);
  });

  it("[SE3] gets inputs right before a partition that they belong to, and shows them before", async () => {
    const calls: string[] = [];
    const unit = await started({}, calls);
    calls.length = 0;
    unit.advance(0, { kind: "time", time: 1 });
    unit.enterEventMode();
    setValues(unit, { w: 7, u: 3, offset: 10, gain: 2, fast: 1 });
    expect(getNumber(unit, "u")).toBe(3);
    expect(getNumber(unit, "y")).toBe(0);
    unit.updateDiscreteStates();
    expect(getNumber(unit, "y")).toBe(16);
    const made = calls.map((line) => /^fmi3(\w+)/.exec(line)?.[1]);
    expect(made.filter((call) => call !== "GetFloat64")).toEqual([
      "SetFloat64",
      "SetFloat64",
      "SetFloat64",
      "ActivateModelPartition",
    ]);
    // It belongs to slow, which did not tick, and can be read all the same.
    expect(getNumber(unit, "w")).toBe(7);
    setValues(unit, { slow: 1 });
    unit.updateDiscreteStates();
    expect(getNumber(unit, "z")).toBe(7);
  });

  it("[SE4] counts down from the activation in which the FMU calls, and shows output clocks once", async () => {
    const unit = await started();
    const clock = unit.description.ports.findIndex(({ name }) => name === "timeout");
    event(unit, 1, 0, { urgent: 1 });
    expect(unit.clocks?.getIntervals([clock])).toEqual([{ seconds: 0.125, qualifier: "changed" }]);
    expect(unit.clocks?.getIntervals([clock])[0].qualifier).toBe("not-yet-known");
    unit.advance(1, { kind: "time", time: 1.125 });
    unit.enterEventMode();
    setValues(unit, { timeout: 1 });
    expect(unit.updateDiscreteStates().again).toBe(true);
    expect(getNumber(unit, "done")).toBe(1);
    expect(unit.updateDiscreteStates().again).toBe(false);
    expect(getNumber(unit, "done")).toBe(0);
  });

  it.each([
    ["that never calls", { pull: 1 }],
    ["that calls at the end of initialization", { early: 1 }],
  ])("[SE5] asks an FMU %s about its countdowns", async (_, values) => {
    const run = await runUnits(
      { a: await open(values), ball: openBall(await fixture("fmi3/BouncingBallClocked")) },
      "ball.bounce -> a.urgent",
      ["a.timeouts", "a.urgencies"],
      { stop: 0.6, step: 0.1 },
    );
    expect(run.outcome.kind).toBe("completed");
    expect(run.values["a.urgencies"].at(-1)).toBe(1);
    expect(run.values["a.timeouts"].at(-1)).toBe("early" in values ? 2 : 1);
  });

  it("[SE6] refuses a second activation at one instant, with clock and time", async () => {
    const unit = await started();
    event(unit, 1, 0, { urgent: 1 });
    unit.enterEventMode();
    setValues(unit, { urgent: 1 });
    expect(() => unit.updateDiscreteStates()).toThrow(UnitError);
    expect(() => unit.updateDiscreteStates()).not.toThrow();
    expect(getNumber(unit, "urgencies")).toBe(1);
  });

  it("[SE7] is an error of its unit where a partition is refused", async () => {
    const unit = await started({ fails: 1 });
    const act = (): void => event(unit, 1, 0, { fast: 1 });
    expect(act).toThrow("fmi3ActivateModelPartition");
  });

  it("[SE8] restores what waits, what was written and what was counted down", async () => {
    const unit = await started();
    event(unit, 1, 0, { urgent: 1, w: 5 });
    const snapshot = unit.deserialize(unit.serialize(unit.save()));
    const clock = unit.description.ports.findIndex(({ name }) => name === "timeout");
    const other = await started();
    for (const again of [unit, unit]) {
      again.restore(snapshot);
      expect(again.clocks?.getIntervals([clock])[0].seconds).toBe(0.125);
      event(again, 2, 1, { slow: 1 });
      expect(getNumber(again, "z")).toBe(5);
    }
    const taken = other.deserialize(unit.serialize(snapshot));
    other.restore(taken);
    event(other, 2, 1, { slow: 1 });
    expect(getNumber(other, "z")).toBe(5);
  });
});

function openBall(fmu: Awaited<ReturnType<typeof fixture>>): Unit {
  const unit = openNativeUnit(fmu);
  opened.push(unit);
  return unit;
}

describe("units of Scheduled Execution in a scenario", () => {
  const RECORD = ["a.order", "b.order", "a.y", "a.z", "b.y", "a.done", "b.urgencies"];
  const WIRES = "ball.bounce -> a.urgent; a.done -> b.urgent; a.y -> a.w; a.y -> b.u";

  async function run(names: readonly string[]) {
    const units: Record<string, Unit> = {
      a: await open(),
      b: await open(),
      ball: openBall(await fixture("fmi3/BouncingBallClocked")),
    };
    const ordered = Object.fromEntries(names.map((name) => [name, units[name]]));
    return runUnits(ordered, WIRES, RECORD, { stop: 1, step: 0.1 });
  }

  it("[SE9] passes values between partitions of one instant, in order of priority", async () => {
    const { time, values } = await run(["a", "b", "ball"]);
    // fast gives y = n, and slow, which is less urgent, gets it at the same instant: z is 1, then 1
    // + 3, then 4 + 5.
    const last = (column: string, at: number): number =>
      values[column][time.lastIndexOf(at)] ?? Number.NaN;
    expect([0, 0.5, 1].map((t) => last("a.z", t))).toEqual([1, 4, 9]);
    expect([0, 0.5, 1].map((t) => last("a.order", t))).toEqual([21, 21, 21]);
    // fast of both units belongs to one round: b gets what a had before it.
    expect([0, 0.25, 0.5].map((t) => last("b.y", t))).toEqual([0, 1, 3]);
    expect(values["b.urgencies"].at(-1)).toBe(1);
  });

  it("[SE9] does so whatever the order of units in the scenario", async () => {
    const one = await run(["a", "b", "ball"]);
    const other = await run(["ball", "b", "a"]);
    expect(other.time).toEqual(one.time);
    expect(other.values).toEqual(one.values);
  });
});
