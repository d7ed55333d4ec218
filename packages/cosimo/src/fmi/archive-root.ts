/**
 * The root of an archive whose files were packed with the folder around them: a common mistake,
 * which leaves no doubt about what is meant when there is one folder and it has the file that makes
 * an FMU or a package of it.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { ArchiveEntry } from "./archive.ts";
import { archiveDiagnostic } from "./archive-diagnostics.ts";
import { printableName } from "./archive-name.ts";

export interface RootedEntries {
  readonly entries: readonly ArchiveEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The entries relative to the folder that has `marker` ("modelDescription.xml"): the root of the
 * archive, or the one folder that everything lies in.
 */
export function rootedEntries(
  entries: readonly ArchiveEntry[],
  marker: string,
  file: string,
): RootedEntries {
  const nested = entries.find(({ name }) => name.endsWith(`/${marker}`));
  const folder = nested?.name.slice(0, -marker.length - 1) ?? "";
  const isInside = ({ name }: ArchiveEntry): boolean =>
    name === folder || name.startsWith(`${folder}/`);
  if (folder === "" || folder.includes("/") || !entries.every(isInside))
    return { entries, diagnostics: [] };
  const params = { folder: printableName(folder) };
  return {
    entries: entries
      .filter(({ name }) => name !== folder)
      .map((entry) => ({ ...entry, name: entry.name.slice(folder.length + 1) })),
    diagnostics: [archiveDiagnostic("archive-nested-root", params, { file })],
  };
}
