/**
 * Thresholds of events that are parameters: the run stops where the parameter says, also where it
 * is set for the run.
 */
import { expect, it } from "vitest";
import { odeUnit } from "../unit/ode-unit.ts";
import { defineScenario } from "./define-scenario.ts";
import { simulateScenario } from "./simulate-scenario.ts";

/** x = t, and a limit. */
const clock = (name: string) =>
  odeUnit(
    {
      name: "clock",
      states: { x: { start: 0 } },
      parameters: { limit: { start: 0.35 } },
      derivatives: (_t, _x, _u, _p, dx) => {
        dx[0] = 1;
      },
    },
    name,
  );

it.each([
  [0.35, {}],
  [0.62, { "a.limit": 0.62 }],
])("[SC54] a parameter may be the threshold: %d", async (limit, set) => {
  const scenario = defineScenario({
    units: { a: clock },
    events: [{ when: "a.x", crosses: "a.limit", direction: "rising", tolerance: 1e-9 }],
    experiment: { stop: 1, step: 0.25 },
    master: "adaptive",
  });
  const { trace, outcome } = await simulateScenario(scenario, { set });
  expect(outcome.kind).toBe("completed");
  expect(Math.min(...Array.from(trace.time, (t) => Math.abs(t - limit)))).toBeLessThan(1e-8);
});
