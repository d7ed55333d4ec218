/**
 * Temporary folders that do not outlive their process, however it ends.
 *
 * A normal exit, an exception and the usual signals remove them; a crash or SIGKILL cannot, so a
 * folder's name says who owns it and the next process that needs a folder sweeps those of the dead:
 *
 *   cosimo-<pid>-<start>-<space>-XXXXXX
 *
 * `start` is the owner's start time in the kernel's ticks ("x" where there is no /proc), so that a
 * reused pid is not mistaken for the owner; `space` is the pid namespace, because in a container
 * the same pid is another process.
 */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export interface TempFolder {
  readonly path: string;
  /** Removes the folder now. Idempotent; errors are left to the next sweep. */
  remove(): void;
}

const NAME = /^cosimo-(\d+)-(\d+|x)-(\d+|x)-[A-Za-z0-9]{6}$/;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

const alive = new Set<string>();
let guarding = false;

/**
 * Makes an empty folder, readable by this user only. The first call of a process sweeps what the
 * dead left.
 */
export function createTempFolder(root: string = tmpdir()): TempFolder {
  if (!guarding) {
    guarding = true;
    guardExit();
    sweepTempFolders(root);
  }
  const owner = `${process.pid}-${startOf("self") ?? "x"}-${pidSpace()}`;
  // Absolute: an FMU may change the working folder.
  const path = mkdtempSync(join(resolve(root), `cosimo-${owner}-`));
  alive.add(path);
  return {
    path,
    remove() {
      if (alive.delete(path)) removeFolder(path);
    },
  };
}

/** Removes the folders whose owners are dead. @returns the paths that were removed. */
export function sweepTempFolders(root: string = tmpdir()): string[] {
  const removed: string[] = [];
  const space = pidSpace();
  for (const name of namesIn(root)) {
    const match = NAME.exec(name);
    if (match === null || match[3] !== space) continue;
    if (ownerLives(Number(match[1]), match[2]!)) continue;
    const path = join(root, name);
    if (isOwnFolder(path) && removeFolder(path)) removed.push(path);
  }
  return removed;
}

/** A folder that cannot be listed is not swept; making one in it shows whether that matters. */
function namesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

function ownerLives(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const now = startOf(pid);
  return start === "x" || now === undefined || now === start;
}

/**
 * Start time of a process: field 22 of /proc/<pid>/stat. The name in field 2 may hold spaces and
 * parentheses.
 */
function startOf(pid: number | "self"): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function pidSpace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "x";
  } catch {
    return "x";
  }
}

/** A folder of ours, not a link that another user put there in a shared temporary folder. */
function isOwnFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) return false;
  return process.getuid === undefined || stats.uid === process.getuid();
}

/**
 * False where the system still holds a file in it (a library loaded on Windows): a later sweep gets
 * it.
 */
function removeFolder(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

function removeAll(): void {
  for (const path of alive) removeFolder(path);
  alive.clear();
}

function guardExit(): void {
  process.on("exit", removeAll);
  for (const signal of SIGNALS) {
    const onSignal = () => {
      // With another listener the process goes on and may still need its folders; its exit removes
      // them.
      if (process.listenerCount(signal) > 1) return;
      removeAll();
      process.off(signal, onSignal);
      process.kill(process.pid, signal);
    };
    process.on(signal, onSignal);
  }
}
