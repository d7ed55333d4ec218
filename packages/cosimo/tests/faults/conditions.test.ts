/** Faults that begin with an event or act while a condition holds. */
import { describe, expect, it } from "vitest";
import { devsUnit, listSource } from "../../src/devs.ts";
import { defineScenario } from "../../src/run/define-scenario.ts";
import { type ScenarioRun, simulateScenario } from "../../src/run/simulate-scenario.ts";
import { stateMachineUnit } from "../../src/unit/state-machine-unit.ts";
import { chain, columnOf, final, integrator, MASTERS, ramp, runChain } from "./systems.ts";

const RISING = { level: 1, rate: 3 };
const STEPPED = MASTERS.filter((master) => master !== "event-driven");

/** When the track of a fault rises and falls. */
function edges(run: ScenarioRun, name: string): number[] {
  const track = columnOf(run, `fault.${name}`);
  return track.flatMap((value, row) =>
    row > 0 && value !== track[row - 1] ? [run.trace.time[row] as number] : [],
  );
}

describe.each(MASTERS)("under %s", (master) => {
  it("[FA12] a fault acts while its condition holds, from the located crossing on", async () => {
    const fault = "sum.u stuck 0 while source.y > 5.2 and source.y < 8.8 as lost";
    const done = await runChain(master, [fault], RISING, { tolerance: 1e-6 });
    const [begin, end] = [(5.2 - 1) / 3, (8.8 - 1) / 3];
    const found = edges(done, "lost");
    expect(found).toHaveLength(2);
    expect(found[0]).toBeCloseTo(begin, 6);
    expect(found[1]).toBeCloseTo(end, 6);
    expect(done.faults).toEqual([{ name: "lost", activations: 1 }]);
  });

  it("[FA13] a fault that an event begins lasts as long as it says, and may begin again", async () => {
    const done = await runChain(master, ["sum.u gain 0 on source.y > 5.2 for 0.9 s"], RISING);
    const begin = (5.2 - 1) / 3;
    const found = edges(done, "sum.u");
    expect(found).toHaveLength(2);
    expect(found[0]).toBeCloseTo(begin, 6);
    expect((found[1] as number) - (found[0] as number)).toBeCloseTo(0.9, 10);
  });
});

describe("a condition that computes with signals", () => {
  it.each(STEPPED)("[FA12] is located where what it computes crosses: %s", async (master) => {
    // |1 + 3 t - 7| falls below 1.5 at 1.5 s and rises above it at 2.5 s.
    const fault = "sum.u stuck 0 while abs(source.y - 7) < 1.5 as near";
    const done = await runChain(master, [fault], RISING);
    const found = edges(done, "near");
    expect(found).toHaveLength(2);
    expect(found[0]).toBeCloseTo(1.5, 8);
    expect(found[1]).toBeCloseTo(2.5, 8);
    expect(done.diagnostics).toEqual([]);
  });

  it.each(STEPPED)(
    "[FA12] of several units, the faulty one among them, which count without faults: %s",
    async (master) => {
      // What y + x is depends on the coupling; the fault begins where it is 3.
      const fault = "source.y offset 100 while source.y + sum.x + 0 * time > 3 as much";
      const done = await runChain(master, [fault], { level: 0, rate: 2 });
      const [begin = 0, ...others] = edges(done, "much");
      const row = done.trace.time.indexOf(begin);
      expect([begin > 0.5, others]).toEqual([true, []]);
      expect(
        (columnOf(done, "source.y")[row] ?? 0) + (columnOf(done, "sum.x")[row] ?? 0),
      ).toBeCloseTo(3, 7);
      expect(done.diagnostics).toEqual([]);
    },
  );

  it("[FA12] [SI34] in every structure that has their units", async () => {
    const structure = { absent: [], rules: [{ at: 0.25, remove: "sum" }] };
    const faults = ["source.y stuck 0 while 2 * source.y > 10.4 as late"];
    const done = await simulateScenario(chain(faults, RISING, { structure, master: "iterative" }));
    expect(edges(done, "late")[0]).toBeCloseTo(1.4, 8);
  });
});

describe("a condition about ports of the unit itself", () => {
  it.each(STEPPED)("[FA12] is about what they are without faults: %s", async (master) => {
    const done = await runChain(master, ["source.y offset 100 while source.y > 5.2"], RISING);
    const [begin] = edges(done, "source.y");
    expect(edges(done, "source.y")).toHaveLength(1);
    expect(begin).toBeCloseTo((5.2 - 1) / 3, 6);
    expect(final(done, "source.y")).toBeCloseTo(1 + 3 * 4 + 100, 10);
  });

  it.each(STEPPED)(
    "[FA24] that its own fault alters ends it where the healthy one says: %s",
    async (master) => {
      const falling = { level: 2, rate: -0.55 };
      const done = await runChain(master, ["source.y gain 2 while source.y > 0.5"], falling);
      const [, end] =
        edges(done, "source.y").length === 1
          ? [0, edges(done, "source.y")[0]]
          : edges(done, "source.y");
      expect(end).toBeCloseTo(1.5 / 0.55, 6);
      expect(final(done, "source.y")).toBeCloseTo(2 - 0.55 * 4, 10);
    },
  );

  it("[FA25] that holds beyond a level begins the fault within the tolerance of events behind it", async () => {
    const falling = { level: 2, rate: -0.5 };
    const done = await runChain("jacobi", ["source.y gain 0.2 while source.y < 0.7"], falling);
    const [begin = 0] = edges(done, "source.y");
    expect(begin).toBeGreaterThanOrEqual(2.6);
    expect(begin - 2.6).toBeLessThan(1e-8);
  });

  it("[FA24] is looked at at communication points under event-driven, connected or not", async () => {
    const done = await simulateScenario(
      defineScenario({
        units: { source: ramp(2, -0.55) },
        experiment: { stop: 4, step: 0.5 },
        master: "event-driven",
        faults: ["source.y gain 2 on (source.y - 0.5) * 2 < 0"],
      }),
    );
    expect(edges(done, "source.y")).toEqual([3]);
    expect(done.diagnostics[0]?.message).toContain("'(source.y - 0.5) * 2 < 0' of the fault");
  });

  it("[FA12] is evaluated where the unit stops under event-driven, which a warning says", async () => {
    const done = await runChain("event-driven", ["source.y offset 9 while source.y > 5.2"], RISING);
    expect(done.diagnostics.map(({ code }) => code)).toEqual(["fault-at-points"]);
    const [begin] = edges(done, "source.y");
    expect(begin).toBe(0.5 * Math.ceil((5.2 - 1) / 3 / 0.5));
  });
});

/** Emits every 1.3 s, and says which time it is. */
const clock = (name: string) =>
  stateMachineUnit(
    {
      name: "clock",
      outputs: { isOdd: { type: "boolean", start: false } },
      events: ["tick"],
      initial: "wait",
      states: {
        wait: {
          transitions: [
            {
              after: 1.3,
              to: "wait",
              do: (machine) => {
                machine.emit("tick");
                machine.set("isOdd", 1 - machine.get("isOdd"));
              },
            },
          ],
        },
      },
    },
    name,
  );

const TICKS = [1.3, 2.6, 3.9];

async function withClock(master: string, faults: readonly string[]): Promise<ScenarioRun> {
  const scenario = defineScenario({
    units: { clock, source: ramp(2, 0), sum: integrator() },
    connections: ["source.y -> sum.u"],
    experiment: { stop: 4, step: 0.5 },
    faults,
    master,
  });
  return simulateScenario(scenario);
}

describe.each(MASTERS)("with a state machine under %s", (master) => {
  it("[FA13] an event of another unit begins a fault, at its instant and every time", async () => {
    const done = await withClock(master, ["source.y stuck 0 on clock.tick for 0.4 s as hit"]);
    expect(done.outcome.kind).toBe("completed");
    expect(done.diagnostics).toEqual([]);
    expect(edges(done, "hit")).toEqual(
      TICKS.flatMap((time) => [time, time + 0.4]).filter((time) => time <= 4),
    );
    expect(done.faults).toEqual([{ name: "hit", activations: TICKS.length }]);
  });

  it("[FA12] a condition about a discrete output of another unit holds from its change on", async () => {
    const done = await withClock(master, ["source.y stuck 0 while clock.isOdd as odd"]);
    const found = edges(done, "odd");
    expect(found).toHaveLength(TICKS.length);
    found.forEach((time, k) => {
      expect(time).toBeCloseTo(TICKS[k] as number, 9);
    });
  });
});

describe.each(["jacobi", "gauss-seidel", "iterative", "adaptive"])(
  "with event mode under %s",
  (master) => {
    it("[FA13] an event of a discrete-event model begins a fault at its instant", async () => {
      const times = [0.7, 1.9, 3.3];
      const events = times.map((time) => ({ time, value: 1 }));
      const source = devsUnit(listSource({ events, border: { type: "int32" } }));
      const done = await simulateScenario(
        defineScenario({
          units: { jobs: source, source: ramp(2, 0), sum: integrator() },
          connections: ["source.y -> sum.u"],
          experiment: { stop: 4, step: 0.5 },
          faults: ["sum.u stuck 0 on jobs.out.event for 0.2 s as hit"],
          master,
        }),
      );
      expect(edges(done, "hit")).toEqual(times.flatMap((time) => [time, time + 0.2]));
      expect(final(done, "sum.x")).toBeCloseTo(2 * (4 - times.length * 0.2), 12);
    });
  },
);
