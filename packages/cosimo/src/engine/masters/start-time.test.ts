/**
 * Runs that do not start at 0: everything that counts from the start (grids, requested points,
 * clocks, events) moves with it.
 */
import { describe, expect, it } from "vitest";
import type { ScenarioOptions } from "../../plan/testing/scenario-of.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES } from "../testing/coupled-masses.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";
import { SamplerUnit } from "../testing/sampler-unit.ts";
import { crossing } from "../testing/thermostat.ts";

/**
 * Steps and starts that are exact as doubles, so that a run that is moved is the same bit for bit.
 */
const STEP = 1 / 16;
const STARTS = [0, 8, -8];
const LENGTH = 4;

function runFrom(start: number, options: ScenarioOptions): Promise<CoupledRun> {
  return runUnits({ ...coupledMasses() }, MASSES_WIRES, MASSES_STATES, {
    step: STEP,
    start,
    stop: start + LENGTH,
    ...options,
  });
}

describe("a run that starts elsewhere", () => {
  const events = [crossing([0, 1], 0.5, "any")];
  const every = [{ kind: "every" as const, every: 3 * STEP, offset: STEP / 2 }];

  it.each<[string, ScenarioOptions]>([
    ["jacobi", { master: "jacobi" }],
    ["gauss-seidel", { master: "gauss-seidel" }],
    ["iterative", { master: "iterative" }],
    ["requested points", { master: "jacobi", extras: { limits: every } }],
    ["requested points, iterative", { master: "iterative", extras: { limits: every } }],
  ])("is the same run, moved: %s", async (_, options) => {
    const [base, ...moved] = await Promise.all(STARTS.map((start) => runFrom(start, options)));
    expect(base.time[0]).toBe(0);
    expect(base.time.at(-1)).toBe(LENGTH);
    for (const [k, run] of moved.entries()) {
      const start = STARTS[k + 1];
      expect(run.outcome).toMatchObject({ kind: "completed", time: start + LENGTH });
      expect(run.time.map((t) => t - start)).toEqual(base.time);
      for (const state of MASSES_STATES) expect(run.values[state]).toEqual(base.values[state]);
    }
  });

  it.each<[string, ScenarioOptions]>([
    ["events", { master: "jacobi", extras: { events } }],
    ["adaptive steps", { master: "adaptive" }],
    ["adaptive steps and events", { master: "adaptive", extras: { events } }],
  ])("is the same run, moved, but for roundings of the time: %s", async (_, options) => {
    const [base, ...moved] = await Promise.all(STARTS.map((start) => runFrom(start, options)));
    for (const [k, run] of moved.entries()) {
      const start = STARTS[k + 1];
      expect(run.time.length).toBe(base.time.length);
      expect(run.time[0]).toBe(start);
      for (const [row, t] of run.time.entries()) {
        expect(Math.abs(t - start - base.time[row])).toBeLessThan(1e-6);
        for (const state of MASSES_STATES)
          expect(Math.abs(run.values[state][row] - base.values[state][row])).toBeLessThan(1e-6);
      }
    }
  });

  it("[EV11] has clocks that tick from there on", async () => {
    const seconds = 6 * STEP;
    for (const start of STARTS) {
      const sampler = new SamplerUnit("sampler", { interval: "constant", seconds, shift: STEP });
      const run = await runUnits({ sampler }, "", ["sampler.ticks"], {
        master: "iterative",
        step: 4 * STEP,
        start,
        stop: start + 1,
      });
      const ticks = run.values["sampler.ticks"];
      const rows = run.time.filter((_, row) => row > 0 && ticks[row] > ticks[row - 1]);
      expect(rows.map((t) => t - start)).toEqual([0, 1, 2].map((k) => STEP + k * seconds));
    }
  });
});
