/**
 * Which modules may be run. A unit written in JavaScript is a program with all rights of the user,
 * and the only way to learn its ports is to run it. So a module is run only where the user has said
 * so: for one command (`--trust`), or for folders of their own (`cosimo trust <folder>`,
 * COSIMO_TRUST). What is inside a package (.ssp) came with it from elsewhere and belongs to no
 * folder.
 */

import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, relative, resolve, sep } from "node:path";
import {
  type Diagnostic,
  DiagnosticsError,
  diagnose,
  type Place,
  type RulesFor,
} from "../base/diagnostic.ts";
import { writeWholeFile } from "../platform/node/whole-file.ts";
import { STANDARD_INPUT } from "./standard-input.ts";

export interface Trust {
  /** Everything, packages included. */
  readonly all: boolean;
  readonly folders: readonly string[];
}

export const TRUST_ALL: Trust = { all: true, folders: [] };
export const TRUST_NOBODY: Trust = { all: false, folders: [] };

/** What programs may say: everything, nothing (the default), or what lies in some folders. */
export type TrustOption = boolean | readonly string[];

export function trustOf(option: TrustOption = false): Trust {
  return typeof option === "boolean"
    ? { all: option, folders: [] }
    : { all: false, folders: option };
}

/**
 * Why the module `path`, named by `unit`, is not run; undefined where it may be. The module and the
 * file that names it must both be trusted: otherwise a file from elsewhere could choose which of
 * the user's own programs is run.
 * @param unpacked where packages are unpacked: their content is not the user's, whatever folder
 * that is in.
 */
export function notTrusted(
  trust: Trust,
  path: string,
  { name, place }: { readonly name: string; readonly place: Place },
  unpacked?: string,
): Diagnostic | undefined {
  // What is not there cannot be run, and the attempt says so.
  if (trust.all || realPath(path) === undefined) return undefined;
  const roots = trust.folders.map(realPath).filter((root) => root !== undefined);
  const packages = unpacked === undefined ? undefined : realPath(unpacked);
  const isPacked = (file: string): boolean => packages !== undefined && isInside(file, packages);
  const outside = [path, place.file].find((file) => {
    const real = realPath(file);
    return real === undefined || isPacked(real) || !roots.some((root) => isInside(real, root));
  });
  if (outside === undefined) return undefined;
  const real = realPath(outside);
  if (basename(outside) === STANDARD_INPUT)
    return diagnose(
      TRUST_DIAGNOSTICS,
      "module-not-trusted",
      { unit: name, module: path, isPiped: true },
      place,
    );
  const inPackage = real === undefined || isPacked(real);
  const params = inPackage
    ? { unit: name, module: basename(path) }
    : { unit: name, module: path, folder: dirname(real) };
  return diagnose(TRUST_DIAGNOSTICS, "module-not-trusted", params, place);
}

/** Links are followed: a link in a trusted folder makes nothing else trusted. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}

// ---- the user's settings ------------------------------------------------------------------------

interface TrustParams {
  /** No folder: it is part of a package, or the scenario that names it came on standard input. */
  "module-not-trusted": { unit: string; module: string; folder?: string; isPiped?: true };
  "trust-settings-broken": { reason: string };
}

export const TRUST_DIAGNOSTICS: RulesFor<TrustParams> = {
  "module-not-trusted": {
    severity: "error",
    rule: "A module is run, also to learn its ports, only where the user trusts the folder or gives --trust.",
    text: (p) =>
      p.isPiped
        ? {
            message: `unit '${p.unit}': the module ${p.module} is not run: it is a program that may do anything, and the scenario on standard input lies in no trusted folder`,
            fix: "read both; if you trust them, repeat the command with --trust",
          }
        : p.folder === undefined
          ? {
              message: `unit '${p.unit}': the module '${p.module}' came with a package and is not run: it is a program that may do anything`,
              fix: "read it; if you trust it, repeat the command with --trust (in a program: { trust: true })",
            }
          : {
              message: `unit '${p.unit}': the module ${p.module} is not run: it is a program that may do anything, and ${p.folder} is not trusted`,
              fix: `read it; if you trust it, repeat the command with --trust, or write 'cosimo trust ${p.folder}' once (in a program: { trust: true })`,
            },
  },
  "trust-settings-broken": {
    severity: "error",
    rule: "The list of trusted folders can be read.",
    text: (p) => ({
      message: `cannot read the list of trusted folders: ${p.reason}`,
      fix: 'write { "folders": ["/absolute/path"] }, or remove the file and use \'cosimo trust <folder>\'',
    }),
  },
};

/** Where `cosimo trust` keeps its list. */
export function trustFile(): string {
  const own = process.env["XDG_CONFIG_HOME"] || process.env["APPDATA"];
  return join(own || join(homedir(), ".config"), "cosimo", "trusted.json");
}

/**
 * Folders that the user trusts for good.
 * @throws DiagnosticsError where the list is not what `cosimo trust` writes.
 */
export function trustedFolders(file: string = trustFile()): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw broken(file, message);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw broken(file, (error as Error).message);
  }
  const { folders } = (content ?? {}) as { folders?: unknown };
  if (Array.isArray(folders) && folders.every((one) => typeof one === "string")) return folders;
  throw broken(file, "it has no list of texts 'folders'");
}

function broken(file: string, reason: string): DiagnosticsError {
  return new DiagnosticsError([
    diagnose(TRUST_DIAGNOSTICS, "trust-settings-broken", { reason }, { file }),
  ]);
}

/** Replaces the list, as a whole or not at all. */
export function saveTrustedFolders(folders: readonly string[], file: string = trustFile()): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWholeFile(file, `${JSON.stringify({ folders }, undefined, 2)}\n`, { mode: 0o600 });
}

/**
 * What a command may run: all that it is given with `--trust`, else what lies in the folders of
 * `cosimo trust` and of COSIMO_TRUST (separated as in PATH).
 */
export function userTrust(all: boolean): Trust {
  if (all) return TRUST_ALL;
  const listed = (process.env["COSIMO_TRUST"] ?? "").split(delimiter).filter((one) => one !== "");
  return { all: false, folders: [...trustedFolders(), ...listed.map((one) => resolve(one))] };
}
