import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { LoggedUnit } from "../../engine/replay-log.ts";
import { runPlan } from "../../engine/run-plan.ts";
import type { Capabilities } from "../../model/unit-description.ts";
import { compilePlan } from "../../plan/compile.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { logBytes, obstacles } from "./checkpoint-obstacles.ts";

const mass = (name: string): Unit =>
  linearUnit(
    { name, inputs: { u: {}, w: {} }, states: { x: { start: 1 } }, a: [[-1]], b: [[1, 0.5]] },
    name,
  );

const WIRES = "a.x -> b.u; b.x -> a.u; a.x -> b.w";

function planned(capabilities: Partial<Capabilities>, approximation: "hold" | "linear") {
  const { description } = mass("m");
  const b = { ...description, capabilities: { ...description.capabilities, ...capabilities } };
  const steps = { b: 0.2 };
  const scenario = scenarioOf({ a: description, b }, WIRES, { step: 0.1, steps, approximation });
  return { scenario, plan: unwrap(compilePlan(scenario, { record: [] })).plan };
}

describe("obstacles to checkpoints", () => {
  it("[CK8] are units that can neither save their state nor be replayed, with the reason", () => {
    const why = (capabilities: Partial<Capabilities>, bytes: number, realtime?: number): string => {
      const { scenario, plan } = planned(capabilities, "hold");
      const job = realtime === undefined ? {} : { realtime };
      return obstacles(job, scenario, plan, 100, bytes)
        .map(({ message }) => message)
        .join();
    };
    expect(why({}, 0, 1)).toBe("");
    expect(why({ serialize: false }, 1e6)).toBe("");
    expect(why({ serialize: false, needsExecutionTool: true }, 1e6)).toMatch(/'b' .*a tool/);
    expect(why({ serialize: false }, 1e6, 1)).toMatch(/'b' .*wall clock/);
    expect(why({ serialize: false }, 0)).toMatch(/'b' .*switched off/);
    expect(why({ serialize: false }, 1e3)).toMatch(/'b' .*more than 0.001 MB/);
  });

  it.each(["hold", "linear"] as const)(
    "[CK8] know before a run with %s inputs how long a log becomes",
    async (approximation) => {
      const { scenario, plan } = planned({}, approximation);
      const units = [new LoggedUnit(mass("a")), new LoggedUnit(mass("b"))];
      const stop = 10;
      await runPlan(plan, scenario, units, { stop, onRow: () => undefined });
      units.forEach((unit, u) => {
        const estimate = logBytes(scenario, plan, u, stop);
        // Besides the steps: what is written before the first one, and the list of the ports.
        expect(unit.logLength).toBeLessThanOrEqual(estimate + 100);
        // 'b' steps every second tick: what 'a' holds of it comes twice, 50 times in all, and is
        // logged as a repetition.
        const saved = u === 0 && approximation === "hold" ? 50 * 8 : 0;
        expect(unit.logLength).toBeGreaterThanOrEqual(estimate - saved);
      });
    },
  );
});
