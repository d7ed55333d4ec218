/**
 * Which functions a binary must export for what its description claims, and which the standards merely want to be there.
 */
import type { FmuDescription } from "../../fmi/description.ts";
import { FMI2_CALLS } from "./fmi2-calls.ts";
import { FMI3_CALLS } from "./fmi3-calls.ts";

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

/** Without these no run comes to its end. */
const ESSENTIAL: Readonly<Record<2 | 3, readonly string[]>> = {
  2: [
    "fmi2Instantiate",
    "fmi2SetupExperiment",
    "fmi2EnterInitializationMode",
    "fmi2ExitInitializationMode",
    "fmi2DoStep",
    "fmi2Terminate",
    "fmi2FreeInstance",
  ] satisfies (keyof typeof FMI2_CALLS)[],
  3: [
    "fmi3InstantiateCoSimulation",
    "fmi3EnterInitializationMode",
    "fmi3ExitInitializationMode",
    "fmi3DoStep",
    "fmi3Terminate",
    "fmi3FreeInstance",
  ] satisfies (keyof typeof FMI3_CALLS)[],
};

/** The functions that every run calls. */
export function essentialCalls({ major }: FmuDescription): readonly string[] {
  return ESSENTIAL[major];
}

export interface RequiredCalls {
  /** Needed to run the FMU, or promised by its capability flags. */
  readonly needed: readonly string[];
  /** Wanted by the standards though nobody will call them. */
  readonly formal: readonly string[];
}

export function requiredCalls(description: FmuDescription): RequiredCalls {
  const names = Object.keys(description.major === 2 ? FMI2_CALLS : FMI3_CALLS);
  const isNeeded = (name: string): boolean => {
    const claim = CLAIMS.find(([pattern]) => pattern.test(name));
    return claim === undefined || claim[1](description);
  };
  return {
    needed: names.filter(isNeeded),
    formal: names.filter((name) => !isNeeded(name)),
  };
}
