/**
 * What all files of one import share: where their texts come from, how much may be read, and which
 * values nothing applies.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Parameter } from "./parameters.ts";
import { SspFile } from "./ssp-file-reader.ts";

/**
 * The text of a file by its path relative to the folder of the outermost SSD; undefined: there is
 * none.
 */
export type ResolveText = (path: string) => string | undefined;

export interface ReadOptions {
  /** The SSD lies in a package: sources must not lead out of it. */
  readonly packed?: boolean;
}

const MAX_ELEMENTS = 100_000;

/** What all files of one import share. */
export class ReadHost {
  readonly resolve: ResolveText;
  readonly packed: boolean;
  readonly files: SspFile[] = [];
  /**
   * By file and line: values of parameter sets, and whether a binding applies them. One set may
   * serve many bindings.
   */
  private readonly values = new Map<string, { file: SspFile; name: string; line: number }>();
  private readonly applied = new Set<string>();
  private members = 0;

  constructor(resolve: ResolveText, options: ReadOptions) {
    this.resolve = resolve;
    this.packed = options.packed ?? false;
  }

  open(file: string): SspFile {
    const opened = new SspFile(file);
    this.files.push(opened);
    return opened;
  }

  /**
   * Counts an element. Systems that instantiate each other can grow without bound from a small
   * file, so beyond a limit no more are read: false, and reported once.
   */
  admits(file: SspFile, line: number): boolean {
    this.members++;
    if (this.members === MAX_ELEMENTS + 1) {
      const what = "elements of systems, counting every instance";
      file.reporter.report("xml-limit", { what, limit: MAX_ELEMENTS }, line);
    }
    return this.members <= MAX_ELEMENTS;
  }

  /** Notes which values of a set a binding applies and which its mapping leaves out. */
  noteValue(file: SspFile, { name, place }: Parameter, isApplied: boolean): void {
    const line = place.line ?? 1;
    const key = `${file.file}:${line}:${name}`;
    if (isApplied) this.applied.add(key);
    else if (!this.values.has(key)) this.values.set(key, { file, name, line });
  }

  diagnostics(): readonly Diagnostic[] {
    for (const [key, { file, name, line }] of this.values) {
      if (this.applied.has(key)) continue;
      file.unused.add(`the value of '${name}'`, "no mapping of the set mentions it", line);
    }
    return this.files.flatMap((file) => file.finish());
  }
}
