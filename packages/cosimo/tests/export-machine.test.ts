/** State machines as FMUs: what they do in Cosimo, they do in every tool. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { OVER_HEAT } from "../src/lang/machine/testing/over-heat.ts";
import type { Trace } from "../src/record/trace.ts";
import { COMPILING, completed, EXAMPLES, ExportLab, expectSame } from "./export-lab.ts";

const lab = new ExportLab();
const EXPERIMENT = "experiment: { stop: 60 s, step: 1 s }\nmaster: jacobi\n";

/** Heats by 4 degrees a second, and cools while it is stopped. */
const BOX = `machine: box
inputs: { isStopped: boolean }
outputs: { temperature: { type: integer, start: 40 } }
states:
  run:
    - { after: 1 s, do: "temperature := temperature + (isStopped ? -3 : 4)", to: run }
`;

/** Rows of a trace: time, then the columns by name. */
function rowsOf(trace: Trace, names: readonly string[]): number[][] {
  const columns = trace.columns.filter(({ name }) => names.includes(name));
  return Array.from(trace.time, (t, row) => [
    t,
    ...columns.map(({ data }) => Number((data as ArrayLike<number>)[row])),
  ]);
}

describe("state machines as FMUs", () => {
  it(
    "[SM11] AX-1: the light, and the officer too, as FMUs of FMI 3 give the trace of the machines exactly",
    async () => {
      const folder = join(EXAMPLES, "traffic-light");
      const expected = readFileSync(join(folder, "expected-machines.csv"), "utf8")
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.split(",").map(Number));
      const names = ["light", "officer"] as const;
      const [light, officer] = await Promise.all(
        names.map((name) => lab.export(join(folder, `${name}.machine.yaml`), 3)),
      );
      const text = readFileSync(join(folder, "machines.yaml"), "utf8");
      for (const units of [
        { light: light.path, officer: join(folder, "officer.machine.yaml") },
        { light: light.path, officer: officer.path },
        { light: join(folder, "light.machine.yaml"), officer: officer.path },
      ]) {
        const scenario = text
          .replace("light.machine.yaml", units.light)
          .replace("officer.machine.yaml", units.officer);
        const trace = await completed(lab.write("exported-light.yaml", scenario));
        expect(rowsOf(trace, ["light.lamp", "light.changed"])).toEqual(expected);
      }
    },
    COMPILING,
  );

  it(
    "[SM11] as FMI 3 it takes every event once, and shows its own ones",
    async () => {
      // Every tick toggles; the machine ticks itself when it has counted three.
      const toggle = lab.write(
        "toggle.machine.yaml",
        `inputs: { tick: event, armed: boolean }
outputs: { on: boolean, count: integer }
events: { third: counted three }
initial: a
states:
  a:
    - { on: tick, when: armed, do: ["on := not on", count := count + 1], to: b }
  b:
    - { when: count == 3, emit: third, do: count := 0, to: a }
    - { after: 0 s, to: a }
`,
      );
      lab.write(
        "pulses.machine.yaml",
        `events: { go: a tick }
outputs: { armed: { type: boolean, start: 1 } }
states:
  a: [{ after: 0.7 s, emit: go, to: a }]
`,
      );
      const scenario = (unit: string): string =>
        lab.write(
          "toggled.yaml",
          `units: { source: pulses.machine.yaml, toggle: ${unit} }
connections:
  - { from: source.armed, to: toggle.armed, when: updated }
  - { from: source.go, to: toggle.tick, when: event }
experiment: { stop: 10 s, step: 10 s }
record: [toggle.on, toggle.count, toggle.third]
`,
        );
      const names = ["toggle.on", "toggle.count", "toggle.third"];
      const plain = rowsOf(await completed(scenario("toggle.machine.yaml")), names);
      const { path } = await lab.export(toggle, 3);
      expect(rowsOf(await completed(scenario(path)), names)).toEqual(plain);
      expect(plain.filter(([, , , third]) => third === 1)).toHaveLength(4);
    },
    COMPILING,
  );

  it(
    "[SM11] [CO31] as FMI 2 its events reach others under 'event-driven', at their instants, each once",
    async () => {
      const sources = {
        // Nothing acts on it, so as FMI 3 it would have event mode.
        plain: `outputs: { sent: integer }
events: { go: a tick }
initial: a
states:
  a: [{ after: 0.7 s, do: sent := sent + 1, emit: go, to: b }]
  b: [{ after: 0.05 s, do: sent := sent + 1, emit: go, to: a }]
`,
        // It samples an input, so it acts in steps as either version.
        sampling: `inputs: { u: real }
outputs: { sent: integer }
events: { go: a tick }
states:
  a: [{ after: 0.3 s, when: u > -1, do: sent := sent + 1, emit: go, to: a }]
`,
      };
      lab.write(
        "hearing.machine.yaml",
        "inputs: { in: event }\noutputs: { n: integer, at: real }\nstates: { a: [{ on: in, do: [n := n + 1, at := time], to: a }] }\n",
      );
      for (const [name, text] of Object.entries(sources)) {
        const source = lab.write(`${name}.machine.yaml`, text);
        const scenario = (unit: string): string =>
          lab.write(
            `hears-${name}.yaml`,
            `units: { source: ${unit}, hearing: hearing.machine.yaml }
connections: [{ from: source.go, to: hearing.in, when: event }]
experiment: { stop: 10 s, step: 1 s }
record: [hearing.n, hearing.at]
`,
          );
        const heard = async (path: string): Promise<number[][]> => {
          const rows = rowsOf(await completed(path), ["hearing.n", "hearing.at"]);
          return rows.filter((row, k) => k > 0 && row[1] !== rows[k - 1]?.[1]);
        };
        const plain = await heard(scenario(`${name}.machine.yaml`));
        expect(plain.length).toBeGreaterThan(20);
        const exported = await lab.export(source, 2);
        expect(await heard(scenario(exported.path))).toEqual(plain);
        if (name === "sampling") {
          const three = await lab.export(source, 3);
          expect(await heard(scenario(three.path))).toEqual(plain);
        }
      }
    },
    COMPILING,
  );

  it(
    "[SM11] events of one instant have an index each, at the stop time too, as those of the machine",
    async () => {
      const text = `outputs: { n: integer }
events: { go: a tick, done: a second one }
initial: a
states:
  a: [{ after: 0.7 s, do: n := n + 1, emit: go, to: b }]
  b: [{ after: 0 s, do: n := n + 1, emit: done, to: c }]
  c: [{ after: 0 s, emit: go, to: d }]
  d: [{ after: 0 s, do: n := n + 1, to: a }]
`;
      const path = lab.write("last.machine.yaml", text);
      lab.write(
        "twice.machine.yaml",
        "inputs: { one: event, two: event }\noutputs: { n: integer }\nstates: { a: [{ on: one, do: n := n + 1, to: a }, { on: two, do: n := n + 10, to: a }] }\n",
      );
      const scenario = (unit: string): string =>
        lab.write(
          "last.yaml",
          `units: { it: ${unit}, twice: twice.machine.yaml }
connections: [it.go -> twice.one, it.done -> twice.two]
experiment: { stop: 7 s, step: 1 s }
master: event-driven
record: [it.n, it.go, it.done, twice.n]
`,
        );
      const names = ["it.n", "it.go", "it.done", "twice.n"];
      const plain = rowsOf(await completed(scenario("last.machine.yaml")), names);
      expect(plain.at(-1)?.[0]).toBe(7);
      expect(plain.at(-1)?.[4]).toBe(120);
      const { path: exported } = await lab.export(path, 3);
      expect(rowsOf(await completed(scenario(exported)), names)).toEqual(plain);
    },
    COMPILING,
  );

  it(
    "[SM11] [EXA18] more than 1000 transitions at one instant are an error, also of a machine whose name means something in C",
    async () => {
      const endless = lab.write(
        "endless.machine.yaml",
        `machine: endless
inputs: { go: event }
initial: a
states:
  a: [{ on: go, to: b }]
  b: [{ after: 0 s, to: c }]
  c: [{ when: "true", to: b }]
`,
      );
      lab.write(
        "source.machine.yaml",
        "events: { go: a tick }\nstates: { a: [{ after: 1 s, emit: go, to: a }] }\n",
      );
      const { path } = await lab.export(endless, 3);
      const scenario = lab.write(
        "endless.yaml",
        `units: { source: source.machine.yaml, it: ${path} }
connections: [{ from: source.go, to: it.go, when: event }]
experiment: { stop: 3 s, step: 1 s }
`,
      );
      const { outcome } = await simulateScenarioFile(scenario);
      expect(outcome).toMatchObject({ kind: "failed", time: 1 });
      expect(JSON.stringify(outcome)).toContain("it does not settle at t=1");
    },
    COMPILING,
  );

  it("[SM11] has event mode where no input is sampled, as FMI 3 only", async () => {
    const light = join(EXAMPLES, "traffic-light", "light.machine.yaml");
    const modes = await Promise.all([
      lab.describe(light, 3),
      lab.describe(light, 2),
      lab.describe(join(EXAMPLES, "cpu-cooling", "over-heat.machine.yaml"), 3),
    ]);
    expect(modes.map(({ coSimulation }) => coSimulation?.hasEventMode)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([2, 3] as const)(
    "[SM9] an exported machine gives the machine's trace (FMI %i)",
    async (version) => {
      lab.write("over-heat.machine.yaml", OVER_HEAT);
      lab.write("box.machine.yaml", BOX);
      const scenario = (controller: string): string =>
        lab.write(
          `${controller.endsWith(".fmu") ? "exported" : "plain"}-${version}.yaml`,
          `units: { box: box.machine.yaml, control: ${controller} }
connections: [box.temperature -> control.cpuTemperature, control.isStopped -> box.isStopped]
${EXPERIMENT}record: [box.temperature, control.isStopped, control.switchCPUState, control.state]
`,
        );
      const { path } = await lab.export(lab.write("over-heat.machine.yaml", OVER_HEAT), version);
      const plain = await completed(scenario("over-heat.machine.yaml"));
      expectSame(plain, await completed(scenario(path)), 5);
      // Not a comparison of two machines that rest.
      const switches = plain.columns.find(({ name }) => name === "control.switchCPUState");
      expect(Array.from((switches?.data ?? []) as ArrayLike<number>)).toContain(1);
    },
    COMPILING,
  );

  it(
    "[SM9] a scenario of machines exports as a whole",
    async () => {
      lab.write("over-heat.machine.yaml", OVER_HEAT);
      lab.write("box.machine.yaml", BOX);
      const scenario = lab.write(
        "whole.yaml",
        `units: { box: box.machine.yaml, control: over-heat.machine.yaml }
connections: [box.temperature -> control.cpuTemperature, control.isStopped -> box.isStopped]
${EXPERIMENT}record: [box.temperature, control.isStopped, control.switchCPUState]
`,
      );
      const { path } = await lab.export(scenario, 3);
      // With the index: what carries events is marked.
      expectSame(await completed(scenario), await lab.traceOf(path, 1, 60), 4);
    },
    COMPILING,
  );
});
