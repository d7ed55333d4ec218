/**
 * Machine code made at run time: bytes in, the address of a function out. Memory is writable first
 * and executable after, never both; where the system refuses executable memory the answer is
 * undefined and callers do without.
 *
 * So it is on Apple silicon too. Its other way (MAP_JIT) makes pages writable for a thread by
 * making all such pages, the engine's own code among them, not executable for it: from TypeScript
 * there is no way back.
 */
import koffi from "koffi";
import { cFunction, MMAP, MUNMAP, type NativeFunction } from "./libc.ts";
import { cacheCode } from "./machine-code/arm64-cache.ts";
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
  let view: ArrayBuffer | undefined;
  return {
    address,
    // The engine takes what it sees for memory in use, and collects garbage the sooner.
    get buffer() {
      view ??= koffi.view(BigInt(address), size);
      return view;
    },
    unmap() {
      if (mapped) munmap(address, size);
      mapped = false;
    },
  };
}

/** @returns whether the system allows it. */
function protect({ address, buffer }: Mapping): boolean {
  const mprotect = cFunction("int mprotect(int64_t at, int64_t bytes, int protection)");
  return mprotect(address, buffer.byteLength, READ_EXECUTE) === 0;
}

export function mapCode(code: Uint8Array): Mapping | undefined {
  const pages = mapPages(code.length);
  if (pages === undefined) return undefined;
  new Uint8Array(pages.buffer).set(code);
  if (!protect(pages)) {
    pages.unmap();
    return undefined;
  }
  showInstructions(pages);
  return pages;
}

/** ARM64 reads instructions through a cache of their own, which has to learn of new ones. */
function showInstructions({ address, buffer }: Mapping): void {
  if (process.arch !== "arm64") return;
  if (process.platform === "darwin")
    cFunction("void sys_icache_invalidate(int64_t at, int64_t bytes)")(address, buffer.byteLength);
  else cacheFunction()(address, address + buffer.byteLength);
}

let cached: NativeFunction | undefined;

/**
 * A function for it, since C libraries have none. It is itself made visible by the system, which
 * sees to that when pages become executable for the first time; pages that come later may reuse
 * addresses that were executed before.
 */
function cacheFunction(): NativeFunction {
  if (cached !== undefined) return cached;
  const code = cacheCode();
  const pages = mapPages(code.length);
  if (pages === undefined) throw new Error("internal: no memory");
  new Uint8Array(pages.buffer).set(code);
  protect(pages);
  cached = koffi.decode(BigInt(pages.address), koffi.proto("void", ["int64_t", "int64_t"]));
  return cached as NativeFunction;
}
