/**
 * Interfaces (`.mci`) beside the units that they are of: does the one fit the other, and what would
 * the interface of a unit be?
 */
import { basename, dirname, extname, resolve } from "node:path";
import {
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
  type Place,
} from "../base/diagnostic.ts";
import { parseMci } from "../lang/mci/parse-mci.ts";
import { withSlashes } from "../lang/text/slashes.ts";
import { applyInterface } from "../model/apply-interface.ts";
import { type FileKind, sourceAt } from "../model/source-kind.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import type { UnitInterface } from "../model/unit-interface.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import type { Files } from "./sources/files.ts";
import { SourceTree } from "./sources/tree.ts";

export interface DescribedInterface {
  readonly declared: UnitInterface;
  /**
   * The unit, with what the interface says of it; absent where it cannot be opened, or is not
   * named.
   */
  readonly unit?: UnitDescription;
}

/**
 * What the file at `path` declares, held to the unit that it names.
 * @param folder where packages (.ssp) are unpacked.
 * @throws what the system says, where the file cannot be read.
 */
export async function describeInterfaceFile(
  path: string,
  folder: string,
  files: Files,
): Promise<Checked<DescribedInterface>> {
  const { value: declared, diagnostics } = parseMci(files.text(path), path);
  if (declared === undefined) return { diagnostics };
  const { source } = declared;
  // Programs of GEMOC cannot be opened; what is wrong with the text comes first.
  if (source === undefined || source.keyword === "GemocExecutablePath")
    return { value: { declared }, diagnostics };
  const file = resolve(dirname(path), withSlashes(source.path));
  const opened = await describeUnitFile(file, declared.name, source.place, folder, files);
  const found = [...diagnostics, ...opened.diagnostics];
  if (opened.value === undefined) return { value: { declared }, diagnostics: found };
  const applied = applyInterface(opened.value, declared, declared.name);
  return {
    value: { declared, unit: applied.description },
    diagnostics: [...found, ...applied.diagnostics],
  };
}

/**
 * The description of the unit in one file. @param place of what names it. @param kind where the
 * name of the file does not say it.
 */
export async function describeUnitFile(
  path: string,
  name: string,
  place: Place,
  folder: string,
  files: Files,
  kind?: FileKind,
): Promise<Checked<UnitDescription>> {
  const source = kind === undefined ? sourceAt(path) : { kind, path };
  if (source === undefined) {
    const reason = "it is not an FMU, a state machine, an adaptation, a module or a scenario";
    const params = { unit: name, path, reason };
    return {
      diagnostics: [diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-source-broken", params, place)],
    };
  }
  const tree = new SourceTree(files, folder);
  const unit = { name, source, values: [], place };
  const read = await tree.read(unit, path, []);
  const value = read?.describe(new Map(), unit);
  const { diagnostics } = tree;
  return value === undefined || hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics };
}

/** `models/fan.fmu` → `fan`. */
export function unitNameOf(path: string): string {
  return basename(path, extname(path)).replace(/\.machine$/, "");
}

/** The findings about a file of which one is that it cannot be read. */
export function unreadable(error: unknown, path: string): Diagnostic {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const reason = code === "ENOENT" ? "there is no such file" : message;
  return diagnose(
    SCENARIO_LOAD_DIAGNOSTICS,
    "interface-unusable",
    { path, reason },
    { file: path },
  );
}
