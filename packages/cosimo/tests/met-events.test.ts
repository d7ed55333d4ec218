/**
 * Events of state machines under masters with common steps: they arrive at their instants, whatever
 * the step. Random networks of them are in mixed-events.test.ts.
 */
import { describe, expect, it } from "vitest";
import { eventsText } from "../src/engine/event-counts.ts";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import type { Trace } from "../src/record/trace.ts";
import { ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();
lab.write(
  "beats.machine.yaml",
  "outputs: { n: integer }\nevents: [beat]\nstates: { a: [{ after: 0.13 s, do: n := n + 1, emit: beat, to: a }] }\n",
);
lab.write(
  "hears.machine.yaml",
  "inputs: { in: event }\noutputs: { n: integer, at: 0.0 }\nstates: { a: [{ on: in, do: n := n + 1; at := time, to: a }] }\n",
);
/** Says at once that the level is passed; reads it every 0.3 s and says what it read. */
lab.write(
  "guards.machine.yaml",
  `inputs: { x: 1.0 }
outputs: { read: 1.0 }
events: [low, done]
initial: high
states:
  high:
    - { when: x < 0.5, emit: low, to: low }
    - { after: 0.3 s, do: read := x, emit: done, to: high }
  low: []
`,
);

const MASTERS = ["jacobi", "gauss-seidel", "iterative", "adaptive"];
let written = 0;
const run = (text: string, options: Parameters<typeof simulateScenarioFile>[1] = {}) =>
  simulateScenarioFile(lab.write(`met${written++}.yaml`, text), { trust: true, ...options });

function column(trace: Trace, name: string): number[] {
  const found = trace.columns.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no column '${name}'`);
  return Array.from(found.data as ArrayLike<number>);
}
const last = (trace: Trace, name: string): number => column(trace, name).at(-1) ?? Number.NaN;
const times = (trace: Trace, name: string): number[] =>
  column(trace, name).flatMap((value, row) => (value === 0 ? [] : [trace.time[row] as number]));

describe("events of machines under masters with common steps", () => {
  it.each(MASTERS)(
    "[CO24] arrive at their instants under %s, whatever the step",
    async (master) => {
      for (const step of ["0.1 s", "1 s"]) {
        const { trace, events, diagnostics } = await run(`units:
  beats: beats.machine.yaml
  hears: hears.machine.yaml
  counter: ${fmu("fmi3/Counter")}
  ball: ${fmu("fmi3/BouncingBallClocked")}
  heard: hears.machine.yaml
connections:
  - beats.beat -> hears.in
  - beats.beat -> counter.tick
  - ball.bounce -> heard.in
experiment: { stop: 1.3 s, step: ${step} }
master: ${master}
record: [beats.beat, hears.n, hears.at, counter.count, ball.bounce, heard.at]
`);
        // The n-th multiple of 0.13 s, as ticks have it.
        const expected = Array.from({ length: 10 }, (_, k) => (13 * (k + 1)) / 100);
        expect(times(trace, "beats.beat")).toEqual(expected);
        expect([...new Set(column(trace, "hears.at"))]).toEqual([0, ...expected]);
        expect([last(trace, "hears.n"), last(trace, "counter.count")]).toEqual([10, 10]);
        expect(last(trace, "heard.at")).toBe(times(trace, "ball.bounce").at(-1));
        for (const { sent, received } of events ?? []) expect(received).toBe(sent);
        expect(diagnostics).toEqual([]);
      }
    },
  );

  it.each(MASTERS)(
    "[CO24] follow what machines read of continuous signals under %s",
    async (master) => {
      const { trace, diagnostics } = await run(`units:
  decay: ${fmu("fmi2/Dahlquist")}
  guards: guards.machine.yaml
  low: hears.machine.yaml
  done: hears.machine.yaml
connections: [decay.x -> guards.x, guards.low -> low.in, guards.done -> done.in]
experiment: { stop: 2 s, step: 0.25 s }
master: ${master}
record: [decay.x, guards.read, guards.state, done.n, low.n, low.at]
`);
      expect(diagnostics).toEqual([]);
      // What it reads at 0.3 s and 0.6 s is the value of that instant.
      const [x, read] = [column(trace, "decay.x"), column(trace, "guards.read")];
      for (const [k, time] of [0.3, 0.6].entries()) {
        const rows = [...trace.time.keys()].filter((row) => trace.time[row] === time);
        expect(rows.length).toBeGreaterThan(1);
        expect(read[rows.at(-1) ?? 0]).toBe(x[rows[0] ?? 0]);
        expect([...new Set(read)][k + 1]).toBe(read[rows.at(-1) ?? 0]);
      }
      // The level is noticed at the first communication point beyond it, at its own value.
      const at = last(trace, "low.at");
      const row = trace.time.indexOf(at);
      expect([last(trace, "low.n"), last(trace, "done.n")]).toEqual([1, 2]);
      expect(x[row]).toBeLessThan(0.5);
      expect(x[row - 1]).toBeGreaterThan(0.5);
    },
  );

  it("[CO24] need no unit that goes back, where machines say when they act next", async () => {
    const { trace, master } = await run(`units:
  beats: beats.machine.yaml
  hears: hears.machine.yaml
  left: ${fmu("fmi2/MassSpringDamperLeftPlain")}
  right: ${fmu("fmi2/MassSpringDamperRightPlain")}
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e, beats.beat -> hears.in]
experiment: { stop: 1 s, step: 0.1 s }
master: jacobi
record: [hears.n, hears.at]
`);
    expect([last(trace, "hears.n"), last(trace, "hears.at")]).toEqual([7, 0.91]);
    expect(master?.rejections).toEqual([]);
  });

  it("[CO24] are late, with a warning, where the receiver cannot react at an instant", async () => {
    const { events, diagnostics } = await run(`units:
  beats: beats.machine.yaml
  gate: ${fmu("fmi2/Feedthrough")}
connections: [beats.beat -> gate.Boolean_input]
experiment: { stop: 1 s, step: 0.5 s }
master: jacobi
record: [gate.Boolean_output]
`);
    expect(diagnostics.map(({ code }) => code)).toEqual(["events-at-step-ends"]);
    expect(events?.map(eventsText)).toEqual([
      "beats.beat -> gate.Boolean_input: 7 sent, 2 received, 5 lost",
    ]);
  });

  it("[CO24] serve scenarios whose declarations need common steps", async () => {
    const { trace, diagnostics } = await run(`units:
  beats: beats.machine.yaml
  hears: hears.machine.yaml
  decay: ${fmu("fmi2/Dahlquist")}
connections: [beats.beat -> hears.in]
events: [{ when: decay.x, crosses: 0.5 }]
experiment: { stop: 1 s, step: 0.5 s }
record: [hears.n, hears.at]
`);
    expect(diagnostics).toEqual([]);
    expect(trace.meta.entries["master"]).not.toBe("event-driven");
    expect([last(trace, "hears.n"), last(trace, "hears.at")]).toEqual([7, 0.91]);
  });
});
