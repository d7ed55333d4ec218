/** Events in traces: rows of their own, under every master. */
import { describe, expect, it } from "vitest";
import { devsUnit, listSource } from "../src/devs.ts";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import type { Trace } from "../src/record/trace.ts";
import { defineScenario } from "../src/run/define-scenario.ts";
import { simulateScenario } from "../src/run/simulate-scenario.ts";
import { ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();

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
