/**
 * Packages (.ssp) and system descriptions (.ssd) on disk. A package is unpacked into a folder that
 * the caller owns, because its FMUs must be files; diagnostics still name the package.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { type Checked, type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { type ArchiveEntry, type ArchiveLimits, listArchive } from "../../fmi/archive.ts";
import { textTooLarge } from "../../fmi/archive-diagnostics.ts";
import { rootedEntries } from "../../fmi/archive-root.ts";
import type { ScenarioDraft } from "../../model/scenario.ts";
import { DEFAULT_STRUCTURE } from "../../ssp/names.ts";
import { packZip } from "../../ssp/pack-ssp.ts";
import { parseSsd, ssdName } from "../../ssp/parse-ssd.ts";
import { SSP_DIAGNOSTICS } from "../../ssp/ssp-diagnostics.ts";
import type { SspPackage } from "../../ssp/write-ssp.ts";
import { decodeDescription } from "./description-text.ts";
import { extractArchive } from "./extract-archive.ts";
import { type FileIdentity, withFileSource } from "./file-source.ts";
import { writeWholeFile } from "./whole-file.ts";

export interface LoadSspOptions {
  /**
   * Folder for the content of a package; created, and left to the caller to remove. Not needed for
   * a .ssd.
   */
  readonly target: string;
  /** File or name of another SSD at the root of the package. */
  readonly variant?: string;
  readonly limits?: Partial<ArchiveLimits>;
  /** Told what a package is about to take on the disk. */
  readonly onUnpack?: (size: { readonly bytes: number; readonly entries: number }) => void;
  /** Told of the files beside a .ssd that are read with it. */
  readonly onRead?: (file: string) => void;
}

/**
 * Loads `path` (.ssd, .ssp, or .ssp#Variant.ssd).
 * @returns the draft; its files lie where they can be opened: beside the .ssd, or below `target`.
 */
export async function loadSspFile(
  path: string,
  options: LoadSspOptions,
): Promise<Checked<ScenarioDraft>> {
  const [file, fragment] = existsSync(path) ? [path] : (path.split("#", 2) as [string, string?]);
  if (extname(file).toLowerCase() === ".ssd")
    return parseIn(
      dirname(file),
      relative(dirname(file), file),
      dirname(file),
      false,
      options.onRead,
    );
  const listed = listPackage(file, options.limits);
  if (listed.value === undefined) return { diagnostics: listed.diagnostics };
  const { identity, entries } = listed.value;
  const names = entries.filter((entry) => !entry.folder).map((entry) => entry.name);
  const structure = structureOf(names);
  if (structure === undefined) {
    const elsewhere = names.find((name) => name.endsWith(`/${DEFAULT_STRUCTURE}`));
    const place = { file };
    const missing = diagnose(SSP_DIAGNOSTICS, "ssp-no-structure", { elsewhere }, place);
    return { diagnostics: [...listed.diagnostics, missing] };
  }
  const target = resolve(options.target);
  options.onUnpack?.({
    bytes: entries.reduce((sum, entry) => sum + entry.size, 0),
    entries: entries.length,
  });
  const extracted = await extractArchive({ archive: file, identity, entries, target });
  if (extracted.value === undefined)
    return { diagnostics: [...listed.diagnostics, ...extracted.diagnostics] };
  const chosen = chooseVariant(target, file, options.variant ?? fragment, structure);
  if (chosen.value === undefined) return { diagnostics: chosen.diagnostics };
  const parsed = parseIn(target, chosen.value, file, true);
  const place = { file };
  const renamed =
    structure === DEFAULT_STRUCTURE
      ? []
      : [diagnose(SSP_DIAGNOSTICS, "ssp-structure-name", { name: structure }, place)];
  return { ...parsed, diagnostics: [...listed.diagnostics, ...renamed, ...parsed.diagnostics] };
}

/**
 * Of the files of a package the system structure; one of another name where it is the only one that
 * can be meant.
 */
function structureOf(names: readonly string[]): string | undefined {
  if (names.includes(DEFAULT_STRUCTURE)) return DEFAULT_STRUCTURE;
  const atRoot = names.filter((name) => !name.includes("/") && /\.ssd$/i.test(name));
  const wanted = DEFAULT_STRUCTURE.toLowerCase();
  return (
    atRoot.find((name) => name.toLowerCase() === wanted) ??
    (atRoot.length === 1 ? atRoot[0] : undefined)
  );
}

function listPackage(
  file: string,
  limits: Partial<ArchiveLimits> | undefined,
): Checked<{ identity: FileIdentity; entries: readonly ArchiveEntry[] }> {
  return withFileSource(file, undefined, (source, identity) => {
    const listed = listArchive(source, file, limits);
    if (listed.value === undefined) return { diagnostics: listed.diagnostics };
    const { entries, diagnostics } = rootedEntries(listed.value.entries, DEFAULT_STRUCTURE, file);
    return { value: { identity, entries }, diagnostics: [...listed.diagnostics, ...diagnostics] };
  });
}

function chooseVariant(
  folder: string,
  file: string,
  wanted: string | undefined,
  structure: string,
): Checked<string> {
  if (wanted === undefined) return { value: structure, diagnostics: [] };
  const variants = readdirSync(folder)
    .filter((name) => name.endsWith(".ssd"))
    .sort();
  const found =
    variants.find((name) => name === wanted) ??
    variants.find((name) => ssdName(readFileSync(join(folder, name), "utf8")) === wanted);
  if (found !== undefined) return { value: found, diagnostics: [] };
  const params = { variant: wanted, variants: variants.join(", ") };
  return { diagnostics: [diagnose(SSP_DIAGNOSTICS, "ssp-unknown-variant", params, { file })] };
}

/** Parses the SSD `name` in `folder`; people see `shown` instead of the folder. */
function parseIn(
  folder: string,
  name: string,
  shown: string,
  packed: boolean,
  onRead?: (file: string) => void,
): Checked<ScenarioDraft> {
  const refused: Diagnostic[] = [];
  const noticed: Diagnostic[] = [];
  const decoded = (file: string, known: string): string => {
    const { text, diagnostics } = decodeDescription(readFileSync(file), known);
    noticed.push(...diagnostics);
    return text;
  };
  const texts = (path: string): string | undefined => {
    const file = join(folder, path);
    try {
      const stat = statSync(file);
      if (!stat.isFile()) return undefined;
      onRead?.(file);
      const excess = textTooLarge(path, stat.size, `${shown}/${path}`);
      if (excess !== undefined) refused.push(excess);
      return excess === undefined ? decoded(file, `${shown}/${path}`) : undefined;
    } catch (error) {
      // Not there, not readable, or no name that a file can have.
      if (typeof (error as NodeJS.ErrnoException).code === "string") return undefined;
      throw error;
    }
  };
  const path = join(folder, name);
  const excess = textTooLarge(name, statSync(path).size, `${shown}/${name}`);
  if (excess !== undefined) return { diagnostics: [excess] };
  const text = decoded(path, `${shown}/${name}`);
  const parsed = parseSsd(text, `${shown}/${name}`, texts, { packed });
  const diagnostics = [...refused, ...noticed, ...parsed.diagnostics];
  if (parsed.value === undefined || refused.length > 0) return { diagnostics };
  return { value: relocated(parsed.value, `${shown}/`, `${folder}/`), diagnostics };
}

/** The draft with its files where they really lie; places stay as people know them. */
function relocated(draft: ScenarioDraft, from: string, to: string): ScenarioDraft {
  return {
    ...draft,
    file: draft.file.startsWith(from) ? `${to}${draft.file.slice(from.length)}` : draft.file,
    shownAs: draft.file,
    units: draft.units.map((unit) =>
      unit.source.kind === "scenario"
        ? {
            ...unit,
            source: { ...unit.source, scenario: relocated(unit.source.scenario, from, to) },
          }
        : unit,
    ),
  };
}

/**
 * Writes a package to `path`; files that it copies are taken relative to `base`, unpacked FMUs are
 * packed.
 * @throws what the disk throws when a file cannot be read or written.
 */
export function saveSspFile(path: string, content: SspPackage, base: string): void {
  const files = new Map<string, Uint8Array>();
  for (const [name, file] of content.files) {
    if (typeof file === "string") files.set(name, Buffer.from(file, "utf8"));
    else {
      const source = resolve(base, file.copyOf);
      files.set(name, statSync(source).isDirectory() ? packFolder(source) : readFileSync(source));
    }
  }
  writeWholeFile(path, packZip(files));
}

function packFolder(folder: string): Uint8Array {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => relative(folder, join(item.parentPath, item.name)).split(sep).join("/"))
    .sort();
  return packZip(new Map(names.map((name) => [name, readFileSync(join(folder, name))])));
}
