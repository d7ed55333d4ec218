/**
 * Guards that masters name (`guard: guard.json`), read and proved before a run: from here on a
 * guard is data. A guard whose proof does not hold is refused; a run must not rest on a file that
 * was changed.
 */
import { dirname, resolve } from "node:path";
import { type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { parseGuard } from "../lang/guard/parse-guard.ts";
import type { MasterDraft, ScenarioDraft } from "../model/scenario.ts";
import { shrunk } from "../stability/stabilize.ts";
import { verifyStability } from "../stability/stabilize-verify.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import type { Files } from "./sources/files.ts";

/** The draft with its guard in place of the guard's path. */
export function withGuard(
  draft: ScenarioDraft,
  files: Pick<Files, "text">,
  report: (...diagnostics: readonly Diagnostic[]) => void,
): ScenarioDraft {
  const { master } = draft;
  const path = master.options["guard"];
  if (typeof path !== "string" || path === "off") return draft;
  const guard = load(path, resolve(dirname(draft.file), path), master, files, report);
  // What could not be read has been reported; a run without it must not look like a guarded one.
  const options = { ...master.options, guard: guard ?? "off" };
  return { ...draft, master: { ...master, options } };
}

function load(
  path: string,
  file: string,
  { place }: MasterDraft,
  files: Pick<Files, "text">,
  report: (...diagnostics: readonly Diagnostic[]) => void,
): unknown {
  const broken = (reason: string): undefined => {
    report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "guard-unusable", { path, reason }, place));
    return undefined;
  };
  let text: string;
  try {
    text = files.text(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return broken(code === "ENOENT" ? "there is no such file" : message);
  }
  const { value, diagnostics } = parseGuard(text, path);
  for (const finding of diagnostics) report(finding);
  if (value === undefined || hasErrors(diagnostics)) return undefined;
  const check = verifyStability(shrunk(value.system, value.rate), value.forms);
  if (!check.holds)
    return broken(`its proof does not hold at node ${check.node + 1}: it was changed`);
  const { policies, automaton, start } = value;
  return { policies, automaton, start };
}
