/**
 * Whether a library is bound to its own symbols first (RTLD_DEEPBIND).
 *
 * On Linux the symbols of the running program come before those of a library that it loads: an FMU
 * with a zlib of its own would get Node's. Deep binding turns that around, for all symbols. But
 * Node, like most programs, holds copies of some objects of the C++ library (copy relocations),
 * std::cout among them; the C++ library initializes those, so that a library that is bound deep
 * uses ones that were never initialized, and crashes. So a library is bound deep only where it
 * needs symbols of its own that the process has too, and is left to the process's where it uses
 * such objects.
 */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import koffi, { type LibraryHandle } from "koffi";
import { type ElfLibrary, readElf } from "./elf.ts";

export interface Binding {
  readonly isDeep: boolean;
  /** Symbols that the library brings and that are the process's all the same. */
  readonly shared: readonly string[];
}

const DEEP: Binding = { isDeep: true, shared: [] };

/**
 * Libraries that every process shares: wanting something from them is not wanting a copy of one's
 * own.
 */
const COMMON =
  /^(lib(c|m|dl|rt|pthread|util|resolv|mvec|stdc\+\+|gcc_s|gomp|gfortran|quadmath|atomic)\.so|ld-)/;

/** How the library in `file` is to be loaded. Only Linux with glibc knows the difference. */
export function bindingOf(file: string): Binding {
  const linker = process.platform === "linux" ? dynamicLinker() : undefined;
  const main = linker && readElf(file);
  if (linker === undefined || main === undefined) return DEEP;
  const beside = librariesBeside(file);
  const own = [main, ...beside.values()];
  const isForeign = (name: string): boolean => !COMMON.test(name) && !beside.has(name);
  const hasForeign = own.some(({ needs }) => needs.some(isForeign));
  const hasOthers = beside.size > 0 || hasForeign;
  const clashes = own.flatMap((library) => clashesOf(library, hasOthers, linker));
  const usesCopies = own.some((library) => usesCopiesOf(library, linker));
  if (usesCopies) return { isDeep: false, shared: [...new Set(clashes)].sort() };
  // What libraries of the system need of each other does not matter: they keep to themselves.
  return { isDeep: clashes.length > 0 || hasForeign, shared: [] };
}

/**
 * Symbols that the library has, or gets from one that came with it, and that the process has too.
 */
function clashesOf(library: ElfLibrary, hasOthers: boolean, linker: DynamicLinker): string[] {
  if (library.isSymbolic) return [];
  return library.symbols
    .filter(({ isStrong, isReferred, isDefined, wantedFrom }) => {
      if (!isStrong || !isReferred) return false;
      return isDefined || (hasOthers && (wantedFrom === undefined || !COMMON.test(wantedFrom)));
    })
    .filter(({ name, isDefined }) => {
      const owner = linker.ownerOf(name);
      return owner !== undefined && (isDefined || !COMMON.test(basename(owner)));
    })
    .map(({ name }) => name);
}

/** Whether it refers to an object of the C++ library that the program holds a copy of. */
function usesCopiesOf(library: ElfLibrary, linker: DynamicLinker): boolean {
  return library.symbols.some(
    ({ name, isObject, wantedFrom }) =>
      isObject &&
      wantedFrom?.startsWith("libstdc++.") &&
      linker.ownerOf(name) === linker.program &&
      !isConstant(name),
  );
}

/** Tables of virtual functions and types have the same content in every copy. */
function isConstant(name: string): boolean {
  return /^_ZT[VIST]/.test(name);
}

/** The libraries in the folder of `file`, by their names. */
function librariesBeside(file: string): Map<string, ElfLibrary> {
  const folder = dirname(file);
  const found = new Map<string, ElfLibrary>();
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const library = path !== file && /\.so(\.\d+)*$/.test(name) ? readElf(path) : undefined;
    if (library !== undefined) found.set(name, library);
  }
  return found;
}

interface DynamicLinker {
  /** The running program, as the dynamic linker names it. */
  readonly program: string;
  /** The file of the process that a symbol would be taken from; undefined where there is none. */
  ownerOf(symbol: string): string | undefined;
}

let cached: DynamicLinker | null | undefined;

function dynamicLinker(): DynamicLinker | undefined {
  cached ??= makeLinker();
  return cached ?? undefined;
}

function makeLinker(): DynamicLinker | null {
  // Before glibc 2.34 these functions had a library of their own.
  const library = loadFirst(["libc.so.6", "libdl.so.2"], "dladdr");
  if (library === undefined) return null;
  const dlsym = library.func("int64_t dlsym(int64_t handle, const char *name)");
  const dladdr = library.func("int dladdr(int64_t address, _Out_ int64_t *info)");
  const info = new BigInt64Array(4);
  const known = new Map<string, string | undefined>();
  const fileAt = (address: number | bigint): string | undefined => {
    if (Number(address) === 0 || dladdr(address, info) === 0) return undefined;
    return koffi.decode.string(info[0]);
  };
  // The symbols of the process alone: the program and what it was linked with, or loaded for all.
  const main = library.func("int64_t dlopen(int64_t name, int flags)")(0, 1);
  const ownerOf = (symbol: string): string | undefined => {
    if (!known.has(symbol)) known.set(symbol, fileAt(dlsym(main, symbol)));
    return known.get(symbol);
  };
  return { program: ownerOf("main") ?? ownerOf("_start") ?? process.execPath, ownerOf };
}

function loadFirst(names: readonly string[], symbol: string): LibraryHandle | undefined {
  for (const name of names) {
    try {
      const library = koffi.load(name);
      library.symbol(symbol);
      return library;
    } catch {
      // The next one.
    }
  }
  return undefined;
}
