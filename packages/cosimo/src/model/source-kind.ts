/**
 * What kind of unit a path names. One table for scenarios, adaptations and commands.
 */
import type { UnitSource } from "./scenario.ts";

export type FileKind = Extract<UnitSource, { readonly path: string }>["kind"];

const KINDS: Readonly<Record<string, FileKind>> = {
  fmu: "fmu",
  js: "module",
  mjs: "module",
  ts: "module",
  mts: "module",
  sa: "adaptation",
  yaml: "scenario-file",
  yml: "scenario-file",
  mcl: "scenario-file",
  ssp: "scenario-file",
  ssd: "scenario-file",
};

/** Endings of files that can be units. */
export const UNIT_ENDINGS: readonly string[] = Object.keys(KINDS).map((ending) => `.${ending}`);

/** Endings of two parts, where the last one alone means something else. */
const LONG_ENDINGS: readonly (readonly [RegExp, FileKind])[] = [[/\.machine\.ya?ml$/i, "machine"]];

/** A folder may be an unpacked FMU, but its name does not say so. */
export function fileKind(path: string): FileKind | undefined {
  const long = LONG_ENDINGS.find(([ending]) => ending.test(path));
  if (long !== undefined) return long[1];
  // A variant of a package is named behind a hash: system.ssp#Winter.ssd.
  const file = /^.*\.ss[pd](?=#)/i.exec(path)?.[0] ?? path;
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(KINDS, ending) ? KINDS[ending] : undefined;
}

export function sourceAt(path: string): UnitSource | undefined {
  const kind = fileKind(path);
  return kind && { kind, path };
}
