/**
 * A described hybrid system → the one that analyses follow: formulas become functions.
 */
import type { Expression } from "../model/expression.ts";
import type { HybridDescription, HybridModeDescription } from "../model/hybrid-description.ts";
import { compileFormula, type FormulaScope, formulaField } from "./hybrid-expression.ts";
import type { HybridMode, HybridModel, ScalarField } from "./hybrid-model.ts";

export function hybridModelOf(description: HybridDescription): HybridModel {
  const { name, states, surface, modes } = description;
  return {
    name,
    states,
    surface: formulaField(surface, description),
    modes: [modeOf(modes[0], description), modeOf(modes[1], description)],
  };
}

function modeOf(mode: HybridModeDescription, scope: FormulaScope): HybridMode {
  const slopes = mode.derivatives.map((one) => compileFormula(one, scope));
  return {
    name: mode.name,
    field(x, dx) {
      for (let i = 0; i < slopes.length; i++) dx[i] = slopes[i]!(x);
    },
    ...(mode.energy && { energy: formulaField(mode.energy, scope) }),
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
