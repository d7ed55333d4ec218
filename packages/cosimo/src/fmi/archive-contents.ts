/**
 * What lies where in an FMU, from its list of files: the folder structure that the standards
 * define.
 *
 * Both naming schemes of binary folders are understood in both versions: FMI 2.0.4 allows the
 * platform tuples of FMI 3, and tools write them into FMI 2 FMUs and the other way round.
 */

/** One folder below `binaries/`. */
export interface PlatformFolder {
  /** As found: "linux64", "x86_64-linux". */
  readonly folder: string;
  /** The platform tuple of FMI 3: "x86_64-linux"; absent for folders that no scheme knows. */
  readonly platform?: string;
  /** Paths of the shared libraries right in this folder. */
  readonly libraries: readonly string[];
}

export interface FmuContents {
  /** All files (not folders), relative to the FMU's root, with '/', sorted. */
  readonly files: readonly string[];
  readonly platforms: readonly PlatformFolder[];
  /** Entry point of the documentation. */
  readonly documentation?: string;
  readonly licenses: readonly string[];
  /** The model's own pictures. */
  readonly icons: readonly string[];
  readonly terminalsAndIcons?: string;
  readonly buildDescription?: string;
  readonly sources: readonly string[];
  readonly resources: readonly string[];
}

/**
 * How a folder below `binaries/` is named: by the short names of FMI 1 and 2, or by platform tuples
 * (FMI 3, FMI 2.0.4).
 */
export type FolderScheme = "name" | "tuple";

/** Short names and their platform tuples. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  win32: "x86-windows",
  win64: "x86_64-windows",
  linux32: "x86-linux",
  linux64: "x86_64-linux",
  darwin32: "x86-darwin",
  darwin64: "x86_64-darwin",
};

const TUPLE =
  /^(aarch32|aarch64|riscv32|riscv64|x86|x86_64|i386|i586|i686|ppc32|ppc64)-(darwin|linux|windows)$/;

const LIBRARY = /\.(so|dll|dylib)$/i;

const TUPLE_ARCH: Readonly<Record<string, string>> = {
  x64: "x86_64",
  ia32: "x86",
  arm64: "aarch64",
  arm: "aarch32",
  riscv64: "riscv64",
  ppc64: "ppc64",
};
const TUPLE_SYSTEM: Readonly<Record<string, string>> = {
  linux: "linux",
  darwin: "darwin",
  win32: "windows",
};
/** The platform tuple of a machine, from the names that Node gives its system and its processor. */
export function platformTuple(system: string, processor: string): string {
  return `${TUPLE_ARCH[processor] ?? processor}-${TUPLE_SYSTEM[system] ?? system}`;
}

/**
 * The platform tuple of a folder below `binaries/`, or undefined for vendors' own names and static
 * libraries.
 */
export function platformOf(folder: string): string | undefined {
  const name = folder.toLowerCase();
  return SHORT_NAMES[name] ?? (TUPLE.test(name) ? name : undefined);
}

/** The name of the folder for a platform; its tuple where the scheme has no name for it. */
export function binariesFolder(scheme: FolderScheme, tuple: string): string {
  if (scheme === "tuple") return tuple;
  return Object.keys(SHORT_NAMES).find((name) => SHORT_NAMES[name] === tuple) ?? tuple;
}

/** Sorts an FMU's files by the place that the standards give them. */
export function contentsOf(names: Iterable<string>): FmuContents {
  const files = [...names].sort();
  const present = new Set(files);
  const first = (...candidates: string[]) => candidates.find((name) => present.has(name));
  const below = (prefix: string) => files.filter((name) => name.startsWith(prefix));
  const documentation = first("documentation/index.html", "documentation/_main.html");
  const terminalsAndIcons = first(
    "terminalsAndIcons/terminalsAndIcons.xml",
    "icons/terminalsAndIcons.xml",
  );
  const buildDescription = first("sources/buildDescription.xml");
  return {
    files,
    platforms: platformFolders(below("binaries/")),
    ...(documentation === undefined ? {} : { documentation }),
    licenses: below("documentation/licenses/"),
    icons: files.filter((name) =>
      /^(terminalsAndIcons\/icon|icons\/icon|model)\.(png|svg)$/.test(name),
    ),
    ...(terminalsAndIcons === undefined ? {} : { terminalsAndIcons }),
    ...(buildDescription === undefined ? {} : { buildDescription }),
    sources: below("sources/"),
    resources: below("resources/"),
  };
}

function platformFolders(binaries: readonly string[]): PlatformFolder[] {
  const folders = new Map<string, string[]>();
  for (const name of binaries) {
    const [, folder, ...rest] = name.split("/");
    if (folder === undefined || rest.length === 0) continue;
    const libraries = folders.get(folder) ?? [];
    folders.set(folder, libraries);
    if (rest.length === 1 && LIBRARY.test(name)) libraries.push(name);
  }
  return [...folders].map(([folder, libraries]) => {
    const platform = platformOf(folder);
    return platform === undefined ? { folder, libraries } : { folder, platform, libraries };
  });
}
