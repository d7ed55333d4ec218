/**
 * From a scenario file to a resolved scenario and the means to make its units: reads the file and everything it names, once.
 */
import { type Checked, hasErrors } from "../base/diagnostic.ts";
import { openNestedUnit } from "../engine/open-nested.ts";
import type { Scenario, ScenarioDraft } from "../model/scenario.ts";
import type { Plan } from "../plan/plan.ts";
import { createTempFolder } from "../platform/node/temp-folder.ts";
import { type KeptUnits, type OpenUnit, openUnits } from "../run/open-units.ts";
import type { Unit } from "../unit/unit.ts";
import { diskFiles } from "./sources/files.ts";
import type { OpenContext } from "./sources/source.ts";
import { SourceTree } from "./sources/tree.ts";
import type { Trust } from "./trust.ts";

export interface LoadedScenario {
  readonly scenario: Scenario;
  /** As it was written. */
  readonly draft: ScenarioDraft;
  /** What stands behind its units, and what is inside of them. */
  readonly tree: SourceTree;
}

/**
 * @param trust which modules may be run.
 * @param folder where packages (.ssp) are unpacked; one of this process's own unless given.
 * @returns the scenario, and everything noticed in it and in the files it names.
 */
export async function loadScenario(
  path: string,
  trust: Trust,
  folder: string = createTempFolder().path,
): Promise<Checked<LoadedScenario>> {
  const tree = new SourceTree(diskFiles(trust), folder);
  const draft = await tree.readDraft(path);
  if (draft === undefined) return { diagnostics: tree.diagnostics };
  await tree.readUnits(draft);
  const resolved = tree.resolve(draft);
  const diagnostics = [...tree.diagnostics, ...resolved.diagnostics];
  if (resolved.value === undefined || hasErrors(diagnostics)) return { diagnostics };
  return { value: { scenario: resolved.value, draft, tree }, diagnostics };
}

/** Makes the units of a scenario that was read, for one run. */
export function openLoaded(
  scenario: Scenario,
  plan: Plan,
  tree: SourceTree,
  options: Omit<OpenContext, "openScenario">,
  kept?: KeptUnits,
): Promise<Unit[]> {
  return openUnits(scenario, plan, unitOpener(tree, options), { kept });
}

/** What makes each of these units. */
export function unitOpener(tree: SourceTree, options: Omit<OpenContext, "openScenario">): OpenUnit {
  const context: OpenContext = {
    ...options,
    openScenario: (inner, description, { name, start, place }, step) =>
      openNestedUnit(name, { scenario: inner, description, place }, { step, start }, (one, its) =>
        openUnits(one, its, open, { prefix: `${name}.` }),
      ),
  };
  const open: OpenUnit = ({ source }, use) => tree.sourceOf(source).open(use, context);
  return open;
}
