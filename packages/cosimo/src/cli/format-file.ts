/**
 * Rewrites a text as the formatter of its language does: `cosimo format`, and `cosimo adapt --format`.
 */
import { writeFileSync } from "node:fs";
import type { Checked } from "../base/diagnostic.ts";
import { languageOf, TEXT_LANGUAGES } from "../lang/languages.ts";
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
  const language = languageOf(path);
  if (language === undefined) {
    const endings = Object.keys(TEXT_LANGUAGES).map((ending) => `.${ending}`);
    throw new UsageError(`'${path}' has no formatter`, `formatted are ${endings.join(", ")}`);
  }
  const formatted = text.value === undefined ? text : language.format(text.value, path);
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
  writeFileSync(path, formatted.value);
  print(`${path}: formatted`);
  return 0;
}
