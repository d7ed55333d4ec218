/**
 * How a person acts on a run while it goes on: a file in the run's folder, written whole by the
 * process that shows the run and read by the worker between steps. A file, as the one that ends a
 * run when it is gone: a worker hears nothing else once it has its job.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isBoolean, isCount, isListOf, isObject, isText } from "../../base/shapes.ts";

export interface RunControl {
  /** The run waits between steps. */
  readonly isPaused: boolean;
  /** Steps that a paused run was to take in all, since it began. */
  readonly steps: number;
  /** Values that were to be set since the run began, `unit.port=value`, in their order. */
  readonly set: readonly string[];
}

export const NO_CONTROL: RunControl = { isPaused: false, steps: 0, set: [] };

const isControl = isObject<RunControl>({
  isPaused: isBoolean,
  steps: isCount,
  set: isListOf(isText),
});

const pathIn = (folder: string): string => join(folder, "control.json");

export function writeControl(folder: string, control: RunControl): void {
  const path = pathIn(folder);
  writeFileSync(`${path}.part`, JSON.stringify(control));
  renameSync(`${path}.part`, path);
}

/** @returns undefined where nothing was written yet. */
export function readControl(folder: string): RunControl | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(pathIn(folder), "utf8"));
    return isControl(value) ? (value as RunControl) : undefined;
  } catch {
    return undefined;
  }
}
