/**
 * `master: event-driven` from scenario files: when data is exchanged, what is recorded, what is
 * refused.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unwrap } from "../src/base/diagnostic.ts";
import { loadScenario } from "../src/host/load-scenario.ts";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { TRUST_ALL } from "../src/host/trust.ts";
import { OVER_HEAT } from "../src/lang/machine/testing/over-heat.ts";
import { explainScenario } from "../src/plan/explain/explain.ts";
import { explanationText } from "../src/plan/explain/explanation-text.ts";
import { planRun } from "../src/run/plan-run.ts";
import type { ScenarioRun } from "../src/run/simulate-scenario.ts";
import { numbersOf, Workplace } from "./cli/cosimo.ts";
import { COMPILING, EXAMPLES, ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();

/** Heats by a degree per second, and cools while it is stopped. */
const BOX = `machine: box
inputs: { isStopped: boolean }
outputs: { temperature: { type: integer, start: 80 } }
states:
  run:
    - { after: 1 s, do: "temperature := temperature + (isStopped ? -2 : 1)", to: run }
`;
const HEAD = `units: { box: box.machine.yaml, control: over-heat.machine.yaml }
experiment: { stop: 40 s, step: 1 s }
record: [box.temperature, control.isStopped]
connections:
`;

function scenario(name: string, connections: string, head = HEAD): string {
  lab.write("over-heat.machine.yaml", OVER_HEAT);
  lab.write("box.machine.yaml", BOX);
  return lab.write(`${name}.yaml`, head + connections);
}
const run = (name: string, connections: string, head?: string): Promise<ScenarioRun> =>
  simulateScenarioFile(scenario(name, connections, head), { trust: true });
const refused = async (name: string, connections: string, head?: string): Promise<string> =>
  run(name, connections, head).then(
    () => "it ran",
    (error: Error) => error.message,
  );

const READS = "  - { from: box.temperature, to: control.cpuTemperature, when: ready-to-read }\n";
const SWITCHES =
  "  - { from: control.switchCPUState, to: box.isStopped, when: event, do: toggle }\n";

describe("a state machine alone", () => {
  it("[RU13] runs as a scenario of one unit, with its ports by their own names", async () => {
    lab.write("box.machine.yaml", BOX);
    const place = new Workplace();
    const out = place.path("box.csv");
    const options = ["--stop", "3", "--step", "1", "--set", "isStopped=true", "-o", out];
    const ended = await place.run("run", `${lab.folder}/box.machine.yaml`, ...options);
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect(numbersOf(place.trace("box.csv"), "temperature")).toEqual([80, 78, 76, 74]);
  });
});

describe("cosimo check of a state machine", () => {
  it("[SM10] lists states and transitions, and draws them", async () => {
    const place = new Workplace();
    const path = place.write("over-heat.machine.yaml", OVER_HEAT);
    const ended = await place.run("check", path, "--graph", place.path("states.svg"));
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect(ended.stdout).toContain(
      "→ tooHot  after 3 s [cpuTemperature >= hot] / isStopped := not isStopped; emit switchCPUState",
    );
    expect(readFileSync(place.path("states.svg"), "utf8")).toContain('data-state="normalTemp"');
  });

  it("[SM10] says what is wrong and where, and exits with 1", async () => {
    const place = new Workplace();
    const path = place.write("bad.machine.yaml", "states: { a: [{ after: 1 s, to: b }] }\n");
    const ended = await place.run("check", path, "--json");
    expect(ended.code).toBe(1);
    const { diagnostics } = JSON.parse(ended.stdout) as { diagnostics: { code: string }[] };
    expect(diagnostics.map(({ code }) => code)).toEqual(["machine-no-state"]);
  });
});

describe("master: event-driven", () => {
  it("[CO8] is taken where connections have triggers, and counts their exchanges", async () => {
    const { outcome, trace, master } = await run("cooling", READS + SWITCHES);
    expect(outcome).toMatchObject({ kind: "completed", time: 40 });
    expect(trace.meta.entries["master"]).toBe("event-driven");
    // Reads at 5, 8, … every 3 s while normal; 85 degrees are there at t = 5, so the next read is 5
    // s later.
    const reads = master?.notes.find((note) => note.includes("ready-to-read"));
    expect(reads).toMatch(/\d+ exchanges: /);
    const times = Array.from(trace.time);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(times).toContain(5);
    const stopped = trace.columns.find(({ name }) => name === "control.isStopped");
    const first = Array.from(stopped?.data as ArrayLike<number>).indexOf(1);
    expect(times[first]).toBe(5);
  });

  it("[CO9] where no trigger is written, the natures of the ports decide", async () => {
    const { master } = await run("implied", `${READS}  - control.isStopped -> box.isStopped\n`);
    expect(master?.notes.join("\n")).toContain("control.isStopped -> box.isStopped (when updated)");
    const heads = `units: { left: ${fmu("fmi2/MassSpringDamperLeft")}, right: ${fmu("fmi2/MassSpringDamperRight")} }
experiment: { stop: 1 s, step: 100 ms }
master: event-driven
connections:
`;
    const masses = await run(
      "masses",
      "  - right.F_c -> left.F_e\n  - left.x_1 -> right.x_c\n  - left.v_1 -> right.v_c\n",
      heads,
    );
    expect(masses.master?.notes).toContain("left.x_1 -> right.x_c (every 0.1 s): 10 values");
  });

  it("[CO12] 'cosimo check' says when each connection exchanges, and why", async () => {
    const path = scenario("explained", `${READS}  - control.isStopped -> box.isStopped\n`);
    const { value } = await loadScenario(path, TRUST_ALL, lab.folder);
    if (value === undefined) throw new Error("it was not loaded");
    const { compiled } = unwrap(planRun(value.scenario, {}));
    const { connections } = explainScenario(value.scenario, compiled);
    expect(connections.map(({ exchanges }) => exchanges)).toEqual([
      { when: "when ready-to-read", reason: "as written" },
      { when: "when updated", reason: "the source is piecewise constant" },
    ]);
    expect(explanationText(explainScenario(value.scenario, compiled))).toContain("exchanges\n");
  });

  it("[CO13] applies what is set at the stop time, and units that can react there do", async () => {
    const head = `units: { box: box.machine.yaml, control: over-heat.machine.yaml }
experiment: { stop: 5 s, step: 1 s }
record: [box.temperature, control.cpuTemperature, control.isStopped]
connections:
`;
    const { trace } = await run("end", READS + SWITCHES, head);
    const last = (name: string): unknown =>
      trace.columns.find((column) => column.name === name)?.data[trace.time.length - 1];
    // The controller reads 85 degrees at t = 5, and switches there.
    const columns = ["box.temperature", "control.cpuTemperature", "control.isStopped"];
    expect(columns.map(last)).toEqual([85, 85, 1]);
  });

  it("[CO1] [CO8] CPU cooling exchanges at multiples of 5 s, at reads and at switches, over 30 000 s", async () => {
    const [stop, period] = [30_000, 5];
    const path = join(EXAMPLES, "cpu-cooling", "scenario.yaml");
    const { trace, master } = await simulateScenarioFile(path, {
      record: ["plant.cpuTemperature", "control.switchCPUState", "control.state"],
    });
    const column = (name: string): ArrayLike<number> =>
      trace.columns.find((one) => one.name === name)?.data as ArrayLike<number>;
    const [switching, state] = [column("control.switchCPUState"), column("control.state")];
    const times = Array.from(trace.time);
    const switches = times.filter((_, row) => switching[row] === 1);
    // From the machine's own trace: it reads every 3 s, and every 5 s while it is too hot (its
    // third state).
    const TOO_HOT = 3;
    const reads: number[] = [];
    for (let t = 5; t <= stop; ) {
      reads.push(t);
      const isHot = state[times.lastIndexOf(t)] === TOO_HOT;
      if (switches.includes(t) && isHot) expect(times.filter((at) => at > t)).toContain(t + 5);
      t += isHot ? 5 : 3;
    }
    const sampled = stop / period;
    const total = sampled + reads.length + switches.length;
    expect(master?.notes[0]).toBe(
      `${total} exchanges: ${sampled} every 5 s, ${reads.length} when ready-to-read, ${switches.length} when event`,
    );
    expect(total).toBeLessThan(stop / 0.1 / 19);
    expect(switches.every((t) => reads.includes(t))).toBe(true);
    // At 2 s it leaves its first state, and exchanges nothing.
    const instants = new Set([2, ...reads]);
    expect(times.filter((t) => t % period !== 0 && !instants.has(t))).toEqual([]);
  });

  it("[CO14] names an output that is NaN", async () => {
    lab.write(
      "odd.machine.yaml",
      "outputs: { y: 1 }\nstates: { a: [{ after: 1 s, do: y := sqrt(-1), to: a }] }\n",
    );
    lab.write("sink.machine.yaml", "inputs: { u: real }\nstates: { a: }\n");
    const head =
      "units: { odd: odd.machine.yaml, sink: sink.machine.yaml }\nexperiment: { stop: 3 s, step: 1 s }\n";
    const connections = "connections: [{ from: odd.y, to: sink.u, when: updated }]\n";
    const { diagnostics } = await run("nan", connections, head);
    expect(diagnostics.map(({ code }) => code)).toContain("run-no-number");
    expect(diagnostics.map(({ message }) => message).join()).toContain("odd.y");
  });

  it(
    "[CO15] an exported machine gets every event once: the light of AX-1 as an FMU",
    async () => {
      const folder = join(EXAMPLES, "traffic-light");
      const { path } = await lab.export(join(folder, "light.machine.yaml"), 2);
      const officer = join(folder, "officer.machine.yaml");
      const head = `units: { light: ${path}, officer: ${officer}, probe: probe.machine.yaml }
experiment: { stop: 1000 s, step: 10 s }
record: [light.lamp]
`;
      // The probe makes the light stop every 10 s.
      lab.write("probe.machine.yaml", "inputs: { u: integer }\nstates: { a: }\n");
      const connections = `connections:
  - { from: officer.toWork, to: light.toOff, when: event }
  - { from: officer.toIdle, to: light.toAuto, when: event }
  - { from: light.lamp, to: probe.u, every: 10 s }
`;
      const { trace } = await run("exported-light", connections, head);
      const lamps = trace.columns.find(({ name }) => name === "light.lamp")
        ?.data as ArrayLike<number>;
      // Red for 60 s, green for 40 s, off for 200 s; an FMU shows what it does in the step behind
      // the event.
      const expected = (t: number): number =>
        [1, 3, 4][[60, 100, 300].findIndex((end) => t % 300 < end)] ?? 0;
      const checked = Array.from(trace.time).flatMap((t, row) =>
        [0, 100].includes(t % 300) ? [] : [[t, lamps[row], expected(t)]],
      );
      expect(checked.length).toBeGreaterThan(80);
      for (const [t, found, right] of checked) expect([t, found]).toEqual([t, right]);
    },
    COMPILING,
  );

  it("[CO10] sampled connections alone give the trace of jacobi, bit for bit", async () => {
    const units = `units: { left: ${fmu("fmi2/MassSpringDamperLeft")}, right: ${fmu("fmi2/MassSpringDamperRight")} }
experiment: { stop: 2 s, step: 50 ms }
connections:
  - right.F_c -> left.F_e
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
`;
    const jacobi = await run("jacobi", "master: jacobi\n", units);
    const coordinated = await run("coordinated", "master: event-driven\n", units);
    expect(coordinated.trace.columns.map(({ name }) => name)).toEqual(
      jacobi.trace.columns.map(({ name }) => name),
    );
    expect(Array.from(coordinated.trace.time)).toEqual(Array.from(jacobi.trace.time));
    coordinated.trace.columns.forEach((column, c) => {
      expect([column.name, ...Array.from(column.data as ArrayLike<number>)]).toEqual([
        column.name,
        ...Array.from(jacobi.trace.columns[c]?.data as ArrayLike<number>),
      ]);
    });
  });

  it("[CO11] triggers that cannot be followed are refused before the run", async () => {
    const masses = `units: { left: ${fmu("fmi2/MassSpringDamperLeft")}, right: ${fmu("fmi2/MassSpringDamperRight")} }
experiment: { stop: 1 s, step: 100 ms }
connections:
`;
    expect(
      await refused("fmu", "  - { from: left.x_1, to: right.x_c, when: updated }\n", masses),
    ).toContain(
      "trigger-not-possible: 'left.x_1 -> right.x_c' cannot exchange when updated: 'left'",
    );
    expect(
      await refused(
        "no-event",
        "  - { from: control.isStopped, to: box.isStopped, when: event }\n",
      ),
    ).toContain("'control.isStopped' has a value that lasts");
    expect(await refused("ignored", `${READS}master: jacobi\n`)).toContain("trigger-ignored");
    expect(
      await refused(
        "two",
        "  - { from: box.temperature, to: control.cpuTemperature, every: 1 s, when: updated }\n",
      ),
    ).toContain("scenario-two-triggers");
    expect(
      await refused(
        "period",
        "  - { from: box.temperature, to: control.cpuTemperature, every: 0 s }\n",
      ),
    ).toContain("a time above 0");
    expect(
      await refused(
        "toggle",
        "  - { from: box.temperature, to: control.cpuTemperature, every: 1 s, do: toggle }\n",
      ),
    ).toContain("'toggle' is for booleans");
    expect(await refused("events", `${READS}limits: [{ at: [3] }]\n`)).toContain(
      "event-driven-declared",
    );
  });
});
