/**
 * SSP files from disk: a bare .ssd with the files beside it, or an .ssp archive.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Checked } from "../../base/diagnostic.ts";
import type { ScenarioDraft } from "../../model/scenario.ts";
import { parseSsd } from "../../ssp/parse-ssd.ts";

export async function loadSsp(path: string): Promise<Checked<ScenarioDraft>> {
  const folder = dirname(path);
  const read = (relative: string): string | undefined => {
    const file = resolve(folder, relative);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  return parseSsd(readFileSync(path, "utf8"), path, read);
}
