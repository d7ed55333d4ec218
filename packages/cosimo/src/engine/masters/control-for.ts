/**
 * Chooses who controls the steps.
 */
import { AdaptiveControl } from "./adaptive-control.ts";
import type { Coupling } from "./coupling.ts";
import { FixedControl } from "./fixed-control.ts";
import type { MasterStatistics } from "./master-statistics.ts";
import { PolicyControl } from "./policy-control.ts";
import { PolicyMethod } from "./policy-method.ts";
import type { StepControl } from "./step-control.ts";
import type { StepMethod } from "./step-method.ts";

export function controlFor(
  coupling: Coupling,
  method: StepMethod,
  stop: number,
  statistics: MasterStatistics,
): StepControl {
  const { settings, policies } = coupling.plan;
  const { control } = settings;
  if (control !== undefined && policies !== undefined && method instanceof PolicyMethod)
    return new PolicyControl(coupling, method, stop, control, statistics, policies);
  if (control !== undefined)
    return new AdaptiveControl(coupling, method, stop, control, statistics);
  return new FixedControl(coupling, method, stop);
}
