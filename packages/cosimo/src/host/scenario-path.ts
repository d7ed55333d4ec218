/**
 * Telling a scenario from an FMU by its path.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileKind } from "../model/source-kind.ts";

/** True for what `cosimo run` takes as a scenario rather than as an FMU. */
export function isScenarioPath(path: string): boolean {
  return fileKind(path) === "scenario-file";
}

/**
 * Whether `path` is a folder that holds a scenario; used to accept `cosimo run
 * examples/drive-line`.
 */
export function scenarioInFolder(path: string): string | undefined {
  if (!existsSync(path) || !statSync(path).isDirectory()) return undefined;
  const file = join(path, "scenario.yaml");
  return existsSync(file) ? file : undefined;
}
