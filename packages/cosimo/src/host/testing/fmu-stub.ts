/**
 * FMUs in memory, from the text of a description: no archive, no binary, and a record of what is
 * unpacked.
 */
import { unwrap } from "../../base/diagnostic.ts";
import { contentsOf } from "../../fmi/archive-contents.ts";
import { parseModelDescription } from "../../fmi/parse-description.ts";
import type { FmuFile } from "../../platform/node/fmu-file.ts";

export interface FmuStub extends FmuFile {
  /** Folders that it was unpacked to. */
  readonly unpacked: string[];
}

/** @param texts by path inside the FMU; files without a text are empty. */
export function fmuStub(
  path: string,
  description: string,
  texts: Readonly<Record<string, string>> = {},
): FmuStub {
  const unpacked: string[] = [];
  return {
    path,
    packed: true,
    contents: contentsOf(["modelDescription.xml", ...Object.keys(texts)]),
    descriptionFile: `${path}/modelDescription.xml`,
    descriptionText: description,
    description: unwrap(parseModelDescription(description)),
    read: (name) => ({ value: Buffer.from(texts[name] ?? "", "utf8"), diagnostics: [] }),
    readText: (name) => texts[name],
    async extract(target) {
      unpacked.push(target);
      return { value: target, diagnostics: [] };
    },
    unpacked,
  };
}
