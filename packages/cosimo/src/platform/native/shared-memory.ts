/**
 * A file mapped into memory, shared: what a run wrote into it survives the crash of its process,
 * because the pages belong to the file and not to the process.
 */
import { closeSync, constants, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { getSystemErrorMap } from "node:util";
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
 * Maps `path` (made if absent, cut or extended to `bytes`) for reading and writing. The disk has
 * room for all of it then: writing to a page that has none would end the process, wherever it is at
 * that moment.
 * @throws an error of the system, with its code, when there is no room.
 * @returns undefined on Windows, which has no mmap: callers then keep their rows in ordinary
 * memory.
 */
export function mapSharedFile(path: string, bytes: number): SharedFile | undefined {
  if (process.platform === "win32") return undefined;
  const mmap = cFunction(MMAP);
  const munmap = cFunction(MUNMAP);
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    ftruncateSync(file, bytes);
    allocate(file, path, bytes);
    const at = mmap(0, bytes, PROT_READ_WRITE, MAP_SHARED, file, 0);
    if (at === -1) throw refusal(koffi.errno(), "mmap", path, bytes);
    // A copy of the process that an FMU forks must not go on writing here; one that returns to us
    // ends at the first try.
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

/** Has the disk set aside the first `bytes` bytes of a file; what is in it stays. */
function allocate(file: number, path: string, bytes: number): void {
  const number =
    process.platform === "linux" ? cFunction(ALLOCATE)(file, 0, bytes) : UNSUPPORTED[0];
  if (number === 0) return;
  if (UNSUPPORTED.includes(number)) {
    writeWhatIsMissing(file, bytes);
    return;
  }
  throw refusal(number, "allocate", path, bytes);
}

/** As Node reports what the system refuses. */
function refusal(number: number, syscall: string, path: string, bytes: number): Error {
  const [code, text] = getSystemErrorMap().get(-number) ?? ["EIO", `error ${number}`];
  const message = `${code}: ${text}, ${bytes} bytes are needed for '${path}'`;
  return Object.assign(new Error(message), { code, errno: -number, syscall, path });
}

const ALLOCATE = "int posix_fallocate(int file, int64_t from, int64_t bytes)";
/** Of systems and disks that cannot set space aside: EINVAL, EOPNOTSUPP, ENOSYS. */
const UNSUPPORTED: readonly number[] = [22, 95, 38];

/** Every block is written once, with what it holds. */
function writeWhatIsMissing(file: number, bytes: number): void {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let at = 0; at < bytes; at += BLOCK_BYTES) {
    const size = Math.min(BLOCK_BYTES, bytes - at);
    readSync(file, block, 0, size, at);
    for (let done = 0; done < size; ) done += writeSync(file, block, done, size - done, at + done);
  }
}

const BLOCK_BYTES = 1 << 16;
