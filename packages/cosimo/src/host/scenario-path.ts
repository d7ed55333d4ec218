/**
 * Telling a scenario from an FMU by its path.
 */
import { existsSync, statSync } from "node:fs";
import { extname, join } from "node:path";

/** True for what `cosimo run` takes as a scenario rather than as an FMU. */
export function isScenarioPath(path: string): boolean {
  // A variant of a package is named behind a hash: system.ssp#Winter.ssd.
  const file = path.split("#", 1)[0]!;
  return [".yaml", ".yml", ".ssp", ".ssd"].includes(extname(file).toLowerCase());
}

/** Whether `path` is a folder that holds a scenario; used to accept `cosimo run examples/drive-line`. */
export function scenarioInFolder(path: string): string | undefined {
  if (!existsSync(path) || !statSync(path).isDirectory()) return undefined;
  const file = join(path, "scenario.yaml");
  return existsSync(file) ? file : undefined;
}
