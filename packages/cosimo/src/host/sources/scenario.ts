/**
 * Scenarios inside adaptations. (Scenarios inside scenarios are resolved with the one around them: model/resolve-scenario.ts.)
 */
import { diagnose, hasErrors } from "../../base/diagnostic.ts";
import { describeScenario } from "../../model/resolve-scenario-nested.ts";
import type { Scenario, ScenarioDraft, UnitSource } from "../../model/scenario.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import type { NamedUnit, ReadSource, Source } from "./source.ts";
import type { SourceTree } from "./tree.ts";

export const readScenarioFile: ReadSource<
  Extract<UnitSource, { readonly kind: "scenario-file" }>
> = async ({ unit, path, around }, tree) => {
  const refused = tree.files.refusedScenario?.(path);
  if (refused !== undefined) return tree.broken(unit, path, refused);
  const draft = await tree.nestedDraft(path, unit.place, around);
  return draft === undefined ? notUsable(tree, unit, path) : scenarioSource(draft, path, tree);
};

/** One that is written in place (SSP: nested systems). */
export const readInlineScenario: ReadSource<
  Extract<UnitSource, { readonly kind: "scenario" }>
> = async ({ source: { scenario }, around }, tree) => {
  await tree.readUnits(scenario, around);
  return scenarioSource(scenario, scenario.file, tree);
};

/** It has a step of its own: an adaptation asks for steps of any size. */
function scenarioSource(draft: ScenarioDraft, path: string, tree: SourceTree): Source {
  let resolved: Scenario | undefined;
  const stepOf = (scenario: Scenario): number => scenario.experiment.step!;
  return {
    path,
    describe(_, unit) {
      if (resolved === undefined) {
        const { value, diagnostics } = tree.resolve(draft);
        tree.report(...diagnostics);
        if (value === undefined || hasErrors(diagnostics)) return notUsable(tree, unit, path);
        resolved = value;
      }
      if (resolved.experiment.step !== undefined) return describeScenario(resolved);
      const params = { unit: unit.name, path };
      return tree.report(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "adaptation-inner-step", params, unit.place),
      );
    },
    open: (use, around) =>
      around.openScenario(resolved!, describeScenario(resolved!), use, stepOf(resolved!)),
    toC: (use, around) =>
      around.once(resolved, "", () =>
        around.scenario(resolved!, stepOf(resolved!), `${use.name}.`),
      ),
  };
}

function notUsable(tree: SourceTree, unit: NamedUnit, path: string): undefined {
  return tree.broken(unit, path, "it is not a usable scenario");
}
