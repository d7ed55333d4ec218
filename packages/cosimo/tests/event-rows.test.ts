/** Events in traces: rows of their own, under every master. */
import { describe, expect, it } from "vitest";
import { devsUnit, listSource } from "../src/devs.ts";
import { eventsText } from "../src/engine/event-counts.ts";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { openNativeUnit } from "../src/platform/native/open-native-unit.ts";
import { unpackFixtures } from "../src/platform/native/testing/fixtures.ts";
import type { Trace } from "../src/record/trace.ts";
import { defineScenario } from "../src/run/define-scenario.ts";
import { simulateScenario } from "../src/run/simulate-scenario.ts";
import { traceUnit } from "../src/run/trace-unit.ts";
import { stateMachineUnit } from "../src/unit/state-machine-unit.ts";
import { ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const fixture = unpackFixtures();

function column(trace: Trace, name: string): number[] {
  const found = trace.columns.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no column '${name}'`);
  return Array.from(found.data as ArrayLike<number>);
}

/** Time and index of every row in which the event occurs. */
function eventsOf(trace: Trace, name: string): [number, number][] {
  const index = column(trace, "master.index");
  return column(trace, name).flatMap((value, row) =>
    value === 0 ? [] : [[trace.time[row] as number, index[row] as number]],
  );
}

describe("events in a trace", () => {
  it.each(["jacobi", "gauss-seidel", "iterative", "event-driven"])(
    "[RC21] of a discrete-event unit have rows of their own under %s",
    async (master) => {
      const events = [0.25, 1, 1, 1, 2.5].map((time, k) => ({ time, value: k + 1 }));
      const { outcome, trace } = await simulateScenario(
        defineScenario({
          units: { source: devsUnit(listSource({ events, border: { type: "int32" } })) },
          experiment: { stop: 2.5, step: 0.5 },
          master,
        }),
      );
      expect(outcome.kind).toBe("completed");
      const found = eventsOf(trace, "source.out.event");
      expect(found.map(([time]) => time)).toEqual(events.map(({ time }) => time));
      // Three values at one time, one index each.
      expect(found.slice(1, 4).map(([, index]) => index)).toEqual([0, 1, 2]);
      // The row of an event has its value.
      const rows = column(trace, "source.out.event").flatMap((value, row) => (value ? [row] : []));
      const values = column(trace, "source.out");
      expect(rows.map((row) => values[row])).toEqual(events.map(({ value }) => value));
      const { isEvent } = trace.columns.find(({ name }) => name === "source.out.event") ?? {};
      expect(isEvent).toBe(true);
      expect(Array.from(trace.time)).toEqual([...trace.time].sort((a, b) => a - b));
      // The last row has no event any more.
      expect(column(trace, "source.out.event").at(-1)).toBe(0);
    },
  );

  it.each(["jacobi", "iterative", "event-driven"])(
    "[RC21] of an output clock of FMI 3 have rows of their own under %s",
    async (master) => {
      const path = lab.write(
        `clock-${master}.yaml`,
        `units: { ball: ${fmu("fmi3/BouncingBallClocked")}, counter: ${fmu("fmi3/Counter")} }
experiment: { stop: 3 s, step: 100 ms }
master: ${master}
record: [ball.bounce, counter.count]
connections: [ball.bounce -> counter.tick]
`,
      );
      const { trace } = await simulateScenarioFile(path, { trust: true });
      const bounces = eventsOf(trace, "ball.bounce");
      expect(bounces.length).toBe(11);
      // Free fall from 1 m.
      expect(Math.abs((bounces[0]?.[0] ?? 0) - Math.sqrt(2 / 9.81))).toBeLessThan(1e-9);
    },
  );

  it("[RC21] of a state machine have rows of their own under event-driven, and are seen at the ends of steps under others", async () => {
    lab.write(
      "beats.machine.yaml",
      "machine: beats\nevents: [beat]\nstates: { a: [{ after: 0.3 s, do: emit beat, to: a }] }\n",
    );
    const run = async (master: string): Promise<[number, number][]> => {
      const path = lab.write(
        `beats-${master}.yaml`,
        `units: { beats: beats.machine.yaml }\nexperiment: { stop: 1 s, step: 500 ms }\nmaster: ${master}\n`,
      );
      const { trace } = await simulateScenarioFile(path, { trust: true });
      return eventsOf(trace, "beats.beat").map(([time, index]) => [
        Math.round(time * 1e9) / 1e9,
        index,
      ]);
    };
    expect(await run("event-driven")).toEqual([0.3, 0.6, 0.9].map((time) => [time, 0]));
    expect(await run("jacobi")).toEqual([0.5, 1].map((time) => [time, 0]));
  });

  it("[RC30] of a machine that nothing is connected to have rows of their own, and what holds after them the next index", async () => {
    lab.write(
      "counts.machine.yaml",
      "machine: counts\noutputs: { v: 0 }\nevents: [go]\nstates: { a: [{ after: 0.3 s, do: v := v + 1; emit go, to: a }] }\n",
    );
    const path = lab.write(
      "counts.yaml",
      `units: { s: counts.machine.yaml, d: ${fmu("fmi2/Dahlquist")} }
experiment: { stop: 2 s, step: 1 s }
record: [s.go, s.v, d.x]
`,
    );
    const { trace, diagnostics } = await simulateScenarioFile(path, { trust: true });
    expect(diagnostics).toEqual([]);
    expect(eventsOf(trace, "s.go")).toHaveLength(6);
    const row = (k: number) =>
      ["s.go", "s.v", "master.index"].map((name) => column(trace, name)[k]);
    expect([row(1), row(2)]).toEqual([
      [1, 1, 0],
      [0, 1, 1],
    ]);
    expect(trace.time[1]).toBe(trace.time[2]);
    // The FMU is seen at its communication points, as with common steps.
    const at = trace.time.indexOf(1);
    expect(column(trace, "d.x")[at]).toBeCloseTo(0.9 ** 10, 9);
  });

  it("[CO24] connected events of machines choose 'event-driven', and masters without event mode warn", async () => {
    lab.write(
      "hears.machine.yaml",
      "machine: hears\ninputs: { in: event }\noutputs: { n: integer }\nstates: { a: [{ on: in, do: n := n + 1, to: a }] }\n",
    );
    const run = async (name: string, master: string) =>
      simulateScenarioFile(
        lab.write(
          `${name}.yaml`,
          `units: { beats: beats.machine.yaml, hears: hears.machine.yaml }\nconnections: [beats.beat -> hears.in]\nexperiment: { stop: 1 s, step: 500 ms }\n${master}record: [hears.n]\n`,
        ),
        { trust: true },
      );
    const chosen = await run("chosen", "");
    expect(chosen.trace.meta.entries).toMatchObject({ master: "event-driven" });
    expect(column(chosen.trace, "hears.n").at(-1)).toBe(3);
    expect(chosen.diagnostics).toEqual([]);
    const met = await run("met", "master: jacobi\n");
    expect([column(met.trace, "hears.n").at(-1), met.diagnostics]).toEqual([3, []]);
    const stepped = await run("stepped", "master: { name: jacobi, eventMode: false }\n");
    expect(stepped.diagnostics.map(({ code }) => code)).toEqual(["events-at-step-ends"]);
  });

  it("[CO24] recorded events under a master with common steps are counted, and the warning says why they are late", async () => {
    lab.write(
      "beats.machine.yaml",
      "machine: beats\nevents: [beat]\nstates: { a: [{ after: 0.3 s, do: emit beat, to: a }] }\n",
    );
    const run = async (master: string, step: string) => {
      const path = lab.write(
        "late-rows.yaml",
        `units: { beats: beats.machine.yaml, left: ${fmu("fmi2/MassSpringDamperLeft")}, right: ${fmu("fmi2/MassSpringDamperRight")} }
experiment: { stop: 1 s, step: ${step} }
master: ${master}
connections: [right.F_c -> left.F_e, left.x_1 -> right.x_c, left.v_1 -> right.v_c]
record: [beats.beat, left.x_1]
`,
      );
      const { trace, events, diagnostics } = await simulateScenarioFile(path, { trust: true });
      const shown = column(trace, "beats.beat").filter((value) => value !== 0).length;
      return { shown, events: events?.map(eventsText), diagnostics };
    };
    const exact = await run("event-driven", "500 ms");
    expect([exact.shown, exact.diagnostics]).toEqual([3, []]);
    for (const master of ["jacobi", "iterative"]) {
      const coarse = await run(master, "500 ms");
      expect(coarse.shown).toBe(2);
      expect(coarse.events).toContain("beats.beat -> record: 3 sent, 2 received, 1 lost");
      expect(coarse.diagnostics.map(({ code, message }) => [code, message])).toEqual([
        [
          "events-at-step-ends",
          expect.stringContaining("a row shows all units at one time, so events of 'beats.beat'"),
        ],
      ]);
      const fine = await run(master, "100 ms");
      expect(fine.events).toContain("beats.beat -> record: 3 sent, 3 received");
    }
  });

  it("[SI10] machines that answer each other at once are a warning before the run, with the cycle", async () => {
    const echo = (name: string, answer: string): void => {
      const text = `machine: ${name}\ninputs: { in: event }\nevents: [out]\ninitial: a\nstates: { a: [{ on: in, to: b${answer === "at once" ? ", emit: out" : ""} }], b: [{ after: 1 s, to: a${answer === "later" ? ", emit: out" : ""} }] }\n`;
      lab.write(`${name}.machine.yaml`, text);
    };
    echo("quick", "at once");
    echo("slow", "later");
    const codes = async (left: string, right: string): Promise<string[]> => {
      const text = `units: { left: ${left}.machine.yaml, right: ${right}.machine.yaml }\nconnections: [left.out -> right.in, right.out -> left.in]\nexperiment: { stop: 1 s, step: 1 s }\n`;
      const path = lab.write(`echo-${left}-${right}.yaml`, text);
      const { diagnostics } = await simulateScenarioFile(path, { trust: true });
      return diagnostics.map(({ code, message }) => `${code} ${message}`);
    };
    expect(await codes("quick", "quick")).toEqual([
      expect.stringMatching(/^zero-delay-cycle .*'left' → 'right' → 'left'/),
    ]);
    expect(await codes("quick", "slow")).toEqual([]);
  });

  it("[RC21] of units that run alone have rows of their own: machines, discrete-event models, clocks", async () => {
    const timesOf = (trace: Trace, name: string): number[] =>
      column(trace, name).flatMap((value, row) => (value === 0 ? [] : [trace.time[row] as number]));
    const beats = stateMachineUnit({
      name: "beats",
      outputs: { n: { type: "int32" } },
      events: ["beat"],
      initial: "a",
      states: {
        a: {
          transitions: [
            {
              after: 0.25,
              to: "a",
              do: (m) => {
                m.set("n", m.get("n") + 1);
                m.emit("beat");
              },
            },
          ],
        },
      },
    });
    const machine = await traceUnit(beats, { stop: 1, step: 0.5 });
    expect(timesOf(machine.trace, "beat")).toEqual([0.25, 0.5, 0.75, 1]);
    expect(column(machine.trace, "beat").at(-1)).toBe(0);
    expect(column(machine.trace, "n").at(-1)).toBe(4);
    const events = [0.25, 1, 1, 2].map((time, k) => ({ time, value: k + 1 }));
    const source = devsUnit(listSource({ events, border: { type: "int32" } }));
    const devs = await traceUnit(source, { stop: 2, step: 0.5 });
    expect(timesOf(devs.trace, "out.event")).toEqual(events.map(({ time }) => time));
    const ball = openNativeUnit(await fixture("fmi3/BouncingBallClocked"));
    try {
      const clocked = await traceUnit(ball, { stop: 3, step: 0.1, record: ["bounce"] });
      const [first, ...others] = timesOf(clocked.trace, "bounce");
      expect(Math.abs((first ?? 0) - Math.sqrt(2 / 9.81))).toBeLessThan(1e-9);
      expect(others.length).toBe(10);
    } finally {
      ball.dispose();
    }
  });

  it("[RC21] are not mentioned where none is recorded", async () => {
    const events = [{ time: 1, value: 1 }];
    const { trace } = await simulateScenario(
      defineScenario({
        units: { source: devsUnit(listSource({ events, border: { type: "int32" } })) },
        experiment: { stop: 2, step: 1 },
        record: ["source.out"],
      }),
    );
    expect(trace.columns.map(({ name }) => name)).toEqual(["source.out"]);
  });
});
