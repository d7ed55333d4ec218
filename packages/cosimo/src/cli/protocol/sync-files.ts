/**
 * On the disk, and not only in the system's memory: for what must be there when the machine stops.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";

/** Pages of a mapped file are among what is written. */
export function syncFile(path: string): void {
  sync(path, "r+");
}

/** A new name is on the disk when its folder is. Windows has no such call and needs none. */
export function syncFolder(path: string): void {
  if (process.platform !== "win32") sync(path, "r");
}

function sync(path: string, flags: "r" | "r+"): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
