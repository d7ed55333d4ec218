/**
 * The constructor of every estimator that a scenario may name.
 */
import type { Estimator } from "../../plan/estimators.ts";
import type { Coupling } from "./coupling.ts";
import { EnergyEstimator } from "./energy-estimator.ts";
import type { ErrorEstimator, Tolerances } from "./error-estimator.ts";
import { IterationEstimator } from "./iteration-estimator.ts";
import { Milne } from "./milne.ts";
import { MultiOrder } from "./multi-order.ts";
import { Richardson } from "./richardson.ts";
import type { StepMethod } from "./step-method.ts";

type Constructor = new (
  coupling: Coupling,
  method: StepMethod,
  tolerances: Tolerances,
) => ErrorEstimator;

const CONSTRUCTORS: Readonly<Record<Estimator, Constructor>> = {
  richardson: Richardson,
  milne: Milne,
  "multi-order": MultiOrder,
  energy: EnergyEstimator,
  iteration: IterationEstimator,
};

export function estimatorFor(
  name: Estimator,
  coupling: Coupling,
  method: StepMethod,
  tolerances: Tolerances,
): ErrorEstimator {
  return new CONSTRUCTORS[name](coupling, method, tolerances);
}
