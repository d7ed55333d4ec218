/**
 * Opening an FMU from disk, packed or unpacked: the one way in for every command.
 *
 * Nothing is written while opening. An archive is checked as a whole first (fmi/archive.ts), then
 * its description is read in memory; only `extract` writes, and only below the folder it is given.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import type { Checked, Diagnostic } from "../../base/diagnostic.ts";
import { errorText } from "../../base/error-text.ts";
import {
  type ArchiveEntry,
  type ArchiveLimits,
  listArchive,
  readEntry,
} from "../../fmi/archive.ts";
import { contentsOf, type FmuContents } from "../../fmi/archive-contents.ts";
import { archiveDiagnostic, textTooLarge } from "../../fmi/archive-diagnostics.ts";
import { rootedEntries } from "../../fmi/archive-root.ts";
import type { FmuDescription } from "../../fmi/description.ts";
import { parseModelDescription } from "../../fmi/parse-description.ts";
import { decodeDescription } from "./description-text.ts";
import { extractArchive } from "./extract-archive.ts";
import { type FileIdentity, NODE_CODEC, withFileSource } from "./file-source.ts";
import { keepSymbols, sharesSymbols } from "./own-symbols.ts";

export interface FmuFile {
  /** As the user gave it. */
  readonly path: string;
  readonly packed: boolean;
  readonly contents: FmuContents;
  /** What places of the description's diagnostics name as their file. */
  readonly descriptionFile: string;
  readonly descriptionText: string;
  readonly description: FmuDescription;
  /** The bytes of one of `contents.files`. */
  read(name: string): Checked<Uint8Array>;
  /**
   * One of `contents.files` as text; undefined when it cannot be read. What `validateFiles` wants
   * for its `read`.
   */
  readText(name: string): string | undefined;
  /**
   * Makes the FMU's files available in a folder and returns that folder: `target` for an archive,
   * the FMU's own folder (nothing is written) for an unpacked one. Linux libraries there share no
   * symbols with others (fmi/unique-symbols.ts); an unpacked FMU with libraries that would is
   * copied to `target`, because its files are the user's.
   */
  extract(target: string): Promise<Checked<string>>;
}

export interface OpenFmuOptions {
  readonly limits?: Partial<ArchiveLimits>;
}

const DESCRIPTION = "modelDescription.xml";

/**
 * Opens the `.fmu` file or unpacked FMU folder at `path`.
 * @returns the FMU and everything noticed so far; no value if the archive is refused or has no
 * readable description.
 */
export function openFmuFile(path: string, options: OpenFmuOptions = {}): Checked<FmuFile> {
  try {
    const storage = statSync(path).isDirectory()
      ? openFolder(path)
      : openArchive(path, options.limits);
    const { value, diagnostics } = storage;
    return value === undefined ? { diagnostics } : describe(path, value, diagnostics);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { diagnostics: [unreadable(path, error)] };
  }
}

/** Where an FMU's files come from. */
interface Storage {
  readonly packed: boolean;
  readonly files: readonly string[];
  read(name: string): Checked<Uint8Array>;
  /** Bytes of one of `files`. */
  sizeOf(name: string): number;
  extract(target: string): Promise<Checked<string>>;
}

function describe(
  path: string,
  storage: Storage,
  noticed: readonly Diagnostic[],
): Checked<FmuFile> {
  if (!storage.files.includes(DESCRIPTION)) {
    const elsewhere = storage.files.find((name) =>
      name.toLowerCase().endsWith(DESCRIPTION.toLowerCase()),
    );
    const params = elsewhere === undefined ? {} : { elsewhere };
    const missing = archiveDiagnostic("archive-no-description", params, { file: path });
    return { diagnostics: [...noticed, missing] };
  }
  const excess = textTooLarge(DESCRIPTION, storage.sizeOf(DESCRIPTION), path);
  if (excess !== undefined) return { diagnostics: [...noticed, excess] };
  const bytes = storage.read(DESCRIPTION);
  if (bytes.value === undefined) return { diagnostics: [...noticed, ...bytes.diagnostics] };
  const descriptionFile = `${path}/${DESCRIPTION}`;
  const decoded = decodeDescription(bytes.value, descriptionFile);
  const parsed = parseModelDescription(decoded.text, descriptionFile);
  const diagnostics = [...noticed, ...decoded.diagnostics, ...parsed.diagnostics];
  if (parsed.value === undefined) return { diagnostics };
  const value: FmuFile = {
    path,
    packed: storage.packed,
    contents: contentsOf(storage.files),
    descriptionFile,
    descriptionText: decoded.text,
    description: parsed.value,
    read: storage.read,
    readText(name) {
      const isKnown = storage.files.includes(name);
      if (!isKnown || textTooLarge(name, storage.sizeOf(name), path)) return undefined;
      const { value: content } = storage.read(name);
      return content === undefined ? undefined : new TextDecoder().decode(content);
    },
    extract: storage.extract,
  };
  return { value, diagnostics };
}

function openArchive(path: string, limits: Partial<ArchiveLimits> | undefined): Checked<Storage> {
  return withFileSource(path, undefined, (source, identity) => {
    const listed = listArchive(source, path, limits);
    if (listed.value === undefined) return { diagnostics: listed.diagnostics };
    const { entries, diagnostics } = rootedEntries(listed.value.entries, DESCRIPTION, path);
    const value = archiveStorage(path, identity, entries);
    return { value, diagnostics: [...listed.diagnostics, ...diagnostics] };
  });
}

function archiveStorage(
  path: string,
  identity: FileIdentity,
  entries: readonly ArchiveEntry[],
): Storage {
  const files = new Map(entries.filter((e) => !e.folder).map((e) => [e.name, e] as const));
  return {
    packed: true,
    files: [...files.keys()],
    read(name) {
      const entry = files.get(name);
      if (entry === undefined) return { diagnostics: [noSuchFile(path, name)] };
      return guarded(path, () =>
        withFileSource(path, identity, (source) => readEntry(source, entry, path, NODE_CODEC)),
      );
    },
    sizeOf: (name) => files.get(name)?.size ?? 0,
    async extract(target) {
      const extracted = await extractArchive({ archive: path, identity, entries, target });
      const { value: folder } = extracted;
      if (folder === undefined) return extracted;
      return prepared(path, async () => {
        keepSymbols(folder, [...files.keys()]);
        return folder;
      });
    },
  };
}

function openFolder(path: string): Checked<Storage> {
  const root = resolve(path);
  const files = new Set(listFolder(root));
  const value: Storage = {
    packed: false,
    files: [...files],
    read(name) {
      if (!files.has(name)) return { diagnostics: [noSuchFile(path, name)] };
      return guarded(path, () => ({ value: readFileSync(join(root, name)), diagnostics: [] }));
    },
    sizeOf: (name) => statSync(join(root, name), { throwIfNoEntry: false })?.size ?? 0,
    async extract(target) {
      return prepared(path, async () => {
        if (!sharesSymbols(root, [...files])) return root;
        await cp(root, target, { recursive: true, dereference: true });
        keepSymbols(target, [...files]);
        return target;
      });
    },
  };
  return { value, diagnostics: [] };
}

async function prepared(file: string, work: () => Promise<string>): Promise<Checked<string>> {
  try {
    return { value: await work(), diagnostics: [] };
  } catch (error) {
    const reason = errorText(error);
    return { diagnostics: [archiveDiagnostic("archive-unpack-failed", { reason }, { file })] };
  }
}

/** All files below `root`. The folder is the user's own, so links to files count as files. */
function listFolder(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((item) => {
      if (!item.isSymbolicLink()) return item.isFile();
      return (
        statSync(join(item.parentPath, item.name), { throwIfNoEntry: false })?.isFile() ?? false
      );
    })
    .map((item) => relative(root, join(item.parentPath, item.name)).split(sep).join("/"));
}

function guarded<T>(path: string, work: () => Checked<T>): Checked<T> {
  try {
    return work();
  } catch (error) {
    return { diagnostics: [unreadable(path, error)] };
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function unreadable(path: string, error: unknown): Diagnostic {
  const code = (error as NodeJS.ErrnoException).code;
  const reason =
    code === "ENOENT"
      ? "there is no such file or folder"
      : code === "EACCES"
        ? "permission denied"
        : (error as Error).message;
  return archiveDiagnostic("archive-unreadable", { reason }, { file: path });
}

function noSuchFile(path: string, name: string): Diagnostic {
  return archiveDiagnostic(
    "archive-unreadable",
    { reason: `it has no file '${name}'` },
    { file: path },
  );
}
