/**
 * Finds the library of an FMU for this machine and loads it, whatever its maker did: both naming
 * schemes of the standards, a file named otherwise, libraries bundled beside it, symbols that clash
 * with ours.
 *
 * A loaded library stays loaded until the process ends: unloading code that may have left threads
 * or exit handlers behind crashes. The same file loaded twice is one library with one set of C
 * globals; a caller that needs two sets unpacks the FMU into two folders.
 */
import { existsSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import koffi, { type LibraryHandle } from "koffi";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { platformTuple } from "../../fmi/archive-contents.ts";
import { bindingOf } from "./deep-binding.ts";
import { floatGuard } from "./float-guard.ts";
import { type FloatState, takeChange } from "./float-state.ts";
import type { FmiVersion } from "./fmi-version.ts";
import { loadPython, wantsPython } from "./host-python.ts";
import { configureKoffi } from "./libc.ts";
import { NATIVE_DIAGNOSTICS } from "./native-diagnostics.ts";

interface Machine {
  /** As Node names it: linux, darwin, win32. */
  readonly platform: string;
  /** As Node names it: x64, ia32, arm64. */
  readonly arch: string;
}

export interface Binary {
  readonly file: string;
  /** What is odd about it, though it can be used. */
  readonly notes: readonly Diagnostic[];
}

const FMI2_SYSTEM: Readonly<Record<string, string>> = {
  linux: "linux",
  darwin: "darwin",
  win32: "win",
};
const EXTENSION: Readonly<Record<string, string>> = {
  linux: ".so",
  darwin: ".dylib",
  win32: ".dll",
};

/**
 * Folder names under `binaries/` that hold code for `machine`, the scheme of the FMU's own version
 * first.
 */
function platformFolders({ namesBinariesByTuple }: FmiVersion, machine: Machine): string[] {
  const tuple = platformTuple(machine.platform, machine.arch);
  const bits = machine.arch === "x64" ? "64" : machine.arch === "ia32" ? "32" : undefined;
  const old = bits === undefined ? [] : [`${FMI2_SYSTEM[machine.platform]}${bits}`];
  return namesBinariesByTuple ? [tuple, ...old] : [...old, tuple];
}

function thisMachine(): Machine {
  return { platform: process.platform, arch: process.arch };
}

/**
 * The library of the FMU in `folder` for `machine`.
 * @throws DiagnosticsError that names this machine and what the FMU offers.
 */
export function locateBinary(
  folder: string,
  version: FmiVersion,
  modelIdentifier: string,
  machine: Machine = thisMachine(),
): Binary {
  const binaries = join(folder, "binaries");
  const extension = EXTENSION[machine.platform] ?? ".so";
  const wanted = `${modelIdentifier}${extension}`;
  const names = platformFolders(version, machine);
  for (const name of names) {
    const file = join(binaries, name, wanted);
    if (existsSync(file)) return { file, notes: [] };
  }
  const offered = entriesOf(binaries);
  // A folder that is spelled with other letters is one on the systems of most who made it.
  const spelled = names.flatMap((name) =>
    offered.filter((found) => found !== name && found.toLowerCase() === name),
  );
  for (const name of spelled) {
    const file = join(binaries, name, wanted);
    if (existsSync(file)) return { file, notes: [] };
  }
  const folders = [...names, ...spelled].map((name) => join(binaries, name));
  for (const candidate of folders) {
    const found = entriesOf(candidate).filter((name) => extname(name) === extension);
    if (found.length === 0) continue;
    if (found.length > 1)
      throw problem(candidate, "binary-ambiguous", { wanted, found: found.sort() });
    const file = join(candidate, found[0]);
    const note = diagnose(
      NATIVE_DIAGNOSTICS,
      "binary-name-differs",
      { wanted, found: found[0] },
      { file },
    );
    return { file, notes: [note] };
  }
  throw problem(binaries, "binary-platform-missing", {
    machine: `${machine.platform} ${machine.arch}, binaries/${names.join(" or binaries/")}`,
    offered: offered.sort(),
  });
}

const loaded = new Map<string, LibraryHandle>();

/**
 * Loads a library once per process.
 * @param onFloatChange called when code that runs while it is loaded left another floating-point
 * state behind, which was restored.
 * @throws DiagnosticsError with the system's own reason.
 */
export function loadBinary(
  file: string,
  onFloatChange?: (found: FloatState) => void,
): LibraryHandle {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  if (koffi.sizeof("void *") !== 8)
    throw problem(file, "binary-unloadable", { file, reason: "this Node.js is a 32-bit program" });
  configureKoffi();
  preloadMath();
  const guard = floatGuard();
  try {
    const library = tryLoad(file) ?? loadAfterSiblings(file);
    loaded.set(file, library);
    return library;
  } finally {
    guard.check();
    const found = takeChange(guard);
    if (found !== undefined) onFloatChange?.(found);
  }
}

/** FMUs linked without libm rely on their host having it. */
function preloadMath(): void {
  if (process.platform !== "linux" || loaded.has("libm")) return;
  try {
    loaded.set("libm", koffi.load("libm.so.6", { global: true }));
  } catch {
    // musl has its mathematics in libc, which is loaded anyway.
  }
}

const shared = new Map<string, readonly string[]>();

/**
 * Symbols of a loaded library that are taken from Node, though it brings its own (deep-binding.ts).
 */
export function sharedSymbolsOf(file: string): readonly string[] {
  return shared.get(file) ?? [];
}

/** Windows and macOS bind a library to its own symbols by themselves. */
function tryLoad(file: string): LibraryHandle | undefined {
  const binding = bindingOf(file);
  try {
    const library = koffi.load(file, { deep: binding.isDeep });
    shared.set(file, binding.shared);
    return library;
  } catch {
    return undefined;
  }
}

/**
 * The libraries beside the binary are loaded by their full paths first, as often as one more
 * succeeds: the system then finds them by name. (Search paths cannot be changed once a process
 * runs.)
 */
function loadAfterSiblings(file: string): LibraryHandle {
  const folder = join(file, "..");
  let waiting = entriesOf(folder)
    .filter((name) => isLibrary(name) && join(folder, name) !== file)
    .map((name) => join(folder, name));
  for (;;) {
    const failed = waiting.filter((path) => {
      const library = tryLoad(path);
      if (library !== undefined) loaded.set(path, library);
      return library === undefined;
    });
    if (failed.length === waiting.length) break;
    waiting = failed;
    const library = tryLoad(file);
    if (library !== undefined) return library;
  }
  return loadWithHost(file, loadFailure(file));
}

/** The last way out: an interpreter that the binary expects us to have. */
function loadWithHost(file: string, reason: string): LibraryHandle {
  const python = wantsPython(reason) ? loadPython() : undefined;
  const library = python && tryLoad(file);
  if (library !== undefined) return library;
  if (!wantsPython(reason)) throw problem(file, "binary-unloadable", { file, reason });
  throw problem(file, "binary-needs-python", { file, reason });
}

function isLibrary(name: string): boolean {
  return /\.so(\.\d+)*$|\.dylib$|\.dll$/i.test(name);
}

/** What the system says about a file that cannot be loaded. */
function loadFailure(file: string): string {
  try {
    koffi.load(file);
    return "it loads by itself, but not with its own symbols first";
  } catch (error) {
    return (error as Error).message.replace(/^Failed to load shared library: /, "");
  }
}

function entriesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function problem<Code extends keyof typeof NATIVE_DIAGNOSTICS>(
  file: string,
  code: Code,
  params: Parameters<(typeof NATIVE_DIAGNOSTICS)[Code]["text"]>[0],
): DiagnosticsError {
  return new DiagnosticsError([diagnose(NATIVE_DIAGNOSTICS, code, params as never, { file })]);
}
