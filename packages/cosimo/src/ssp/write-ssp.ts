/**
 * The way out: a scenario → the files of a package. Texts are complete; FMUs and other files are
 * only named, the host copies them. The same scenario always gives the same texts. Rules:
 * docs/spec/ssp.md.
 */

import type { Checked } from "../base/diagnostic.ts";
import type { DescribeUnit } from "../model/resolve-scenario.ts";
import type { ScenarioDraft } from "../model/scenario.ts";
import { Reporter } from "../xml/reporter.ts";
import { doubleText, impossibleText, printXml, xml } from "../xml/xml-writer.ts";
import { DEFAULT_STRUCTURE, NAMESPACES, type SspVersion } from "./names.ts";
import { folderOf } from "./source-path.ts";
import { SSP_DIAGNOSTICS } from "./ssp-diagnostics.ts";
import { StructureWriter } from "./write-structure.ts";

/** Content of a package's file: a text, or the file of the scenario that it is a copy of. */
export type PackageFile = string | { readonly copyOf: string };

export interface SspPackage {
  /** By path in the package; SystemStructure.ssd comes first. */
  readonly files: ReadonlyMap<string, PackageFile>;
}

export interface WriteSspOptions {
  readonly version?: SspVersion;
  /** Descriptions give connectors their types and units, and list unconnected outputs. */
  readonly describe?: DescribeUnit;
  /** Scenario files other than SSP are written in place; this loads them. */
  readonly load?: (path: string) => ScenarioDraft | undefined;
  readonly generationTool?: string;
}

/** @returns the package; no value when the scenario says something that cannot be kept. */
export function writeSsp(draft: ScenarioDraft, options: WriteSspOptions = {}): Checked<SspPackage> {
  const version = options.version ?? "1.0";
  const reporter = new Reporter(draft.file, SSP_DIAGNOSTICS);
  const copies = new PackagedFiles();
  const writer = new StructureWriter({
    version,
    describe: options.describe ?? (() => undefined),
    load: options.load ?? (() => undefined),
    packaged: (path, file) => copies.pathOf(originalPath(path, file, draft.file)),
    reporter,
  });
  const system = writer.system(draft, draft.name);
  const { start, stop } = draft.experiment;
  const number = (value: number | undefined) =>
    value === undefined ? undefined : doubleText(value);
  const namespaces = Object.entries(NAMESPACES).filter(([prefix]) =>
    /ssd|ssc|ssv|cosimo/.test(prefix),
  );
  const root = xml(
    "ssd:SystemStructureDescription",
    {
      ...Object.fromEntries(namespaces.map(([prefix, uri]) => [`xmlns:${prefix}`, uri])),
      version,
      name: draft.name,
      description: draft.description,
      generationTool: options.generationTool ?? "Cosimo",
    },
    [
      system,
      ...writer.definitions.write(),
      start === undefined && stop === undefined
        ? undefined
        : xml("ssd:DefaultExperiment", { startTime: number(start), stopTime: number(stop) }),
    ],
  );
  const impossible = impossibleText(root);
  if (impossible !== undefined)
    reporter.report("ssp-export-text", { text: JSON.stringify(impossible) }, 1);
  const diagnostics = reporter.finish();
  if (diagnostics.some(({ severity }) => severity === "error")) return { diagnostics };
  const files = new Map<string, PackageFile>([[DEFAULT_STRUCTURE, printXml(root)]]);
  for (const [path, copyOf] of copies.entries()) files.set(path, { copyOf });
  return { value: { files }, diagnostics };
}

/** Gives every file of the scenario a path below resources/. */
class PackagedFiles {
  private readonly byOriginal = new Map<string, string>();
  private readonly taken = new Set<string>();

  pathOf(original: string): string {
    const known = this.byOriginal.get(original);
    if (known !== undefined) return known;
    const path = this.free(original.startsWith("resources/") ? original : resourcePath(original));
    this.byOriginal.set(original, path);
    this.taken.add(path);
    return path;
  }

  *entries(): Iterable<[string, string]> {
    for (const [original, path] of this.byOriginal) yield [path, original];
  }

  private free(wanted: string): string {
    const dot = wanted.lastIndexOf(".");
    let path = wanted;
    for (let n = 2; this.taken.has(path); n++)
      path = `${wanted.slice(0, dot)}-${n}${wanted.slice(dot)}`;
    return path;
  }
}

/** A path that the scenario at `file` gives, seen from the folder of the outermost scenario. */
function originalPath(path: string, file: string, outermost: string): string {
  const folder = folderOf(file);
  const base = folderOf(outermost);
  if (folder === base || path.startsWith("/")) return path;
  return folder.startsWith(base) ? `${folder.slice(base.length)}${path}` : `${folder}${path}`;
}

/** Plain characters only: some tools take the source for a path without decoding it. */
function resourcePath(original: string): string {
  const name = original.slice(Math.max(original.lastIndexOf("/"), original.lastIndexOf("\\")) + 1);
  return `resources/${name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}`;
}
