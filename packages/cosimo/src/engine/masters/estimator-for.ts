/**
 * Chooses who estimates the errors of steps.
 */
import type { Estimator } from "../../plan/master-settings.ts";
import type { Coupling } from "./coupling.ts";
import { EnergyEstimator } from "./energy-estimator.ts";
import type { ErrorEstimator, Tolerances } from "./error-estimator.ts";
import { IterationEstimator } from "./iteration-estimator.ts";
import { Milne } from "./milne.ts";
import { MultiOrder } from "./multi-order.ts";
import { Richardson } from "./richardson.ts";
import type { StepMethod } from "./step-method.ts";

export function estimatorFor(
  name: Estimator,
  coupling: Coupling,
  method: StepMethod,
  tolerances: Tolerances,
): ErrorEstimator {
  switch (name) {
    case "richardson":
      return new Richardson(coupling, method, tolerances);
    case "milne":
      return new Milne(coupling, method, tolerances);
    case "multi-order":
      return new MultiOrder(coupling, method, tolerances);
    case "energy":
      return new EnergyEstimator(coupling, method, tolerances);
    case "iteration":
      return new IterationEstimator(coupling, method, tolerances);
  }
}
