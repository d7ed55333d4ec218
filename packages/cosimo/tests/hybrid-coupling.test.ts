/**
 * Units wrapped for events, both ways, against closed solutions: the thermostat of the survey
 * (AX-7), FMUs and units in TypeScript.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import type { ScenarioRun } from "../src/run/simulate-scenario.ts";
import { COMPILING, EXAMPLES, ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const MODULES = join(import.meta.dirname, "fixtures", "hybrid");
const LIBRARY = join(import.meta.dirname, "..", "adaptations");
const THERMOSTAT = join(EXAMPLES, "thermostat");

/**
 * a, the temperature with the heater on for ever, both thresholds, the temperature at the start.
 */
const [A, HOT, LOW, HIGH, START] = [0.1, 30, 19, 21, 20];
const STOP = 30;

/** From `x` to `level`, heated or not. */
const passage = (x: number, level: number, isOn: boolean): number => {
  const target = isOn ? HOT : 0;
  return Math.log((x - target) / (level - target)) / A;
};

/** The instants at which the heater is switched: off first, then in turn. */
function switches(): number[] {
  const times: number[] = [];
  let time = passage(START, HIGH, true);
  for (let isOn = false; time <= STOP; isOn = !isOn) {
    times.push(time);
    time += isOn ? passage(LOW, HIGH, true) : passage(HIGH, LOW, false);
  }
  return times;
}

const column = ({ trace }: ScenarioRun, name: string): number[] => {
  const found = trace.columns.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no column '${name}'`);
  return Array.from(found.data as ArrayLike<number>, Number);
};

/** When a column changes. */
function changes(run: ScenarioRun, name: string): number[] {
  const values = column(run, name);
  return Array.from(run.trace.time).filter((_, row) => row > 0 && values[row] !== values[row - 1]);
}

async function run(text: string, options: object = {}): Promise<ScenarioRun> {
  const done = await simulateScenarioFile(lab.write("scenario.yaml", text), {
    trust: true,
    ...options,
  });
  expect(done.outcome).toMatchObject({ kind: "completed" });
  return done;
}
const example = (name: string, options: object = {}): Promise<ScenarioRun> =>
  simulateScenarioFile(join(THERMOSTAT, `${name}.yaml`), { trust: true, ...options });

function expectTimes(found: readonly number[], expected: readonly number[], tolerance: number) {
  expect(found.length).toBe(expected.length);
  for (const [k, time] of found.entries())
    expect(Math.abs(time - expected[k]!)).toBeLessThan(tolerance);
}

const ROOMS = {
  "an FMU of FMI 2.0": `fmu: ${fmu("fmi2/ThermostatRoom")}`,
  "an FMU of FMI 3.0": `fmu: ${fmu("fmi3/ThermostatRoom")}`,
  "a unit in TypeScript": `module: ${join(MODULES, "room.mjs")}`,
};

/** The room wrapped, a controller that hears of events alone. */
const asEvents = (room: string, adapt: string, step: number, master: string): string => `
units:
  room: { ${room}, adapt: "${adapt} { signal: x, rising: 21, falling: 19 }" }
  controller: ${join(THERMOSTAT, "controller.machine.yaml")}
connections:
  - room.rises -> controller.tooHot
  - room.falls -> controller.tooCold
  - controller.q -> room.q
experiment: { stop: ${STOP} s, step: ${step} s, tolerance: 1e-12 }
master: { name: ${master}, eventTolerance: 1e-12 }
record: [room.x, controller.q]
`;

describe("continuous units as discrete-event ones", () => {
  const cases = Object.entries(ROOMS).flatMap(([kind, room]) => [
    { kind, room, step: 0.5, master: "jacobi" },
    { kind, room, step: 1.7, master: "gauss-seidel" },
  ]);
  const expectSwitches = async (adapt: string, one: (typeof cases)[number]): Promise<void> => {
    const done = await run(asEvents(one.room, adapt, one.step, one.master));
    expectTimes(changes(done, "controller.q"), switches(), 1e-9);
    expect(done.events?.map(({ sent, received }) => [sent, received])).toEqual([
      [10, 10],
      [10, 10],
      [20, 20],
    ]);
  };

  it.each(cases)("[HC1] event-cross around $kind, steps of $step, $master", (one) =>
    expectSwitches("event-cross", one),
  );

  it.each(cases)("[HC2] event-predict around $kind, steps of $step, $master", (one) =>
    expectSwitches("event-predict", one),
  );

  it.each(Object.entries(ROOMS))(
    "[HC1] a controller with event mode answers %s at the instant itself",
    async (_kind, room) => {
      const done = await run(`
units:
  room: { ${room}, adapt: "event-cross { signal: x, rising: 21, falling: 19 }" }
  controller: ${fmu("fmi3/ThermostatController")}
connections:
  - { from: room.x, to: controller.x, suppress: [unit] }
  - controller.q -> room.q
experiment: { stop: ${STOP} s, step: 0.7 s, tolerance: 1e-12 }
master: { name: jacobi, eventTolerance: 1e-12 }
record: [room.rises, room.falls, controller.q]
`);
      const times = changes(done, "controller.q");
      expectTimes(times, switches(), 1e-9);
      // Event and answer have one time: there is no step between them.
      const events = [...changes(done, "room.rises"), ...changes(done, "room.falls")];
      expect(events.sort((a, b) => a - b)).toEqual(times);
    },
  );

  it.each(Object.entries(ROOMS))("[HC11] under event-driven, around %s", async (_kind, room) => {
    for (const adapt of ["event-cross", "event-predict"]) {
      const text = asEvents(room, adapt, 0.5, "event-driven").replace(
        ", eventTolerance: 1e-12",
        "",
      );
      const done = await run(text);
      expect(done.trace.meta.entries["master"]).toBe("event-driven");
      expectTimes(changes(done, "controller.q"), switches(), 1e-9);
      expect(done.events?.map(({ sent, received }) => [sent, received])).toEqual([
        [10, 10],
        [10, 10],
        [20, 20],
      ]);
    }
  });

  /**
   * The temperature is exchanged with every event; without a trigger a continuous output is
   * sampled.
   */
  const SEEN = "- { from: room.x, to: controller.x, when: updated on room.events }";

  it.each(["sampled", "quantized"])(
    "[HC11] %s outputs under event-driven switch where they do with common steps",
    async (name) => {
      const text = readFileSync(join(THERMOSTAT, `${name}.yaml`), "utf8")
        .replaceAll("../../", `${join(THERMOSTAT, "..", "..")}/`)
        .replace("thresholds.machine.yaml", join(THERMOSTAT, "thresholds.machine.yaml"))
        .replace("- room.x -> controller.x", SEEN)
        .replace(/^master:.*$/m, "master: event-driven");
      expect(text).toContain(SEEN);
      const done = await run(text);
      const other = await example(name);
      expectTimes(changes(done, "controller.q"), changes(other, "controller.q"), 1e-9);
    },
  );

  it("[HC11] event-detect judges a step by its end, which event-driven does not know", async () => {
    const path = join(THERMOSTAT, "as-continuous.yaml");
    const refused = simulateScenarioFile(path, { trust: true, master: "event-driven" });
    await expect(refused).rejects.toThrow(
      "'controller' may refuse a step because of 'signal' at its end",
    );
  });

  it("[HC11] beside a unit that cannot go back, which meets it where it stopped", async () => {
    const text = asEvents(ROOMS["an FMU of FMI 2.0"], "event-cross", 0.5, "jacobi");
    const other = `  other: ${fmu("fmi2/MassSpringDamperLeftPlain")}\n`;
    const done = await run(text.replace("connections:", `${other}connections:`));
    expectTimes(changes(done, "controller.q"), switches(), 1e-9);
    expect(done.master?.rejections).toEqual([]);
  });

  it.each([2, 3] as const)(
    "[HC1] [EXA17] as an exported FMU (FMI %i) it sends the same events under every master",
    async (version) => {
      const text = readFileSync(join(LIBRARY, "event-cross.sa"), "utf8")
        .replace("unit\n", `unit at "${fmu("fmi2/ThermostatRoom")}"\n`)
        .replace("  with output ports signal: real\n", "")
        .replaceAll("unit.signal", "unit.x")
        .replace("RISING := 0.0", "RISING := 21.0")
        .replace("FALLING := 0.0", "FALLING := 19.0");
      const { path } = await lab.export(lab.write("room.sa", text), version);
      for (const master of ["jacobi", "gauss-seidel", "iterative", "adaptive", "event-driven"]) {
        const wrapped = asEvents(`fmu: ${path}`, "", 0.5, master);
        const done = await run(
          wrapped.replace(/, adapt: ".*"/, "").replace("record: [room.x, ", "record: ["),
        );
        expectTimes(changes(done, "controller.q"), switches(), 1e-9);
      }
    },
    COMPILING,
  );

  it("[HC2] event-predict needs no way back: it finds what event-cross finds by repeating steps", async () => {
    const found: number[][] = [];
    for (const [name, adapt] of [
      ["MassSpringDamperLeft", "event-cross"],
      ["MassSpringDamperLeftPlain", "event-predict"],
    ] as const) {
      const done = await run(`
units: { mass: { fmu: ${fmu(`fmi2/${name}`)}, adapt: "${adapt} { signal: x_1, rising: -0.1, falling: -0.1 }" } }
experiment: { stop: 10 s, step: 100 ms }
record: [mass.rises, mass.falls]
`);
      found.push([...changes(done, "mass.falls"), ...changes(done, "mass.rises")]);
    }
    expect(found[0]?.length).toBe(2);
    expectTimes(found[1] ?? [], found[0] ?? [], 1e-11);
  });

  it("[HC2] event-predict says how late it was where the signal was faster than predicted", async () => {
    // It stands still, and then jumps within a part of a step that no slope could foretell.
    lab.write(
      "leap.machine.yaml",
      "outputs: { y: real }\ninitial: low\nstates:\n  low: [{ after: 1.3 s, do: y := 5, to: high }]\n  high:\n",
    );
    const done = await run(`
units: { leap: { machine: leap.machine.yaml, adapt: "event-predict { signal: y, rising: 1 }" } }
experiment: { stop: 3 s, step: 1 s }
record: [leap.rises, leap.late]
`);
    expect(column(done, "leap.rises").at(-1)).toBe(1);
    expect(column(done, "leap.late").at(-1)).toBeGreaterThan(0.1);
  });

  it("[HC3] event-sample: an event at every multiple of the period, where steps end too", async () => {
    const period = 0.1;
    const done = await example("sampled");
    // The controller switches at the first sample beyond a threshold, from where the closed
    // solution goes on.
    const expected: number[] = [];
    let [at, x, isOn] = [0, START, true];
    for (let k = 1; k * period < STOP; k++) {
      const now = k * period;
      const target = isOn ? HOT : 0;
      const value = target + (x - target) * Math.exp(-A * (now - at));
      if (isOn ? value < HIGH : value > LOW) continue;
      expected.push(now);
      [at, x, isOn] = [now, value, !isOn];
    }
    expectTimes(changes(done, "controller.q"), expected, 1e-9);
    // Some of these are communication points, where no step has to be cut short.
    expect(
      expected.filter((t) => Math.abs(2 * t - Math.round(2 * t)) < 1e-9).length,
    ).toBeGreaterThan(0);
    expect(done.events?.[0]).toMatchObject({ sent: 300, received: 299, atEnd: 1 });
  });

  it("[HC4] event-quantize: an event where the signal is a quantum away, located", async () => {
    const quantum = 0.3;
    const done = await example("quantized");
    const expected: number[] = [];
    let [time, x, isOn] = [0, START, true];
    for (;;) {
      // In whole quanta to the first value beyond the threshold.
      const level = isOn
        ? x + quantum * Math.ceil((HIGH - x) / quantum - 1e-9)
        : x - quantum * Math.ceil((x - LOW) / quantum - 1e-9);
      time += passage(x, level, isOn);
      if (time > STOP) break;
      expected.push(time);
      [x, isOn] = [level, !isOn];
    }
    expectTimes(changes(done, "controller.q"), expected, 1e-9);
    // What is shown differs from the temperature by at most the quantum, whatever the step.
    const shown = column(done, "room.x");
    const marks = [0, ...expected];
    const starts = [START];
    for (const [k, end] of expected.entries()) {
      const target = k % 2 === 0 ? HOT : 0;
      starts.push(target + (starts[k]! - target) * Math.exp(-A * (end - marks[k]!)));
    }
    Array.from(done.trace.time).forEach((t, row) => {
      const k = marks.findLastIndex((mark) => mark <= t + 1e-9);
      const target = k % 2 === 0 ? HOT : 0;
      const exact = target + (starts[k]! - target) * Math.exp(-A * (t - marks[k]!));
      expect(Math.abs(shown[row]! - exact)).toBeLessThanOrEqual(quantum + 1e-8);
    });
  });
});

describe("crossings there and back within a step", () => {
  const oscillator = (adapt: string, step: number): string => `
units: { osc: { fmu: ${fmu("fmi2/VanDerPol")}, adapt: "${adapt}" } }
experiment: { stop: 40 s, step: ${step} s }`;

  it("[HC14] event-cross finds what short steps find", async () => {
    const adapt = "event-cross { signal: x0, rising: 1.9, falling: 1.9 }";
    const rises = async (step: number, more = ""): Promise<number[]> =>
      changes(await run(oscillator(adapt.replace(" }", `${more} }`), step)), "osc.rises");
    const found = await rises(0.25);
    expect(found).toHaveLength(6);
    expectTimes(await rises(2), found, 1e-6);
    expect((await rises(2, ", probes: 1")).length).toBeLessThan(6);
  });

  it("[HC14] event-quantize shows no more than a quantum less than there is", async () => {
    const adapt = "event-quantize { signal: x0, quantum: 0.25 }";
    const events = async (step: number): Promise<number> =>
      column(await run(oscillator(adapt, step)), "osc.events").at(-1) ?? 0;
    expect(await events(0.05)).toBe(192);
    expect(await events(2)).toBe(192);
  });
});

describe("discrete-event units as continuous ones", () => {
  lab.write(
    "beat.machine.yaml",
    "outputs: { counter: { type: integer, start: 1 } }\nstates: { a: [{ after: 1 s, do: counter := counter + 1, to: a }] }\n",
  );
  it.each([
    ["an FMU of FMI 2.0", `fmu: ${fmu("fmi2/Stair")}`, 1e-11],
    ["an FMU of FMI 3.0", `fmu: ${fmu("fmi3/Stair")}`, 1e-11],
    ["a state machine", "machine: beat.machine.yaml", 0],
  ])("[HC5] event-hold ends steps where it has an event: %s", async (_kind, source, tolerance) => {
    for (const [step, master] of [[0.7], [1], [2.3], [2.3, "event-driven"]]) {
      const done = await run(`
units: { unit: { ${source}, adapt: "event-hold { signal: counter }" } }
experiment: { stop: 9.2 s, step: ${step} s }
record: [unit.counter]
${master === undefined ? "" : `master: ${master}\n`}`);
      const times = changes(done, "unit.counter");
      const expected = Array.from({ length: 9 }, (_, k) => k + 1);
      expect(times.length).toBe(expected.length);
      for (const [k, time] of times.entries())
        expect(Math.abs(time - expected[k]!)).toBeLessThanOrEqual(tolerance);
    }
  });

  it.each(Object.entries(ROOMS))("[HC6] event-detect beside %s", async (_kind, room) => {
    for (const step of [0.5, 0.37]) {
      const done = await run(`
units:
  room: { ${room} }
  controller:
    machine: ${join(THERMOSTAT, "controller.machine.yaml")}
    adapt: "event-detect { rises: tooHot, falls: tooCold, rising: 21, falling: 19, initial: 20 }"
connections:
  - room.x -> controller.signal
  - controller.q -> room.q
experiment: { stop: ${STOP} s, step: ${step} s, tolerance: 1e-12 }
master: { name: gauss-seidel, eventTolerance: 1e-12 }
record: [controller.q]
`);
      expectTimes(changes(done, "controller.q"), switches(), 1e-9);
    }
  });
});

describe("clocks", () => {
  it("[HC7] every event of a wrapped FMI 2.0 unit is a tick for an FMI 3.0 one, and back", async () => {
    const done = await run(`
units:
  room: { ${ROOMS["an FMU of FMI 2.0"]}, adapt: "event-quantize { signal: x, quantum: 0.25 }" }
  ticks: ${join(MODULES, "ticks.mjs")}
  counter: ${fmu("fmi3/Counter")}
  counts: ${join(MODULES, "counts.mjs")}
connections:
  - room.events -> ticks.count
  - ticks.tick -> counter.tick
  - ticks.tick -> counts.tick
experiment: { stop: 20 s, step: 1.3 s }
record: [room.events, counter.count, counts.count]
`);
    // From 20 towards 30, a quarter at a time.
    const expected = Math.floor((10 * (1 - Math.exp(-A * 20))) / 0.25);
    for (const name of ["room.events", "counter.count", "counts.count"])
      expect([name, column(done, name).at(-1)]).toEqual([name, expected]);
    expect(done.events?.map(({ sent, received }) => [sent, received])).toEqual(
      [0, 1, 2].map(() => [expected, expected]),
    );
    expect(changes(done, "counter.count")).toEqual(changes(done, "room.events"));
  });
});

describe("random wrapped units", () => {
  it("[HC10] every crossing is received exactly once, by a state machine and over a clock", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -0.9, max: 0.9, noNaN: true }),
        // A step of half a turn and more would hide crossings.
        fc.double({ min: 0.02, max: 0.35, noNaN: true }),
        fc.constantFrom("jacobi", "gauss-seidel", "iterative"),
        fc.constantFrom("event-cross", "event-predict"),
        async (level, step, master, adapt) => {
          const done = await run(`
units:
  wave: { module: ${join(MODULES, "wave.mjs")}, adapt: "${adapt} { signal: y, rising: ${level}, falling: ${level} }" }
  machine: { machine: ${join(THERMOSTAT, "controller.machine.yaml")} }
  ticks: ${join(MODULES, "ticks.mjs")}
  counter: ${fmu("fmi3/Counter")}
connections:
  - wave.rises -> machine.tooHot
  - wave.falls -> machine.tooCold
  - wave.rises -> ticks.count
  - ticks.tick -> counter.tick
experiment: { stop: 7 s, step: ${step} s }
master: ${master}
record: [wave.rises, wave.falls, machine.switches, counter.count]
`);
          // y = sin(2 t) rises at asin(level) + 2 π k and falls at π - asin(level) + 2 π k.
          const end = 2 * 7;
          const first = Math.asin(level);
          const turns = Array.from({ length: 4 }, (_, k) => 2 * Math.PI * k);
          const within = (phase: number): number =>
            turns.filter((turn) => phase + turn > 0 && phase + turn < end).length;
          const [rises, falls] = [within(first), within(Math.PI - first)];
          const lasts = ["wave.rises", "wave.falls", "counter.count"].map((name) =>
            column(done, name).at(-1),
          );
          expect(lasts).toEqual([rises, falls, rises]);
          const counts = done.events?.map(({ sent, received }) => [sent, received]);
          expect(counts).toEqual([rises, falls, rises, rises].map((n) => [n, n]));
        },
      ),
      { numRuns: 20, seed: 3 },
    );
  });
});

describe("AX-7", () => {
  it("[HC8] as discrete events and as continuous units the thermostat does the same", async () => {
    const names = ["as-events", "predicted", "as-continuous", "scenario"];
    for (const name of names) {
      const done = await example(name);
      const tolerance = name === "scenario" ? 1e-7 : 1e-9;
      expectTimes(changes(done, "controller.q"), switches(), tolerance);
      const hottest = Math.max(...column(done, "room.x"));
      const coldest = Math.min(...column(done, "room.x").slice(3));
      expect([name, hottest - HIGH < 1e-9, LOW - coldest < 1e-9]).toEqual([name, true, true]);
    }
  });

  it("[HC8] as quantized states its events are wrong by what the quantum allows", async () => {
    const quantum = 0.01;
    const done = await example("qss");
    const expected = switches();
    const found = changes(done, "thermostat.q");
    expect(found.length).toBe(expected.length);
    // The temperature is wrong by at most the quantum at a threshold, where it moves by at least
    // 0.9 degrees per second; phases add up.
    for (const [k, time] of found.entries())
      expect(Math.abs(time - expected[k]!)).toBeLessThan(((k + 1) * 2 * quantum) / 0.9);
  });
});
