import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import { limitedUnit } from "../engine/testing/limited-unit.ts";
import type { Trigger } from "../model/scenario.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { StateMachineModel } from "../unit/state-machine-model.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import { getNumber, indexOf, startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { type Connector, groupsOf } from "./connector.ts";
import type { Exchange } from "./lines.ts";
import { coordinateUnits } from "./testing/coordinate-units.ts";
import { WatchedUnit } from "./watched-unit.ts";

const TOLERANCE = 1e-9;
/** Seconds in which the controller switches a few times. */
const LONG = 1500;

/** A processor that heats up while it runs, cooled by a fan: C·T' = P - (G + g·fan)(T - 20). */
const box = (): Unit =>
  odeUnit({
    name: "box",
    inputs: { fan: {}, isStopped: { type: "boolean" } },
    states: { T: { start: 20 } },
    derivatives: (_t, [T = 0], [fan = 0, isStopped = 0], _p, out) => {
      const heat = isStopped === 0 ? 3.3 : 0;
      out[0] = (heat - (0.01 + 0.004 * fan) * (T - 20)) / 20;
    },
  });
const fan = (): Unit =>
  functionUnit({
    name: "fan",
    inputs: { T: { start: 25 } },
    outputs: { command: {} },
    evaluate: (_t, [T = 0], _p, out) => {
      out[0] = Math.min(10, Math.max(0, Math.round((T - 65) / 5)));
    },
  });
/** Reads every 3 s while normal, every 5 s while too hot; a switch toggles. */
const CONTROLLER: StateMachineModel = {
  name: "control",
  inputs: { T: { start: 25 } },
  outputs: { switches: { type: "int32" } },
  events: ["toggle"],
  initial: "init",
  states: {
    init: { transitions: [{ after: 2, to: "normal" }] },
    normal: {
      transitions: [
        {
          after: 3,
          reads: ["T"],
          when: (m) => m.get("T") >= 85,
          do: (m) => {
            m.set("switches", m.get("switches") + 1);
            m.emit("toggle");
          },
          to: "hot",
        },
        { after: 3, to: "normal" },
      ],
    },
    hot: {
      transitions: [
        {
          after: 5,
          reads: ["T"],
          when: (m) => m.get("T") <= 75,
          do: (m) => {
            m.set("switches", m.get("switches") + 1);
            m.emit("toggle");
          },
          to: "normal",
        },
        { after: 5, to: "hot" },
      ],
    },
  },
};

/** `source.port -> target.port`, by names. */
function connect(units: readonly Unit[], text: string, trigger: Trigger): Connector {
  const [from = "", to = ""] = text.split(" -> ");
  const place = (name: string): Connector["from"] => {
    const [unit = "", port = ""] = name.split(".");
    const at = units.findIndex((one) => one.name === unit);
    return { unit: at, port: indexOf(units[at] as Unit, port) };
  };
  return { name: text, from: place(from), to: place(to), trigger };
}

function cooling(): { readonly units: Unit[]; readonly connectors: Connector[] } {
  const units = [box(), fan(), stateMachineUnit(CONTROLLER)];
  const every: Trigger = { kind: "every", seconds: 5 };
  return {
    units,
    connectors: [
      connect(units, "box.T -> fan.T", every),
      connect(units, "fan.command -> box.fan", every),
      connect(units, "box.T -> control.T", { kind: "ready-to-read" }),
      {
        ...connect(units, "control.toggle -> box.isStopped", { kind: "event" }),
        interaction: "toggle",
      },
    ],
  };
}

function run(
  { units, connectors }: ReturnType<typeof cooling>,
  stop: number,
  pick?: (count: number) => number,
): Exchange[] {
  const log: Exchange[] = [];
  for (const unit of units) startUnit(unit);
  coordinateUnits(units, connectors, {
    start: 0,
    stop,
    onExchange: (exchange) => log.push(exchange),
    ...(pick && { pick }),
  });
  return log.sort((a, b) => a.time - b.time || a.connector - b.connector);
}
const timesOf = (log: readonly Exchange[], connector: number): number[] =>
  log.filter((one) => one.connector === connector).map(({ time }) => time);

describe("coordination", () => {
  it("[CO1] exchanges at multiples of the period, at reads and at events, and nowhere else", () => {
    const stop = 3000;
    const log = run(cooling(), stop);
    const multiples = Array.from({ length: stop / 5 }, (_, k) => 5 * (k + 1));
    expect(timesOf(log, 0)).toEqual(multiples);
    expect(timesOf(log, 1)).toEqual(multiples);
    const switches = timesOf(log, 3);
    expect(switches.length).toBeGreaterThan(4);
    // What the machine's own rules say: a read every 3 s from t = 2, every 5 s behind a switch to
    // 'hot'.
    const reads: number[] = [];
    let [isHot, at] = [false, 2];
    for (let t = at + 3; t <= stop; t = at + (isHot ? 5 : 3)) {
      reads.push(t);
      if (switches.includes(t)) isHot = !isHot;
      at = t;
    }
    expect(timesOf(log, 2)).toEqual(reads);
  });

  it("[CO2] a value that is read is that of the instant of reading", () => {
    const log = run(cooling(), 60).filter(({ connector }) => connector === 2);
    // The fan rests below 65 degrees, so the closed solution holds: T = 20 + P/G (1 - exp(-G t /
    // C)).
    for (const { time, value } of log)
      expect(Math.abs(value - (20 + 330 * (1 - Math.exp((-0.01 * time) / 20))))).toBeLessThan(1e-4);
    expect(log.length).toBeGreaterThan(15);
  });

  it("[CO3] the order in which messages of different units arrive changes nothing", () => {
    const expected = run(cooling(), LONG);
    expect(expected.filter(({ connector }) => connector === 3).length).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(99)), (choices) => {
        const pick = (count: number): number => (choices.next().value as number) % count;
        expect(run(cooling(), LONG, pick)).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });

  /** Emits at the given times; receivers count what they get, and pass it on. */
  const sender = (name: string, gaps: readonly number[]): Unit => {
    const states: StateMachineModel["states"] = Object.fromEntries(
      gaps.map((gap, k) => [
        `s${k}`,
        {
          transitions: [{ after: gap, to: `s${k + 1}`, do: (m) => m.emit("out") }],
        } satisfies StateMachineModel["states"][string],
      ]),
    );
    return stateMachineUnit({
      name,
      events: ["out"],
      initial: "s0",
      states: { ...states, [`s${gaps.length}`]: {} },
    });
  };
  const receiver = (name: string): Unit =>
    stateMachineUnit({
      name,
      inputs: { in: { type: "boolean", nature: "transient" } },
      outputs: { n: { type: "int32" }, last: {} },
      events: ["out"],
      initial: "a",
      states: {
        a: {
          transitions: [
            {
              on: "in",
              to: "a",
              do: (m) => {
                m.set("n", m.get("n") + 1);
                m.set("last", m.time);
                m.emit("out");
              },
            },
          ],
        },
      },
    });

  it("[CO4] every event reaches each of its receivers exactly once, at its instant", () => {
    const gap = fc.double({ min: 1e-3, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(gap, { minLength: 1, maxLength: 20 }), fc.nat(1000), (gaps, seed) => {
        const units = [sender("s", gaps), receiver("a"), receiver("b"), receiver("c")];
        const event: Trigger = { kind: "event" };
        const connectors = [
          connect(units, "s.out -> a.in", event),
          connect(units, "s.out -> b.in", event),
          connect(units, "a.out -> c.in", event),
        ];
        let state = seed;
        const pick = (count: number): number => {
          state = (state * 1103515245 + 12345) % 2 ** 31;
          return state % count;
        };
        const log = run({ units, connectors }, 30, pick);
        const total = gaps.reduce((sum, one) => sum + one, 0);
        for (const name of ["a", "b", "c"]) {
          const unit = units.find((one) => one.name === name) as Unit;
          expect(getNumber(unit, "n")).toBe(gaps.length);
          expect(Math.abs(getNumber(unit, "last") - total)).toBeLessThan(TOLERANCE);
        }
        expect(timesOf(log, 0)).toEqual(timesOf(log, 1));
        expect(timesOf(log, 0)).toEqual(timesOf(log, 2));
      }),
      { numRuns: 50 },
    );
  });

  it("[CO4] an event at the stop time is received too, whatever comes first", () => {
    for (const first of [0, 1, 2]) {
      const units = [receiver("a"), sender("s", [1, 1]), receiver("b")];
      const event: Trigger = { kind: "event" };
      const connectors = [
        connect(units, "s.out -> a.in", event),
        connect(units, "s.out -> b.in", event),
      ];
      const log = run({ units, connectors }, 2, (count) => Math.min(first, count - 1));
      expect(log.map(({ time, connector }) => [time, connector])).toEqual([
        [1, 0],
        [1, 1],
        [2, 0],
        [2, 1],
      ]);
    }
  });

  it("[CO5] an update is sent when an output has a new value, and only then", () => {
    const steps = stateMachineUnit({
      name: "s",
      outputs: { y: {} },
      initial: "a",
      states: {
        a: { transitions: [{ after: 1, to: "a", do: (m) => m.set("y", Math.floor(m.time / 2)) }] },
      },
    });
    const units = [steps, fan()];
    const log = run(
      { units, connectors: [connect(units, "s.y -> fan.T", { kind: "updated" })] },
      7,
    );
    expect(log.map(({ time, value }) => [time, value])).toEqual([
      [2, 1],
      [4, 2],
      [6, 3],
    ]);
  });

  it("[CO6] units that decide instants for each other move together, and no event is lost", () => {
    // Two players: each ball that arrives goes back a while later, or at once.
    const player = (name: string, delay: number, serves: boolean): Unit =>
      stateMachineUnit({
        name,
        inputs: { in: { type: "boolean", nature: "transient" } },
        outputs: { n: { type: "int32" }, last: {} },
        events: ["out"],
        initial: serves ? "plays" : "waits",
        states: {
          waits: {
            transitions: [
              {
                on: "in",
                to: "plays",
                do: (m) => {
                  m.set("n", m.get("n") + 1);
                  m.set("last", m.time);
                },
              },
            ],
          },
          plays: { transitions: [{ after: delay, to: "waits", do: (m) => m.emit("out") }] },
        },
      });
    const event: Trigger = { kind: "event" };
    const units = [player("a", 0.75, true), player("b", 0.5, false), receiver("c")];
    const connectors = [
      connect(units, "a.out -> b.in", event),
      connect(units, "b.out -> a.in", event),
      connect(units, "b.out -> c.in", event),
    ];
    expect(groupsOf(3, connectors)).toEqual([[0, 1], [2]]);
    expect(groupsOf(3, cooling().connectors)).toEqual([[0], [1], [2]]);
    const log = run({ units, connectors }, 10);
    // a plays at 0.75, 2, 3.25, … and b half a second later.
    const hits = (first: number): number[] =>
      Array.from({ length: 10 }, (_, k) => first + 1.25 * k).filter((t) => t <= 10);
    expect(timesOf(log, 0)).toEqual(hits(0.75));
    expect(timesOf(log, 1)).toEqual(hits(1.25));
    expect(timesOf(log, 2)).toEqual(hits(1.25));
    expect(getNumber(units[2] as Unit, "n")).toBe(hits(1.25).length);
  });

  it("[CO6] a unit in a cycle that cannot roll back moves last", () => {
    const relay = (name: string): Unit =>
      stateMachineUnit({
        name,
        inputs: { in: { type: "boolean", nature: "transient" } },
        outputs: { n: { type: "int32" } },
        events: ["out"],
        initial: "a",
        states: {
          a: {
            transitions: [
              { on: "in", to: "b", do: (m) => m.set("n", m.get("n") + 1) },
              { after: 7, to: "b" },
            ],
          },
          b: { transitions: [{ after: 1, to: "a", do: (m) => m.emit("out") }] },
        },
      });
    const event: Trigger = { kind: "event" };
    const logs = [true, false].map((rollback) => {
      const units = [limitedUnit(relay("a"), { rollback }), relay("b")];
      const connectors = [
        connect(units, "a.out -> b.in", event),
        connect(units, "b.out -> a.in", event),
      ];
      const log = run({ units, connectors }, 60);
      return log.map(({ connector, time }) => [connector, time]);
    });
    expect(logs[0]).toEqual(logs[1]);
    expect(logs[0].length).toBeGreaterThan(40);
  });

  it("[CO6] units that are watched at communication points need not roll back, however many they are", () => {
    const growing = (name: string, rate: number): Unit =>
      odeUnit({
        name,
        inputs: { u: {} },
        states: { x: { start: 0 } },
        derivatives: (_t, _x, [u = 0], _p, out) => {
          out[0] = rate + 0.1 * u;
        },
      });
    const step = 0.125;
    const logs = [true, false].map((rollback) => {
      // Without variable steps both are noticed at the end of a communication step, with rollback
      // and without.
      const limits = { rollback, variableStep: false, predicates: [] } as const;
      const watch = (unit: Unit): Unit =>
        new WatchedUnit(limitedUnit(unit, limits), {
          start: 0,
          step,
          kinds: new Set(["threshold"]),
        });
      const units = ["a", "b", "c"].map((name, i) => watch(growing(name, 1 + i / 3)));
      const connectors = [..."abc"].flatMap((name, i) => {
        const next = "abc"[(i + 1) % 3];
        return [1, 2, 3].map((level): Connector => {
          const direction = "rising";
          const port = { unit: i, port: indexOf(units[i], "x"), element: 0 };
          const one = connect(units, `${name}.x -> ${next}.u`, { kind: "event" });
          return { ...one, trigger: { kind: "threshold", port, level, direction } };
        });
      });
      const log = run({ units, connectors }, 4);
      return log.map(({ connector, time, value }) => [connector, time, value]);
    });
    expect(logs[1]).toEqual(logs[0]);
    expect(logs[0].length).toBe(9);
    for (const [, time = 0] of logs[0] as number[][])
      expect(Number.isInteger(time / step)).toBe(true);
  });

  it("[CO16] an endless cascade between units ends with its cycle", () => {
    const echo = (name: string, starts: boolean): Unit =>
      stateMachineUnit({
        name,
        inputs: { in: { type: "boolean", nature: "transient" } },
        events: ["out"],
        initial: starts ? "first" : "a",
        states: {
          first: { transitions: [{ after: 1, to: "a", do: (m) => m.emit("out") }] },
          a: { transitions: [{ on: "in", to: "a", do: (m) => m.emit("out") }] },
        },
      });
    const units = [echo("a", true), echo("b", false)];
    const event: Trigger = { kind: "event" };
    const connectors = [
      connect(units, "a.out -> b.in", event),
      connect(units, "b.out -> a.in", event),
    ];
    expect(() => run({ units, connectors }, 2)).toThrow("endless cascade a → b → a");
  });

  it("[CO4] two events of one instant are two, and a unit reacts to both, also at the stop time", () => {
    const burst = (name: string): Unit =>
      stateMachineUnit({
        name,
        events: ["out", "other"],
        initial: "s0",
        states: {
          s0: { transitions: [{ after: 1, to: "s1", do: (m) => m.emit("out") }] },
          s1: {
            transitions: [
              {
                to: "s2",
                do: (m) => {
                  m.emit("out");
                  m.emit("other");
                },
              },
            ],
          },
          s2: { transitions: [{ to: "s3", do: (m) => m.emit("out") }] },
          s3: { transitions: [{ after: 1, to: "s1", do: (m) => m.emit("other") }] },
        },
      });
    const event: Trigger = { kind: "event" };
    for (const pick of [undefined, () => 0, (count: number) => count - 1]) {
      const units = [receiver("c"), receiver("a"), burst("s"), receiver("b")];
      const connectors = [
        connect(units, "a.out -> c.in", event),
        connect(units, "s.out -> a.in", event),
        connect(units, "s.other -> b.in", event),
      ];
      const log = run({ units, connectors }, 2, pick);
      expect(timesOf(log, 1)).toEqual([1, 1, 1, 2, 2]);
      expect(timesOf(log, 0)).toEqual([1, 1, 1, 2, 2]);
      expect(timesOf(log, 2)).toEqual([1, 2, 2]);
      const counts = ["c", "a", "b"].map((name) =>
        getNumber(units.find((one) => one.name === name) as Unit, "n"),
      );
      expect(counts).toEqual([5, 5, 3]);
    }
  });

  it("[CO7] a unit that stops early is a failure with its name", () => {
    const stubborn = odeUnit({
      name: "stubborn",
      states: { x: { start: 1 } },
      derivatives: (_t, [x = 0], _u, _p, out) => {
        out[0] = x * x;
      },
    });
    const units = [stubborn, fan()];
    const connectors = [connect(units, "stubborn.x -> fan.T", { kind: "every", seconds: 2 })];
    expect(() => run({ units, connectors }, 4)).toThrow(UnitError);
  });
});
