/**
 * FMUs made with Python exporters for Linux do not link the interpreter: they expect their host to
 * bring its symbols, as Python itself would. We bring those of the `python3` that is first in the
 * search path, with its packages: in a virtual environment the library alone would find only those
 * of the Python that the environment was made from.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import koffi, { type LibraryHandle } from "koffi";

const ASK = `import sys, sysconfig
for name in ("LIBDIR", "INSTSONAME", "LIBPL"):
    print(sysconfig.get_config_var(name) or "")
print(sysconfig.get_path("purelib") if sys.prefix != sys.base_prefix else "")`;

/** Whether a library failed to load because it wants an interpreter in its host. */
export function wantsPython(reason: string): boolean {
  return /undefined symbol: _?Py/.test(reason);
}

let python: LibraryHandle | undefined;

/** Loads the interpreter's library so that all others see its symbols. Undefined: there is none. */
export function loadPython(): LibraryHandle | undefined {
  python ??= pythonLibraries().reduce<LibraryHandle | undefined>(
    (found, file) => found ?? tryLoadGlobally(file),
    undefined,
  );
  return python;
}

function pythonLibraries(): string[] {
  const { stdout, status } = spawnSync("python3", ["-c", ASK], { encoding: "utf8" });
  if (status !== 0) return [];
  const [folder, name, alternative, packages] = stdout.split("\n") as [
    string,
    string,
    string,
    string,
  ];
  if (packages !== "") addToPath(packages);
  return [folder, alternative].map((place) => join(place, name)).filter(existsSync);
}

/** Before the interpreter starts: it reads this once. */
function addToPath(packages: string): void {
  const known = process.env["PYTHONPATH"];
  process.env["PYTHONPATH"] = known ? `${known}${delimiter}${packages}` : packages;
}

function tryLoadGlobally(file: string): LibraryHandle | undefined {
  try {
    return koffi.load(file, { global: true });
  } catch {
    return undefined;
  }
}
