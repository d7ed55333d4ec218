/**
 * What a file imports: another `.sa` file by its path, or the one of the same folder that is called
 * like the module or says `module Name`. Files are read through what the caller gives, so editors
 * see what is not saved yet.
 */
import { type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import type { TextFiles } from "../text/editor-language.ts";
import { reportDialect } from "./dialect/diagnostics.ts";
import type { SaImport } from "./dialect/draft.ts";
import type { Imported, SaFile } from "./dialect/link.ts";
import { type FindImport, parseSaFile } from "./parse-sa.ts";

/** Files that import each other in a chain; a hostile one has no end. */
const MOST_DEEP = 20;
/** Files of a folder that are searched for a module. */
const MOST_FILES = 500;

/** @param file that imports; paths are relative to its folder. */
export function importsFrom(files: TextFiles, file: string): FindImport {
  const finder = new ImportFinder(files);
  return (one, report) => finder.find(one, file, [file], report);
}

class ImportFinder {
  private readonly files: TextFiles;
  /** Undefined: it has been reported that it cannot be read. */
  private readonly known = new Map<string, SaFile | undefined>();

  constructor(files: TextFiles) {
    this.files = files;
  }

  find(
    one: SaImport,
    from: string,
    chain: readonly string[],
    report: (diagnostic: Diagnostic) => void,
  ): Imported | undefined {
    const what = one.path ?? one.name ?? "";
    const refuse = (why: string, fix: string): undefined =>
      void report(reportDialect("sa-import", { what, why, fix }, one.place));
    const folder = folderOf(from);
    const relative = one.path ?? this.moduleFile(folder, one.name ?? "");
    if (relative === undefined)
      return refuse(
        "no file of this folder is called so, and none says that it is this module",
        `name the file: import "./${one.name}.sa"`,
      );
    const path = joined(folder, relative);
    if (chain.some((around) => isSame(around, path)))
      return refuse(
        `files import each other: ${[...chain, path].map(lastPart).join(" → ")}`,
        "move what both need into a file of its own",
      );
    if (chain.length >= MOST_DEEP)
      return refuse(
        `more than ${MOST_DEEP} files import each other in a chain`,
        "import it directly",
      );
    const file = this.read(path, chain, refuse, report);
    return file && { file, path: relative.replace(/^\.\//, "") };
  }

  private read(
    path: string,
    chain: readonly string[],
    refuse: (why: string, fix: string) => undefined,
    report: (diagnostic: Diagnostic) => void,
  ): SaFile | undefined {
    if (this.known.has(path)) return this.known.get(path);
    const text = this.text(path);
    if (text === undefined) return refuse("there is no such file", "correct its name");
    const { value, diagnostics } = parseSaFile(text, path, (one, inner) =>
      this.find(one, path, [...chain, path], inner),
    );
    for (const one of diagnostics) if (one.severity === "error") report(one);
    const file = hasErrors(diagnostics) ? undefined : value;
    this.known.set(path, file);
    return file;
  }

  private text(path: string): string | undefined {
    try {
      return this.files.exists(path) ? this.files.text(path) : undefined;
    } catch {
      // It is a folder, or must not be read: as good as absent.
      return undefined;
    }
  }

  private moduleFile(folder: string, module: string): string | undefined {
    const named = `${module}.sa`;
    if (this.files.exists(joined(folder, named))) return named;
    const says = new RegExp(`\\bmodule\\s+'?${escaped(module)}'?(?![\\w'])`);
    const all = (this.files.list?.(folder === "" ? "." : folder) ?? [])
      .filter((one) => /\.sa$/i.test(one))
      .slice(0, MOST_FILES);
    return all.find((one) => says.test(this.text(joined(folder, one)) ?? ""));
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** With its last separator; empty where there is none. */
function folderOf(path: string): string {
  return path.slice(0, path.length - lastPart(path).length);
}

function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

function joined(folder: string, path: string): string {
  return /^([/\\]|[A-Za-z]:)/.test(path) ? path : `${folder}${path.replace(/^\.\//, "")}`;
}

function isSame(a: string, b: string): boolean {
  return plain(a) === plain(b);
}

/** Without `.` and `..`, as far as they can be resolved. */
function plain(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[/\\]/)) {
    if (part === "..") {
      if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
      else parts.push(part);
    } else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
