/**
 * Which functions a binary must export for what its description claims, and which the standards ask
 * for all the same.
 */
import type { FmuDescription } from "../../fmi/description.ts";
import { fmiVersion } from "../../fmi/versions/table.ts";
import { versionOf } from "./fmi-version.ts";

/** One of the interfaces promises it. */
function claims(
  { coSimulation, modelExchange, scheduledExecution }: FmuDescription,
  flag:
    | "canSerializeState"
    | "canGetAndSetState"
    | "providesDirectionalDerivatives"
    | "providesAdjointDerivatives"
    | "providesEvaluateDiscreteStates"
    | "providesPerElementDependencies",
): boolean {
  return [coSimulation, modelExchange, scheduledExecution].some((of) => of?.[flag] === true);
}

function completesSteps(d: FmuDescription): boolean {
  return d.modelExchange !== undefined && fmiVersion(d).needsCompletedSteps(d.modelExchange);
}

function hasIndicators({ numberOfEventIndicators, structure }: FmuDescription): boolean {
  return (numberOfEventIndicators ?? structure.eventIndicators.length) > 0;
}

/** Functions that only a claim makes necessary; the first pattern that matches a name decides. */
const CLAIMS: readonly (readonly [RegExp, (description: FmuDescription) => boolean])[] = [
  [/Serialize/i, (d) => claims(d, "canSerializeState")],
  [/FMUstate/i, (d) => claims(d, "canGetAndSetState")],
  [/DirectionalDerivative/, (d) => claims(d, "providesDirectionalDerivatives")],
  [/AdjointDerivative/, (d) => claims(d, "providesAdjointDerivatives")],
  [/InputDerivatives/, (d) => d.coSimulation?.canInterpolateInputs === true],
  [/OutputDerivatives/, (d) => (d.coSimulation?.maxOutputDerivativeOrder ?? 0) > 0],
  [/CancelStep/, (d) => d.coSimulation?.canRunAsynchronously === true],
  [
    /^fmi2?Get(Integer|String)Status|^fmi2?GetStatus|^fmiGetBooleanStatus/,
    (d) => d.coSimulation?.canRunAsynchronously === true,
  ],
  [/fmi2EnterEventMode/, () => true],
  [
    /EventMode|StepMode|UpdateDiscreteStates/,
    (d) => d.coSimulation?.hasEventMode === true || d.modelExchange !== undefined,
  ],
  [/CompletedIntegratorStep/, completesSteps],
  [/EventIndicators/, hasIndicators],
  [/StateValueReferences/, () => false],
  [/EvaluateDiscreteStates/, (d) => claims(d, "providesEvaluateDiscreteStates")],
  [/VariableDependencies/, (d) => claims(d, "providesPerElementDependencies")],
  [/ConfigurationMode/, (d) => d.variables.some((v) => v.causality === "structuralParameter")],
  [/SetClock/, (d) => hasClocks(d) && isStepped(d)],
  [/Clock|Interval|Shift/, hasClocks],
];

function hasClocks({ variables }: FmuDescription): boolean {
  return variables.some(({ type }) => type === "clock");
}

/**
 * By Co-Simulation or Model Exchange: Scheduled Execution activates partitions in place of clocks.
 */
function isStepped({ coSimulation, modelExchange }: FmuDescription): boolean {
  return coSimulation !== undefined || modelExchange !== undefined;
}

/** Functions that only Model Exchange has, and that only Co-Simulation has. */
const OF_EXCHANGE =
  /ModelExchange$|ContinuousTime|IntegratorStep|SetTime$|ContinuousStates?|fmi2GetDerivatives|EventIndicators|NewDiscreteStates|fmi2EnterEventMode/;
const OF_STEPPING =
  /CoSimulation$|Slave|^fmiGetTypesPlatform|DoStep|CancelStep|Status$|StepMode|(Input|Output)Derivatives/;

const OF_SCHEDULES = /ScheduledExecution$|ModelPartition$/;

export interface RequiredCalls {
  /** Needed to run the FMU, or promised by its capability flags. */
  readonly needed: readonly string[];
  /** Asked for by the standards, though no run calls them. */
  readonly formal: readonly string[];
}

export function requiredCalls(description: FmuDescription): RequiredCalls {
  const { coSimulation, modelExchange, scheduledExecution } = description;
  const names = Object.keys(versionOf(description).calls).filter(
    (name) =>
      (modelExchange !== undefined || !OF_EXCHANGE.test(name)) &&
      (coSimulation !== undefined || !OF_STEPPING.test(name)) &&
      (scheduledExecution !== undefined || !OF_SCHEDULES.test(name)),
  );
  const isNeeded = (name: string): boolean => {
    const claim = CLAIMS.find(([pattern]) => pattern.test(name));
    return claim === undefined || claim[1](description);
  };
  return {
    needed: names.filter(isNeeded),
    formal: names.filter((name) => !isNeeded(name)),
  };
}
