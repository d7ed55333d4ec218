/**
 * A unit in a file of its own that is not an FMU (a state machine, an adaptation), with everything
 * that it is made around: what `cosimo run` makes a scenario of one unit from, and `cosimo export`
 * an FMU.
 */
import { resolve } from "node:path";
import { type Checked, hasErrors } from "../base/diagnostic.ts";
import type { UnitDraft } from "../model/scenario.ts";
import type { UnitFileKind } from "../model/source-kind.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { diskFiles } from "./sources/files.ts";
import type { Source } from "./sources/source.ts";
import { SourceTree } from "./sources/tree.ts";
import type { Trust } from "./trust.ts";

export interface UnitFile {
  readonly kind: UnitFileKind;
  /** As given; messages name it so. */
  readonly path: string;
  /** What the unit is called. */
  readonly name: string;
  /** Which modules may be run. */
  readonly trust: Trust;
  /** Where packages (.ssp) inside are unpacked. */
  readonly folder: string;
}

export interface LoadedUnit {
  readonly draft: UnitDraft;
  readonly source: Source;
  readonly description: UnitDescription;
  readonly tree: SourceTree;
}

/**
 * @param read where something other than the tree reads the file.
 * @returns no value where the unit cannot be used.
 */
export async function loadUnit(
  { kind, path, name, trust, folder }: UnitFile,
  read = (draft: UnitDraft, tree: SourceTree): Promise<Source | undefined> =>
    tree.read(draft, resolve(path), []),
): Promise<Checked<LoadedUnit>> {
  const tree = new SourceTree(diskFiles(trust), folder);
  const place = { file: path };
  const draft: UnitDraft = { name, source: { kind, path: resolve(path) }, values: [], place };
  const source = await read(draft, tree);
  const description = source?.describe(new Map(), draft);
  const { diagnostics } = tree;
  if (source === undefined || description === undefined || hasErrors(diagnostics))
    return { diagnostics };
  return { value: { draft, source, description, tree }, diagnostics };
}
