/**
 * How an integrating unit solves its equations. A method is a row of `METHODS`.
 */

import type { IntegrationMethod, IntegratorOptions } from "../model/integrator.ts";
import { DormandPrince } from "../numerics/dormand-prince.ts";
import { Radau } from "../numerics/radau.ts";
import type { OdeSystem, StepMethod, Tolerances } from "../numerics/step-method.ts";

/** The order decides the first step. */
export const METHODS: Readonly<
  Record<
    Exclude<IntegrationMethod, "auto">,
    { readonly order: number; readonly make: (s: OdeSystem, t: Tolerances) => StepMethod }
  >
> = {
  "dormand-prince": { order: 5, make: (system, t) => new DormandPrince(system, t) },
  radau: { order: 5, make: (system, t) => new Radau(system, t) },
};

/** Where neither the unit nor the experiment says. */
const DEFAULT_TOLERANCE = 1e-6;
/**
 * Of the relative tolerance and the nominal value, as the FMI standards suggest for absolute
 * tolerances (attribute nominal).
 */
const ABSOLUTE_PART = 0.01;

/** Fills `tolerances` from the options and the nominal values of the states. */
export function settleTolerances(
  tolerances: Tolerances,
  { tolerance, absoluteTolerance }: IntegratorOptions,
  experiment: number | undefined,
  nominals: Float64Array,
): void {
  tolerances.relative = tolerance ?? experiment ?? DEFAULT_TOLERANCE;
  for (let i = 0; i < nominals.length; i++)
    tolerances.absolute[i] =
      absoluteTolerance ?? ABSOLUTE_PART * tolerances.relative * sizeOf(nominals[i]);
}

/** FMUs give 0, negative numbers and NaN as nominal values. */
export function sizeOf(nominal: number): number {
  const size = Math.abs(nominal);
  return size > 0 && size < Number.POSITIVE_INFINITY ? size : 1;
}
