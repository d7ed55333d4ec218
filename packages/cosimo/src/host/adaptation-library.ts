/**
 * The adaptations that come with Cosimo, and what `adapt: …` means: a name of one of them, or the
 * path of one's own.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fileKind } from "../model/source-kind.ts";

/** Beside `src` and `dist`. Without `new URL(…)`, which bundlers like to rewrite. */
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "adaptations");
const ENDING = ".sa";

/**
 * Names in the order of the alphabet; none where Cosimo is packed into something without its
 * library.
 */
export function libraryNames(): string[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/**
 * @param file the scenario that applies it: paths are relative to its folder.
 * @returns undefined where there is no adaptation of this name; a path may lead nowhere.
 */
export function adaptationPath(name: string, file: string): string | undefined {
  if (fileKind(name) === "adaptation") return resolve(dirname(file), name);
  return libraryNames().includes(name) ? join(FOLDER, `${name}${ENDING}`) : undefined;
}

/** Of a file of the library: its name, which says all where versions are equal. */
export function libraryName(path: string): string | undefined {
  return dirname(path) === FOLDER ? basename(path, ENDING) : undefined;
}

/** The first sentence of an adaptation's text, which says what it cures. */
export function librarySummary(name: string): string {
  const comment = leadingComment(readFileSync(join(FOLDER, `${name}${ENDING}`), "utf8"));
  const words = comment.join(" ");
  return /^.*?[.](?= |$)/.exec(words)?.[0] ?? words;
}

/** What the author says before the adaptation begins, line by line. */
export function leadingComment(text: string): string[] {
  const lines = /^(?:\/\/[^\n]*\n)*/.exec(text)![0].split("\n").slice(0, -1);
  return lines.map((line) => line.replace(/^\/\/ ?/, "").trimEnd());
}
