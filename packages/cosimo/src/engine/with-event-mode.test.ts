/** Machines with event mode, by themselves; in scenarios: tests/met-events.test.ts. */
import { describe, expect, it } from "vitest";
import type { MachineView, StateMachineModel } from "../unit/state-machine-model.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import { unitContract } from "../unit/testing/contract.ts";
import {
  advanceTo,
  getNumber,
  getValues,
  settleEvents,
  setValues,
  startUnit,
} from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { withEventMode } from "./with-event-mode.ts";

/** Samples `u` every 0.4 s and says so; `pause` and `go` hold it and let it go on. */
const sample = (m: MachineView): void => {
  m.set("y", m.get("u"));
  m.set("n", m.get("n") + 1);
  m.emit("sampled");
};
const SAMPLER: StateMachineModel = {
  name: "sampler",
  parameters: { every: { start: 0.4, variability: "fixed" } },
  inputs: {
    u: {},
    pause: { type: "boolean", nature: "transient" },
    go: { type: "boolean", nature: "transient" },
  },
  outputs: { y: {}, n: { type: "int32" } },
  events: ["sampled", "high"],
  initial: "wait",
  states: {
    wait: {
      transitions: [
        { to: "held", on: "pause" },
        { to: "wait", after: "every", reads: ["u"], do: sample },
        { to: "over", when: (m) => m.get("u") > 5, do: (m) => m.emit("high") },
      ],
    },
    held: { transitions: [{ to: "wait", on: "go" }] },
    over: {},
  },
};
const open = (): Unit => withEventMode(stateMachineUnit(SAMPLER));

unitContract("a state machine with event mode", {
  open,
  step: 0.25,
  behaviour: { port: "n", at: (t) => Math.floor(t / 0.4 + 1e-9), tolerance: 0 },
  settable: { port: "u", value: 0.5 },
  fixed: { port: "every", value: 1 },
});

const STATES = ["", "wait", "held", "over"];
const stateOf = (unit: Unit): string => STATES[getNumber(unit, "state")];

describe("a state machine with event mode", () => {
  it("[UN69] has start values again after a reset, also of inputs that are not written", () => {
    const unit = withEventMode(
      stateMachineUnit({
        name: "pair",
        inputs: { a: {}, b: {} },
        initial: "only",
        states: { only: {} },
      }),
    );
    startUnit(unit);
    if (unit.phase === "event") settleEvents(unit);
    setValues(unit, { a: 7 });
    unit.reset();
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    expect(unit.phase).toBe("event");
    setValues(unit, { b: 1 });
    expect([getNumber(unit, "a"), getNumber(unit, "b")]).toEqual([0, 1]);
  });

  it("[UN69] ends a step where it reads, and takes what its inputs are there", () => {
    const unit = open();
    startUnit(unit);
    expect(unit.advance(0, { kind: "time", time: 1 })).toMatchObject({
      reason: "event",
      time: 0.4,
    });
    expect(getNumber(unit, "n")).toBe(0);
    unit.enterEventMode();
    setValues(unit, { u: 3 });
    expect(unit.updateDiscreteStates()).toMatchObject({ again: true, nextEventTime: 0.8 });
    expect([getNumber(unit, "y"), getNumber(unit, "sampled")]).toEqual([3, 1]);
    expect(unit.updateDiscreteStates().again).toBe(false);
    expect(getNumber(unit, "sampled")).toBe(0);
  });

  it("[UN69] shows its events in event mode alone, and takes those that arrive together one by one", () => {
    const unit = open();
    startUnit(unit);
    unit.enterEventMode();
    // Paused and let go on, in this order: neither is lost.
    setValues(unit, { pause: true });
    setValues(unit, { go: true });
    expect(unit.updateDiscreteStates().again).toBe(true);
    expect(stateOf(unit)).toBe("held");
    expect(unit.updateDiscreteStates().again).toBe(false);
    expect(stateOf(unit)).toBe("wait");
    unit.enterStepMode();
    unit.advance(0, { kind: "time", time: 1 });
    unit.enterEventMode();
    unit.updateDiscreteStates();
    expect(getNumber(unit, "sampled")).toBe(1);
    const saved = unit.save();
    const bytes = unit.serialize(saved);
    unit.updateDiscreteStates();
    unit.enterStepMode();
    expect(getNumber(unit, "sampled")).toBe(0);
    for (const snapshot of [saved, unit.deserialize(bytes)]) {
      unit.restore(snapshot);
      expect([unit.phase, getNumber(unit, "sampled")]).toEqual(["event", 1]);
    }
  });

  it("[UN69] looks at inputs that vary within steps where a step ends", () => {
    const unit = open();
    startUnit(unit);
    advanceTo(unit, 0, 0.25);
    setValues(unit, { u: 7 });
    expect([stateOf(unit), unit.switching?.isDue()]).toEqual(["wait", true]);
    // It is said once, until something else happens; and where nothing is enabled, nothing is said.
    unit.switching?.switch();
    expect(unit.switching?.isDue()).toBe(false);
    setValues(unit, { u: 1 });
    advanceTo(unit, 0.25, 0.3);
    expect([stateOf(unit), unit.switching?.isDue()]).toEqual(["wait", false]);
    setValues(unit, { u: 7 });
    expect(unit.switching?.isDue()).toBe(true);
    unit.enterEventMode();
    setValues(unit, { u: 7 });
    unit.updateDiscreteStates();
    expect([stateOf(unit), getValues(unit, "high")]).toEqual(["over", [1]]);
  });

  it("leaves units with event mode alone", () => {
    const unit = open();
    expect(withEventMode(unit)).toBe(unit);
    startUnit(unit);
    settleEvents(unit);
    expect(() => unit.updateDiscreteStates()).toThrow("not allowed in phase 'step'");
  });
});
