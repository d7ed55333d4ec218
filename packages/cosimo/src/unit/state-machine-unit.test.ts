import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import type { Predicate } from "./predicate.ts";
import type { MachineView, StateMachineModel } from "./state-machine-model.ts";
import { stateMachineUnit } from "./state-machine-unit.ts";
import { unitContract } from "./testing/contract.ts";
import { advanceTo, getNumber, indexOf, setValues, startUnit } from "./testing/drive.ts";
import { expectNoAllocation } from "./testing/internal/allocation.ts";
import { samplerSubject } from "./testing/internal/sampler.ts";
import type { Unit } from "./unit.ts";

/** Samples u every 0.4 s, and counts. */
const SAMPLER: StateMachineModel = {
  name: "sampler",
  parameters: { every: { start: 0.4, variability: "fixed" } },
  inputs: { u: {} },
  outputs: { y: {}, n: { type: "int32" } },
  initial: "wait",
  states: {
    wait: {
      transitions: [
        {
          to: "wait",
          after: "every",
          reads: ["u"],
          do: (m) => {
            m.set("y", m.get("u"));
            m.set("n", m.get("n") + 1);
          },
        },
      ],
    },
  },
};

unitContract(
  "a state machine",
  samplerSubject(() => stateMachineUnit(SAMPLER)),
);

/**
 * Reads an integer temperature: every 3 s while normal, every 5 s while too hot; every switch
 * toggles isStopped.
 */
const toggle = (m: MachineView): void => m.set("isStopped", 1 - m.get("isStopped"));
const OVERHEAT: StateMachineModel = {
  name: "over-heat controller",
  inputs: { temperature: { type: "int32", start: 20 } },
  outputs: { isStopped: { type: "boolean", start: false } },
  initial: "init",
  states: {
    init: { transitions: [{ to: "normalTemp", after: 2 }] },
    normalTemp: {
      transitions: [
        {
          to: "tooHot",
          after: 3,
          reads: ["temperature"],
          when: (m) => m.get("temperature") >= 85,
          do: toggle,
        },
        { to: "normalTemp", after: 3 },
      ],
    },
    tooHot: {
      transitions: [
        {
          to: "normalTemp",
          after: 5,
          reads: ["temperature"],
          when: (m) => m.get("temperature") <= 75,
          do: toggle,
        },
        { to: "tooHot", after: 5 },
      ],
    },
  },
};

/**
 * Runs a started unit until `end`, giving the machine the temperature of each instant at which it
 * reads; returns what happened.
 */
function coordinate(unit: Unit, end: number, temperature: (t: number) => number): string[] {
  const until: Predicate = {
    kind: "or",
    any: [
      { kind: "time", time: end },
      { kind: "ready-to-read", port: indexOf(unit, "temperature") },
      { kind: "updated", port: indexOf(unit, "isStopped") },
    ],
  };
  const story: string[] = [];
  for (let t = 0; t < end; ) {
    const { reason, time } = unit.advance(t, until);
    t = time;
    if (reason === "ready-to-read") setValues(unit, { temperature: temperature(t) });
    story.push(
      reason === "updated" ? `stopped=${getNumber(unit, "isStopped")}@${t}` : `${reason}@${t}`,
    );
  }
  return story;
}

describe("state machines", () => {
  it("[UN24] the over-heat controller reads at its own times and switches with the value of the instant", () => {
    const unit = stateMachineUnit(OVERHEAT);
    startUnit(unit);
    const story = coordinate(unit, 26, (t) => (t >= 8 && t < 17 ? 90 : 70));
    expect(story).toEqual([
      "ready-to-read@5",
      "ready-to-read@8",
      "stopped=1@8",
      "ready-to-read@13",
      "ready-to-read@18",
      "stopped=0@18",
      "ready-to-read@21",
      "ready-to-read@24",
      "time@26",
    ]);
  });

  it("[UN64] counts periods: the ten-thousandth sample is due at 10 000 × 0.1", () => {
    const unit = stateMachineUnit(SAMPLER);
    startUnit(unit, { start: 0 }, { every: 0.1 });
    const until: Predicate = {
      kind: "or",
      any: [
        { kind: "time", time: 2000 },
        { kind: "event", port: -1 },
      ],
    };
    let t = 0;
    for (let n = 1; n <= 10_000; n++) {
      t = unit.advance(t, until).time;
      if (t !== n / 10) expect(t).toBe(n / 10);
    }
    expect(t).toBe(1000);
  });

  it("[UN21] stops where its very first port gets a value, or has an event, and at no other port's", () => {
    const blinking = (): Unit => {
      const unit = stateMachineUnit({
        name: "blinker",
        outputs: { a: { type: "int32" }, b: { type: "int32" } },
        initial: "one",
        states: {
          one: { transitions: [{ to: "two", after: 1 }] },
          two: { entry: (m) => m.set("b", 1), transitions: [{ to: "three", after: 1 }] },
          three: { entry: (m) => m.set("a", 1) },
        },
      });
      unit.enterInitialization({ start: 0 });
      unit.exitInitialization();
      return unit;
    };
    const stops = (kind: "updated" | "event", port: number): unknown => {
      const condition: Predicate = { kind, port };
      const {
        reason,
        port: at,
        time,
      } = blinking().advance(0, {
        kind: "or",
        any: [{ kind: "time", time: 9 }, condition],
      });
      return { reason, at, time };
    };
    expect(blinking().description.ports[0].name).toBe("a");
    expect(stops("updated", 0)).toEqual({ reason: "updated", at: 0, time: 2 });
    expect(stops("event", 0)).toEqual({ reason: "event", at: 0, time: 2 });
    expect(stops("updated", 1)).toEqual({ reason: "updated", at: 1, time: 1 });
    expect(stops("event", -1)).toEqual({ reason: "event", at: -1, time: 1 });
  });

  it("[UN63] takes the first transition in writing, and all that follow at the same time", () => {
    const visit = (m: MachineView): void => m.set("visits", m.get("visits") * 10 + m.get("state"));
    const unit = stateMachineUnit({
      name: "chain",
      outputs: { visits: {} },
      initial: "a",
      states: {
        a: {
          transitions: [
            { to: "b", after: 1 },
            { to: "d", after: 1 },
          ],
        },
        b: { entry: visit, transitions: [{ to: "c", after: 0 }] },
        c: { entry: visit, transitions: [{ to: "d" }] },
        d: { entry: visit },
      },
    });
    startUnit(unit);
    advanceTo(unit, 0, 1);
    expect(getNumber(unit, "visits")).toBe(234);
    expect(getNumber(unit, "state")).toBe(4);
  });

  it("[UN63] an endless chain is an error that shows it", () => {
    const unit = stateMachineUnit({
      name: "flutter",
      initial: "rest",
      states: {
        rest: { transitions: [{ to: "left", after: 1 }] },
        left: { transitions: [{ to: "right" }] },
        right: { transitions: [{ to: "left" }] },
      },
    });
    startUnit(unit);
    expect(() => advanceTo(unit, 0, 2)).toThrow(UnitError);
    unit.reset();
    startUnit(unit);
    expect(() => advanceTo(unit, 0, 2)).toThrow(/more than 1000 .*\n.*left → right → left/);
  });

  it("[UN63] an input event is seen once, a condition as long as it holds", () => {
    const unit = stateMachineUnit({
      name: "button",
      inputs: { pressed: { type: "boolean" }, level: {} },
      outputs: { n: {}, alarm: { type: "boolean" } },
      initial: "idle",
      states: {
        idle: {
          transitions: [
            {
              to: "idle",
              on: "pressed",
              when: (m) => m.get("pressed") === 1,
              do: (m) => m.set("n", m.get("n") + 1),
            },
            { to: "alarm", when: (m) => m.get("level") > 3, do: (m) => m.set("alarm", 1) },
          ],
        },
        alarm: {},
      },
    });
    startUnit(unit);
    const counts = [1, 1, 0, 1].map((pressed, i) => {
      setValues(unit, { pressed });
      advanceTo(unit, i, i + 1);
      return getNumber(unit, "n");
    });
    expect(counts).toEqual([1, 1, 1, 2]);
    setValues(unit, { level: 4 });
    const stop = unit.advance(4, {
      kind: "or",
      any: [
        { kind: "time", time: 9 },
        { kind: "updated", port: indexOf(unit, "alarm") },
      ],
    });
    expect(stop).toMatchObject({ reason: "updated", time: 4 });
    expect(getNumber(unit, "alarm")).toBe(1);
  });

  it("[UN65] a rolled back machine forgets transitions, periods and what it announced", () => {
    const unit = stateMachineUnit(OVERHEAT);
    startUnit(unit);
    const snapshot = unit.save();
    const whole = coordinate(unit, 20, () => 90);
    unit.restore(snapshot);
    expect(coordinate(unit, 20, () => 70)).not.toEqual(whole);
    unit.restore(snapshot);
    expect(coordinate(unit, 20, () => 90)).toEqual(whole);
  });

  describe("with states inside states", () => {
    /** What was entered and left, in order, as text: the locals only count. */
    const logged = (): { readonly log: string[]; readonly unit: Unit } => {
      const log: string[] = [];
      const note = (text: string) => () => void log.push(text);
      const unit = stateMachineUnit({
        name: "m",
        inputs: { off: { type: "boolean" }, go: { type: "boolean", nature: "transient" } },
        outputs: { n: { type: "int32" } },
        events: ["alarm"],
        initial: "on",
        states: {
          on: {
            entry: note("+on"),
            exit: note("-on"),
            initial: "slow",
            states: {
              slow: {
                entry: note("+slow"),
                exit: note("-slow"),
                transitions: [
                  { to: "fast", on: "go", do: (m) => m.emit("alarm") },
                  { to: "on", after: 4, do: note("inner") },
                ],
              },
              fast: {
                entry: note("+fast"),
                exit: note("-fast"),
                transitions: [{ to: "slow", after: 1 }],
              },
            },
            transitions: [
              { to: "off", on: "off" },
              { to: "off", after: 3, do: note("outer") },
            ],
          },
          off: { entry: note("+off"), transitions: [{ to: "on.fast", after: 2 }] },
        },
      });
      startUnit(unit);
      return { log, unit };
    };
    const state = (unit: Unit): string | undefined =>
      unit.description.ports[indexOf(unit, "state")]?.items?.get(getNumber(unit, "state"));

    it("[UN66] enters the initial states inside, and leaves all between source and target", () => {
      const { log, unit } = logged();
      expect(state(unit)).toBe("on.slow");
      setValues(unit, { off: 1 });
      advanceTo(unit, 0, 0.5);
      expect(log).toEqual(["+on", "+slow", "-slow", "-on", "+off"]);
      advanceTo(unit, 0.5, 2);
      expect(state(unit)).toBe("on.fast");
      expect(log.slice(5)).toEqual(["+on", "+fast"]);
      // Its own second in 'fast' has gone by before the three of 'on'.
      advanceTo(unit, 2, 4);
      expect(log.slice(7)).toEqual(["-fast", "+slow"]);
    });

    it("[UN66] counts the time in an outer state through changes inside it", () => {
      const { log, unit } = logged();
      setValues(unit, { go: 1 });
      advanceTo(unit, 0, 2.5);
      expect(log).toEqual(["+on", "+slow", "-slow", "+fast", "-fast", "+slow"]);
      advanceTo(unit, 2.5, 3);
      expect(log.slice(6)).toEqual(["-slow", "-on", "outer", "+off"]);
    });

    it("[UN67] an event reaches the machine once, and is sent at its instant", () => {
      const { log, unit } = logged();
      setValues(unit, { go: 1 });
      const alarm = indexOf(unit, "alarm");
      const stop = unit.advance(0, {
        kind: "or",
        any: [
          { kind: "time", time: 2 },
          { kind: "event", port: alarm },
        ],
      });
      expect(stop).toMatchObject({ reason: "event", port: alarm, time: 0 });
      expect(getNumber(unit, "alarm")).toBe(1);
      expect(getNumber(unit, "go")).toBe(0);
      advanceTo(unit, 0, 2);
      expect(getNumber(unit, "alarm")).toBe(0);
      expect(log.filter((entry) => entry === "+fast")).toHaveLength(1);
    });

    it("[UN67] a master that only samples sees an event at the end of its step", () => {
      const { unit } = logged();
      setValues(unit, { go: 1 });
      advanceTo(unit, 0, 0.5);
      expect(getNumber(unit, "alarm")).toBe(1);
      advanceTo(unit, 0.5, 0.75);
      expect(getNumber(unit, "alarm")).toBe(0);
    });

    it("says which state lacks 'initial', and refuses to emit what is not an event", () => {
      const inner = { a: { states: { b: {} } } };
      expect(() => stateMachineUnit({ name: "m", initial: "a", states: inner })).toThrow(
        "state 'a' contains states but has no 'initial'",
      );
      const emits = { a: { entry: (m: MachineView) => m.emit("y") } };
      const unit = stateMachineUnit({ name: "m", outputs: { y: {} }, initial: "a", states: emits });
      expect(() => startUnit(unit)).toThrow("'y' is not an event");
    });
  });

  it("says what is wrong with a machine before it runs", () => {
    const broken = (states: StateMachineModel["states"]): (() => Unit) => {
      return () => stateMachineUnit({ name: "m", inputs: { u: {} }, initial: "a", states });
    };
    expect(broken({ b: {} })).toThrow("no state 'a'");
    expect(broken({ a: { transitions: [{ to: "c" }] } })).toThrow("no state 'c'");
    expect(broken({ a: { transitions: [{ to: "a", after: -1 }] } })).toThrow("a → a waits for -1");
    expect(broken({ a: { transitions: [{ to: "a", after: "d" }] } })).toThrow("'d'");
    expect(broken({ a: { transitions: [{ to: "a", on: "w" }] } })).toThrow("input 'w'");
    expect(broken({ a: { transitions: [{ to: "a", reads: ["u"] }] } })).toThrow("no 'after'");
  });

  it("[UN60] advance, read and write allocate nothing", () => {
    expectNoAllocation(stateMachineUnit(SAMPLER), { input: "u", output: "y", step: 0.125 }, 160);
  });
});
