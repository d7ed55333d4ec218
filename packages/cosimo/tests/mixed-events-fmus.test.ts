/**
 * State machines, FMUs with clocks and event mode (FMI 3.0), FMUs without (FMI 2.0) and machines
 * that were exported as both, at random times and steps: every event that is sent is received
 * exactly once.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { COMPILING, ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const STOP = 3;
/** Of the ball: see its expected trace. */
const BOUNCES = 11;

const exported = { fmi3: "", fmi2: "" };
beforeAll(async () => {
  lab.write(
    "sink.machine.yaml",
    "machine: sink\ninputs: { in: event }\noutputs: { n: integer }\nstates: { a: [{ on: in, do: n := n + 1, to: a }] }\n",
  );
  const relay = lab.write(
    "relay.machine.yaml",
    "machine: relay\ninputs: { in: event }\noutputs: { n: integer }\nevents: [out]\nstates: { a: [{ on: in, do: n := n + 1, emit: out, to: a }] }\n",
  );
  exported.fmi3 = (await lab.export(relay, 3)).path;
  exported.fmi2 = (await lab.export(relay, 2)).path;
}, COMPILING);

let written = 0;
/** A machine that emits `go` at these times, which are in order. @returns the name of its file. */
function source(times: readonly number[]): string {
  const states = times.map((time, k) => {
    const wait = (time - (times[k - 1] ?? 0)).toFixed(6);
    const to = k + 1 < times.length ? `t${k + 1}` : "end";
    return `  t${k}: [{ after: ${wait} s, do: sent := sent + 1, emit: go, to: ${to} }]\n`;
  });
  const name = `source${written++}.machine.yaml`;
  lab.write(
    name,
    `outputs: { sent: integer }\nevents: [go]\ninitial: t0\nstates:\n${states.join("")}  end: []\n`,
  );
  return name;
}

/** Milliseconds up to the last before the stop. */
const instant = fc.integer({ min: 1, max: 2999 });
const ordered = (list: readonly number[]): number[] =>
  [...list].sort((a, b) => a - b).map((ms) => ms / 1000);

describe("random scenarios with FMUs under event-driven", () => {
  it(
    "[CO4] [HC15] every event that is sent is received exactly once, whatever steps and times",
    async () => {
      let total = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(instant, { minLength: 1, maxLength: 8 }),
          fc.uniqueArray(instant, { minLength: 1, maxLength: 8 }),
          fc.double({ min: 0.01, max: 2.9, noNaN: true }),
          fc.boolean(),
          async (some, distinct, step, doubled) => {
            // Several events of one instant reach what takes events; a boolean of FMI 2.0 shows one
            // per instant.
            const times = ordered(doubled ? [...some, ...some] : some);
            const path = lab.write(
              `mixed${written++}.yaml`,
              `units:
  s: ${source(times)}
  one: ${source(ordered(distinct))}
  ball: ${fmu("fmi3/BouncingBallClocked")}
  plant: ${fmu("fmi2/Dahlquist")}
  relay: ${exported.fmi3}
  old: ${exported.fmi2}
  counter: ${fmu("fmi3/Counter")}
  bounces: ${fmu("fmi3/Counter")}
  sink: sink.machine.yaml
  heard: sink.machine.yaml
connections:
  - s.go -> relay.in
  - s.go -> counter.tick
  - relay.out -> sink.in
  - one.go -> old.in
  - ball.bounce -> bounces.tick
  - ball.bounce -> heard.in
experiment: { stop: ${STOP} s, step: ${step} s }
master: event-driven
record: [s.sent, one.sent, relay.n, old.n, counter.count, bounces.count, sink.n, heard.n, plant.x]
`,
            );
            const { outcome, trace, events } = await simulateScenarioFile(path, { trust: true });
            expect(outcome).toMatchObject({ kind: "completed", time: STOP });
            const last = (name: string): number =>
              Number(trace.columns.find((column) => column.name === name)?.data.at(-1));
            expect(last("s.sent")).toBe(times.length);
            expect([last("relay.n"), last("counter.count"), last("sink.n")]).toEqual(
              new Array(3).fill(times.length),
            );
            expect(last("old.n")).toBe(distinct.length);
            expect([last("bounces.count"), last("heard.n")]).toEqual([BOUNCES, BOUNCES]);
            for (const { connection, sent, received } of events ?? [])
              expect(received, connection).toBe(sent);
            expect(events).toHaveLength(6);
            total += times.length + distinct.length;
          },
        ),
        { numRuns: 12, seed: 13 },
      );
      expect(total).toBeGreaterThan(60);
    },
    COMPILING,
  );
});
