/**
 * Faults of ports that carry events: what is lost, and what the summary says of it.
 */
import { describe, expect, it } from "vitest";
import { atomic, devsUnit, periodicSource, port, signal } from "../../src/devs.ts";
import { eventsText } from "../../src/engine/event-counts.ts";
import { faultyUnit } from "../../src/faults/faulty-unit.ts";
import { uniform } from "../../src/faults/random.ts";
import { applyFaults } from "../../src/model/apply-faults.ts";
import type { Trace } from "../../src/record/trace.ts";
import { defineScenario } from "../../src/run/define-scenario.ts";
import { simulateScenario } from "../../src/run/simulate-scenario.ts";
import { stateMachineUnit } from "../../src/unit/state-machine-unit.ts";
import { getNumber, setValues, startUnit } from "../../src/unit/testing/drive.ts";
import type { Unit } from "../../src/unit/unit.ts";

/** An event every 0.1 s. */
const beats = (name: string): Unit =>
  stateMachineUnit(
    {
      name: "beats",
      events: ["go"],
      initial: "a",
      states: { a: { transitions: [{ to: "a", after: 0.1, do: (m) => m.emit("go") }] } },
    },
    name,
  );

const counts = (name: string): Unit =>
  stateMachineUnit(
    {
      name: "counts",
      inputs: { e: { type: "boolean", nature: "transient", start: false } },
      outputs: { n: { type: "int32", start: 0 } },
      initial: "a",
      states: {
        a: { transitions: [{ to: "a", on: "e", do: (m) => m.set("n", m.get("n") + 1) }] },
      },
    },
    name,
  );

async function run(fault: string, master: string) {
  const { trace, events } = await simulateScenario(
    defineScenario({
      units: { s: beats, k: counts },
      connections: ["s.go -> k.e"],
      experiment: { stop: 3.95, step: 0.1 },
      master,
      record: ["k.n"],
      faults: [fault],
    }),
  );
  const column = trace.columns.find(({ name }) => name === "k.n");
  return { n: Number(column?.data.at(-1)), events: events?.map(eventsText).join("; ") };
}

/** Of 39 events, those that a probability of 0.3 leaves. */
const LEFT = Array.from({ length: 39 }, (_, k) => k).filter((k) => uniform(7, 0, k) >= 0.3).length;

describe("faults of events", () => {
  it.each([
    ["s.go", "event-driven"],
    ["k.e", "event-driven"],
    ["s.go", "jacobi"],
    ["k.e", "jacobi"],
  ])("[FA6] each event of %s is lost or not, under %s", async (port, master) => {
    const { n, events } = await run(`${port} drop-out 0.3 seed 7`, master);
    expect(LEFT).toBeGreaterThan(20);
    expect(LEFT).toBeLessThan(35);
    // Common steps deliver an event at the end of its step, and two of one step as one.
    expect(Math.abs(n - LEFT)).toBeLessThanOrEqual(master === "jacobi" ? 2 : 0);
    if (master === "jacobi") expect(events).toMatch(/39 sent, \d+ received, \d+ lost/);
    else expect(events).toContain(`39 sent, ${n} received, ${39 - n} lost`);
  });

  it("[FA23] events that a frozen unit misses are lost, and said to be", async () => {
    const { n, events } = await run("k frozen at 0.95 s for 1 s", "event-driven");
    expect(n).toBe(29);
    expect(events).toContain("39 sent, 29 received, 10 lost");
  });

  it("[FA23] a unit that froze with an event sends none meanwhile", async () => {
    const { n } = await run("s frozen at 1 s for 1 s", "event-driven");
    expect(n).toBeLessThanOrEqual(30);
  });
});

/** Counts ticks of a clock, and shows when the last one came. */
const logger = (name: string): Unit =>
  devsUnit(
    atomic({
      name: "logger",
      inputs: { e: signal() },
      outputs: {
        n: port<number>({ type: "int32", held: true }),
        at: port<number>({ type: "float64", held: true }),
      },
      initial: { n: 0, at: 0, isNew: false },
      timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
      output: ({ n, at }, send) => {
        send("n", n);
        send("at", at);
      },
      internal: (state) => ({ ...state, isNew: false }),
      external: ({ n }, { time }) => ({ n: n + 1, at: time, isNew: true }),
    }),
    { name },
  );

const source = (name: string): Unit =>
  devsUnit(periodicSource({ period: 0.3, start: 0.3, border: { type: "int32" } }), { name });

/** When a count was new, and what it was then. */
function arrivals(trace: Trace, name: string): [number, number][] {
  const column = trace.columns.find((one) => one.name === name);
  return Array.from(trace.time, (t, row): [number, number] => [
    t,
    Number(column?.data[row]),
  ]).filter(([, n], row, all) => n !== (all[row - 1]?.[1] ?? 0));
}

/** Two events at every instant. */
const pairs = (name: string): Unit =>
  stateMachineUnit(
    {
      name: "pairs",
      events: ["go"],
      initial: "a",
      states: {
        a: {
          transitions: [
            {
              to: "a",
              after: 0.3,
              do: (m) => {
                m.emit("go");
                m.emit("go");
              },
            },
          ],
        },
      },
    },
    name,
  );

async function delayed(
  units: Parameters<typeof defineScenario>[0]["units"],
  connection: string,
  fault: string,
  master: string,
  more: { readonly step?: number; readonly record?: readonly string[] } = {},
) {
  const { trace, events, outcome } = await simulateScenario(
    defineScenario({
      units,
      connections: [connection],
      experiment: { stop: 3, step: more.step ?? 0.1 },
      master,
      record: more.record ?? ["k.n"],
      faults: [fault],
    }),
  );
  expect(outcome).toMatchObject({ kind: "completed" });
  return { trace, events: events?.map(eventsText).join("; ") };
}

describe("events that are late", () => {
  it("[FA26] arrive at t + d, each exactly once, at a state machine", async () => {
    const { trace, events } = await delayed(
      { s: beats, k: counts },
      "s.go -> k.e",
      "k.e delay 0.25 s",
      "event-driven",
    );
    const expected = Array.from({ length: 27 }, (_, k) => [(100 * (k + 1) + 250) / 1000, k + 1]);
    expect(arrivals(trace, "k.n")).toEqual(expected);
    expect(events).toContain("30 sent, 27 received");
  });

  it("[FA26] [CO4] two of one instant are two", async () => {
    const { trace } = await delayed(
      { s: pairs, k: counts },
      "s.go -> k.e",
      "k.e delay 0.05 s",
      "event-driven",
    );
    const instants = Array.from({ length: 9 }, (_, k) => (30 * (k + 1) + 5) / 100);
    const times = [...new Set(arrivals(trace, "k.n").map(([t]) => t))];
    expect(times).toEqual(instants);
    expect(arrivals(trace, "k.n").at(-1)?.[1]).toBe(18);
  });

  it("[FA26] those that are under way when the fault ends arrive all the same", async () => {
    const { trace } = await delayed(
      { s: beats, k: counts },
      "s.go -> k.e",
      "k.e delay 1 s at 0.55 s until 1.05 s",
      "event-driven",
    );
    // 0.6 to 1 s arrive with those of 1.6 to 2 s.
    const found = arrivals(trace, "k.n");
    expect(found.filter(([t]) => t <= 1.5).map(([t]) => t)).toEqual(
      [1, 2, 3, 4, 5, 11, 12, 13, 14, 15].map((k) => k / 10),
    );
    expect(found.at(-1)?.[1]).toBe(30);
  });

  it.each(["event-driven", "jacobi", "gauss-seidel", "iterative", "adaptive"])(
    "[FA26] ticks of a clock arrive at t + d under %s, whatever the step",
    async (master) => {
      for (const step of [0.1, 0.7]) {
        const { trace, events } = await delayed(
          { s: source, k: logger },
          "s.out.event -> k.e",
          "k.e delay 0.17 s",
          master,
          { step, record: ["k.n", "k.at"] },
        );
        const times = arrivals(trace, "k.at").map(([, at]) => at);
        expect(times).toEqual(Array.from({ length: 9 }, (_, k) => (30 * (k + 1) + 17) / 100));
        expect(arrivals(trace, "k.n").at(-1)?.[1]).toBe(9);
        expect(events).toContain("10 sent, 9 received");
      }
    },
  );

  it.each(["event-driven", "jacobi", "iterative"])(
    "[FA6] a tick of a clock is lost or not, where it is sent and where it arrives, under %s",
    async (master) => {
      const left = Array.from({ length: 10 }, (_, k) => k).filter((k) => uniform(7, 0, k) >= 0.3);
      expect(left.length).toBeGreaterThan(2);
      expect(left.length).toBeLessThan(10);
      for (const port of ["k.e", "s.out.event"]) {
        const { trace } = await delayed(
          { s: source, k: logger },
          "s.out.event -> k.e",
          `${port} drop-out 0.3 seed 7`,
          master,
          { record: ["k.n", "k.at"] },
        );
        expect(arrivals(trace, "k.at").map(([, at]) => at)).toEqual(
          left.map((k) => (3 * (k + 1)) / 10),
        );
      }
    },
  );

  it("[FA26] is refused of outputs, of other faults than losses and delays, and of clocks that tick by themselves", () => {
    const refusal = (fault: string): string => {
      try {
        defineScenario({
          units: { s: source, k: logger },
          connections: ["s.out.event -> k.e"],
          experiment: { stop: 1, step: 0.1 },
          faults: [fault],
        });
        return "";
      } catch (error) {
        return String(error);
      }
    };
    expect(refusal("s.out.event delay 1 s")).toContain("delay the inputs that it is connected to");
    expect(refusal("k.e stuck")).toContain("a clock has no value");
    expect(refusal("k.e delay 1 s")).toBe("");
  });

  it("[FA18] [FA26] are saved, as bytes too, with the unit that they are on the way to", () => {
    const { scenario } = defineScenario({
      units: { k: counts },
      faults: ["k.e delay 0.25 s"],
      experiment: { step: 0.1 },
    });
    const [described] = applyFaults(scenario).units;
    const begun = (): Unit => {
      const unit = faultyUnit(counts("k"), described!.faulty!, {
        description: described!.description,
        step: 0.1,
        isSwitched: false,
      });
      startUnit(unit);
      return unit;
    };
    const steps = (unit: Unit, from: number, to: number): number[] =>
      Array.from({ length: to - from }, (_, k) => {
        const tick = from + k;
        setValues(unit, { e: tick % 3 === 0 ? 1 : 0 });
        unit.advance(tick / 10, { kind: "time", time: (tick + 1) / 10 });
        return getNumber(unit, "n");
      });
    const whole = steps(begun(), 0, 30);
    expect(whole.at(-1)).toBe(10);
    for (let at = 1; at < 30; at++) {
      const unit = begun();
      steps(unit, 0, at);
      const saved = unit.save();
      const bytes = unit.serialize(saved);
      steps(unit, at, 30);
      unit.restore(saved);
      expect(steps(unit, at, 30)).toEqual(whole.slice(at));
      const other = begun();
      other.restore(other.deserialize(bytes));
      expect(steps(other, at, 30)).toEqual(whole.slice(at));
    }
  });
});
