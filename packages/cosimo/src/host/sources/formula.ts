/**
 * Formulas of connections. Resolution makes them (model/resolve-scenario-formula.ts), so no draft
 * names one; in C they are adaptations without inner units, as state machines are.
 */
import { describeAdaptation } from "../../adapt/describe-adaptation.ts";
import { guardedUnit } from "../../engine/guarded-unit.ts";
import { formulaAsSa } from "../../lang/expression/formula-as-sa.ts";
import type { FormulaSource } from "../../model/scenario.ts";
import { formulaUnit } from "../../unit/formula-unit.ts";
import type { Source } from "./source.ts";

export function formulaSource(source: FormulaSource): Source {
  const { description, translation } = source;
  const isScalar = description.ports.every(({ shape }) => shape.length === 0);
  return {
    path: "",
    describe: () => description,
    open: async ({ name }) => guardedUnit(formulaUnit(source, name)),
    // Ports of adaptations are scalars.
    ...(isScalar &&
      translation === undefined && {
        toC: (_, around) =>
          around.once(source, "", () => {
            const text = formulaAsSa(source);
            const adaptation = around.parseAdaptation(text, source.from);
            const described = describeAdaptation(adaptation, new Map());
            const { name } = description;
            return {
              kind: "adaptation",
              description: { ...described, name },
              adaptation,
              inner: new Map(),
              text,
            };
          }),
      }),
  };
}
