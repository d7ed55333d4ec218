/**
 * What a unit is made of: the files behind its source, all the way down. A process of its own gets
 * FMUs unpacked, and one in a sandbox sees these files and no others.
 */
import { dirname } from "node:path";
import type { UnitDraft, UnitSource } from "../../model/scenario.ts";
import type { FmuFile } from "../../platform/node/fmu-file.ts";
import type { Files } from "../sources/files.ts";
import { SourceTree } from "../sources/tree.ts";

export interface UnitFiles {
  /** By the path that names each. */
  readonly fmus: ReadonlyMap<string, FmuFile>;
  /** Texts, and folders of modules. */
  readonly others: readonly string[];
}

export async function unitFiles(
  source: UnitSource,
  draft: Omit<UnitDraft, "source">,
  request: { readonly path: string; readonly file: string; readonly around: readonly string[] },
  files: Files,
): Promise<UnitFiles> {
  const fmus = new Map<string, FmuFile>();
  const others = new Set<string>();
  if (source.kind !== "fmu") {
    const tree = new SourceTree(recording(files, fmus, others), "");
    await tree.read({ ...draft, source }, request.file, request.around);
  } else {
    const { value } = files.fmu(request.path);
    if (value !== undefined) fmus.set(request.path, value);
  }
  return { fmus, others: [...others] };
}

/** The same files, with a note of each that is read. */
function recording(files: Files, fmus: Map<string, FmuFile>, others: Set<string>): Files {
  return {
    ...files,
    text(path) {
      others.add(path);
      return files.text(path);
    },
    fmu(path) {
      const found = files.fmu(path);
      if (found.value !== undefined) fmus.set(path, found.value);
      return found;
    },
    module(path) {
      // A module may import what lies beside it.
      others.add(dirname(path));
      return files.module(path);
    },
    package(path, options) {
      others.add(path);
      return files.package(path, options);
    },
  };
}
