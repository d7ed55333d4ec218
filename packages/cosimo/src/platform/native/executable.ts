/**
 * Machine code made at run time: bytes in, the address of a function out. Memory is writable first and executable
 * after, never both; where the system refuses executable memory the answer is undefined and callers do without.
 */
import koffi from "koffi";
import { cFunction, MMAP, MUNMAP } from "./libc.ts";
import type { Address } from "./native-memory.ts";

export interface Mapping {
  readonly address: Address;
  readonly buffer: ArrayBuffer;
  unmap(): void;
}

const PAGE_BYTES = 4096;
const READ_WRITE = 3;
const READ_EXECUTE = 5;
const PRIVATE_ANONYMOUS = process.platform === "darwin" ? 0x1002 : 0x22;

/** Zeroed pages of their own, only backed by memory once touched. Linux and macOS. */
export function mapPages(bytes: number): Mapping | undefined {
  const mmap = cFunction(MMAP);
  const munmap = cFunction(MUNMAP);
  const size = Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
  const address = mmap(0, size, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
  if (address === -1) return undefined;
  let mapped = true;
  return {
    address,
    buffer: koffi.view(BigInt(address), size),
    unmap() {
      if (mapped) munmap(address, size);
      mapped = false;
    },
  };
}

export function mapCode(code: Uint8Array): Mapping | undefined {
  const pages = mapPages(code.length);
  if (pages === undefined) return undefined;
  new Uint8Array(pages.buffer).set(code);
  const mprotect = cFunction("int mprotect(int64_t at, int64_t bytes, int protection)");
  if (mprotect(pages.address, pages.buffer.byteLength, READ_EXECUTE) !== 0) {
    pages.unmap();
    return undefined;
  }
  return pages;
}
