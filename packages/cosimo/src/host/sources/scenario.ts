/**
 * Scenarios inside adaptations. (Scenarios inside scenarios are resolved with the one around them:
 * model/resolve-scenario.ts.)
 */
import { diagnose } from "../../base/diagnostic.ts";
import { describeScenario } from "../../model/resolve-scenario-nested.ts";
import type { Scenario, ScenarioDraft, UnitSource } from "../../model/scenario.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import type { NamedUnit, Source, SourceKind } from "./source.ts";
import type { SourceTree } from "./tree.ts";

type Kind<Name extends UnitSource["kind"]> = SourceKind<
  Extract<UnitSource, { readonly kind: Name }>
>;

export const SCENARIO_FILE: Kind<"scenario-file"> = {
  async read({ unit, path, around }, tree) {
    const refused = tree.files.refusedScenario?.(path);
    if (refused !== undefined) return tree.broken(unit, path, refused);
    const draft = await tree.nestedDraft(path, unit.place, around);
    return draft === undefined ? notUsable(tree, unit, path) : scenarioSource(draft, path, tree);
  },
  readDraft: ({ unit, path, around }, tree) => tree.nestedDraft(path, unit.place, around),
};

/** One that is written in place (SSP: nested systems). */
export const INLINE_SCENARIO: Kind<"scenario"> = {
  async read({ source: { scenario }, around }, tree) {
    await tree.readUnits(scenario, around);
    return scenarioSource(scenario, scenario.file, tree);
  },
  async readDraft({ source: { scenario }, around }, tree) {
    await tree.readUnits(scenario, around);
    return scenario;
  },
};

/** A scenario with a step of its own: an adaptation asks for steps of any size. */
interface SteppedScenario {
  readonly scenario: Scenario;
  readonly step: number;
}

function scenarioSource(draft: ScenarioDraft, path: string, tree: SourceTree): Source {
  const resolved = tree.nestedScenario(draft);
  const stepped = (): SteppedScenario => {
    const scenario = resolved();
    const step = scenario?.experiment.step;
    if (scenario === undefined || step === undefined)
      throw new Error(`internal: the scenario '${path}' was used without a description`);
    return { scenario, step };
  };
  return {
    path,
    describe(_, unit) {
      const scenario = resolved();
      if (scenario === undefined) return notUsable(tree, unit, path);
      if (scenario.experiment.step !== undefined) return describeScenario(scenario);
      const params = { unit: unit.name, path };
      return tree.report(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "adaptation-inner-step", params, unit.place),
      );
    },
    open(use, around) {
      const { scenario, step } = stepped();
      return around.openScenario(scenario, describeScenario(scenario), use, step);
    },
    toC(use, around) {
      const { scenario, step } = stepped();
      return around.once(scenario, "", () => around.scenario(scenario, step, `${use.name}.`));
    },
  };
}

function notUsable(tree: SourceTree, unit: NamedUnit, path: string): undefined {
  return tree.broken(unit, path, "it is not a usable scenario");
}
