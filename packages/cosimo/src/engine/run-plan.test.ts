import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { UnitError } from "../base/outcome.ts";
import { compilePlan } from "../plan/compile.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { runPlan } from "./run-plan.ts";
import { runUnits } from "./testing/run-units.ts";

const clockwork = (name: string): Unit =>
  functionUnit(
    {
      name,
      outputs: { t: { feedThrough: [] } },
      evaluate: (t, _u, _p, y) => {
        y[0] = t;
      },
    },
    name,
  );

/** A unit that answers `advance` in a way of its own from `time` on. */
function moody(
  name: string,
  time: number,
  answer: (from: number) => ReturnType<Unit["advance"]>,
): Unit {
  const unit = linearUnit({ name, states: { x: { start: 1 } }, a: [[-1]] }, name);
  const advance = unit.advance.bind(unit);
  return Object.assign(unit, {
    advance: (from: number, until: Parameters<Unit["advance"]>[1]) =>
      from >= time ? answer(from) : advance(from, until),
  });
}

describe("running a plan", () => {
  it("[EN1] counts ticks: every unit's times are start + i * step, bit for bit, whatever its rate", async () => {
    const run = await runUnits(
      { fast: clockwork("fast"), slow: clockwork("slow") },
      "",
      ["fast.t", "slow.t"],
      {
        step: 0.1,
        steps: { slow: 0.3 },
        stop: 30,
      },
    );
    expect(run.time).toEqual(Array.from({ length: 301 }, (_, i) => i * 0.1));
    expect(run.values["fast.t"]).toEqual(run.time);
    expect(run.values["slow.t"]).toEqual(
      Array.from({ length: 301 }, (_, i) => (i - (i % 3)) * 0.1),
    );
  });

  it("[EN3] asks between chunks and keeps what was recorded when it is cancelled", async () => {
    const unit = clockwork("clock");
    const scenario = scenarioOf({ clock: unit.description }, "", { step: 1 });
    const { plan } = unwrap(compilePlan(scenario, { record: [{ unit: 0, port: 0, element: 0 }] }));
    const times: number[] = [];
    const asked: number[] = [];
    const outcome = await runPlan(plan, scenario, [unit], {
      stop: 100,
      chunk: 10,
      onRow: (time) => times.push(time),
      shouldStop: async (time) => {
        asked.push(time);
        return time >= 30;
      },
    });
    expect(outcome).toEqual({ kind: "cancelled", time: 30, steps: 30 });
    expect(asked).toEqual([10, 20, 30]);
    expect(times).toHaveLength(31);
    expect(unit.phase).toBe("terminated");
  });

  it("[EN11] ends with the unit's own words when a unit fails, and keeps the rows before", async () => {
    const failure = {
      unit: "b",
      call: "fmi2DoStep",
      status: "fmi2Error",
      time: 0.2,
      log: ["tank empty"],
    };
    const b = moody("b", 0.2, () => {
      throw new UnitError(failure);
    });
    const run = await runUnits({ a: clockwork("a"), b }, "", ["a.t"], { step: 0.1, stop: 1 });
    expect(run.outcome).toEqual({ kind: "failed", time: 0.2, steps: 2, failure });
    expect(run.time).toEqual([0, 0.1, 0.2]);
  });

  it.each([
    ["discarded", /stopped at t=0.25 \(discarded\).*smaller step/s],
    ["event", /stopped at t=0.25 \(event\)/],
  ] as const)(
    "[EN11] cannot follow a unit that stops early (%s) and says so",
    async (reason, text) => {
      const b = moody("b", 0.2, () => ({ reason, port: -1, time: 0.25 }));
      const run = await runUnits({ a: clockwork("a"), b }, "", ["a.t"], { step: 0.1, stop: 1 });
      expect(run.outcome.kind).toBe("failed");
      expect(JSON.stringify(run.outcome)).toMatch(text);
    },
  );

  it("[EN11] ends in peace when a unit asks for the end", async () => {
    const b = moody("b", 0.2, () => ({ reason: "terminated", port: -1, time: 0.25 }));
    const run = await runUnits({ a: clockwork("a"), b }, "", ["a.t"], { step: 0.1, stop: 1 });
    expect(run.outcome).toEqual({ kind: "stopped-by-unit", time: 0.25, steps: 2, unit: "b" });
  });
});
