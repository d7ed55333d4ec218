/**
 * Which functions a binary must export for what its description claims, and which the standards ask for all the same.
 */
import type { FmuDescription } from "../../fmi/description.ts";
import { versionOf } from "./fmi-version.ts";

/** Functions that only a claim makes necessary; the first pattern that matches a name decides. */
const CLAIMS: readonly (readonly [RegExp, (description: FmuDescription) => boolean])[] = [
  [/Serialize/i, (d) => d.coSimulation?.canSerializeState === true],
  [/FMUstate/i, (d) => d.coSimulation?.canGetAndSetState === true],
  [/DirectionalDerivative/, (d) => d.coSimulation?.providesDirectionalDerivatives === true],
  [/AdjointDerivative/, (d) => d.coSimulation?.providesAdjointDerivatives === true],
  [/InputDerivatives/, (d) => d.coSimulation?.canInterpolateInputs === true],
  [/OutputDerivatives/, (d) => (d.coSimulation?.maxOutputDerivativeOrder ?? 0) > 0],
  [/CancelStep/, (d) => d.coSimulation?.canRunAsynchronously === true],
  [
    /^fmi2Get(Integer|String)Status|^fmi2GetStatus/,
    (d) => d.coSimulation?.canRunAsynchronously === true,
  ],
  [/EventMode|StepMode|UpdateDiscreteStates/, (d) => d.coSimulation?.hasEventMode === true],
  [/EvaluateDiscreteStates/, (d) => d.coSimulation?.providesEvaluateDiscreteStates === true],
  [/VariableDependencies/, (d) => d.coSimulation?.providesPerElementDependencies === true],
  [/ConfigurationMode/, (d) => d.variables.some((v) => v.causality === "structuralParameter")],
  [/Clock|Interval|Shift/, (d) => d.variables.some((v) => v.type === "clock")],
];

export interface RequiredCalls {
  /** Needed to run the FMU, or promised by its capability flags. */
  readonly needed: readonly string[];
  /** Asked for by the standards, though no run calls them. */
  readonly formal: readonly string[];
}

export function requiredCalls(description: FmuDescription): RequiredCalls {
  const names = Object.keys(versionOf(description).calls);
  const isNeeded = (name: string): boolean => {
    const claim = CLAIMS.find(([pattern]) => pattern.test(name));
    return claim === undefined || claim[1](description);
  };
  return {
    needed: names.filter(isNeeded),
    formal: names.filter((name) => !isNeeded(name)),
  };
}
