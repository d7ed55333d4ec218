/**
 * Which units could have closed files of the process, for the message when some are gone. That
 * shows only between steps, when every unit may have been called since; asking the system after
 * every call would cost more than most calls. But an FMU whose library cannot close a file of the
 * process is innocent, and most cannot.
 */
import { readElf } from "./elf.ts";
import { hasSystemCalls, SYSTEM_LIBRARY } from "./float-proof.ts";

/**
 * Functions of the C library that close or replace files, or through which others can be reached.
 */
const CLOSES =
  /^_*(close|closefrom|close_range|dup[23]|fclose|fcloseall|freopen|pclose|daemon|syscall|(libc_)?dl(open|mopen|v?sym))(64)?$/;

const libraries = new WeakMap<Int32Array, string>();

/** Remembers the library of the unit whose call marker is `lastCall`. */
export function noteLibrary(lastCall: Int32Array, file: string): void {
  libraries.set(lastCall, file);
}

/**
 * Whether the unit with this call marker could have closed files; true where that cannot be seen.
 */
export function mayCloseFiles(lastCall: Int32Array): boolean {
  const file = libraries.get(lastCall);
  return file === undefined || canClose(file);
}

/** Whether code of this library can close files of its process; true where that cannot be seen. */
export function canClose(file: string): boolean {
  return canReach(file, CLOSES);
}

/** Functions that bound the memory of a process, or through which others can be reached. */
const LIMITS = /^_*(v?ulimit|(set|p)rlimit|syscall|(libc_)?dl(open|mopen|v?sym))(64)?$/;

/**
 * Whether code of this library can bound the memory of its process; true where that cannot be seen.
 */
export function canLimitMemory(file: string): boolean {
  return canReach(file, LIMITS);
}

function canReach(file: string, functions: RegExp): boolean {
  const library = readElf(file);
  if (library === undefined || !library.needs.every((name) => SYSTEM_LIBRARY.test(name)))
    return true;
  return (
    library.symbols.some(({ name, isDefined }) => !isDefined && functions.test(name)) ||
    hasSystemCalls(file)
  );
}
