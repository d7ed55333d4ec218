/**
 * The handful of C library functions this folder needs, bound once and only when needed, so that
 * planning and reading descriptions never load native code.
 */
import koffi, { type LibraryHandle } from "koffi";
import type { Address } from "./native-memory.ts";

/** Any bound C function: numbers and addresses in, a number out. */
export type NativeFunction = (...args: (number | bigint)[]) => number;

export interface Libc {
  readonly library: LibraryHandle;
  readonly calloc: Address;
  readonly free: Address;
  readonly snprintf: Address;
  readonly vsnprintf: Address;
  /** Copies `bytes` bytes at `from` into `to`. */
  readonly copyOut: (to: Uint8Array, from: Address, bytes: number) => void;
}

/**
 * koffi runs calls on a stack of its own of 2 MiB; FMUs that keep arrays on the stack need what C
 * gives them.
 */
const STACK_BYTES = 16 * 1024 * 1024;

let configured = false;

/** Must run before the first library is loaded: koffi fixes its stack size then. */
export function configureKoffi(): void {
  if (configured) return;
  configured = true;
  try {
    koffi.config({ sync_stack_size: STACK_BYTES });
  } catch {
    // An application that uses koffi itself loaded a library before us: its choice of stack size
    // holds.
  }
}

export const MMAP =
  "int64_t mmap(int64_t at, int64_t bytes, int protection, int flags, int fd, int64_t offset)";
export const MUNMAP = "int munmap(int64_t at, int64_t bytes)";

const functions = new Map<string, NativeFunction>();

/** A function of the C library by its prototype, bound once. */
export function cFunction(prototype: string): NativeFunction {
  let known = functions.get(prototype);
  if (known === undefined) {
    known = libc().library.func(prototype) as NativeFunction;
    functions.set(prototype, known);
  }
  return known;
}

let cached: Libc | undefined;

export function libc(): Libc {
  if (cached !== undefined) return cached;
  configureKoffi();
  const library = loadLibc();
  const address = (name: string): Address => {
    try {
      return Number(library.symbol(name));
    } catch {
      return 0;
    }
  };
  cached = {
    library,
    calloc: address("calloc"),
    free: address("free"),
    snprintf: address("snprintf"),
    vsnprintf: address("vsnprintf"),
    copyOut: library.func("void memcpy(_Out_ uint8_t *to, int64_t from, int64_t bytes)"),
  };
  return cached;
}

function loadLibc(): LibraryHandle {
  if (process.platform === "win32") return koffi.load("ucrtbase.dll");
  if (process.platform === "darwin") return koffi.load("/usr/lib/libSystem.B.dylib");
  try {
    return koffi.load("libc.so.6");
  } catch {
    const arch = process.arch === "arm64" ? "aarch64" : "x86_64";
    return koffi.load(`libc.musl-${arch}.so.1`);
  }
}
