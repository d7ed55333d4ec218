import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { applyFaults } from "../model/apply-faults.ts";
import { scenarioPorts } from "../model/scenario-ports.ts";
import type { Trace } from "../record/trace.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { withNamedValues } from "./apply-values.ts";
import { defineScenario } from "./define-scenario.ts";
import { planRun } from "./plan-run.ts";
import { RepeatedRuns } from "./repeated-runs.ts";
import { type RunnableScenario, simulateScenario } from "./simulate-scenario.ts";

/** x' = -k x, and how often it was made and reset. */
function decay(count: { made: number; reset: number }, isHonest = true) {
  return (name: string): Unit => {
    count.made++;
    const unit = odeUnit({
      name,
      states: { x: { start: 1 } },
      parameters: { k: { start: 1 } },
      derivatives: (_t, [x], _u, [k], dx) => {
        dx[0] = -k! * x!;
      },
    });
    const reset = unit.reset.bind(unit);
    unit.reset = () => {
      count.reset++;
      if (isHonest) reset();
      else throw new Error("it cannot be reset");
    };
    return unit;
  };
}

function runnableOf(count: { made: number; reset: number }, isHonest = true): RunnableScenario {
  return defineScenario({
    units: { a: decay(count, isHonest) },
    connections: [],
    experiment: { stop: 1, step: 0.1 },
    master: "jacobi",
  });
}

const firstColumn = ({ columns }: Trace): number[] => Array.from(columns[0]?.data ?? [], Number);

async function lastValues(count: { made: number; reset: number }, isHonest: boolean) {
  const runnable = runnableOf(count, isHonest);
  count.made = 0;
  const { scenario } = runnable;
  const planned = unwrap(planRun(applyFaults(scenario), { record: ["a.x"] }));
  const runs = new RepeatedRuns(runnable, planned);
  const found: (number | undefined)[] = [];
  for (const k of [1, 2, 1]) {
    const given = withNamedValues(scenario, scenarioPorts(scenario), { "a.k": k });
    const { trace, outcome } = await runs.run(given);
    expect(outcome.kind).toBe("completed");
    found.push(firstColumn(trace).at(-1));
    const alone = await simulateScenario(runnableOf({ made: 0, reset: 0 }), {
      set: { "a.k": k },
      record: ["a.x"],
    });
    expect(firstColumn(trace)).toEqual(firstColumn(alone.trace));
  }
  runs.close();
  return found;
}

describe("runs of one scenario with other values", () => {
  it("[SU10] keep their units, and each is as if it were the only one", async () => {
    const count = { made: 0, reset: 0 };
    const [first, second, third] = await lastValues(count, true);
    expect(first).toBe(third);
    expect(second).not.toBe(first);
    expect(count.made).toBe(1);
    expect(count.reset).toBeGreaterThanOrEqual(3);
  });

  it("[SU10] get new units where a reset does not make them as new", async () => {
    const count = { made: 0, reset: 0 };
    const [first, , third] = await lastValues(count, false);
    expect(first).toBe(third);
    expect(count.made).toBe(3);
  });
});
