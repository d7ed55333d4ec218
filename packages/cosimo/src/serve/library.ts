/**
 * The adaptations that a unit can be given in a line, with what each takes.
 */
import { adaptationPath, libraryNames, librarySummary } from "../host/adaptation-library.ts";
import { diskFiles } from "../host/sources/files.ts";
import { TRUST_NOBODY } from "../host/trust.ts";
import { argumentName, openUnits, rolesOf } from "../lang/sa/apply-arguments.ts";
import { parseSaFile } from "../lang/sa/parse-sa.ts";
import type { LibraryEntry } from "./protocol.ts";

let known: readonly LibraryEntry[] | undefined;

/** Read once: the library comes with the package. */
export function adaptationLibrary(): readonly LibraryEntry[] {
  known ??= libraryNames().map(entryOf);
  return known;
}

function entryOf(name: string): LibraryEntry {
  const path = adaptationPath(name, "") ?? "";
  const { value } = parseSaFile(diskFiles(TRUST_NOBODY).text(path), path);
  const [adaptation] = value?.adaptations ?? [];
  if (adaptation === undefined) return { name, summary: librarySummary(name), options: [] };
  return {
    name,
    summary: librarySummary(name),
    options: [
      // The first open unit is the one that is adapted.
      ...openUnits(adaptation)
        .slice(1)
        .map((unit) => ({ name: argumentName(unit.name), type: "unit" })),
      ...rolesOf(adaptation).map(({ port }) => ({ name: argumentName(port.name), type: "port" })),
      ...adaptation.parameters.map(({ name: parameter, type = "real", value: start }) => ({
        name: argumentName(parameter),
        type,
        ...("value" in start ? { value: String(start.value) } : {}),
      })),
    ],
  };
}
