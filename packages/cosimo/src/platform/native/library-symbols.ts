/**
 * The functions of a library by the names of their standard, whatever the library calls them: FMI
 * 1.0 puts the model identifier before each name, so that FMUs could be linked into one program.
 */
import type { LibraryHandle } from "koffi";
import type { FmiVersion } from "./fmi-version.ts";

const known = new WeakMap<LibraryHandle, Map<string, LibraryHandle>>();

/** The same object for the same library and identifier: bound functions are kept by it. */
export function symbolsOf(
  library: LibraryHandle,
  { prefixesSymbols }: FmiVersion,
  modelIdentifier: string,
): LibraryHandle {
  if (!prefixesSymbols) return library;
  const byIdentifier = known.get(library) ?? new Map<string, LibraryHandle>();
  known.set(library, byIdentifier);
  const named = byIdentifier.get(modelIdentifier) ?? prefixed(library, `${modelIdentifier}_`);
  byIdentifier.set(modelIdentifier, named);
  return named;
}

function prefixed(library: LibraryHandle, prefix: string): LibraryHandle {
  return new Proxy(library, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      const takesName = key === "symbol" || key === "func";
      return (name: unknown, ...rest: unknown[]) =>
        Reflect.apply(member, target, [
          takesName && typeof name === "string" ? `${prefix}${name}` : name,
          ...rest,
        ]);
    },
  });
}
