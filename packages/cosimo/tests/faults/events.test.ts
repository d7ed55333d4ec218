/**
 * Faults of ports that carry events: what is lost, and what the summary says of it.
 */
import { describe, expect, it } from "vitest";
import { eventsText } from "../../src/engine/event-counts.ts";
import { uniform } from "../../src/faults/random.ts";
import { defineScenario } from "../../src/run/define-scenario.ts";
import { simulateScenario } from "../../src/run/simulate-scenario.ts";
import { stateMachineUnit } from "../../src/unit/state-machine-unit.ts";
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
