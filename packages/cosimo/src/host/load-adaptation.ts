/**
 * From a `.sa` file to what is known of it without running it: the adaptation, the descriptions of
 * its inner units as deep as they go, its explicit form, its own description.
 */
import { resolve } from "node:path";
import type { Checked, Diagnostic } from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import { addInPorts, addOutPorts } from "../lang/sa/explicit-ports.ts";
import { innerPorts } from "../lang/sa/inner-ports.ts";
import type { Adaptation, InnerUnit } from "../model/adaptation/data.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { type LoadedUnit, loadUnit, type UnitFile } from "./load-unit.ts";
import {
  type AdaptationFit,
  InnerUnits,
  readAdaptation,
  readAdaptationFile,
  readSaFile,
  splitAdaptationPath,
} from "./sources/adaptation.ts";
import type { Files } from "./sources/files.ts";
import { SourceTree } from "./sources/tree.ts";

export interface DescribedAdaptation extends AdaptationFit {
  /** As it was written. */
  readonly adaptation: Adaptation;
  /** With the ports that authors omit, bindings included. */
  readonly withPorts: Adaptation;
}

/**
 * @param folder where packages (.ssp) inside are unpacked.
 * @returns no value where the text cannot be read. Findings inside inner adaptations come first,
 * each once.
 */
export async function describeAdaptationFile(
  path: string,
  folder: string,
  files: Files,
): Promise<Checked<DescribedAdaptation>> {
  const tree = new SourceTree(files, folder);
  const value = await describeInTree(path, tree);
  return { ...present({ value }), diagnostics: tree.diagnostics };
}

/** All adaptations of a file, or the one that is named behind a hash. */
export async function describeSaFile(
  path: string,
  folder: string,
  files: Files,
): Promise<{
  readonly adaptations: readonly DescribedAdaptation[];
  readonly diagnostics: readonly Diagnostic[];
}> {
  const tree = new SourceTree(files, folder);
  const { file, name } = splitAdaptationPath(path);
  const { value } = await readSaFile(file, tree);
  const all = value?.adaptations ?? [];
  const names =
    all.length > 1 && name === undefined ? all.map((one) => `${file}#${one.name}`) : [path];
  const isUnits = value !== undefined && all.length === 0 && name === undefined;
  const adaptations: DescribedAdaptation[] = [];
  for (const one of value === undefined || isUnits ? [] : names) {
    const described = await describeInTree(one, tree);
    if (described !== undefined) adaptations.push(described);
  }
  return { adaptations, diagnostics: tree.diagnostics };
}

async function describeInTree(
  path: string,
  tree: SourceTree,
): Promise<DescribedAdaptation | undefined> {
  const { file } = await readAdaptationFile(path, [], tree);
  if (file === undefined) return undefined;
  const { adaptation } = file;
  const fit = file.fit();
  const units = innerPorts(adaptation, ({ name }) => fit.inner.get(name));
  const withPorts = addOutPorts(addInPorts(adaptation, units), units);
  return { adaptation, withPorts, ...fit };
}

/**
 * The description of one inner unit of the adaptation `file`, also where the rest of the text
 * cannot be read.
 */
export async function describeInnerUnit(
  unit: Pick<InnerUnit, "name" | "source" | "place">,
  file: string,
  folder: string,
  files: Files,
): Promise<UnitDescription | undefined> {
  const units = new InnerUnits(new SourceTree(files, folder), [resolve(file)]);
  await units.addNamed(unit, file);
  return units.describe(unit);
}

/**
 * An adaptation in a file of its own; what cannot be read is reported as a text, not as the source
 * of a unit.
 */
export function loadAdaptationFile(file: Omit<UnitFile, "kind">): Promise<Checked<LoadedUnit>> {
  const source = { kind: "adaptation", path: file.path } as const;
  return loadUnit({ ...file, kind: "adaptation" }, (unit, tree) =>
    readAdaptation({ unit, source, path: resolve(file.path), file: file.path, around: [] }, tree),
  );
}
