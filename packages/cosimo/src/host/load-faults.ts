/**
 * Files of faults: those that a scenario names, and those of a command line.
 */
import { dirname, extname, resolve } from "node:path";
import { type Checked, type Diagnostic, diagnose, type Place } from "../base/diagnostic.ts";
import { parseFaultFile } from "../lang/fault/parse-fault.ts";
import { parseFaultYaml } from "../lang/scenario/parse-faults.ts";
import type { FaultDraft } from "../model/faults.ts";
import type { ScenarioDraft } from "../model/scenario.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import type { Files } from "./sources/files.ts";

/** The draft with the faults of the files that it names. */
export function withFaultFiles(
  { faultFiles, ...draft }: ScenarioDraft,
  files: Pick<Files, "text">,
  report: (...diagnostics: readonly Diagnostic[]) => void,
): ScenarioDraft {
  if (faultFiles === undefined || faultFiles.length === 0) return draft;
  const read = faultFiles.flatMap(({ path, place }) => {
    const { value = [], diagnostics } = loadFaults(
      resolve(dirname(draft.file), path),
      path,
      place,
      files,
    );
    report(...diagnostics);
    return value;
  });
  return { ...draft, faults: [...(draft.faults ?? []), ...read] };
}

/**
 * @param path where it is; `written` is how it was named.
 * @param place of what names it.
 */
export function loadFaults(
  path: string,
  written: string,
  place: Place,
  files: Pick<Files, "text">,
): Checked<readonly FaultDraft[]> {
  let text: string;
  try {
    text = files.text(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : message;
    const params = { path: written, reason };
    return {
      diagnostics: [diagnose(SCENARIO_LOAD_DIAGNOSTICS, "faults-unreadable", params, place)],
    };
  }
  const isYaml = [".yaml", ".yml"].includes(extname(path).toLowerCase());
  return isYaml ? parseFaultYaml(text, path) : parseFaultFile(text, path);
}
