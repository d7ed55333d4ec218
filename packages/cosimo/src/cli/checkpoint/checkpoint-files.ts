/**
 * What the folder of a run holds that can be continued:
 *
 *   checkpoint-<n>.bin          the last two checkpoints (engine/checkpoint.ts)
 *   rows-<n>.bin, objects.bin   the spool; a checkpoint says how many of its rows it knows
 *   replay-<n>.bin              the log of unit n, if it cannot save its state; a checkpoint says how much of it it knows
 *   lock                        held by the run that writes here
 */
import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dropSpool } from "../protocol/spool-files.ts";

export const LOCK = "lock";

/** Takes away what a run kept in `folder`, and the folder unless something else is in it. */
export function removeCheckpoints(folder: string): void {
  dropFiles(folder);
  rmSync(join(folder, LOCK), { force: true });
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** All but the lock. */
export function dropFiles(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^checkpoint-\d+\.bin(\.part)?$|^replay-\d+\.bin$/.test(name)) rmSync(join(folder, name));
  dropSpool(folder);
}

/** Numbers of the checkpoints in `folder`, oldest first. */
export function numbersIn(folder: string): number[] {
  return readdirSync(folder)
    .flatMap((name) => /^checkpoint-(\d+)\.bin$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

export const checkpointPath = (folder: string, n: number): string =>
  join(folder, `checkpoint-${n}.bin`);
export const logPath = (folder: string, unit: number): string => join(folder, `replay-${unit}.bin`);
