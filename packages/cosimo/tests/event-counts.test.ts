/**
 * Events per connection, sent and received: equal where nothing is lost, under every master, and
 * different where something is.
 */
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../src/base/diagnostic.ts";
import { counts, devsUnit, listSource, qss, ticks } from "../src/devs.ts";
import type { RunState } from "../src/engine/checkpoint.ts";
import { LoggedUnit } from "../src/engine/replay-log.ts";
import {
  createTempFolder,
  openFmuFile,
  openNativeUnit,
  simulateScenarioFile,
} from "../src/node.ts";
import { compilePlan } from "../src/plan/compile.ts";
import { scenarioOf } from "../src/plan/testing/scenario-of.ts";
import { defineScenario, type ScenarioModel } from "../src/run/define-scenario.ts";
import { executePlan } from "../src/run/execute-plan.ts";
import { type ScenarioRun, simulateScenario } from "../src/run/simulate-scenario.ts";
import { linearUnit } from "../src/unit/linear-unit.ts";
import { stateMachineUnit } from "../src/unit/state-machine-unit.ts";
import type { Unit } from "../src/unit/unit.ts";
import { Workplace } from "./cli/cosimo.ts";
import { EXAMPLES, fmu } from "./export-lab.ts";

const STEPPED = ["jacobi", "gauss-seidel", "iterative", "adaptive"] as const;

/** Emits `beat` every `period` seconds. */
const sender = (name: string, period: number): Unit =>
  stateMachineUnit({
    name,
    events: ["beat"],
    initial: "a",
    states: { a: { transitions: [{ after: period, to: "a", do: (m) => m.emit("beat") }] } },
  });

/** Counts events at its input `beat`. */
const receiver = (name: string): Unit =>
  stateMachineUnit({
    name,
    inputs: { beat: { type: "boolean", nature: "transient" } },
    outputs: { beats: { type: "int32" } },
    initial: "a",
    states: {
      a: {
        transitions: [{ on: "beat", to: "a", do: (m) => m.set("beats", m.get("beats") + 1) }],
      },
    },
  });

async function run(model: ScenarioModel): Promise<ScenarioRun> {
  const done = await simulateScenario(defineScenario(model));
  expect(done.outcome).toMatchObject({ kind: "completed" });
  return done;
}

const last = ({ trace }: ScenarioRun, name: string): number =>
  Number(trace.columns.find((one) => one.name === name)?.data.at(-1));

describe("events of connections", () => {
  it.each(STEPPED)("[HC9] are counted under '%s', values that change included", async (master) => {
    const events = [0.25, 0.5, 1.75, 1.75, 3].map((time, k) => ({ time, value: k + 1 }));
    const done = await run({
      units: {
        source: devsUnit(listSource({ events, border: { type: "int32" } })),
        counts: devsUnit(counts()),
        meter: linearUnit({
          name: "meter",
          inputs: { u: { type: "int32" } },
          states: { x: {} },
          a: [[0]],
          b: [[1]],
        }),
      },
      connections: ["source.out.event -> counts.tick", "source.out -> meter.u"],
      experiment: { stop: 5, step: 1 },
      master,
      record: ["counts.count"],
    });
    // Of two values at one instant the meter, which has no clock, gets the last one; the clock
    // ticks twice.
    expect(done.events).toEqual([
      { connection: "source.out.event -> counts.tick", sent: 5, received: 5, atEnd: 0 },
      { connection: "source.out -> meter.u", sent: 5, received: 4, atEnd: 0 },
    ]);
    expect(done.trace.meta.entries["events"]).toBe(
      "source.out.event -> counts.tick: 5 sent, 5 received; source.out -> meter.u: 5 sent, 4 received, 1 lost",
    );
    expect(last(done, "counts.count")).toBe(5);
  });

  it("[HC9] are counted under 'event-driven', and as often as they arrive", async () => {
    const done = await run({
      units: { a: sender("a", 0.3), b: receiver("b") },
      connections: ["a.beat -> b.beat"],
      experiment: { stop: 3.1, step: 1 },
      master: "event-driven",
      record: ["b.beats"],
    });
    expect(done.events).toEqual([
      { connection: "a.beat -> b.beat", sent: 10, received: 10, atEnd: 0 },
    ]);
    expect(last(done, "b.beats")).toBe(10);
  });

  it("[HC9] a step in which two events become one shows what was lost", async () => {
    const done = await run({
      units: { a: sender("a", 0.4), b: receiver("b") },
      connections: ["a.beat -> b.beat"],
      experiment: { stop: 8, step: 1 },
      master: { name: "jacobi", eventMode: false },
      record: ["b.beats"],
    });
    // 20 events in 8 steps: at most one per step is seen, and the last one by a unit that takes no
    // further step.
    expect(done.events).toEqual([
      { connection: "a.beat -> b.beat", sent: 20, received: 8, atEnd: 0 },
    ]);
    expect(done.trace.meta.entries["events"]).toContain("12 lost");
    expect(last(done, "b.beats")).toBe(7);
  });

  it("[HC9] values that a master makes to keep an area are not events of the source", async () => {
    const path = join(EXAMPLES, "quarter-car", "area-preserving.yaml");
    const { events } = await simulateScenarioFile(path, { stop: 2 });
    expect(events).toBeUndefined();
    const held = join(EXAMPLES, "quarter-car", "event-aware.yaml");
    const { events: counted } = await simulateScenarioFile(held, { stop: 2 });
    expect(counted?.map(({ sent, received }) => [sent, received])).toEqual([[2, 2]]);
  });

  it("[HC9] steps that are rejected count nothing", async () => {
    // A fast oscillation makes the adaptive master reject steps; a tick every 0.37 s goes on beside
    // it.
    const events = Array.from({ length: 20 }, (_, k) => ({ time: 0.37 * (k + 1), value: true }));
    const done = await run({
      units: {
        source: devsUnit(listSource({ events, border: { type: "clock" } })),
        counts: devsUnit(counts()),
        left: linearUnit({
          name: "left",
          inputs: { u: {} },
          states: { x: { start: 1 } },
          a: [[0]],
          b: [[-40]],
        }),
        right: linearUnit({
          name: "right",
          inputs: { u: {} },
          states: { x: {} },
          a: [[0]],
          b: [[40]],
        }),
      },
      connections: ["source.out -> counts.tick", "left.x -> right.u", "right.x -> left.u"],
      experiment: { stop: 8, step: 0.5 },
      master: "adaptive",
      record: ["counts.count"],
    });
    const rejected = done.master?.rejections.reduce((sum, { count }) => sum + count, 0) ?? 0;
    expect(rejected).toBeGreaterThan(10);
    expect(done.events?.[0]).toMatchObject({ sent: 20, received: 20 });
    expect(last(done, "counts.count")).toBe(20);
  });

  it("[HC9] the summary of 'cosimo run' gives them, and so does the metadata of the trace", async () => {
    const place = new Workplace();
    place.write(
      "a.machine.yaml",
      "events: [beat]\nstates: { a: [{ after: 400 ms, emit: beat, to: a }] }\n",
    );
    place.write("b.machine.yaml", "inputs: { beat: event }\nstates: { a: }\n");
    const path = place.write(
      "lost.yaml",
      "units: { a: a.machine.yaml, b: b.machine.yaml }\nconnections: [a.beat -> b.beat]\nexperiment: { stop: 8 s, step: 1 s }\nmaster: { name: jacobi, eventMode: false }\n",
    );
    const ended = await place.run("run", path, "-o", place.path("lost.csv"));
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("events: a.beat -> b.beat: 20 sent, 8 received, 12 lost");
  });
});

describe("checkpoints beside counts", () => {
  /** A unit that cannot save its state is brought back by a log of what was done to it. */
  async function logged(log?: Uint8Array, resume?: RunState) {
    const sender = stateMachineUnit({
      name: "sender",
      outputs: { y: {} },
      initial: "a",
      states: {
        a: { transitions: [{ after: 0.3, to: "a", do: (m) => m.set("y", 1 - m.get("y")) }] },
      },
    });
    const mass = new LoggedUnit(
      linearUnit({ name: "mass", inputs: { u: {} }, states: { x: {} }, a: [[-1]], b: [[1]] }),
      log,
    );
    const scenario = scenarioOf(
      { sender: sender.description, mass: mass.description },
      "sender.y -> mass.u",
      { step: 0.1, master: "iterative" },
    );
    const record = [{ unit: 1, port: 1, element: 0 }];
    const { plan } = unwrap(compilePlan(scenario, { record }));
    const rows: string[] = [];
    const states: RunState[] = [];
    const outcome = await executePlan(plan, scenario, [sender, mass], {
      stop: 3,
      onRow: (time, { f64 }) => rows.push(`${time} ${f64[plan.record.columns[0]!.slot]}`),
      checkpoint: { nextTime: 0, isDue: () => true, store: (state) => states.push(state) },
      ...(resume === undefined ? {} : { resume }),
    });
    expect(outcome).toMatchObject({ kind: "completed" });
    return { rows, states, log: mass.takeLog() };
  }

  it("[HC9] units that are counted are continued from their logs", async () => {
    const whole = await logged();
    const state = whole.states.find(({ time }) => time > 1)!;
    expect(state.units.map(({ kind }) => kind)).toEqual(["saved", "replay"]);
    const rest = await logged(whole.log, state);
    expect(rest.rows.length).toBeGreaterThan(10);
    expect(rest.rows).toEqual(whole.rows.slice(-rest.rows.length));
  });
});

describe("random mixed scenarios", () => {
  it("[HC10] every transient event is received exactly once, also by an FMU, with common steps and without", async () => {
    const opened = unwrap(openFmuFile(fmu("fmi3/Counter")));
    const temp = createTempFolder();
    const folder = unwrap(await opened.extract(temp.path));
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 0, max: 5_000_000 }), { minLength: 1, maxLength: 20 }),
          fc.double({ min: 0.05, max: 3, noNaN: true }),
          fc.constantFrom(...STEPPED, "event-driven"),
          fc.double({ min: -0.9, max: 0.9, noNaN: true }),
          async (micros, step, master, level) => {
            const events = [...micros]
              .sort((a, b) => a - b)
              .map((at) => ({ time: at / 1e6, value: true }));
            const wave = qss(
              {
                name: "wave",
                states: { x: { start: 1 }, y: {} },
                derivatives: (_t, x, _u, _p, out) => {
                  out[0] = -3 * x[1]!;
                  out[1] = 3 * x[0]!;
                },
              },
              { quantum: 1e-3, crossings: { crossed: { of: "y", level } } },
            );
            const counter = openNativeUnit({ folder, description: opened.description });
            const done = await run({
              units: {
                source: devsUnit(listSource({ events, border: { type: "clock" } })),
                wave: devsUnit(wave),
                counter,
                first: devsUnit(counts(), { name: "first" }),
                again: devsUnit(ticks(), { name: "again" }),
                second: devsUnit(counts(), { name: "second" }),
                crossings: devsUnit(counts(), { name: "crossings" }),
                lag: linearUnit({
                  name: "lag",
                  inputs: { u: {} },
                  states: { v: {} },
                  a: [[-1]],
                  b: [[1]],
                }),
              },
              connections: [
                "source.out -> counter.tick",
                "source.out -> first.tick",
                "first.count -> again.count",
                "again.tick -> second.tick",
                "wave.crossed -> crossings.tick",
                "wave.x -> lag.u",
              ],
              experiment: { stop: 5, step },
              master,
              record: ["counter.count", "first.count", "second.count", "crossings.count"],
            });
            // sin(3 t) from 0 to 5 s: two crossings per turn, counted from the phase at the end.
            const up = Math.asin(level);
            const phases = Array.from({ length: 6 }, (_, k) => 2 * Math.PI * k).flatMap((turn) => [
              up + turn,
              Math.PI - up + turn,
            ]);
            const crossed = phases.filter((phase) => phase > 0 && phase <= 15).length;
            const n = events.length;
            expect(
              ["counter.count", "first.count", "second.count"].map((name) => last(done, name)),
            ).toEqual([n, n, n]);
            expect(last(done, "crossings.count")).toBe(crossed);
            const transient = done.events?.filter(({ connection }) => connection.endsWith(".tick"));
            expect(transient?.map(({ sent, received }) => [sent, received])).toEqual([
              [n, n],
              [n, n],
              [n, n],
              [crossed, crossed],
            ]);
          },
        ),
        { numRuns: 25, seed: 71 },
      );
    } finally {
      temp.remove();
    }
  });

  it("[HC10] under 'event-driven' every event is received exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 10, max: 900 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 40 }),
        async (millis, step) => {
          const names = millis.map((_, k) => `s${k}`);
          const senders = millis.map((ms, k) => [names[k]!, sender(names[k]!, ms / 1000)] as const);
          const done = await run({
            units: {
              ...Object.fromEntries(senders),
              ...Object.fromEntries(names.map((name) => [`to-${name}`, receiver(name)])),
              lag: linearUnit({
                name: "lag",
                inputs: { u: {} },
                states: { v: {} },
                a: [[-1]],
                b: [[1]],
              }),
              wave: linearUnit({ name: "wave", states: { x: { start: 1 } }, a: [[-1]] }),
            },
            connections: [
              ...names.map((name) => `${name}.beat -> to-${name}.beat`),
              "wave.x -> lag.u",
            ],
            experiment: { stop: 4.0005, step: step / 10 },
            master: "event-driven",
            record: names.map((name) => `to-${name}.beats`),
          });
          const expected = millis.map((ms) => Math.floor(4000.5 / ms));
          expect(names.map((name) => last(done, `to-${name}.beats`))).toEqual(expected);
          expect(done.events?.map(({ sent, received }) => [sent, received])).toEqual(
            expected.map((n) => [n, n]),
          );
        },
      ),
      { numRuns: 30, seed: 5 },
    );
  });
});
