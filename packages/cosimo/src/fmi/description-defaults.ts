/**
 * The defaults that depend on other attributes: the tables "variability" and "initial" of the two
 * standards.
 */

import type { ValueType } from "../model/value-type.ts";
import type { Causality, FmiVariability, Initial } from "./description.ts";
import type { FmiVersion } from "./versions/fmi-version.ts";

const PARAMETERS: ReadonlySet<Causality> = new Set<Causality>([
  "parameter",
  "structuralParameter",
  "calculatedParameter",
  "dependent",
]);

/**
 * FMI 3: fixed for parameters, otherwise continuous for floats and discrete for the rest. FMI 2:
 * continuous; as only a Real may be continuous, the rest is taken as FMI 3 does. For a Real
 * parameter the FMI 2 default is a combination that the standard forbids: it is kept, so that the
 * validator can say so.
 */
export function defaultVariability(
  { parameterVariability }: Pick<FmiVersion, "parameterVariability">,
  type: ValueType,
  causality: Causality,
): FmiVariability {
  const isFloat = type === "float64" || type === "float32";
  if (PARAMETERS.has(causality) && (!isFloat || parameterVariability !== undefined)) return "fixed";
  return isFloat ? "continuous" : "discrete";
}

/**
 * Absent where the standard defines none: inputs of FMI 2, the independent variable, forbidden
 * combinations.
 */
export function defaultInitial(
  { inputInitials }: Pick<FmiVersion, "inputInitials">,
  causality: Causality,
  variability: FmiVariability,
): Initial | undefined {
  const isSignal = variability === "discrete" || variability === "continuous";
  const isParameterLike = variability === "fixed" || variability === "tunable";
  switch (causality) {
    case "parameter":
    case "structuralParameter":
      return isParameterLike ? "exact" : undefined;
    case "calculatedParameter":
    case "dependent":
      return isParameterLike ? "calculated" : undefined;
    case "input":
      return isSignal ? inputInitials[0] : undefined;
    case "output":
      if (variability === "constant") return "exact";
      return isSignal ? "calculated" : undefined;
    case "local":
      return variability === "constant" ? "exact" : "calculated";
    case "independent":
      return undefined;
  }
}
