/**
 * What a run of changing structures has like any other: faults, formulas, conditions without common
 * steps, checkpoints.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { RunState } from "../engine/checkpoint.ts";
import { applyFaults } from "../model/apply-faults.ts";
import type { Trace } from "../record/trace.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { defineScenario, type ScenarioModel } from "./define-scenario.ts";
import { planRun } from "./plan-run.ts";
import { runStructure } from "./run-structure.ts";
import { simulateScenario } from "./simulate-scenario.ts";

/** v' = (1 - v) / tau, exactly. */
const rc =
  (tau: number) =>
  (name: string): Unit =>
    linearUnit(
      {
        name: "rc",
        inputs: { u: { start: 1 } },
        states: { v: { start: 0 } },
        a: [[-1 / tau]],
        b: [[1 / tau]],
        c: [],
      },
      name,
    );

/** Takes part in nothing: its input is what others make of it. */
const meter = (name: string): Unit =>
  linearUnit(
    {
      name: "meter",
      inputs: { i: {}, j: {} },
      states: { q: {} },
      a: [[0]],
      b: [[1, 0]],
      c: [],
    },
    name,
  );

/** Counts seconds. */
const clock = (): Unit =>
  stateMachineUnit({
    name: "clock",
    outputs: { n: { type: "int32" } },
    events: ["tick"],
    initial: "a",
    states: {
      a: {
        transitions: [
          {
            after: 1,
            to: "a",
            do: (m) => {
              m.set("n", m.get("n") + 1);
              m.emit("tick");
            },
          },
        ],
      },
    },
  });

const MASTERS = ["jacobi", "gauss-seidel", "iterative", "adaptive", "event-driven"] as const;

const model = (more: Partial<ScenarioModel>): ScenarioModel => ({
  name: "swap",
  units: { fast: rc(1), slow: rc(4), load: meter },
  connections: ["fast.v -> load.i", "slow.v -> load.i"],
  experiment: { stop: 3, step: 0.25 },
  structure: {
    absent: ["slow"],
    rules: [{ at: 1.1, replace: "fast", with: "slow", transfer: { "slow.v": "fast.v" } }],
  },
  ...more,
});

const column = (trace: Trace, name: string): number[] =>
  Array.from(trace.columns.find((one) => one.name === name)?.data as ArrayLike<number>, Number);

/** When a column of truths changes. */
const switches = (trace: Trace, name: string): number[] => {
  const values = column(trace, name);
  return [...trace.time].filter((_, row) => row > 0 && values[row] !== values[row - 1]);
};

describe("faults of a scenario whose structure changes", () => {
  it.each(MASTERS)("[SI34] act at their instants in every structure: %s", async (master) => {
    const faults = [
      "fast.v gain 2 at 0.3 s for 0.3 s as early",
      "slow.v stuck at 1.7 s for 0.5 s as late",
      "load.i offset 1 at 0.9 s until 1.3 s as across",
    ];
    const {
      outcome,
      trace,
      faults: counts,
    } = await simulateScenario(defineScenario(model({ master, faults })));
    expect(outcome).toMatchObject({ kind: "completed", time: 3 });
    expect(switches(trace, "fault.early")).toEqual([0.3, 0.6]);
    expect(switches(trace, "fault.late")).toEqual([1.7, 2.2]);
    expect(switches(trace, "fault.across")).toEqual([0.9, 1.3]);
    expect(counts).toEqual(
      expect.arrayContaining([
        { name: "early", activations: 1 },
        { name: "late", activations: 1 },
        { name: "across", activations: 1 },
      ]),
    );
    const at = (time: number): number => [...trace.time].lastIndexOf(time);
    const v = 1 - Math.exp(-0.3);
    expect(column(trace, "fast.v")[at(0.3)]).toBeCloseTo(2 * v, 9);
    const slow = 1 - Math.exp(-1.1) * Math.exp(-0.6 / 4);
    expect(column(trace, "slow.v")[at(1.7)]).toBeCloseTo(slow, 9);
  });

  it("[SI34] a condition about a unit that is gone keeps what it saw last", async () => {
    const faults = ["load.i offset 1 while fast.v > 0.5 as high"];
    const { trace, outcome } = await simulateScenario(
      defineScenario(model({ master: "iterative", faults })),
    );
    expect(outcome.kind).toBe("completed");
    const [begun, ...rest] = switches(trace, "fault.high");
    expect(begun).toBeCloseTo(Math.log(2), 6);
    expect(rest).toEqual([]);
  });
});

describe("formulas of a scenario whose structure changes", () => {
  it.each(MASTERS)("[SI27] are computed while their units exist: %s", async (master) => {
    const { trace, outcome } = await simulateScenario(
      defineScenario(
        model({
          master,
          connections: ["fast.v -> load.i", "slow.v -> load.i", "2 * fast.v - 1 -> load.j"],
        }),
      ),
    );
    expect(outcome).toMatchObject({ kind: "completed", time: 3 });
    expect(trace.columns.map(({ name }) => name)).not.toContain("load.j = 2 * fast.v - 1.exists");
  });
});

describe("conditions under event-driven", () => {
  const structure = {
    absent: ["slow"],
    rules: [
      { when: "fast.v > 0.5", replace: "fast", with: "slow", transfer: { "slow.v": "fast.v" } },
      { when: "clock.n = 2", remove: "load" },
    ],
  };
  const units = { fast: rc(1), slow: rc(4), load: meter, clock };

  it("[SI24] a unit stops where its output meets a condition, and all others follow it there", async () => {
    const { trace, master, outcome } = await simulateScenario(
      defineScenario(model({ master: "event-driven", units, structure })),
    );
    expect(outcome).toMatchObject({ kind: "completed", time: 3 });
    const [swap] = switches(trace, "slow.exists");
    expect(Math.abs((swap ?? 0) - Math.log(2))).toBeLessThan(1e-9);
    expect(switches(trace, "load.exists")).toEqual([2]);
    expect(master?.notes.filter((note) => note.startsWith("t="))).toHaveLength(2);
    const row = [...trace.time].indexOf(swap ?? 0);
    // The last row of one structure and the first one of the next have the same time.
    expect(trace.time[row + 1] === trace.time[row] || trace.time[row - 1] === trace.time[row]).toBe(
      true,
    );
    expect(column(trace, "slow.v").at(-1)).toBeCloseTo(
      1 - 0.5 * Math.exp(-(3 - Math.log(2)) / 4),
      8,
    );
  });

  it("[SI31] one that compares two outputs is refused", async () => {
    const two = { absent: ["slow"], rules: [{ when: "fast.v > load.q", remove: "load" }] };
    await expect(
      simulateScenario(defineScenario(model({ master: "event-driven", structure: two }))),
    ).rejects.toThrow("'fast.v > load.q' cannot be watched under the master 'event-driven'");
  });
});

describe("checkpoints of a scenario whose structure changes", () => {
  it.each(MASTERS)(
    "[SI35] a run that is continued gives the rows of the whole run: %s",
    async (master) => {
      const runnable = defineScenario(
        model({
          master,
          units: { fast: rc(1), slow: rc(4), load: meter, clock },
          structure: {
            absent: ["slow"],
            rules: [
              {
                when: "fast.v > 0.45",
                replace: "fast",
                with: "slow",
                transfer: { "slow.v": "fast.v" },
              },
              { at: 1.6, remove: "load" },
              { at: 2.3, add: "load" },
            ],
          },
          faults: ["slow.v gain 1.5 at 1.9 s for 0.6 s"],
        }),
      );
      const whole = await run();
      expect(new Set(whole.states.map(({ units }) => units.length)).size).toBeGreaterThan(1);
      expect(whole.notes.split("\n").filter((note) => note.startsWith("t="))).toHaveLength(3);
      const stride = Math.ceil(whole.states.length / 8);
      for (const state of whole.states.filter((_, k) => k % stride === 0)) {
        const rest = await run(state);
        expect([...whole.rows.slice(0, state.rows), ...rest.rows]).toEqual(whole.rows);
        expect(rest.notes).toBe(whole.notes);
      }

      async function run(resume?: RunState) {
        const scenario = applyFaults(runnable.scenario);
        const { structure, compiled } = unwrap(planRun(scenario, {}));
        const { columns } = compiled.plan.record;
        const rows: string[] = [];
        const states: (RunState & { readonly rows: number })[] = [];
        let notes = "";
        const outcome = await runStructure(structure!, (...given) => runnable.open(...given), {
          stop: 3,
          chunk: 1,
          onRow: (time, banks) =>
            rows.push([time, ...columns.map(({ bank, slot }) => banks[bank][slot])].join()),
          onMaster: (summary) => {
            notes = summary.notes.filter((note) => note.startsWith("t=")).join("\n");
          },
          checkpoint: {
            nextTime: Number.POSITIVE_INFINITY,
            isDue: () => true,
            store: (state) => states.push({ ...state, rows: rows.length }),
          },
          ...(resume && { resume }),
        });
        expect(outcome).toMatchObject({ kind: "completed", time: 3 });
        return { rows, states, notes };
      }
    },
  );
});
