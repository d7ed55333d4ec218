/**
 * Where sources are read from: the disk, or an editor that knows better. Everything that reads a
 * file for a scenario or an adaptation goes through here.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Checked, Diagnostic } from "../../base/diagnostic.ts";
import type { TextFiles } from "../../lang/text/editor-language.ts";
import type { ScenarioDraft } from "../../model/scenario.ts";
import { type FmuFile, openFmuFile } from "../../platform/node/fmu-file.ts";
import { loadModule } from "../../platform/node/load-module.ts";
import type { LoadSspOptions } from "../../platform/node/ssp-file.ts";
import { standardInput } from "../standard-input.ts";
import { notTrusted, type Trust } from "../trust.ts";
import type { NamedUnit } from "./source.ts";

export interface Files extends TextFiles {
  fmu(path: string): Checked<FmuFile>;
  /**
   * Why the module that `unit` names must not be run; undefined where it may be. `unpacked`: where
   * packages lie.
   */
  notTrusted(path: string, unit: NamedUnit, unpacked: string): Diagnostic | undefined;
  module(path: string): Promise<Readonly<Record<string, unknown>>>;
  package(path: string, options: LoadSspOptions): Promise<Checked<ScenarioDraft>>;
  /**
   * Why a scenario inside an adaptation must not be read, which may name programs; undefined where
   * it may be.
   */
  refusedScenario?(path: string): string | undefined;
}

/** Texts as they lie on the disk. */
export const DISK_TEXTS: Required<TextFiles> = {
  exists: existsSync,
  text: (path) => readFileSync(nameOfFile(path), "utf8"),
  list: listFolder,
};

/** What lies on the disk; of its modules, those that are trusted. */
export function diskFiles(trust: Trust): Files {
  return {
    ...DISK_TEXTS,
    text: (path) => standardInput(path) ?? DISK_TEXTS.text(path),
    fmu: (path) => openFmuFile(path),
    notTrusted: (path, unit, unpacked) => notTrusted(trust, path, unit, unpacked),
    module: (path) => loadModule(path),
    async package(path, options) {
      const { loadSspFile } = await import("../../platform/node/ssp-file.ts");
      return loadSspFile(path, options);
    },
  };
}

/** No file has a name with a zero byte; Node takes one for a mistake of the program. */
function nameOfFile(path: string): string {
  if (!path.includes("\0")) return path;
  const error = new Error("there is no such file");
  throw Object.assign(error, { code: "ENOENT", syscall: "open" });
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // What cannot be listed has nothing to find in it.
    return [];
  }
}
