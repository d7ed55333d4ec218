/**
 * Which inputs of an FMI 3 FMU can be followed inside its steps. Apart from following-unit.ts, so
 * that describing an FMU loads no native code.
 */
import type { FmuDescription } from "../../fmi/description.ts";
import type { UnitDescription } from "../../model/unit-description.ts";

/** Highest derivative that is followed. */
const FOLLOWED_ORDER = 2;

/** Continuous inputs that the FMU asks for inside its steps; none where it does not do that. */
export function followedInputs(fmu: FmuDescription): number[] {
  if (fmu.coSimulation?.providesIntermediateUpdate !== true) return [];
  return fmu.variables.flatMap((v, index) =>
    v.causality === "input" &&
    v.intermediateUpdate &&
    v.variability === "continuous" &&
    v.type === "float64"
      ? [index]
      : [],
  );
}

/** A description that claims what `openFollowingUnit` gives. */
export function withFollowedInputs(
  description: UnitDescription,
  fmu: FmuDescription,
): UnitDescription {
  if (followedInputs(fmu).length === 0) return description;
  const capabilities = { ...description.capabilities, inputDerivativeOrder: FOLLOWED_ORDER };
  return { ...description, capabilities };
}
