/**
 * Runs a system whose solution is known under the adaptive master and says what came of the
 * tolerance.
 */
import type { ScenarioOptions } from "../../plan/testing/scenario-of.ts";
import type { Unit } from "../../unit/unit.ts";
import type { MeasuredSystem } from "./adaptive-systems.ts";
import { type CoupledRun, runUnits } from "./run-units.ts";

export interface Achieved {
  readonly run: CoupledRun;
  /** The largest error of a state, relative to 1 + its size. */
  readonly error: number;
}

/** Rows that are compared, at most. */
const COMPARED = 400;

export async function achievedError(
  system: MeasuredSystem,
  tolerance: number,
  options: Readonly<Record<string, unknown>> = {},
  change: (unit: Unit) => Unit = (unit) => unit,
  extras: NonNullable<ScenarioOptions["extras"]> = {},
): Promise<Achieved> {
  const units = Object.fromEntries(
    Object.entries(system.units()).map(([name, unit]) => [name, change(unit)]),
  );
  const run = await runUnits(units, system.wires, system.states, {
    step: 0.1,
    stop: system.stop,
    master: "adaptive",
    options: { relative: tolerance, absolute: tolerance, ...options },
    extras,
  });
  return { run, error: largestError(system, run) };
}

export function largestError(system: MeasuredSystem, { time, values }: CoupledRun): number {
  const solution = system.solution();
  const stride = Math.max(1, Math.floor(time.length / COMPARED));
  let most = 0;
  for (let row = 0; row < time.length; row += stride) {
    const exact = solution(time[row]);
    if (!system.isComparable(exact)) continue;
    system.states.forEach((name, i) => {
      const error = Math.abs(values[name][row] - exact[i]) / (1 + Math.abs(exact[i]));
      if (!(error <= most)) most = error;
    });
  }
  return most;
}
