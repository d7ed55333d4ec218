/** Structures that change while a scenario runs, against exact solutions. */
import { describe, expect, it } from "vitest";
import type { Trace } from "../record/trace.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { defineScenario, type ScenarioModel } from "./define-scenario.ts";
import { simulateScenario } from "./simulate-scenario.ts";

/** An RC element, solved exactly: v' = (u - v) / tau. */
const rc =
  (tau: number, unit = "V") =>
  (name: string): Unit =>
    linearUnit(
      {
        name: "rc",
        inputs: { u: { unit: "V", start: 1 } },
        states: { v: { unit, start: 0 } },
        a: [[-1 / tau]],
        b: [[1 / tau]],
        c: [],
      },
      name,
    );

/** q' = i. */
const charge = (name: string): Unit =>
  linearUnit(
    {
      name: "charge",
      inputs: { i: { start: 0 } },
      states: { q: { start: 0 } },
      a: [[0]],
      b: [[1]],
      c: [],
    },
    name,
  );

const SLOW = 4;
/** 1 - e^-t until the swap, from then on with the other time constant. */
const voltage = (t: number, swap: number): number =>
  1 - Math.exp(-Math.min(t, swap)) * Math.exp(-Math.max(0, t - swap) / SLOW);

const swapped = (more: Partial<ScenarioModel> = {}): ScenarioModel => ({
  name: "swap",
  units: { detailed: rc(1), cheap: rc(SLOW), load: charge },
  connections: ["detailed.v -> load.i", "cheap.v -> load.i"],
  experiment: { stop: 3, step: 0.25 },
  structure: {
    absent: ["cheap"],
    rules: [{ at: 1, replace: "detailed", with: "cheap", transfer: { "cheap.v": "detailed.v" } }],
  },
  ...more,
});

const column = (trace: Trace, name: string): number[] =>
  Array.from(trace.columns.find((one) => one.name === name)!.data as Float64Array);

/** Values of a column where its unit exists, by time. */
function rows(trace: Trace, name: string): [number, number][] {
  return column(trace, name)
    .map((value, i): [number, number] => [trace.time[i], value])
    .filter(([, value]) => !Number.isNaN(value));
}

function run(model: ScenarioModel) {
  return simulateScenario(defineScenario(model));
}

const MASTERS = ["jacobi", "gauss-seidel", "iterative", "adaptive", "event-driven"];

describe("a structure that changes", () => {
  it.each(MASTERS)(
    "[SI20] a detailed model is replaced by a cheap one that begins where it ended: %s",
    async (master) => {
      const { outcome, trace } = await run(swapped({ master }));
      expect(outcome).toMatchObject({ kind: "completed", time: 3 });
      const [before, after] = [rows(trace, "detailed.v"), rows(trace, "cheap.v")];
      expect(before.at(-1)![0]).toBe(1);
      expect(after[0][0]).toBe(1);
      expect(after.at(-1)![0]).toBe(3);
      for (const [t, v] of [...before, ...after]) expect(v).toBeCloseTo(voltage(t, 1), 12);
    },
  );

  it.each(["jacobi", "event-driven"])(
    "[SI21] units that persist keep their state, with no second initialization: %s",
    async (master) => {
      const { trace } = await run(swapped({ master }));
      const found = new Map(rows(trace, "load.q"));
      // Held inputs: q grows by h v(t) in every step, on both sides of the swap.
      let q = 0;
      for (let t = 0; t <= 3; t += 0.25) {
        expect(found.get(t)).toBeCloseTo(q, 12);
        q += 0.25 * voltage(t, 1);
      }
    },
  );

  it("[SI22] the trace says what existed when, at superdense instants", async () => {
    const { trace, master } = await run(swapped({ master: "jacobi" }));
    const at = [...trace.time.keys()].filter((i) => trace.time[i] === 1);
    expect(at).toHaveLength(2);
    const values = (name: string): number[] => at.map((i) => column(trace, name)[i]);
    expect(values("detailed.exists")).toEqual([1, 0]);
    expect(values("cheap.exists")).toEqual([0, 1]);
    expect(values("detailed.v")[1]).toBeNaN();
    expect(values("cheap.v")[0]).toBeNaN();
    expect(values("load.q")[0]).toBe(values("load.q")[1]);
    expect(trace.columns.map(({ name }) => name)).not.toContain("load.exists");
    expect(master?.notes).toContain("t=1 (1): a rule replaces 'detailed' by 'cheap'");
  });

  it.each([1.1, 0.1, 2.99])(
    "[SI23] changes lie between communication points as well: t=%s",
    async (at) => {
      const [rule] = swapped().structure!.rules;
      const structure = { absent: ["cheap"], rules: [{ ...rule, at }] };
      const { trace, outcome } = await run(swapped({ master: "jacobi", structure }));
      expect(rows(trace, "detailed.v").at(-1)![0]).toBeCloseTo(at, 14);
      for (const [t, v] of rows(trace, "cheap.v")) expect(v).toBeCloseTo(voltage(t, at), 12);
      expect(outcome.time).toBeCloseTo(3, 14);
    },
  );

  it("[SI24] a condition is located where units can go back", async () => {
    const level = 0.75;
    const [{ at: _, ...rule }] = swapped().structure!.rules;
    const structure = {
      absent: ["cheap"],
      rules: [{ ...rule, when: "detailed.v >= 750 mV" }],
    };
    for (const master of ["jacobi", "iterative", "adaptive"]) {
      const { trace } = await run(swapped({ master, structure }));
      const swap = rows(trace, "cheap.v")[0][0];
      expect(swap).toBeCloseTo(-Math.log(1 - level), 7);
      for (const [t, v] of rows(trace, "cheap.v")) expect(v).toBeCloseTo(voltage(t, swap), 12);
    }
  });

  it("[SI24] a condition of discrete values is noticed at communication points", async () => {
    const timer = (name: string): Unit =>
      functionUnit(
        {
          name: "timer",
          outputs: { isLate: { type: "boolean", feedThrough: [] } },
          evaluate: (t, _u, _p, y) => {
            y[0] = t >= 1.1 ? 1 : 0;
          },
        },
        name,
      );
    const [{ at: _, ...rule }] = swapped().structure!.rules;
    const structure = { absent: ["cheap"], rules: [{ ...rule, when: "timer.isLate = true" }] };
    const units = { ...swapped().units, timer };
    const { trace } = await run(swapped({ master: "jacobi", structure, units }));
    expect(rows(trace, "cheap.v")[0][0]).toBe(1.25);
  });

  it("[SI25] models are swapped back and forth, each time from the state of the other", async () => {
    const there = { replace: "detailed", with: "cheap", transfer: { "cheap.v": "detailed.v" } };
    const back = { replace: "cheap", with: "detailed", transfer: { "detailed.v": "cheap.v" } };
    const structure = {
      absent: ["cheap"],
      rules: [
        { at: 0.5, ...there },
        { at: 1, ...back },
        { at: 1.5, ...there },
      ],
    };
    const { trace } = await run(swapped({ master: "jacobi", structure }));
    // In all, the fast one ran for 1 s and the slow one for 2 s.
    const end = 1 - Math.exp(-1) * Math.exp(-2 / SLOW);
    expect(rows(trace, "cheap.v").at(-1)![1]).toBeCloseTo(end, 12);
    expect(
      column(trace, "cheap.exists").filter((on, i, all) => i > 0 && on !== all[i - 1]),
    ).toEqual([1, 0, 1]);
  });

  it("[SI26] rules of one instant take effect in the order in which they are written", async () => {
    const structure = {
      absent: ["cheap", "spare"],
      rules: [
        { at: 1, replace: "detailed", with: "cheap", transfer: { "cheap.v": "detailed.v" } },
        {
          when: "cheap.v > 0",
          replace: "cheap",
          with: "spare",
          transfer: { "spare.v": "cheap.v" },
        },
      ],
    };
    const { trace, master } = await run({
      ...swapped({ master: "jacobi", structure }),
      units: { ...swapped().units, spare: rc(SLOW) },
    });
    const at = [...trace.time.keys()].filter((i) => trace.time[i] === 1);
    const existing = at.map((i) =>
      ["detailed", "cheap", "spare"].filter((name) => column(trace, `${name}.exists`)[i] === 1),
    );
    expect(existing).toEqual([["detailed"], ["cheap"], ["spare"]]);
    expect(master?.notes.slice(0, 2).map((note) => note.slice(0, 7))).toEqual([
      "t=1 (1)",
      "t=1 (2)",
    ]);
    for (const [t, v] of rows(trace, "spare.v")) expect(v).toBeCloseTo(voltage(t, 1), 12);
  });

  it("[SI27] connections come and go; an input without a source keeps its value", async () => {
    const { trace } = await run({
      units: { source: rc(1), load: charge },
      connections: ["source.v -> load.i"],
      experiment: { stop: 3, step: 0.25 },
      master: "jacobi",
      structure: {
        rules: [
          { at: 1, disconnect: ["source.v -> load.i"] },
          { at: 2, connect: ["source.v -> load.i"] },
        ],
      },
    });
    const q = new Map(rows(trace, "load.q"));
    const kept = voltage(1, 9);
    for (let t = 1; t < 2; t += 0.25)
      expect(q.get(t + 0.25)! - q.get(t)!).toBeCloseTo(0.25 * kept, 12);
    for (let t = 2; t < 3; t += 0.25)
      expect(q.get(t + 0.25)! - q.get(t)!).toBeCloseTo(0.25 * voltage(t, 9), 12);
  });

  it("[SI28] a function computes what is transferred, in scenarios written in code", async () => {
    const structure: ScenarioModel["structure"] = {
      absent: ["cheap"],
      rules: [
        {
          at: 1,
          replace: "detailed",
          with: "cheap",
          transfer: (read) => ({ "cheap.v": Number(read("detailed.v")) / 2 }),
        },
      ],
    };
    const { trace } = await run(swapped({ master: "jacobi", structure }));
    expect(rows(trace, "cheap.v")[0][1]).toBeCloseTo(voltage(1, 1) / 2, 14);
  });

  it("[SI28] what is transferred is converted to the unit of its port", async () => {
    const units = { ...swapped().units, cheap: rc(SLOW, "mV") };
    const { trace } = await run(swapped({ master: "jacobi", units }));
    expect(rows(trace, "cheap.v")[0][1]).toBeCloseTo(1000 * voltage(1, 1), 9);
  });

  it("[SI29] periods of connections are counted from the start, whatever changes", async () => {
    const [rule] = swapped().structure!.rules;
    const structure = { absent: ["cheap"], rules: [{ ...rule, at: 1.1 }] };
    const connections = ["detailed.v -> load.i", "cheap.v -> load.i"].map((text) => {
      const [from, to] = text.split(" -> ");
      return { from, to, trigger: { kind: "every", seconds: 0.5 } as const };
    });
    const { trace } = await run(swapped({ master: "event-driven", structure, connections }));
    expect([...new Set(trace.time)]).toEqual([0, 0.5, 1, 1.1, 1.5, 2, 2.5, 3]);
  });

  it("[SI30] rules that undo each other at one instant end the run with their cycle", async () => {
    const structure = {
      absent: ["cheap"],
      rules: [
        { when: "detailed.v >= 0", replace: "detailed", with: "cheap" },
        { when: "cheap.v >= 0", replace: "cheap", with: "detailed" },
      ],
    };
    const { outcome } = await run(swapped({ master: "jacobi", structure }));
    expect(outcome).toMatchObject({ kind: "failed", time: 0 });
    expect(JSON.stringify(outcome)).toContain(
      "'replaces 'detailed' by 'cheap'' → 'replaces 'cheap' by 'detailed''",
    );
  });

  it("[SI31] every structure that can occur is checked before the run", () => {
    const lonely = swapped({
      structure: { absent: ["cheap"], rules: [{ at: 1, remove: "detailed", add: "cheap" }] },
      connections: ["detailed.v -> load.i", { from: "cheap.v", to: "load.w" }],
    });
    expect(() => defineScenario(lonely)).toThrow("'load' has no port 'w'");
    const two = swapped({ structure: { absent: ["cheap"], rules: [{ at: 1, add: "cheap" }] } });
    expect(() => defineScenario(two)).toThrow(
      /load.i.*while there are 'detailed', 'cheap', 'load'/s,
    );
  });

  it("[SI32] a run can be repeated, and units of the caller stay the caller's", async () => {
    const [detailed, cheap, load] = [rc(1)("detailed"), rc(SLOW)("cheap"), charge("load")];
    const runnable = defineScenario(
      swapped({ master: "jacobi", units: { detailed, cheap, load } }),
    );
    const first = await simulateScenario(runnable);
    const second = await simulateScenario(runnable);
    expect(second.trace).toEqual(first.trace);
    expect([detailed, cheap, load].map(({ phase }) => phase)).toEqual([
      "terminated",
      "terminated",
      "terminated",
    ]);
  });
});
