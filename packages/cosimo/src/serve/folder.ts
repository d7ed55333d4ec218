/**
 * The folder that the studio works on: nothing outside of it is listed, read or written, whatever a
 * request says and wherever links in it lead.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileKind } from "../model/source-kind.ts";
import { writeWholeFile } from "../platform/node/whole-file.ts";
import { RequestRefused } from "./problem.ts";
import type { FileEntry, FileKind, FileTree, SavedFile } from "./protocol.ts";

/** More than a person looks through. */
const MAX_FILES = 20_000;
const MAX_DEPTH = 24;
/** What a person does not want to see, and what would take long to list. */
const HIDDEN = /^(?:\..*|node_modules|__pycache__)$/;

export class StudioFolder {
  /** Absolute, without links. */
  readonly root: string;

  constructor(folder: string) {
    this.root = realpathSync(folder);
  }

  /**
   * The absolute path of a file in the folder, which need not exist.
   * @throws RequestRefused where it would be outside.
   */
  resolve(path: string): string {
    const isForeign =
      path.includes("\0") ||
      path.includes("\\") ||
      isAbsolute(path) ||
      /^[a-z]:/i.test(path) ||
      path.split("/").includes("..");
    if (isForeign) throw new RequestRefused("path-outside", path.replaceAll("\0", "␀"));
    const absolute = resolve(this.root, path);
    if (!this.holds(realOf(absolute))) throw new RequestRefused("path-outside", path);
    return absolute;
  }

  /** A file that is there. @throws RequestRefused where it is not. */
  existing(path: string): string {
    const absolute = this.resolve(path);
    if (!existsSync(absolute)) throw new RequestRefused("file-missing", path);
    return absolute;
  }

  private holds(real: string): boolean {
    return (
      real === this.root || real.startsWith(this.root.endsWith(sep) ? this.root : this.root + sep)
    );
  }

  /** A path as the page knows it; one outside of the folder by its way from it. */
  shown(absolute: string): string {
    if (!isAbsolute(absolute)) return absolute;
    return relative(this.root, absolute).split(sep).join("/");
  }

  tree(): FileTree {
    let left = MAX_FILES;
    const list = (folder: string, depth: number): FileEntry[] => {
      const entries: FileEntry[] = [];
      for (const name of namesIn(folder)) {
        if (HIDDEN.test(name)) continue;
        const absolute = join(folder, name);
        // Links that lead out, and those that lead nowhere, are not there.
        const stats = statSync(absolute, { throwIfNoEntry: false });
        if (stats === undefined || !this.holds(realOf(absolute))) continue;
        if (--left < 0) break;
        const path = this.shown(absolute);
        if (stats.isDirectory()) {
          const isFmu = existsSync(join(absolute, "modelDescription.xml"));
          if (isFmu) entries.push({ path, kind: "fmu" });
          else if (depth < MAX_DEPTH)
            entries.push({ path, kind: "folder", files: list(absolute, depth + 1) });
        } else if (stats.isFile())
          entries.push({
            path,
            kind: kindOf(absolute),
            bytes: stats.size,
            changed: Math.round(stats.mtimeMs),
          });
      }
      const isFolder = ({ kind }: FileEntry): number => (kind === "folder" ? 0 : 1);
      return entries.sort((a, b) => isFolder(a) - isFolder(b) || (a.path < b.path ? -1 : 1));
    };
    const files = list(this.root, 0);
    return { name: basename(this.root), files, ...(left < 0 ? { isCut: true as const } : {}) };
  }

  read(path: string): { readonly bytes: Buffer; readonly etag: string } {
    const absolute = this.existing(path);
    if (!statSync(absolute).isFile()) throw new RequestRefused("file-missing", path);
    const bytes = readFileSync(absolute);
    return { bytes, etag: etagOf(bytes) };
  }

  /** @param expected the ETag that it replaces; "*": there must be no such file. */
  write(path: string, bytes: Uint8Array, expected: string): SavedFile {
    const absolute = this.resolve(path);
    if (absolute === this.root) throw new RequestRefused("path-outside", path);
    const stats = statSync(absolute, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isFile())
      throw new RequestRefused("request-wrong", `'${path}' is not a file`);
    const now = stats === undefined ? undefined : etagOf(readFileSync(absolute));
    if (expected === "*" ? now !== undefined : now !== expected)
      throw new RequestRefused("file-changed", path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeWholeFile(absolute, bytes);
    return { path, etag: etagOf(bytes) };
  }

  remove(path: string, expected: string): void {
    const absolute = this.existing(path);
    if (!statSync(absolute).isFile())
      throw new RequestRefused("request-wrong", `'${path}' is not a file`);
    if (etagOf(readFileSync(absolute)) !== expected) throw new RequestRefused("file-changed", path);
    rmSync(absolute);
  }
}

export function etagOf(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;
}

/** Where a path really leads: of one that does not exist, where its folder does. */
function realOf(absolute: string): string {
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realOf(parent), basename(absolute));
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const KINDS: readonly (readonly [RegExp, FileKind])[] = [
  [/\.layout\.json$/i, "other"],
  [/\.machine\.ya?ml$/i, "machine"],
  [/\.study\.ya?ml$/i, "study"],
  [/\.(?:mci|mbi)$/i, "interface"],
  [/\.mcl$/i, "specification"],
  [/\.hint$/i, "hint"],
  [/\.ss[pd]$/i, "package"],
  [/\.(?:csv|parquet)$/i, "trace"],
];

/** YAML is for many things: a scenario has units or connections. */
const SCENARIO = /^(?:units|connections)[ \t]*:/m;
/** What is empty will be a scenario: that is what is made here. */
const NOTHING = /^\uFEFF?(?:\s|#.*)*$/;
/** A study names its scenario, and what varies in it or what is wanted. */
const STUDY = [
  /^scenario[ \t]*:/m,
  /^(?:factors|design|minimize|maximize|calibrate|keep)[ \t]*:/m,
] as const;
const MAX_LOOKED_AT = 1 << 20;

function kindOf(absolute: string): FileKind {
  const name = basename(absolute);
  const known = KINDS.find(([pattern]) => pattern.test(name))?.[1];
  if (known !== undefined) return known;
  switch (fileKind(name)) {
    case "fmu":
      return "fmu";
    case "adaptation":
      return "adaptation";
    case "module":
      return "module";
    case "scenario-file":
      return yamlKind(absolute);
    default:
      return "other";
  }
}

function yamlKind(absolute: string): FileKind {
  try {
    if (statSync(absolute).size > MAX_LOOKED_AT) return "other";
    const text = readFileSync(absolute, "utf8");
    if (SCENARIO.test(text) || NOTHING.test(text)) return "scenario";
    return STUDY.every((key) => key.test(text)) ? "study" : "other";
  } catch {
    return "other";
  }
}
