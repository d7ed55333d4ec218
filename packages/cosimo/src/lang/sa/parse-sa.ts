/**
 * The text of a `.sa` file → the adaptations it describes. No unit is opened and no name is looked
 * up here: check-sa.ts does that, once the inner units are known. Forms of the published tool's
 * dialect are translated on the way (dialect/).
 */
import { append, type Checked, type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import type { Adaptation } from "../../model/adaptation/data.ts";
import { reportDialect } from "./dialect/diagnostics.ts";
import type { SaDraft, SaImport } from "./dialect/draft.ts";
import { type Imported, linkFile, type SaFile } from "./dialect/link.ts";
import { readDraft } from "./dialect/read-draft.ts";
import { SA } from "./services.ts";

/** Finds what is imported; what cannot be is reported. */
export type FindImport = (
  one: SaImport,
  report: (diagnostic: Diagnostic) => void,
) => Imported | undefined;

/**
 * A file as read, before what it imports is known; without a value where the text does not follow
 * the grammar.
 */
export function parseSaDraft(text: string, file: string): Checked<SaDraft> {
  const { value, diagnostics } = SA.parse(text, file);
  return value === undefined ? { diagnostics } : readDraft(value, file);
}

export function parseSaFile(text: string, file: string, find: FindImport = alone): Checked<SaFile> {
  const { value: draft, diagnostics: found } = parseSaDraft(text, file);
  if (draft === undefined) return { diagnostics: found };
  const diagnostics = [...found];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const imported = draft.imports.flatMap((one) => find(one, report) ?? []);
  const linked = linkFile(draft, imported);
  // What is missing because an import failed has been said.
  if (!hasErrors(diagnostics)) append(diagnostics, linked.diagnostics);
  return { value: linked.value, diagnostics };
}

/**
 * @param name of the adaptation; absent: the only one of the file.
 * @returns the adaptation, without a value where the text does not follow the grammar or does not
 * hold it.
 */
export function parseSa(
  text: string,
  file: string,
  find: FindImport = alone,
  name?: string,
): Checked<Adaptation> {
  const { value, diagnostics } = parseSaFile(text, file, find);
  if (value === undefined) return { diagnostics };
  const chosen = adaptationIn(value, name);
  return { ...chosen, diagnostics: [...diagnostics, ...chosen.diagnostics] };
}

/** One adaptation of a file. */
export function adaptationIn(
  { draft, adaptations }: SaFile,
  name: string | undefined,
): Checked<Adaptation> {
  const { file } = draft;
  const names = adaptations.map((one) => one.name);
  const place = { file };
  const [only, ...others] = adaptations;
  if (name !== undefined) {
    const found = adaptations.find((one) => one.name === name);
    if (found !== undefined) return { value: found, diagnostics: [] };
    return { diagnostics: [reportDialect("sa-file-name", { name, names }, place)] };
  }
  if (only === undefined) {
    const declared = draft.units.map((unit) => unit.name);
    return { diagnostics: [reportDialect("sa-file-none", { declared }, place)] };
  }
  if (others.length === 0) return { value: only, diagnostics: [] };
  return { diagnostics: [reportDialect("sa-file-several", { file, names }, place)] };
}

/** A text by itself has nothing to import from. */
const alone: FindImport = ({ name = "", path = name, place }, report) => {
  const why = "there is no folder to look in";
  report(reportDialect("sa-import", { what: path, why, fix: "save the text in a file" }, place));
  return undefined;
};
