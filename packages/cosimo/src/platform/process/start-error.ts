/**
 * Why a process could not be started. Where the system is out of files, Node makes a child without
 * pipes and without a channel, and reports the reason later: touching them first would hide it.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/**
 * @returns undefined at once where `child` was started, so that who starts one may use it without
 * waiting. Must be asked right after `spawn` or `fork`.
 */
export function startError(child: ChildProcess): Promise<Error> | undefined {
  if (child.pid !== undefined) return undefined;
  return once(child, "error").then(([error]) => error as Error);
}
