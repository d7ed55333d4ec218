/**
 * Runs with faults that are interrupted anywhere: what goes on is the run that was not interrupted.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import type { RunState } from "../../src/engine/checkpoint.ts";
import { applyFaults } from "../../src/model/apply-faults.ts";
import { executePlan } from "../../src/run/execute-plan.ts";
import { planRun } from "../../src/run/plan-run.ts";
import { chain, MASTERS } from "./systems.ts";

const FAULTS = [
  "source.y noise 0.1 seed 3 every 0.35 s at 0.6 s",
  "sum.u delay 0.4 s at 0.9 s until 3.2 s",
  "source.y drop-out 0.5 seed 8 every 0.3 s at 1 s",
  "sum frozen at 1.7 s for 0.3 s",
  "sum.u drift 0.2 on source.y > 4 for 1.1 s",
];
const STOP = 4;

async function run(
  master: string,
  resume?: RunState,
): Promise<{ readonly rows: string[]; readonly states: (RunState & { readonly rows: number })[] }> {
  const defined = chain(FAULTS, { level: 1, rate: 2 }, { master });
  const scenario = applyFaults(defined.scenario);
  const { plan } = unwrap(planRun(scenario, {})).compiled;
  const opened = await defined.open(scenario, plan);
  const rows: string[] = [];
  const states: (RunState & { readonly rows: number })[] = [];
  const outcome = await executePlan(plan, scenario, opened.units, {
    stop: STOP,
    chunk: 1,
    onRow: (time, banks) =>
      rows.push([time, ...plan.record.columns.map(({ bank, slot }) => banks[bank][slot])].join()),
    checkpoint: {
      nextTime: 0,
      isDue: () => true,
      store: (state) => states.push({ ...state, rows: rows.length }),
    },
    ...(resume === undefined ? {} : { resume }),
  });
  expect(outcome).toMatchObject({ kind: "completed", time: STOP });
  opened.close();
  return { rows, states };
}

describe("a run with faults", () => {
  it.each(MASTERS)("[FA18] is continued bit for bit from every checkpoint: %s", async (master) => {
    const whole = await run(master);
    expect(whole.states.length).toBeGreaterThan(5);
    for (const state of whole.states) {
      const { rows } = await run(master, state);
      expect([...whole.rows.slice(0, state.rows), ...rows]).toEqual(whole.rows);
    }
  });
});
