/**
 * Files of requirements that a scenario names: hints (.hint).
 */
import { dirname, resolve } from "node:path";
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { ScenarioDraft } from "../model/scenario.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import type { Files } from "./sources/files.ts";

/** The draft with the requirements and hints of the files that it names. */
export async function withRequirementFiles(
  { requirementFiles, ...draft }: ScenarioDraft,
  files: Pick<Files, "text">,
  report: (...diagnostics: readonly Diagnostic[]) => void,
): Promise<ScenarioDraft> {
  if (requirementFiles === undefined || requirementFiles.length === 0) return draft;
  // The grammar is loaded where a file needs it.
  const { readHints } = await import("../lang/hint/meaning.ts");
  const read = requirementFiles.flatMap(({ path, place }) => {
    const file = resolve(dirname(draft.file), path);
    try {
      const { value, diagnostics } = readHints(files.text(file), file);
      report(...diagnostics);
      return value ?? [];
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      const reason = code === "ENOENT" ? "there is no such file" : message;
      const params = { path, reason };
      report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "requirements-unreadable", params, place));
      return [];
    }
  });
  return {
    ...draft,
    requirements: [...(draft.requirements ?? []), ...read.flatMap((one) => one.requirements)],
    hints: [...(draft.hints ?? []), ...read.flatMap((one) => one.hints)],
  };
}
