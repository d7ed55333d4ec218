import { describe, expect, it } from "vitest";
import { DiagnosticsError } from "../base/diagnostic.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { defineScenario } from "./define-scenario.ts";
import { simulateScenario } from "./simulate-scenario.ts";
import { traceUnit } from "./trace-unit.ts";

const decay = (): Unit =>
  odeUnit({
    name: "decay",
    parameters: { k: { start: 1 }, c: { shape: [2], start: [1, 2] } },
    states: { x: { start: 1 } },
    derivatives: (_t, x, _u, p, dx) => {
      dx[0] = -p[0] * x[0] + p[1] - p[2] + 1;
    },
  });

describe("a unit in memory", () => {
  it("[RU12] gives the trace of a scenario of this one unit", async () => {
    const { outcome, trace } = await traceUnit(decay(), { stop: 1, step: 0.25, set: { k: 2 } });
    const scenario = defineScenario({ units: { one: decay() } });
    const options = { stop: 1, step: 0.25, set: { "one.k": 2 } };
    const { trace: coupled, outcome: its } = await simulateScenario(scenario, options);
    expect(outcome).toEqual(its);
    expect(trace.time).toEqual(coupled.time);
    expect(trace.columns.map(({ name }) => `one.${name}`)).toEqual(
      coupled.columns.map(({ name }) => name),
    );
    expect(trace.columns.map(({ data }) => data)).toEqual(coupled.columns.map(({ data }) => data));
  });

  it("[RU2] ends at the stop time, with a shorter step", async () => {
    const { trace } = await traceUnit(decay(), { start: 0.5, stop: 1.6, step: 0.5 });
    expect([...trace.time]).toEqual([0.5, 1, 1.5, 1.6]);
  });

  it("records what patterns choose", async () => {
    const record = ["x", "c[2]"];
    const { trace } = await traceUnit(decay(), { stop: 1, step: 1, set: { c: 3 }, record });
    expect(trace.columns.map(({ name }) => name).sort()).toEqual(["c[2]", "x"]);
    expect([...trace.columns.find(({ name }) => name === "c[2]")!.data]).toEqual([3, 3]);
    const unknown = traceUnit(decay(), { stop: 1, step: 1, record: ["y?"] });
    await expect(unknown).rejects.toBeInstanceOf(DiagnosticsError);
  });

  it.each([
    [{ q: 1 }, "'decay' has no port 'q'"],
    [{ kk: 1 }, "did you mean 'k'?"],
    [{ c: [1, 2, 3] }, "'c' has 2 elements, and 3 values are given"],
  ])("refuses to set %j", async (set, message) => {
    await expect(traceUnit(decay(), { stop: 1, step: 1, set })).rejects.toThrow(message);
  });
});
