/**
 * Which files a scenario is made of: everything that was read for it, whatever names it. Who keeps
 * results has to know when one of them changes, and who runs the scenario elsewhere has to send
 * them.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Files } from "./files.ts";

/** Imports of a module, as far as they are written out. */
const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".json", "/index.js", "/index.mjs"];
const PIECE_BYTES = 1 << 20;

export class RecordedFiles {
  /** Reads as those that were given, and notes what is read. */
  readonly files: Files;
  /** Modules among them: nobody knows all that a program reads. */
  readonly modules: Set<string> = new Set();
  private readonly paths = new Set<string>();
  /** What lies below came out of a package that was recorded. */
  private readonly unpacked: string;

  constructor(files: Files, unpacked: string) {
    this.unpacked = resolve(unpacked) + sep;
    this.files = {
      ...files,
      text: (path) => {
        this.add(path);
        return files.text(path);
      },
      fmu: (path) => {
        const opened = files.fmu(path);
        this.addUnit(path, opened.value?.packed === false ? opened.value.contents.files : []);
        return opened;
      },
      module: (path) => {
        this.addModule(resolve(path));
        return files.module(path);
      },
      package: (path, options) => {
        this.add(isFile(path) ? path : (path.split("#", 1)[0] ?? path));
        return files.package(path, { ...options, onRead: (file) => this.add(file) });
      },
    };
  }

  /** Absolute, in the order of the alphabet. */
  list(): string[] {
    return [...this.paths].filter(isFile).sort();
  }

  add(path: string): void {
    const file = resolve(path);
    if (!file.startsWith(this.unpacked)) this.paths.add(file);
  }

  /** @param inside files of a folder. */
  private addUnit(path: string, inside: readonly string[]): void {
    this.add(path);
    for (const name of inside) this.add(join(path, name));
  }

  private addModule(path: string): void {
    this.modules.add(path);
    this.addImports(path, new Set());
  }

  private addImports(path: string, seen: Set<string>): void {
    if (seen.has(path)) return;
    seen.add(path);
    this.add(path);
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch {
      // Loading it reports what is wrong.
      return;
    }
    for (const [, wanted = ""] of text.matchAll(IMPORT)) {
      const found = ENDINGS.map((end) => resolve(dirname(path), wanted + end)).find(isFile);
      if (found !== undefined) this.addImports(found, seen);
    }
  }
}

/** SHA-256 of what it holds, hexadecimal. */
export function fileDigest(path: string): string {
  const hash = createHash("sha256");
  const piece = Buffer.alloc(PIECE_BYTES);
  const file = openSync(path, "r");
  try {
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece))
      hash.update(piece.subarray(0, length));
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

/** A path as one that holds wherever the folder lies. */
export function pathFrom(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/");
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
