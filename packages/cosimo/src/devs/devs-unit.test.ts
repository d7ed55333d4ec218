/**
 * A discrete-event model as a unit: the contract suite, both ways, and what happens at one instant.
 */
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import { unitContract } from "../unit/testing/contract.ts";
import { advanceTo, getNumber, getValues, setValues, startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { type DevsUnitOptions, devsUnit } from "./devs-unit.ts";
import { atomic, coupled, port, signal } from "./model.ts";
import { crossing } from "./testing/traffic-light.ts";

/** Counts periods, and repeats what it gets at the same time, one index later. */
function metronome(period: number) {
  return coupled({
    name: "metronome",
    inputs: {
      text: port<string>({ type: "string", held: true }),
      level: port<number>({ type: "float64", held: true }),
    },
    outputs: {
      beats: port<number>({ type: "int32" }),
      beat: signal(),
      words: port<string>({ type: "string" }),
      height: port<number>({ type: "float64" }),
    },
    components: {
      source: atomic({
        outputs: { beats: port<number>(), beat: port<true>() },
        initial: 0,
        timeAdvance: (n, now) => (n + 1) * period - now.time,
        output: (n, send) => {
          send("beats", n + 1);
          send("beat", true);
        },
        internal: (n) => n + 1,
      }),
      echo: echo(),
    },
    couplings: [
      "source.beats -> beats",
      "source.beat -> beat",
      "text -> echo.text",
      "level -> echo.level",
      "echo.text -> words",
      "echo.level -> height",
    ],
  });
}

function echo() {
  return atomic({
    inputs: { text: port<string>(), level: port<number>() },
    outputs: { text: port<string>(), level: port<number>() },
    initial: (): { text?: string; level?: number; wait: number } => ({
      wait: Number.POSITIVE_INFINITY,
    }),
    timeAdvance: ({ wait }) => wait,
    output: ({ text, level }, send) => {
      if (text !== undefined) send("text", text);
      if (level !== undefined) send("level", level);
    },
    internal: () => ({ wait: Number.POSITIVE_INFINITY }),
    external: (_, input) => {
      const text = input.get("text");
      const level = input.get("level");
      return {
        ...(text !== undefined && { text }),
        ...(level !== undefined && { level }),
        wait: 0,
      };
    },
  });
}

const PERIOD = 0.25;
const open = (options: DevsUnitOptions = {}): Unit =>
  devsUnit(({ period }) => metronome(period!), {
    parameters: { period: { start: PERIOD } },
    ...options,
  });

const FACTS = {
  step: 0.1,
  behaviour: { port: "beats", at: (t: number) => Math.floor(t / PERIOD + 1e-9), tolerance: 0 },
  settable: { port: "period", value: 0.125 },
  fixed: { port: "period", value: 3 },
  event: { port: "beats", time: PERIOD, timeTolerance: 0, value: 1 },
  updated: { port: "beats", time: PERIOD, timeTolerance: 0, value: 1 },
  echoes: [
    { input: "text", output: "words", value: "grün" },
    { input: "level", output: "height", value: 2.5 },
    { input: "level", output: "height", value: Number.NaN },
  ],
};

describe("[DE30] a discrete-event model with event mode", () => {
  unitContract("a discrete-event model with event mode", { open: () => open(), ...FACTS });
});
describe("[DE34] a discrete-event model without event mode", () => {
  unitContract("a discrete-event model without event mode", {
    open: () => open({ eventMode: false }),
    ...FACTS,
  });
});

/** Runs a unit with event mode to `stop`; calls `look` after every update and at every stop. */
function play(unit: Unit, stop: number, look: (time: number, round: number) => void): void {
  unit.enterInitialization({ start: 0 });
  unit.exitInitialization();
  for (let at = 0; ; ) {
    for (let round = 0; ; round++) {
      look(at, round);
      if (!unit.updateDiscreteStates().again) break;
    }
    unit.enterStepMode();
    if (at >= stop) return;
    const { time, reason } = unit.advance(at, { kind: "time", time: stop });
    at = time;
    if (reason === "time") return;
    unit.enterEventMode();
  }
}

describe("a unit with event mode", () => {
  it("[DE31] shows its outputs, and ticks, before the transitions of the same index", () => {
    const unit = devsUnit(crossing);
    const ticks: [number, number, number][] = [];
    play(unit, 1000, (time, round) => {
      if (getNumber(unit, "colour.event") === 1)
        ticks.push([time, round, getNumber(unit, "colour")]);
    });
    const green = 3;
    expect(ticks).toEqual([60, 360, 660, 960].map((time) => [time, 0, green]));
  });

  it("[DE31] announces the next event, and stops there without a request", () => {
    const unit = devsUnit(crossing);
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    expect(unit.updateDiscreteStates().nextEventTime).toBe(60);
    unit.enterStepMode();
    expect(unit.advance(0, { kind: "time", time: 200 })).toMatchObject({
      reason: "event",
      time: 60,
    });
    unit.enterEventMode();
    expect(unit.updateDiscreteStates().nextEventTime).toBe(100);
  });

  it("[DE32] takes an event where its clock ticks, at that index", () => {
    const doubler = atomic({
      name: "doubler",
      inputs: { u: port<number>({ type: "float64" }) },
      outputs: { y: port<number>({ type: "float64" }) },
      initial: Number.NaN,
      timeAdvance: (x) => (Number.isNaN(x) ? Number.POSITIVE_INFINITY : 0),
      output: (x, send) => send("y", 2 * x),
      internal: () => Number.NaN,
      external: (_, input) => input.get("u")!,
    });
    const unit = devsUnit(doubler);
    startUnit(unit);
    advanceTo(unit, 0, 1.5);
    unit.enterEventMode();
    // A value without a tick is not an event.
    setValues(unit, { u: 7 });
    expect(unit.updateDiscreteStates().again).toBe(false);
    for (const [given, expected] of [
      [21, 42],
      [21, 42],
      [4, 8],
    ] as const) {
      setValues(unit, { u: given, "u.event": 1 });
      expect(unit.updateDiscreteStates().again).toBe(true);
      expect([getNumber(unit, "y.event"), getNumber(unit, "y")]).toEqual([1, expected]);
      expect(unit.updateDiscreteStates().again).toBe(false);
      expect(getNumber(unit, "y.event")).toBe(0);
    }
  });

  it("[DE33] shows several values of one port one after the other, before its transitions", () => {
    const burst = atomic({
      name: "burst",
      inputs: { stop: signal() },
      outputs: { y: port<number>({ type: "float64" }), z: port<number>({ type: "float64" }) },
      initial: 0,
      timeAdvance: (n) => (n === 0 ? 1 : Number.POSITIVE_INFINITY),
      output: (_, send) => {
        for (const value of [5, 6, 7]) send("y", value);
        send("z", 9);
      },
      internal: () => 1,
      external: (n) => n + 10,
    });
    const unit = devsUnit(burst);
    startUnit(unit);
    unit.advance(0, { kind: "time", time: 2 });
    unit.enterEventMode();
    const shown: number[][] = [];
    for (let again = true, round = 0; again; round++) {
      shown.push(["y.event", "y", "z.event"].map((name) => getNumber(unit, name)));
      if (round === 1) setValues(unit, { stop: 1 });
      again = unit.updateDiscreteStates().again;
    }
    expect(shown).toEqual([
      [1, 5, 1],
      [1, 6, 0],
      [1, 7, 0],
    ]);
  });

  it("[DE35] is saved and restored in the middle of an event", () => {
    const runFrom = (unit: Unit): unknown[] => {
      const seen: unknown[] = [];
      for (let again = true; again; ) {
        seen.push(getValues(unit, "beats"), getValues(unit, "beat"));
        again = unit.updateDiscreteStates().again;
      }
      unit.enterStepMode();
      return seen;
    };
    const unit = open();
    startUnit(unit);
    unit.advance(0, { kind: "time", time: 1 });
    unit.enterEventMode();
    const snapshot = unit.save();
    const bytes = unit.serialize(snapshot);
    const expected = runFrom(unit);
    expect(expected[1]).toEqual([1]);
    unit.restore(snapshot);
    expect(unit.phase).toBe("event");
    expect(runFrom(unit)).toEqual(expected);
    const other = open();
    other.restore(other.deserialize(bytes));
    expect(runFrom(other)).toEqual(expected);
  });

  it("[DE35] refuses bytes that are not a snapshot of it", () => {
    const unit = open();
    startUnit(unit);
    const bytes = unit.serialize(unit.save());
    expect(() => unit.deserialize(bytes.slice(0, bytes.length - 3))).toThrow("not a snapshot");
    expect(() => unit.deserialize(new Uint8Array(40))).toThrow("not a snapshot");
    expect(() => devsUnit(crossing).deserialize(bytes)).toThrow("snapshot");
  });

  it("[DE35] restores a model that was made from other parameters", () => {
    const fast = open();
    startUnit(fast, { start: 0 }, { period: 0.125 });
    advanceTo(fast, 0, 1);
    const slow = open();
    startUnit(slow);
    slow.restore(slow.deserialize(fast.serialize(fast.save())));
    advanceTo(slow, 1, 2);
    expect(getNumber(slow, "beats")).toBe(16);
  });
});

describe("a unit without event mode", () => {
  it("[DE34] counts signals, and takes several counts for several events", () => {
    const relay = atomic({
      name: "relay",
      inputs: { in: signal() },
      outputs: { out: signal(), total: port<number>({ type: "int32" }) },
      initial: { waiting: 0, total: 0 },
      timeAdvance: ({ waiting }) => (waiting > 0 ? 0 : Number.POSITIVE_INFINITY),
      output: ({ waiting, total }, send) => {
        for (let i = 0; i < waiting; i++) send("out", true);
        send("total", total + waiting);
      },
      internal: ({ waiting, total }) => ({ waiting: 0, total: total + waiting }),
      external: ({ total }, input) => ({ waiting: input.values("in").length, total }),
    });
    const unit = devsUnit(relay, { eventMode: false });
    expect(unit.description.ports.map(({ name, type }) => [name, type])).toEqual([
      ["in", "uint32"],
      ["out", "uint32"],
      ["total", "int32"],
    ]);
    startUnit(unit);
    setValues(unit, { in: 3 });
    advanceTo(unit, 0, 1);
    setValues(unit, { in: 4 });
    advanceTo(unit, 1, 2);
    expect([getNumber(unit, "out"), getNumber(unit, "total")]).toEqual([4, 4]);
  });

  it("[DE34] is what a model is whose ports are all held", () => {
    const held = atomic({
      name: "held",
      inputs: { u: port<number>({ type: "float64", held: true }) },
      outputs: { y: port<number>({ type: "float64", held: true }) },
      initial: 0,
      timeAdvance: () => Number.POSITIVE_INFINITY,
    });
    expect(devsUnit(held).description.capabilities.eventMode).toBe(false);
    expect(devsUnit(metronome(1)).description.capabilities.eventMode).toBe(true);
  });
});

describe("failures of a unit", () => {
  it("[DE6] name the component under the name of the unit", () => {
    const bad = atomic({ initial: 0, timeAdvance: (n) => 1 - 2 * n, internal: (n) => n + 1 });
    const model = coupled({
      name: "plant",
      components: { line: coupled({ components: { bad }, couplings: [] }) },
      couplings: [],
    });
    const run = (unit: Unit): void => {
      startUnit(unit);
      advanceTo(unit, 0, 3);
    };
    expect(() => run(devsUnit(model, { name: "hall" }))).toThrow(
      /^'hall.line.bad' timeAdvance: timeAdvance returned -1/,
    );
    expect(() => run(devsUnit(bad, { name: "hall" }))).toThrow(/^'hall' timeAdvance/);
  });
});

describe("values at the border", () => {
  it("[DE36] ports must say what they are outside", () => {
    const inner = atomic({
      name: "inner",
      inputs: { job: port<{ id: number }>() },
      initial: 0,
      timeAdvance: () => Number.POSITIVE_INFINITY,
    });
    expect(() => devsUnit(inner)).toThrow(
      /inner error devs-border: port 'job' does not say[\s\S]*fix: port\(/,
    );
  });

  it("[DE36] a value of another type than the port's is a failure that names both", () => {
    const liar = atomic({
      name: "liar",
      outputs: { y: port<unknown>({ type: "float64" }) },
      initial: 0,
      timeAdvance: (n) => (n === 0 ? 1 : Number.POSITIVE_INFINITY),
      output: (_, send) => send("y", "seven"),
      internal: () => 1,
    });
    const unit = devsUnit(liar);
    startUnit(unit);
    unit.advance(0, { kind: "time", time: 2 });
    const snapshot = unit.save();
    expect(() => unit.enterEventMode()).toThrow(UnitError);
    unit.restore(snapshot);
    expect(() => unit.enterEventMode()).toThrow(/seven.*port 'y'.*float64/);
  });

  it("[DE36] items are numbered from 1, and what is none of them is refused", () => {
    const unit = devsUnit(crossing);
    const colour = unit.description.ports.find(({ name }) => name === "colour")!;
    expect([...colour.items!]).toEqual([
      [1, "red"],
      [2, "yellow"],
      [3, "green"],
      [4, "off"],
    ]);
  });
});
