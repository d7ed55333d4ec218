/**
 * What the checks look up again and again, computed once: a description may have a hundred thousand
 * variables, so every check is one pass and every look-up a map.
 */
import type {
  FmuDescription,
  FmuVariable,
  TypeDefinition,
  UnitDefinition,
} from "../description.ts";
import type { FmiVersion } from "../versions/fmi-version.ts";
import { fmiVersion } from "../versions/table.ts";
import type { Findings } from "./findings.ts";

export interface ValidationContext {
  readonly description: FmuDescription;
  readonly version: FmiVersion;
  readonly findings: Findings;
  readonly units: ReadonlyMap<string, UnitDefinition>;
  readonly types: ReadonlyMap<string, TypeDefinition>;
  /** First variable with a value reference; in FMI 3 that is how variables refer to each other. */
  readonly byReference: ReadonlyMap<number, FmuVariable>;
  /**
   * Continuous states and their derivatives, as the model structure defines them: indices of
   * variables.
   */
  readonly states: ReadonlySet<number>;
  readonly stateDerivatives: ReadonlySet<number>;
}

export function makeContext(description: FmuDescription, findings: Findings): ValidationContext {
  const states = new Set<number>();
  const stateDerivatives = new Set<number>();
  for (const { variable } of description.structure.derivatives) {
    const derivative = description.variables[variable];
    if (derivative === undefined) continue;
    stateDerivatives.add(variable);
    if (derivative.derivativeOf !== undefined && derivative.derivativeOf >= 0) {
      states.add(derivative.derivativeOf);
    }
  }
  return {
    description,
    version: fmiVersion(description),
    findings,
    units: firstBy(description.units, (unit) => unit.unit.name),
    types: firstBy(description.types, (type) => type.name),
    byReference: firstBy(description.variables, (variable) => variable.valueReference),
    states,
    stateDerivatives,
  };
}

function firstBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item> {
  const found = new Map<Key, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, item);
  }
  return found;
}

export function isFloat(variable: Pick<FmuVariable, "type">): boolean {
  return variable.type === "float64" || variable.type === "float32";
}

export function isContinuousFloat(variable: FmuVariable): boolean {
  return isFloat(variable) && variable.variability === "continuous";
}
