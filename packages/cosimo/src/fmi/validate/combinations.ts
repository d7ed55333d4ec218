/**
 * The tables of the standards about causality, variability and initial (FMI 2.0.4, section 2.2.7;
 * FMI 3.0, sections 2.4.7.4 and 2.4.7.5), as data.
 */
import type { Causality, FmiVariability, FmuVariable, Initial } from "../description.ts";
import type { FmiVersion } from "../versions/fmi-version.ts";

const DATA: readonly FmiVariability[] = ["fixed", "tunable"];
const SIGNALS: readonly FmiVariability[] = ["discrete", "continuous"];

const VARIABILITIES: Readonly<Record<Causality, readonly FmiVariability[]>> = {
  parameter: DATA,
  structuralParameter: DATA,
  calculatedParameter: DATA,
  dependent: DATA,
  input: SIGNALS,
  output: ["constant", ...SIGNALS],
  local: ["constant", ...DATA, ...SIGNALS],
  independent: ["continuous"],
};

/** The variabilities that go with a causality. */
export function allowedVariabilities(causality: Causality): readonly FmiVariability[] {
  return VARIABILITIES[causality];
}

const EXACT: readonly Initial[] = ["exact"];
const COMPUTED: readonly Initial[] = ["approx", "calculated"];
const ANY: readonly Initial[] = ["exact", "approx", "calculated"];

/** The values of initial that go with an allowed combination of causality and variability. */
export function allowedInitials(
  { inputInitials }: Pick<FmiVersion, "inputInitials">,
  { causality, variability }: Pick<FmuVariable, "causality" | "variability">,
): readonly Initial[] {
  if (variability === "constant") return EXACT;
  switch (causality) {
    case "parameter":
    case "structuralParameter":
      return EXACT;
    case "calculatedParameter":
    case "dependent":
      return COMPUTED;
    case "input":
      return inputInitials;
    case "independent":
      return [];
    case "output":
      return ANY;
    case "local":
      return variability === "fixed" || variability === "tunable" ? COMPUTED : ANY;
  }
}
