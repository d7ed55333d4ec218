/**
 * The differential equations that a Model Exchange FMU declares: its states, in the order of its
 * list of derivatives, and what each derivative depends on.
 */

import type { OdeStructure } from "../model/ode-structure.ts";
import { portSize, type UnitDescription } from "../model/unit-description.ts";
import type { FmuDescription, FmuVariable, Unknown } from "./description.ts";
import { fmiVersion } from "./versions/table.ts";

/**
 * @param ports of the unit as it is configured: structural parameters decide how many elements
 * there are.
 */
export function odeStructure(
  fmu: FmuDescription,
  { ports }: Pick<UnitDescription, "ports">,
): OdeStructure {
  const { structure, variables, modelExchange, numberOfContinuousStates } = fmu;
  const sizeOf = (variable: number): number => {
    const port = ports[variable];
    return port === undefined ? 0 : portSize(port);
  };
  const shared = {
    indicators:
      fmu.numberOfEventIndicators ??
      structure.eventIndicators.reduce((sum, { variable }) => sum + sizeOf(variable), 0),
    needsCompletedSteps:
      modelExchange === undefined || fmiVersion(fmu).needsCompletedSteps(modelExchange),
    isContinuous: isContinuous(fmu),
  };
  if (numberOfContinuousStates !== undefined) {
    const nowhere = new Array<number>(numberOfContinuousStates).fill(-1);
    const pattern = nowhere.map(() => undefined);
    return {
      ...shared,
      states: nowhere.length,
      statePorts: nowhere,
      derivativePorts: nowhere,
      pattern,
    };
  }
  const statePorts = structure.derivatives.map(({ variable }) => stateOf(fmu, variable));
  const places = placesOf(fmu, statePorts, sizeOf);
  const states = statePorts.reduce((sum, port) => sum + sizeOf(port), 0);
  return {
    ...shared,
    states,
    statePorts,
    derivativePorts: structure.derivatives.map(({ variable }) => variable),
    pattern: structure.derivatives.flatMap((unknown) => {
      const row = statesIn(unknown, variables, places);
      return Array.from({ length: sizeOf(unknown.variable) }, () => row);
    }),
  };
}

/** The state whose derivative a variable is; -1: the description does not say. */
function stateOf({ variables }: FmuDescription, derivative: number): number {
  return variables[derivative]?.derivativeOf ?? -1;
}

/**
 * The unknowns of the list of derivatives that are not derivatives of anything: with them no state
 * can be known.
 */
export function strayDerivatives(fmu: FmuDescription): readonly Unknown[] {
  return fmu.structure.derivatives.filter(({ variable }) => stateOf(fmu, variable) < 0);
}

/** Variable → elements of the state vector, for states and other names of them. */
function placesOf(
  { variables }: FmuDescription,
  statePorts: readonly number[],
  sizeOf: (variable: number) => number,
): ReadonlyMap<number, readonly number[]> {
  const byReference = new Map<number, readonly number[]>();
  let at = 0;
  for (const port of statePorts) {
    const size = sizeOf(port);
    const reference = variables[port]?.valueReference;
    if (reference !== undefined)
      byReference.set(
        reference,
        Array.from({ length: size }, (_, i) => at + i),
      );
    at += size;
  }
  return new Map(
    variables.flatMap(({ type, valueReference }, index) => {
      const elements = type === "float64" ? byReference.get(valueReference) : undefined;
      return elements === undefined ? [] : [[index, elements] as const];
    }),
  );
}

/** Of a dependency that is neither state nor known to be none, anything may follow. */
function statesIn(
  { dependencies }: Unknown,
  variables: readonly FmuVariable[],
  places: ReadonlyMap<number, readonly number[]>,
): readonly number[] | undefined {
  if (dependencies === undefined) return undefined;
  const row: number[] = [];
  for (const index of dependencies) {
    const states = places.get(index);
    if (states !== undefined) row.push(...states);
    else if (!isNoState(variables[index])) return undefined;
  }
  return row;
}

function isNoState(variable: FmuVariable | undefined): boolean {
  return (
    variable !== undefined &&
    /^(input|parameter|structuralParameter|calculatedParameter|independent)$/.test(
      variable.causality,
    )
  );
}

/**
 * Event indicators come with relations that are frozen between events, and discrete variables with
 * values of their own.
 */
function isContinuous({ numberOfEventIndicators, structure, variables }: FmuDescription): boolean {
  return (
    (numberOfEventIndicators ?? structure.eventIndicators.length) === 0 &&
    structure.clockedStates.length === 0 &&
    variables.every(
      ({ causality, variability, type }) =>
        type !== "clock" &&
        (variability !== "discrete" || (causality !== "output" && causality !== "local")),
    )
  );
}
