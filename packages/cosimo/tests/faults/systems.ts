/**
 * Systems whose traces with faults are known in closed form, and how they are run.
 */
import { defineScenario, type ScenarioModel } from "../../src/run/define-scenario.ts";
import {
  type ScenarioRun,
  type SimulateScenarioOptions,
  simulateScenario,
} from "../../src/run/simulate-scenario.ts";
import { odeUnit } from "../../src/unit/ode-unit.ts";
import type { Unit } from "../../src/unit/unit.ts";

/** y = level + rate · t; the rate is a parameter. */
export function ramp(level: number, rate: number): (name: string) => Unit {
  return (name) =>
    odeUnit(
      {
        name: "ramp",
        parameters: { rate: { start: rate } },
        states: { y: { start: level, unit: "K" } },
        derivatives: (_t, _x, _u, p, out) => {
          out[0] = p[0] as number;
        },
      },
      name,
    );
}

/** x' = u. */
export function integrator(): (name: string) => Unit {
  return (name) =>
    odeUnit(
      {
        name: "integrator",
        inputs: { u: { unit: "K" } },
        states: { x: { start: 0 } },
        derivatives: (_t, _x, u, _p, out) => {
          out[0] = u[0] as number;
        },
      },
      name,
    );
}

export const MASTERS = ["jacobi", "gauss-seidel", "iterative", "adaptive", "event-driven"] as const;

/** A ramp that is integrated: 4 s in steps of 0.5 s. */
export function chain(
  faults: readonly string[],
  source: { readonly level: number; readonly rate: number },
  more: Partial<ScenarioModel> = {},
): ReturnType<typeof defineScenario> {
  return defineScenario({
    units: { source: ramp(source.level, source.rate), sum: integrator() },
    connections: ["source.y -> sum.u"],
    experiment: { stop: 4, step: 0.5 },
    faults,
    ...more,
  });
}

export async function runChain(
  master: string,
  faults: readonly string[],
  source: { readonly level: number; readonly rate: number },
  options: SimulateScenarioOptions = {},
): Promise<ScenarioRun> {
  return simulateScenario(chain(faults, source, { master }), options);
}

/** The last row at or before `time`: after an event, what follows from it. */
export function at({ trace }: ScenarioRun, name: string, time: number): number {
  const row = trace.time.findLastIndex((t) => t <= time * (1 + 1e-12));
  return Number(columnOf({ trace }, name)[row]);
}

export function columnOf({ trace }: Pick<ScenarioRun, "trace">, name: string): number[] {
  const column = trace.columns.find((one) => one.name === name);
  if (column === undefined)
    throw new Error(`no column '${name}' among ${trace.columns.map((one) => one.name).join(", ")}`);
  return Array.from(column.data as Float64Array, Number);
}

export function final(run: ScenarioRun, name: string): number {
  return columnOf(run, name).at(-1) ?? Number.NaN;
}
