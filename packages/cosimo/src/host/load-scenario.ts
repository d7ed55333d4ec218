/**
 * From a scenario file to a resolved scenario and the means to make its units: reads the file and
 * everything it names, once.
 */
import { type Checked, hasErrors } from "../base/diagnostic.ts";
import { openNestedUnit } from "../engine/open-nested.ts";
import type { RequirementDraft } from "../model/requirement.ts";
import type { Scenario, ScenarioDraft } from "../model/scenario.ts";
import type { Plan } from "../plan/plan.ts";
import { createTempFolder } from "../platform/node/temp-folder.ts";
import { type KeptUnits, type OpenUnit, openUnits } from "../run/open-units.ts";
import type { Unit } from "../unit/unit.ts";
import { isolatingOpener } from "./isolation/isolating-opener.ts";
import { diskFiles, type Files } from "./sources/files.ts";
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
 * @param text in place of what the file holds.
 * @param more requirements besides those of the file.
 * @param files where it is read from.
 * @returns the scenario, and everything noticed in it and in the files it names.
 */
export async function loadScenario(
  path: string,
  trust: Trust,
  folder: string = createTempFolder().path,
  text?: string,
  more: readonly RequirementDraft[] = [],
  files: Files = diskFiles(trust),
): Promise<Checked<LoadedScenario>> {
  const given: Files =
    text === undefined
      ? files
      : { ...files, text: (other) => (other === path ? text : files.text(other)) };
  const tree = new SourceTree(given, folder);
  const read = await tree.readDraft(path);
  if (read === undefined) return { diagnostics: tree.diagnostics };
  const { requirements = [] } = read;
  const draft = more.length === 0 ? read : { ...read, requirements: [...requirements, ...more] };
  await tree.readUnits(draft);
  const resolved = tree.resolve(draft);
  const diagnostics = [...tree.diagnostics, ...resolved.diagnostics.map((d) => tree.shown(d))];
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
  return openingOf(tree, options).open;
}

/** The same, with what sources are opened in that are not a unit of a scenario. */
export function openingOf(
  tree: SourceTree,
  options: Omit<OpenContext, "openScenario">,
): { readonly open: OpenUnit; readonly context: OpenContext } {
  const context: OpenContext = {
    ...options,
    openScenario: (inner, description, { name, start, place }, step) =>
      openNestedUnit(name, { scenario: inner, description, place }, { step, start }, (one, its) =>
        openUnits(one, its, open, { prefix: `${name}.` }),
      ),
  };
  const open: OpenUnit = isolatingOpener(
    ({ source }, use) => tree.sourceOf(source).open(use, context),
    {
      files: tree.files,
      requestOf: (source) => tree.requestOf(source),
      describe: (source, { structural, name, place }) =>
        tree.sourceOf(source).describe(structural, { name, place }),
    },
    options,
  );
  return { open, context };
}
