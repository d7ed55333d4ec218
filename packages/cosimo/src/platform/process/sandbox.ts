/**
 * A process without network and without files but a few, by bubblewrap (`bwrap`): namespaces of its
 * own, read-only binds of what it needs to run, one folder to write into, a filter of system calls
 * (seccomp.ts). Where bubblewrap is missing, or the system does not let it work, there is no
 * sandbox, and the caller gets the reason.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFilledFile } from "./memory-file.ts";
import { syscallFilter } from "./seccomp.ts";
import { MEMORY_FD, type ProcessCommand } from "./unit-process.ts";

const PROGRAM = "bwrap";
/** The filter follows the memory. */
const FILTER_FD = MEMORY_FD + 1;
/** Where libraries are that FMUs may depend on; none of it is the user's. */
const LIBRARIES = ["/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/local/lib"];
const LOADER_FILES = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/alternatives",
];

export interface SandboxRequest {
  /** The program's script and its argument. */
  readonly arguments: readonly string[];
  /** Files and folders that it may read, under the names that they have. */
  readonly readable: readonly string[];
  /** The folder that it may write into. */
  readonly scratch: string;
}

export function sandboxed({ arguments: args, readable, scratch }: SandboxRequest): ProcessCommand {
  const filter = syscallFilter(process.arch, { mayStartProgram: true });
  if (filter === undefined) throw new Error(`internal: no filter for ${process.arch}`);
  const binds = [...programFiles(), ...readable];
  return {
    program: PROGRAM,
    arguments: [
      ...walls(binds),
      ...["--bind", realPath(scratch), scratch, "--chdir", scratch],
      ...["--setenv", "HOME", scratch, "--setenv", "TMPDIR", scratch],
      ...["--seccomp", String(FILTER_FD)],
      "--",
      realPath(process.execPath),
      ...args,
    ],
    files: [makeFilledFile(filter)],
  };
}

/** Everything but what the process is for. */
function walls(binds: readonly string[]): string[] {
  const tries = [...LIBRARIES, ...LOADER_FILES].flatMap((path) => ["--ro-bind-try", path, path]);
  return [
    ...["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"],
    ...["--setenv", "LANG", "C.UTF-8"],
    ...tries,
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...[...new Set(binds)].flatMap((path) => ["--ro-bind", realPath(path), path]),
  ];
}

/** Why there can be no sandbox here, and what to do; undefined where there can. */
export interface SandboxRefusal {
  readonly why: string;
  readonly fix: string;
}

let known: { readonly refusal: SandboxRefusal | undefined } | undefined;

/** Tried once: a sandbox is set up and left. */
export function sandboxRefusal(): SandboxRefusal | undefined {
  known ??= { refusal: tryOut() };
  return known.refusal;
}

function tryOut(): SandboxRefusal | undefined {
  if (
    process.platform !== "linux" ||
    syscallFilter(process.arch, { mayStartProgram: true }) === undefined
  )
    return {
      why: `sandboxes are made for Linux on x86-64 and ARM64, this is ${process.platform} on ${process.arch}`,
      fix: "run it there, in a container or a virtual machine",
    };
  const node = realPath(process.execPath);
  const { status, error, stderr } = spawnSync(
    PROGRAM,
    [...walls([node]), "--", node, "--version"],
    {
      encoding: "utf8",
      timeout: TRY_MS,
    },
  );
  if (error !== undefined && (error as NodeJS.ErrnoException).code === "ENOENT")
    return {
      why: "bubblewrap is not installed",
      fix: "install it ('apt install bubblewrap', 'dnf install bubblewrap'), or use 'isolate: process'",
    };
  if (status === 0) return undefined;
  const said = (stderr ?? "").trim().split("\n", 1)[0] || (error?.message ?? `exit code ${status}`);
  return {
    why: `bubblewrap cannot work here: ${said}`,
    fix: "the system may forbid user namespaces (sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), as containers do by default",
  };
}

const TRY_MS = 20_000;

/** Node, this package and the packages that it uses. */
function programFiles(): readonly string[] {
  return [realPath(process.execPath), ...packageFolders()];
}

let folders: readonly string[] | undefined;

function packageFolders(): readonly string[] {
  if (folders !== undefined) return folders;
  const found = new Set<string>();
  const own = packageAbove(dirname(fileURLToPath(import.meta.url)));
  const waiting = own === undefined ? [] : [own];
  for (const folder of waiting) {
    if (found.has(folder)) continue;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Record<string, Readonly<Record<string, string>> | undefined>;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const one = packageNamed(name, folder);
      if (one !== undefined) waiting.push(one);
    }
  }
  folders = [...found];
  return folders;
}

function packageAbove(folder: string): string | undefined {
  for (let at = folder; dirname(at) !== at; at = dirname(at))
    if (existsSync(join(at, "package.json"))) return realPath(at);
  return undefined;
}

/** As Node looks for it: beside the package that wants it, and further up. */
function packageNamed(name: string, from: string): string | undefined {
  for (let at = from; dirname(at) !== at; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return undefined;
}

function realPath(path: string): string {
  return realpathSync(path);
}
