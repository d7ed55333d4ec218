/**
 * Rewrites a text as the formatter of its language does: `cosimo format`, and `cosimo adapt
 * --format`.
 */

import type { Checked } from "../base/diagnostic.ts";
import { DISK_TEXTS } from "../host/sources/files.ts";
import { languageOf, TEXT_LANGUAGES } from "../lang/languages.ts";
import { writeWholeFile } from "../platform/node/whole-file.ts";
import { type ExitCode, UsageError } from "./command.ts";
import { printFindings } from "./findings.ts";
import { print } from "./terminal.ts";

export interface FormatOptions {
  /** Writes nothing: says whether something would change. */
  readonly checkOnly: boolean;
  /** What to call to have it formatted. */
  readonly command: string;
}

/** @param text of the file, or why there is none. */
export function formatFile(
  path: string,
  text: Checked<string>,
  { checkOnly, command }: FormatOptions,
): ExitCode {
  const format = languageOf(path)?.format;
  if (format === undefined) {
    const endings = Object.entries(TEXT_LANGUAGES).flatMap(([ending, language]) =>
      language.format === undefined ? [] : [`.${ending}`],
    );
    throw new UsageError(`'${path}' has no formatter`, `formatted are ${endings.join(", ")}`);
  }
  const formatted = text.value === undefined ? text : format(text.value, path, DISK_TEXTS);
  printFindings(formatted.diagnostics);
  if (formatted.value === undefined) return 1;
  if (formatted.value === text.value) {
    print(`${path}: it is formatted`);
    return 0;
  }
  if (checkOnly) {
    print(`${path}: it is not formatted\n  fix: ${command}`);
    return 1;
  }
  writeWholeFile(path, formatted.value);
  print(`${path}: formatted`);
  return 0;
}
