/**
 * Every wrapper of the library under every master, against solutions that are computed here: a
 * wrapped unit means the same under every master.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { devsUnit } from "../src/devs/devs-unit.ts";
import { counts, ticks } from "../src/devs/library/counters.ts";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { TRANSLATIONS } from "../src/model/resolve-scenario-counter.ts";
import type { ScenarioRun } from "../src/run/simulate-scenario.ts";
import { EXAMPLES, ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const THERMOSTAT = join(EXAMPLES, "thermostat");
const MASTERS = ["event-driven", "jacobi", "gauss-seidel", "iterative", "adaptive"];
const ROOM = { 2: `fmu: ${fmu("fmi2/ThermostatRoom")}`, 3: `fmu: ${fmu("fmi3/ThermostatRoom")}` };
const STOP = 12;
const RATE = 0.1;
const HOT = 30;

/** The temperature after `seconds`, heated or not. */
const after = (x: number, isOn: boolean, seconds: number): number => {
  const target = isOn ? HOT : 0;
  return target + (x - target) * Math.exp(-RATE * seconds);
};

/** When it has `level`, from `x` on. */
const passage = (x: number, isOn: boolean, level: number): number => {
  const target = isOn ? HOT : 0;
  return Math.log((x - target) / (level - target)) / RATE;
};

/** Switches of a controller that sees the temperature every `period`. */
function sampledSwitches(period: number): number[] {
  const times: number[] = [];
  let [x, isOn] = [20, true];
  for (let k = 1; k * period <= STOP; k++) {
    x = after(x, isOn, period);
    if (isOn ? x < 21 : x > 19) continue;
    isOn = !isOn;
    times.push(k * period);
  }
  return times;
}

/** Switches of one that sees it where it has moved by `quantum`. */
function quantizedSwitches(quantum: number): number[] {
  const times: number[] = [];
  let [time, shown, isOn] = [0, 20, true];
  for (;;) {
    const level = shown + (isOn ? quantum : -quantum);
    time += passage(shown, isOn, level);
    if (time > STOP) return times;
    shown = level;
    if (isOn ? shown < 21 : shown > 19) continue;
    isOn = !isOn;
    times.push(time);
  }
}

async function run(text: string, master: string): Promise<ScenarioRun> {
  const options = master === "event-driven" ? "" : ", eventTolerance: 1e-12";
  const whole = `${text}\nmaster: { name: ${master}${options} }\n`;
  const done = await simulateScenarioFile(lab.write("scenario.yaml", whole));
  expect(done.outcome, master).toMatchObject({ kind: "completed" });
  for (const { sent, received, atEnd } of done.events ?? []) expect(received + atEnd).toBe(sent);
  return done;
}

function valuesOf({ trace }: ScenarioRun, name: string): number[] {
  const column = trace.columns.find((one) => one.name === name);
  return Array.from(column?.data as ArrayLike<number>, Number);
}

function changes(done: ScenarioRun, name: string): number[] {
  const values = valuesOf(done, name);
  return [...done.trace.time].filter((_, row) => row > 0 && values[row] !== values[row - 1]);
}

function expectTimes(found: readonly number[], expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  for (const [k, time] of found.entries())
    expect(Math.abs(time - (expected[k] ?? Number.NaN))).toBeLessThan(1e-8);
}

const thresholds = (adapt: string, version: 2 | 3): string => `
units:
  room: { ${ROOM[version]}, adapt: "${adapt}" }
  controller: ${join(THERMOSTAT, "thresholds.machine.yaml")}
connections: [ room.x -> controller.x, room.events -> controller.update, controller.q -> room.q ]
experiment: { stop: ${STOP} s, step: 0.5 s }
record: [room.x, controller.q]`;

describe.each(MASTERS)("under %s", (master) => {
  it.each([2, 3] as const)(
    "[HC3] samples of an FMU of FMI %i arrive with their instants",
    async (version) => {
      const done = await run(
        thresholds("event-sample { signal: x, period: 0.35 }", version),
        master,
      );
      expectTimes(changes(done, "controller.q"), sampledSwitches(0.35));
    },
  );

  it.each([2, 3] as const)(
    "[HC4] quanta of an FMU of FMI %i arrive where they are reached",
    async (version) => {
      const text = thresholds("event-quantize { signal: x, quantum: 0.3 }", version);
      expectTimes(changes(await run(text, master), "controller.q"), quantizedSwitches(0.3));
    },
  );

  it("[HC5] a held output reaches a continuous unit at its event, neither a step later nor earlier", async () => {
    lab.write(
      "blinker.machine.yaml",
      `
outputs: { q: { type: boolean, start: true }, changes: integer }
initial: on
states:
  on: [{ after: 0.77 s, do: "q := false; changes := changes + 1", to: off }]
  off: [{ after: 0.31 s, do: "q := true; changes := changes + 1", to: on }]`,
    );
    // The blinker is written first, so that a sequence steps it first.
    const done = await run(
      `
units:
  blinker: { machine: blinker.machine.yaml, adapt: "event-hold { signal: changes }" }
  room: { ${ROOM[2]} }
connections: [ blinker.q -> room.q ]
experiment: { stop: ${STOP} s, step: 1 s }
record: [room.x, blinker.q]`,
      master,
    );
    let [x, time, isOn] = [20, 0, true];
    while (time < STOP) {
      const seconds = Math.min(isOn ? 0.77 : 0.31, STOP - time);
      x = after(x, isOn, seconds);
      time += seconds;
      isOn = !isOn;
    }
    expect(valuesOf(done, "room.x").at(-1)).toBeCloseTo(x, 8);
  });

  it("[HC12] a counter drives the clock of another unit, tick by tick", async () => {
    const done = await run(
      `
units:
  room: { ${ROOM[2]}, adapt: "event-quantize { signal: x, quantum: 0.25 }" }
  counter: ${fmu("fmi3/Counter")}
connections: [ room.events -> counter.tick ]
experiment: { stop: ${STOP} s, step: 1 s }
record: [room.events, counter.count]`,
      master,
    );
    const quanta = Math.floor((after(20, true, STOP) - 20) / 0.25);
    expect(valuesOf(done, "counter.count").at(-1)).toBe(quanta);
    expect(done.events).toEqual([
      { connection: "room.events -> counter.tick", sent: quanta, received: quanta, atEnd: 0 },
    ]);
    expect(done.trace.columns.map(({ name }) => name)).not.toContain("ticks.tick");
  });
});

describe("counters and events", () => {
  it("[HC12] a counter drives an event of a state machine, and a clock drives a counter", async () => {
    lab.write(
      "seen.machine.yaml",
      `
inputs: { crossed: event, ticks: integer }
outputs: { crossings: integer, last: integer }
states:
  waits:
    - { on: crossed, do: crossings := crossings + 1, to: waits }
    - { on: ticks, do: last := ticks, to: waits }`,
    );
    const done = await run(
      `
units:
  room: { ${ROOM[3]}, adapt: "event-quantize { signal: x, quantum: 0.25 }" }
  clocks: { fmu: ${fmu("fmi3/BouncingBallClocked")} }
  seen: seen.machine.yaml
connections: [ room.events -> seen.crossed, clocks.bounce -> seen.ticks ]
experiment: { stop: 2 s, step: 0.1 s }
record: [seen.crossings, seen.last]`,
      "event-driven",
    );
    const quanta = Math.floor((after(20, true, 2) - 20) / 0.25);
    expect(valuesOf(done, "seen.crossings").at(-1)).toBe(quanta);
    const bounces = done.events?.find(({ connection }) => connection.startsWith("clocks"));
    expect(bounces?.sent).toBeGreaterThan(1);
    expect(valuesOf(done, "seen.last").at(-1)).toBe(bounces?.received);
  });

  it("[HC12] what stands between them is described as it is", () => {
    expect(devsUnit(ticks(), { name: "t" }).description).toEqual(TRANSLATIONS.ticks);
    expect(devsUnit(counts(), { name: "c" }).description).toEqual(TRANSLATIONS.counts);
  });

  it("[HC13] a unit that refuses steps of every size ends the run with its name and what to do", async () => {
    const text = `
units:
  room: { ${ROOM[2]} }
  controller:
    machine: ${join(THERMOSTAT, "controller.machine.yaml")}
    adapt: "event-detect { rises: tooHot, falls: tooCold, rising: 21, falling: 19, initial: 20 }"
connections: [ room.x -> controller.signal, controller.q -> room.q ]
experiment: { stop: 20 s, step: 0.5 s }
master: jacobi`;
    const { outcome } = await simulateScenarioFile(lab.write("refused.yaml", text));
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: {
        unit: "controller",
        problem: expect.stringContaining("'controller' refuses every step"),
        log: [expect.stringContaining("use the master 'gauss-seidel' or 'iterative'")],
      },
    });
  });
});
