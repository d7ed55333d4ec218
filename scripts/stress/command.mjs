/**
 * Runs the real command once, in a folder of its own, with a bound on time, and tells what could be
 * seen from outside.
 *
 * Output goes to files, not pipes: a process that an FMU left behind would keep a pipe open. The
 * command gets a process group of its own, so that what it leaves behind when it hangs can be ended
 * without touching anything else.
 */
import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What users install (staged-package.mjs): it starts in half the processor time of the build. */
export const COSIMO = join(ROOT, "out", "package", "bin", "cosimo.js");

/** As much of an output as is looked at. */
const LOOKED_AT_BYTES = 8 << 20;

/** The time of the whole test was over before a command was; nothing is known of it. */
export class OutOfTime extends Error {}

let until = Number.POSITIVE_INFINITY;

/** Ends every command at a time of `performance.now()`. */
export function endAt(time) {
  until = time;
}

/**
 * How much slower things are than on a machine that has nothing else to do: bounds on wall time
 * are multiplied by it, or a busy machine looks like a command that hangs.
 */
export function slowness() {
  return Math.max(1, loadavg()[0] / availableParallelism());
}

/**
 * Runs `node COSIMO …args` in `folder`, which must exist.
 * @param options.boundMs after this, on a machine with nothing else to do, the whole group is ended,
 * and the command counts as hanging
 * @param options.program another command instead, as tests of the judge need
 * @param options.stdout, options.stderr where these go instead of into files that are looked at
 * @param options.temporary its TMPDIR; an empty folder unless given
 * @param options.ulimit limits for the shell that starts it, such as "-v 4000000"
 * @param options.started gets the process, to be disturbed
 * @returns exit code or signal, both outputs, what is left in the temporary folder
 * @throws OutOfTime at the time given to `endAt`
 */
export async function runCommand(folder, args, options = {}) {
  const temporary = options.temporary ?? join(folder, "tmp");
  if (options.temporary === undefined) mkdirSync(temporary, { recursive: true });
  const files = { stdout: join(folder, "stdout.txt"), stderr: join(folder, "stderr.txt") };
  const out = openSync(options.stdout ?? files.stdout, "w");
  const err = openSync(options.stderr ?? files.stderr, "w");
  const program = options.program ?? [process.execPath, COSIMO];
  const line = [...program, ...args];
  const [command, ...rest] = options.ulimit
    ? ["bash", "-c", `ulimit ${options.ulimit}; exec "$@"`, "bash", ...line]
    : line;
  const began = performance.now();
  const child = spawn(command, rest, {
    cwd: folder,
    stdio: ["ignore", out, err],
    detached: true,
    env: { ...process.env, NO_COLOR: "1", ...options.env, TMPDIR: temporary },
  });
  closeSync(out);
  closeSync(err);
  const boundMs = (options.boundMs ?? 30_000) * slowness();
  const leftMs = until - began;
  let timedOut = false;
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    // Not "close": others may hold what the command held.
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
  const timer = setTimeout(
    () => {
      timedOut = true;
      endGroup(child.pid);
    },
    Math.min(boundMs, leftMs),
  );
  await options.started?.(child);
  const { code, signal } = await ended;
  clearTimeout(timer);
  if (timedOut && leftMs < boundMs) throw new OutOfTime();
  return {
    args,
    code,
    signal,
    timedOut,
    seconds: (performance.now() - began) / 1000,
    stdout: options.stdout ? "" : beginningOf(files.stdout),
    stderr: options.stderr ? "" : beginningOf(files.stderr),
    leftovers: existsSync(temporary) ? readdirSync(temporary) : [],
  };
}

/** Ends a group that `runCommand` made. */
export function endGroup(leader) {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}

export function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function beginningOf(path) {
  const size = Math.min(statSync(path).size, LOOKED_AT_BYTES);
  const bytes = Buffer.alloc(size);
  const file = openSync(path, "r");
  readSync(file, bytes, 0, size, 0);
  closeSync(file);
  return bytes.toString("utf8");
}
