/**
 * From draft to description: declared types lend their attributes, references become indices. Done
 * last, because a description may name things before it defines them.
 */

import { excessOf } from "../model/element-limits.ts";
import type {
  ClockAttributes,
  FmuDescription,
  FmuVariable,
  TypeAttributes,
  TypeDefinition,
} from "./description.ts";
import type { DescriptionDraft, Mutable, StatedClock } from "./description-draft.ts";
import { dimensionSizes, shapeOf } from "./to-unit-description.ts";

export function finishDescription(draft: DescriptionDraft): FmuDescription {
  lendTypeAttributes(draft);
  resolveReferences(draft);
  checkElements(draft);
  const { identity, coSimulation, modelExchange, scheduledExecution, structure } = draft;
  const one = coSimulation ?? modelExchange ?? scheduledExecution;
  return {
    ...identity,
    // FMUs refuse an instance without a name.
    modelName: identity.modelName || (one?.modelIdentifier ?? ""),
    ...(coSimulation && { coSimulation }),
    ...(modelExchange && { modelExchange }),
    ...(scheduledExecution && { scheduledExecution }),
    units: draft.units,
    types: draft.types,
    logCategories: draft.logCategories,
    experiment: draft.experiment,
    variables: draft.variables,
    structure: { ...structure, line: draft.structureLine },
    annotations: draft.annotations,
  };
}

/**
 * With the start values of structural parameters; other values are checked where they are chosen.
 */
function checkElements({ variables, reporter }: DescriptionDraft): void {
  if (
    variables.every(({ dimensions, start }) => dimensions.length === 0 && (start?.length ?? 0) <= 1)
  )
    return;
  const sizeOf = dimensionSizes(variables);
  const shapes = variables.map((variable) => ({
    shape: shapeOf(variable, sizeOf),
    ...(variable.start && { start: variable.start }),
  }));
  const { index = -1, total = 0 } = excessOf(shapes) ?? {};
  const variable = variables[index];
  if (variable === undefined) return;
  const { name, dimensions, line } = variable;
  const params = { variable: name, shape: shapes[index]?.shape ?? [], total };
  reporter.report("too-many-elements", params, dimensions[0]?.line ?? line);
}

/**
 * What a variable does not state itself it takes from its declared type, if that is of the same
 * kind.
 */
function lendTypeAttributes(draft: DescriptionDraft): void {
  const types = new Map<string, Mutable<TypeDefinition>>();
  for (const type of draft.types) if (!types.has(type.name)) types.set(type.name, type);
  for (const [owner, stated] of draft.clocks) {
    const type = types.get((owner as FmuVariable).declaredType ?? "");
    const lent = type && type !== owner ? draft.clocks.get(type) : undefined;
    (owner as Mutable<TypeAttributes>).clock = completeClock({ ...lent, ...stated });
  }
  for (const variable of draft.variables) {
    if (variable.declaredType === undefined) continue;
    const type = types.get(variable.declaredType);
    if (type?.type === variable.type) lend(type, variable);
  }
}

function lend(type: TypeDefinition, variable: Mutable<FmuVariable>): void {
  if (type.quantity !== undefined) variable.quantity ??= type.quantity;
  if (type.displayUnit !== undefined && (variable.unit ?? type.unit) === type.unit)
    variable.displayUnit ??= type.displayUnit;
  if (type.unit !== undefined) variable.unit ??= type.unit;
  if (type.relativeQuantity !== undefined) variable.relativeQuantity ??= type.relativeQuantity;
  if (type.unbounded !== undefined) variable.unbounded ??= type.unbounded;
  if (type.min !== undefined) variable.min ??= type.min;
  if (type.max !== undefined) variable.max ??= type.max;
  if (type.nominal !== undefined) variable.nominal ??= type.nominal;
  if (type.mimeType !== undefined) variable.mimeType ??= type.mimeType;
  if (type.maxSize !== undefined) variable.maxSize ??= type.maxSize;
}

function completeClock(stated: StatedClock): ClockAttributes {
  return {
    intervalVariability: "triggered",
    canBeDeactivated: false,
    shiftDecimal: 0,
    supportsFraction: false,
    shiftCounter: 0n,
    ...stated,
  };
}

const INDEXES = { position: indexByPosition, "value-reference": indexByReference };

function resolveReferences(draft: DescriptionDraft): void {
  const { variables, structure } = draft;
  const indexOf = INDEXES[draft.version.references](draft);
  for (const variable of variables) {
    if (variable.derivativeReference !== undefined)
      variable.derivativeOf = indexOf(variable.derivativeReference);
  }
  for (const list of Object.values(structure)) {
    for (const unknown of list) {
      unknown.variable = indexOf(unknown.reference);
      if (unknown.dependencyReferences !== undefined)
        unknown.dependencies = unknown.dependencyReferences.map(indexOf);
    }
  }
}

/** From 1. */
function indexByPosition(draft: DescriptionDraft): (reference: number) => number {
  const { length } = draft.variables;
  return (index) => (index >= 1 && index <= length ? index - 1 : -1);
}

function indexByReference(draft: DescriptionDraft): (reference: number) => number {
  const indices = new Map<number, number>();
  draft.variables.forEach(({ valueReference }, index) => {
    if (!indices.has(valueReference)) indices.set(valueReference, index);
  });
  return (reference) => indices.get(reference) ?? -1;
}
