/**
 * A described hybrid system → the one that analyses follow: formulas become functions.
 */
import type { Expression } from "../model/expression.ts";
import type { HybridDescription, HybridModeDescription } from "../model/hybrid-description.ts";
import { compileFormula, type FormulaScope, formulaField } from "./hybrid-expression.ts";
import type { HybridMode, HybridModel, ScalarField, VectorField } from "./hybrid-model.ts";

/** @param units the fields of modes that come from units, by the mode's name. */
export function hybridModelOf(
  description: HybridDescription,
  units: ReadonlyMap<string, VectorField> = new Map(),
): HybridModel {
  const { name, states, surface, modes } = description;
  const modeOf = (mode: HybridModeDescription): HybridMode => ({
    name: mode.name,
    field: units.get(mode.name) ?? fieldOf(mode, description),
    ...(mode.energy && { energy: formulaField(mode.energy, description) }),
  });
  return {
    name,
    states,
    surface: formulaField(surface, description),
    modes: [modeOf(modes[0]), modeOf(modes[1])],
  };
}

function fieldOf({ name, dynamics }: HybridModeDescription, scope: FormulaScope): VectorField {
  if (dynamics.kind === "unit") throw new Error(`internal: the unit of '${name}' is not open`);
  const slopes = dynamics.derivatives.map((one) => compileFormula(one, scope));
  return (x, dx) => {
    for (let i = 0; i < slopes.length; i++) dx[i] = slopes[i](x);
  };
}

/** A formula over the description's states, as the section of a delay question is. */
export function scalarOf(expression: Expression, description: HybridDescription): ScalarField {
  return formulaField(expression, description);
}

/** The value of a formula of parameters alone. */
export function constantOf(
  expression: Expression,
  parameters: ReadonlyMap<string, number>,
): number {
  return compileFormula(expression, { states: [], parameters })(new Float64Array(0));
}
