/**
 * Memory that two processes share and no file of the disk stands behind. It is sealed: both can
 * write into it, and neither can make it shorter, which would end the other process where it
 * touches what is gone.
 */
import { closeSync, writeSync } from "node:fs";
import koffi from "koffi";
import { cFunction, libc, MMAP, MUNMAP } from "../native/libc.ts";
import type { Address } from "../native/native-memory.ts";

export interface SharedMemory {
  readonly address: Address;
  readonly buffer: ArrayBuffer;
  unmap(): void;
}

const MFD_CLOEXEC = 1;
const MFD_ALLOW_SEALING = 2;
const F_ADD_SEALS = 1033;
/** No more seals, no shrinking, no growing. */
const SEALS = 1 | 2 | 4;
const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;

/** @returns a file descriptor, which a process that is started may inherit. */
export function makeMemoryFile(bytes: number): number {
  const create = libc().library.func("int memfd_create(const char *name, unsigned int flags)") as (
    name: string,
    flags: number,
  ) => number;
  const file = create("cosimo", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) throw refused("memfd_create");
  if (cFunction("int ftruncate(int fd, int64_t bytes)")(file, bytes) !== 0) {
    closeSync(file);
    throw refused("ftruncate");
  }
  if (cFunction("int fcntl(int fd, int command, int argument)")(file, F_ADD_SEALS, SEALS) !== 0) {
    closeSync(file);
    throw refused("fcntl");
  }
  return file;
}

/** A file in memory with this content, to be read from its beginning. */
export function makeFilledFile(content: Uint8Array): number {
  const file = makeMemoryFile(content.length);
  writeSync(file, content, 0, content.length, 0);
  return file;
}

export function mapMemoryFile(file: number, bytes: number): SharedMemory {
  const address = cFunction(MMAP)(0, bytes, PROT_READ_WRITE, MAP_SHARED, file, 0);
  if (address === -1) throw refused("mmap");
  const munmap = cFunction(MUNMAP);
  let isMapped = true;
  return {
    address,
    buffer: koffi.view(BigInt(address), bytes),
    unmap() {
      if (isMapped) munmap(address, bytes);
      isMapped = false;
    },
  };
}

function refused(syscall: string): Error {
  const number = koffi.errno();
  return Object.assign(new Error(`${syscall} was refused (error ${number})`), {
    code: `E${number}`,
    errno: -number,
    syscall,
  });
}
