/**
 * Runs with discrete-event units that are interrupted anywhere: what goes on is the run that was
 * not interrupted, bit for bit.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../src/base/diagnostic.ts";
import { coupled, devsUnit, port, queue, randomSource, server, sink } from "../src/devs.ts";
import type { RunState } from "../src/engine/checkpoint.ts";
import { runPlan } from "../src/engine/run-plan.ts";
import { compilePlan } from "../src/plan/compile.ts";
import { scenarioOf } from "../src/plan/testing/scenario-of.ts";
import { linearUnit } from "../src/unit/linear-unit.ts";
import type { Unit } from "../src/unit/unit.ts";

/**
 * A random source in one unit, a queue with a random server in another, and an integral of its
 * length.
 */
function makeUnits(): Record<string, Unit> {
  const source = coupled({
    name: "jobs",
    outputs: { job: port<number>({ type: "int32" }) },
    components: { source: randomSource({ mean: 0.3, seed: 5 }) },
    couplings: ["source.out -> job"],
  });
  const shop = coupled({
    name: "shop",
    inputs: { job: port<number>({ type: "int32" }) },
    outputs: {
      waiting: port<number>({ type: "float64", held: true }),
      left: port<number>({ type: "float64", held: true }),
    },
    components: { line: queue(), desk: server({ service: { mean: 0.28, seed: 6 } }), exit: sink() },
    couplings: [
      "job -> line.in",
      "line.out -> desk.in",
      "desk.done -> line.done",
      "desk.out -> exit.in",
      "line.length -> waiting",
      "exit.count -> left",
    ],
  });
  const meter = linearUnit({
    name: "meter",
    inputs: { u: {} },
    states: { x: {} },
    a: [[0]],
    b: [[1]],
  });
  return { jobs: devsUnit(source), shop: devsUnit(shop), meter };
}

async function run(resume?: RunState): Promise<{ rows: string[]; states: RunState[] }> {
  const units = makeUnits();
  const scenario = scenarioOf(
    Object.fromEntries(Object.entries(units).map(([name, unit]) => [name, unit.description])),
    "jobs.job.event -> shop.job.event; jobs.job -> shop.job; shop.waiting -> meter.u",
    { step: 0.5 },
  );
  const record = scenario.units.flatMap(({ description }, unit) =>
    description.ports
      .filter(({ direction, type }) => direction === "output" && type === "float64")
      .map(({ index }) => ({ unit, port: index, element: 0 })),
  );
  const { plan } = unwrap(compilePlan(scenario, { record }));
  const rows: string[] = [];
  const states: RunState[] = [];
  const outcome = await runPlan(plan, scenario, Object.values(units), {
    stop: 8,
    onRow: (time, { f64 }) => {
      const values = [time, ...plan.record.columns.map(({ slot }) => f64[slot]!)];
      rows.push(new BigUint64Array(Float64Array.from(values).buffer).join(" "));
    },
    checkpoint: { nextTime: 0, isDue: () => true, store: (state) => states.push(state) },
    ...(resume === undefined ? {} : { resume }),
  });
  expect(outcome.kind).toBe("completed");
  return { rows, states };
}

describe("checkpoints of runs with discrete-event units", () => {
  it("[DE38] a run that is continued from any of them gives the same rows, bit for bit", async () => {
    const whole = await run();
    expect(whole.states.length).toBeGreaterThan(40);
    for (const state of whole.states.filter((_, k) => k % 7 === 3)) {
      const rest = await run(state);
      expect(rest.rows.length).toBeGreaterThan(0);
      expect(rest.rows).toEqual(whole.rows.slice(whole.rows.length - rest.rows.length));
    }
  });
});
