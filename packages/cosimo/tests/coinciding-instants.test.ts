/**
 * Instants of periods in one run: of a discrete-event model, of a state machine, of a connection, of
 * a unit that is sampled. Where they should coincide they do, bit for bit (decision 15).
 */
import { describe, expect, it } from "vitest";
import { runDevs } from "../src/devs/run-devs.ts";
import { devsUnit, periodicSource } from "../src/devs.ts";
import { fmu } from "../src/node.ts";
import type { Trace } from "../src/record/trace.ts";
import type { ConnectionModel } from "../src/run/define-declarations.ts";
import { defineScenario } from "../src/run/define-scenario.ts";
import { simulateScenario } from "../src/run/simulate-scenario.ts";
import { odeUnit } from "../src/unit/ode-unit.ts";
import { stateMachineUnit } from "../src/unit/state-machine-unit.ts";
import type { Unit } from "../src/unit/unit.ts";
import { COMPILING, ExportLab } from "./export-lab.ts";

const lab = new ExportLab();
const COUNT = 10_000;
/** n / 10 is the double nearest to n tenths. */
const INSTANTS = Array.from({ length: COUNT + 1 }, (_, n) => n / 10);

const source = (): ReturnType<typeof periodicSource<number>> =>
  periodicSource({ period: 0.1, start: 0.1, border: { type: "int32" } });

const CLOCK = `machine: clock
outputs: { n: integer, at: real }
events: { tick: a period is over }
states:
  a: [{ after: 100 ms, do: [n := n + 1, at := time], emit: tick, to: a }]
`;

const clock = (): Unit =>
  stateMachineUnit({
    name: "clock",
    outputs: { n: { type: "int32" }, at: {} },
    events: ["tick"],
    initial: "a",
    states: {
      a: {
        transitions: [
          {
            after: 0.1,
            to: "a",
            do: (m) => {
              m.set("n", m.get("n") + 1);
              m.set("at", m.time);
              m.emit("tick");
            },
          },
        ],
      },
    },
  });

const ramp = (): Unit =>
  odeUnit({
    name: "ramp",
    states: { x: { start: 0 } },
    derivatives: (_t, _x, _u, _p, dx) => {
      dx[0] = 1;
    },
  });

/** Takes a value, and counts how often it is another one. */
const sink = (): Unit =>
  stateMachineUnit({
    name: "sink",
    inputs: { u: {} },
    outputs: { values: { type: "int32" } },
    initial: "a",
    states: {
      a: {
        transitions: [{ on: "u", to: "a", do: (m) => m.set("values", m.get("values") + 1) }],
      },
    },
  });

/** Counts events of both kinds. */
const counter = (): Unit =>
  stateMachineUnit({
    name: "counter",
    inputs: {
      ding: { type: "boolean", nature: "transient" },
      dong: { type: "boolean", nature: "transient" },
    },
    outputs: { dings: { type: "int32" }, dongs: { type: "int32" } },
    initial: "a",
    states: {
      a: {
        transitions: [
          { on: "ding", to: "a", do: (m) => m.set("dings", m.get("dings") + 1) },
          { on: "dong", to: "a", do: (m) => m.set("dongs", m.get("dongs") + 1) },
        ],
      },
    },
  });

const numbers = (trace: Trace, name: string): number[] =>
  Array.from(trace.columns.find((one) => one.name === name)?.data as ArrayLike<number>);
const distinct = (times: ArrayLike<number>): number[] => [...new Set(Array.from(times))];

/** Beside each other, and exchanging at a period of 0.1 s. */
async function together(timer: Unit | (() => Unit) | ReturnType<typeof fmu>): Promise<Trace> {
  const connections: (string | ConnectionModel)[] = [
    { from: "ramp.x", to: "sink.u", trigger: { kind: "every", seconds: 0.1 } },
    { from: "clock.tick", to: "counter.ding", trigger: { kind: "event" } },
    { from: "source.out.event", to: "counter.dong", trigger: { kind: "event" } },
  ];
  const { outcome, trace } = await simulateScenario(
    defineScenario({
      units: {
        source: () => devsUnit(source(), { name: "source" }),
        clock: timer,
        ramp,
        sink,
        counter,
      },
      connections,
      experiment: { stop: COUNT / 10, step: 0.1 },
      master: "event-driven",
      record: [
        "clock.n",
        "source.out",
        "clock.at",
        "counter.dings",
        "counter.dongs",
        "sink.values",
      ],
    }),
  );
  expect(outcome).toMatchObject({ kind: "completed" });
  return trace;
}

function expectCoinciding(trace: Trace): void {
  expect(distinct(trace.time)).toEqual(INSTANTS);
  for (const name of ["clock.n", "counter.dings", "counter.dongs", "sink.values"])
    expect([name, numbers(trace, name).at(-1)]).toEqual([name, COUNT]);
  expect(numbers(trace, "source.out").at(-1)).toBe(COUNT - 1);
}

describe("instants that should coincide", () => {
  it("[CO30] of a discrete-event model by itself are tenths", () => {
    const { events } = runDevs(source(), { stop: COUNT / 10 });
    expect(events.map(({ time }) => time)).toEqual(INSTANTS.slice(1));
  });

  it("[CO30] of a source, a machine and a connection do, at all of 10 000 periods", async () => {
    expectCoinciding(await together(clock));
  });

  it.each([0.1, 0.3])(
    "[UN64] in steps of %s s too, though their ends are rounded, a machine meets all periods",
    async (step) => {
      const { trace } = await simulateScenario(
        defineScenario({
          units: { clock },
          experiment: { stop: 900, step },
          master: "jacobi",
          record: ["clock.n", "clock.at"],
        }),
      );
      const each = Math.round(step * 10);
      const rows = Array.from(trace.time, (_, row) => row * each);
      expect(Array.from(trace.time)).toEqual(rows.map((_, row) => row * step));
      expect(trace.time).not.toEqual(rows.map((n) => n / 10));
      expect(numbers(trace, "clock.n")).toEqual(rows);
      expect(numbers(trace, "clock.at")).toEqual(rows.map((n) => n / 10));
    },
  );

  it("[CO30] communication points are among them, where something else can happen", async () => {
    const times = async (units: Record<string, () => Unit>, master: string): Promise<number[]> => {
      const { trace } = await simulateScenario(
        defineScenario({
          units,
          experiment: { stop: 900, step: 0.3 },
          master,
          record: ["ramp.x", ...("clock" in units ? ["clock.n"] : [])],
        }),
      );
      return distinct(trace.time);
    };
    expect(await times({ ramp, clock }, "event-driven")).toEqual(INSTANTS.slice(0, 9001));
    const alone = await times({ ramp }, "event-driven");
    expect(alone).toEqual(await times({ ramp }, "jacobi"));
    expect(alone).not.toEqual(INSTANTS.filter((_, n) => n <= 9000 && n % 3 === 0));
  });

  it(
    "[CO30] [SM9] [SM11] so are those of a machine that was exported, with events and in steps",
    async () => {
      const path = lab.write("clock.machine.yaml", CLOCK);
      const [two, three] = [await lab.export(path, 2), await lab.export(path, 3)];
      expectCoinciding(await together(fmu(three.path)));
      for (const step of [0.1, 0.3])
        for (const unit of [path, two.path]) {
          const trace = await lab.traceOf(unit, step, 900);
          const rows = Array.from(trace.time, (_, row) => Math.round(row * step * 10));
          expect([unit, numbers(trace, "it.n")]).toEqual([unit, rows]);
          expect([unit, numbers(trace, "it.at")]).toEqual([unit, rows.map((n) => n / 10)]);
        }
    },
    COMPILING,
  );
});
