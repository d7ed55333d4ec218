/**
 * A lock that the kernel releases when its owner is gone, however it went: what belongs to one
 * run is not used by two.
 */
import { closeSync, openSync } from "node:fs";
import { cFunction } from "./libc.ts";

const FLOCK = "int flock(int fd, int operation)";
const EXCLUSIVE_AT_ONCE = 2 | 4;

/**
 * @returns how to give it back, or undefined while another process has it. On Windows every caller
 * gets it.
 */
export function lockFile(path: string): (() => void) | undefined {
  const file = openSync(path, "a");
  if (process.platform !== "win32" && cFunction(FLOCK)(file, EXCLUSIVE_AT_ONCE) !== 0) {
    closeSync(file);
    return undefined;
  }
  return () => closeSync(file);
}
