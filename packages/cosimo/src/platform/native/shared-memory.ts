/**
 * A file mapped into memory, shared: what a run wrote into it survives the crash of its process, because the pages
 * belong to the file and not to the process.
 */
import { closeSync, constants, ftruncateSync, openSync } from "node:fs";
import koffi from "koffi";
import { cFunction, MMAP, MUNMAP } from "./libc.ts";
import type { Address } from "./native-memory.ts";

export interface SharedFile {
  readonly address: Address;
  /** The file's bytes. Not to be touched after `unmap`. */
  readonly bytes: Uint8Array;
  unmap(): void;
}

const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
const MADVISE = "int madvise(int64_t at, int64_t bytes, int advice)";
const MADV_DONTFORK = 10;

/**
 * Maps `path` (made if absent, cut or extended to `bytes`) for reading and writing.
 * @returns undefined on Windows, which has no mmap: callers then keep their rows in ordinary memory.
 */
export function mapSharedFile(path: string, bytes: number): SharedFile | undefined {
  if (process.platform === "win32") return undefined;
  const mmap = cFunction(MMAP);
  const munmap = cFunction(MUNMAP);
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    ftruncateSync(file, bytes);
    const at = mmap(0, bytes, PROT_READ_WRITE, MAP_SHARED, file, 0);
    if (at === -1) throw new Error(`cannot map ${bytes} bytes of '${path}' into memory`);
    // A copy of the process that an FMU forks must not go on writing here; one that returns to us ends at the first try.
    if (process.platform === "linux") cFunction(MADVISE)(at, bytes, MADV_DONTFORK);
    let mapped = true;
    return {
      address: at,
      bytes: new Uint8Array(koffi.view(BigInt(at), bytes)),
      unmap() {
        if (mapped) munmap(at, bytes);
        mapped = false;
      },
    };
  } finally {
    closeSync(file);
  }
}
