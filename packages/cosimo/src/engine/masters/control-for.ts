/**
 * Chooses who controls the steps.
 */
import { AdaptiveControl } from "./adaptive-control.ts";
import type { Coupling } from "./coupling.ts";
import { FixedControl } from "./fixed-control.ts";
import type { MasterStatistics } from "./master-statistics.ts";
import type { StepControl } from "./step-control.ts";
import type { StepMethod } from "./step-method.ts";

export function controlFor(
  coupling: Coupling,
  method: StepMethod,
  stop: number,
  statistics: MasterStatistics,
): StepControl {
  const { control } = coupling.plan.settings;
  if (control !== undefined)
    return new AdaptiveControl(coupling, method, stop, control, statistics);
  return new FixedControl(coupling, method, stop);
}
