/**
 * Chooses who controls the steps.
 */
import type { Coupling } from "./coupling.ts";
import type { MasterStatistics } from "./master-statistics.ts";
import { FixedControl, type StepControl } from "./step-control.ts";
import type { StepMethod } from "./step-method.ts";

export function controlFor(
  coupling: Coupling,
  method: StepMethod,
  stop: number,
  _statistics: MasterStatistics,
): StepControl {
  return new FixedControl(coupling, method, stop);
}
