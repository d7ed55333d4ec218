/**
 * Starts the process that holds an FMU and stands between it and the person: relays what it says,
 * forwards requests to stop, ends it when it hangs, and reports how it died.
 *
 * Nothing here relies on the worker's good will. It leads a process group of its own, so that
 * processes which an FMU forked end with it; its end is the end of the process, not of its pipes,
 * which such processes may hold; what arrives on the channel is checked; and what it prints is
 * passed on with control characters spelled out.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { givenStandardInput } from "../../host/standard-input.ts";
import { type ProcessEnd, unreapedEnd } from "../../platform/process/process-end.ts";
import { startError } from "../../platform/process/start-error.ts";
import type { ConfluenceJob } from "../check/confluence-protocol.ts";
import { type CheckBinaryJob, JOB_FILE, type RunJob } from "../protocol/protocol.ts";
import {
  CHANNEL_FD,
  FrameReader,
  ORDERS_FD,
  STRAY_MESSAGES,
  TOKEN_BYTES,
} from "../protocol/worker-channel.ts";
import type { VariantsJob } from "../search/variants-protocol.ts";
import type { SpectralJob } from "../stability/spectral-protocol.ts";
import type { StudyJob } from "../study/study-protocol.ts";
import type { LastWords } from "./out-of-memory.ts";
import { Relay } from "./relay.ts";
import { StopRequests } from "./stop-signals.ts";

/** How long a worker that is to stop may take to come back from the FMU before it is ended. */
const STOP_GRACE_MS = 2000;
/**
 * How long units may take to be terminated when all rows are there, and to be freed when the answer
 * is.
 */
export const FREE_GRACE_MS = 5000;
/**
 * Output of a process that has ended is there at once; one that an FMU forked may go on for ever.
 */
const QUIET_MS = 100;
const DRAIN_MS = 2000;
const QUIET_TURNS = 5;
const DRAIN_TURNS = 50;
/** How often to check whether the worker has ended without a notification of the system. */
const LOOK_MS = 500;
/** How long processes that an FMU started may take to follow the worker. */
const FOLLOW_MS = 500;

export type WorkerJob =
  | RunJob
  | CheckBinaryJob
  | SpectralJob
  | ConfluenceJob
  | VariantsJob
  | StudyJob;

type Reason = "cancelled" | "timeout";

export interface WorkerEnd extends LastWords {
  /** We asked it to stop: after Ctrl-C, or when `timeoutMs` was over. */
  readonly asked: false | Reason;
  /** It did not stop when asked, or did not end when it had answered, and was ended. */
  readonly killed: false | Reason | "unfinished";
  /** It had freed all units: what came after that is the end of the process alone. */
  readonly isThrough: boolean;
  /** Bytes on the channel that were not the worker's, or were damaged. */
  readonly noise: number;
  /** An FMU had closed files of the process, or put others in their place. */
  readonly lostFiles: boolean;
  /** Processes that an FMU had started were still there, and were ended. */
  readonly leftProcesses: boolean;
}

export interface IsolateOptions<Message> {
  /** A message of this job, or undefined for what is none. */
  readonly read: (value: unknown) => Message | undefined;
  /**
   * @returns true when all that is wanted is there: from then on the worker has only to end, and
   * not for ever.
   */
  readonly onMessage: (message: Message) => boolean | undefined;
  readonly timeoutMs?: number;
  /** Of a caller that goes on listening. */
  readonly stop?: Pick<StopRequests, "onStop">;
  /** The worker takes orders while it runs, on a pipe of its own (`ORDERS_FD`). */
  readonly onStart?: (worker: LivingWorker) => void;
  /** Before text of the FMU goes to standard error. */
  readonly beforeOutput?: () => void;
}

/** A worker that takes orders. */
export interface LivingWorker {
  readonly pid: number;
  /**
   * One line per order, the end of the last one aside; what a worker that has ended does not take
   * is lost with it.
   */
  order(text: string): void;
  /** Nothing more comes. */
  end(): void;
  kill(why: Reason): void;
}

export async function isolate<Message extends { readonly kind: string }>(
  job: WorkerJob,
  options: IsolateOptions<Message>,
): Promise<WorkerEnd> {
  const token = randomBytes(TOKEN_BYTES);
  const jobFile = join(job.folder, JOB_FILE);
  writeFileSync(jobFile, "");
  const script = fileURLToPath(new URL("../worker/worker.js", import.meta.url));
  const takesOrders = options.onStart !== undefined;
  const child = spawn(process.execPath, [...process.execArgv, script], {
    stdio: ["pipe", "pipe", "pipe", "pipe", ...(takesOrders ? (["pipe"] as const) : [])],
    detached: isPosix,
  }) as ChildProcessWithoutNullStreams;
  const failure = startError(child);
  if (failure !== undefined) throw await failure;
  const own = options.stop === undefined ? new StopRequests() : undefined;
  const stop = options.stop ?? own ?? { onStop: () => undefined };
  const reader = new FrameReader(token);
  const relay = new Relay([child.stdout, child.stderr], options.beforeOutput);
  let refused = 0;
  let isAnswered = false;
  let isThrough = false;
  let asked: WorkerEnd["asked"] = false;
  let killed: WorkerEnd["killed"] = false;
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, act: () => void): void => void timers.push(setTimeout(act, ms));

  const kill = (why: Reason | "unfinished"): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    killed = why;
    killGroup(child);
  };
  const ask = (why: Reason): void => {
    asked = why;
    rmSync(jobFile, { force: true });
    after(STOP_GRACE_MS, () => kill(isAnswered ? "unfinished" : why));
  };
  let grace: NodeJS.Timeout | undefined;
  const answered = (): void => {
    isAnswered = true;
    clearTimeout(grace);
    grace = setTimeout(() => kill("unfinished"), FREE_GRACE_MS);
  };
  const take = (value: unknown): void => {
    const message = options.read(value);
    if (message === undefined) refused++;
    else if (message.kind === "through") {
      isThrough = true;
      answered();
    } else if (options.onMessage(message) === true) answered();
  };
  stop.onStop = () => {
    if (isAnswered) kill("unfinished");
    else if (asked) kill("cancelled");
    else ask("cancelled");
  };
  if (options.timeoutMs !== undefined)
    after(options.timeoutMs, () => {
      if (!asked && !isAnswered) ask("timeout");
    });
  const sleeping = suspendTogether(child);
  let look: NodeJS.Timeout | undefined;
  let isReaped = true;
  try {
    const ended = await new Promise<ProcessEnd>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code, signal) => resolve({ code, signal }));
      look = lookAfter(child, (end) => {
        isReaped = false;
        resolve(end);
      });
      // A worker that is gone does not read its job; how it went is known from its end.
      child.stdin.on("error", () => undefined);
      const order = { token: token.toString("hex"), job, standardInput: givenStandardInput() };
      child.stdin.end(JSON.stringify(order));
      const orders = child.stdio[ORDERS_FD] as Writable | undefined;
      orders?.on("error", () => undefined);
      options.onStart?.({
        pid: child.pid ?? -1,
        order: (text) => void orders?.write(`${text}\n`),
        end: () => void orders?.end(),
        kill,
      });
      (child.stdio[CHANNEL_FD] as Readable)
        .on("error", () => undefined)
        .on("data", (bytes: Buffer) => reader.push(bytes).forEach(take));
    });
    await drain(child);
    relay.end(ended.signal !== null || ended.code !== 0);
    reader.end().forEach(take);
    const strays = new FrameReader(token);
    const strayBytes = readIfThere(join(job.folder, STRAY_MESSAGES));
    for (const message of strays.push(strayBytes)) take(message);
    const lostFiles = strayBytes.length > 0;
    const leftProcesses = await endGroup(child, isReaped);
    const noise = reader.noise + refused;
    const { lastWords } = relay;
    return { ...ended, asked, killed, isThrough, noise, lostFiles, leftProcesses, lastWords };
  } finally {
    for (const timer of [...timers, grace, look]) clearTimeout(timer);
    sleeping.end();
    stop.onStop = () => undefined;
    own?.close();
  }
}

const isPosix = process.platform !== "win32";

/**
 * Reads what the ended process had written. Its pipes close only with the last process that holds
 * them.
 */
async function drain(child: ChildProcess): Promise<void> {
  (child.stdio[ORDERS_FD] as Writable | undefined)?.destroy();
  const streams = child.stdio.slice(1, ORDERS_FD) as Readable[];
  const end = performance.now() + DRAIN_MS;
  let last = performance.now();
  // Turns of the event loop count as well: on a busy machine time passes and nothing could be read.
  let [turns, quietTurns] = [0, 0];
  const touch = (): void => {
    last = performance.now();
    quietTurns = 0;
  };
  for (const stream of streams) stream.on("data", touch);
  const isOpen = (): boolean =>
    streams.some((stream) => !stream.readableEnded && !stream.destroyed);
  const isQuiet = (): boolean => quietTurns >= QUIET_TURNS && performance.now() - last >= QUIET_MS;
  const isEnough = (): boolean => turns >= DRAIN_TURNS && performance.now() >= end;
  for (; isOpen() && !isQuiet() && !isEnough(); turns++, quietTurns++) await sleep(5);
  for (const stream of streams) stream.destroy();
}

function killGroup(child: ChildProcess): void {
  if (isPosix) signalGroup(child, "SIGKILL");
  child.kill("SIGKILL");
}

/** @returns false when there is no process in the group. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return child.pid !== undefined && process.kill(-child.pid, signal);
  } catch (error) {
    // EPERM: a process in it belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Calls back when the worker has ended without Node being notified. */
function lookAfter(child: ChildProcess, onEnd: (end: ProcessEnd) => void): NodeJS.Timeout {
  // Twice the same: in between Node had its chance.
  let before: ProcessEnd | undefined;
  return setInterval(() => {
    const end = child.pid === undefined ? undefined : unreapedEnd(child.pid);
    if (end !== undefined && before !== undefined) {
      child.unref();
      onEnd(end);
    }
    before = end;
  }, LOOK_MS);
}

/**
 * Ends what the FMU has started and left. @returns whether there was something to end.
 * @param isReaped the worker itself does not count any more
 */
async function endGroup(child: ChildProcess, isReaped: boolean): Promise<boolean> {
  if (!isPosix) return false;
  if (!isReaped) {
    signalGroup(child, "SIGKILL");
    return false;
  }
  const end = performance.now() + FOLLOW_MS;
  while (signalGroup(child, 0)) {
    if (performance.now() > end) {
      signalGroup(child, "SIGKILL");
      return true;
    }
    await sleep(10);
  }
  return false;
}

const suspended = new Set<ChildProcess>();

function suspendAll(): void {
  for (const child of suspended) signalGroup(child, "SIGSTOP");
  process.kill(process.pid, "SIGSTOP");
}

function resumeAll(): void {
  for (const child of suspended) signalGroup(child, "SIGCONT");
}

/** Ctrl-Z and `fg` concern all processes, and the workers' groups do not hear of them. */
function suspendTogether(child: ChildProcess): { end(): void } {
  if (!isPosix) return { end: () => undefined };
  if (suspended.size === 0) {
    process.on("SIGTSTP", suspendAll);
    process.on("SIGCONT", resumeAll);
  }
  suspended.add(child);
  return {
    end() {
      suspended.delete(child);
      if (suspended.size > 0) return;
      process.off("SIGTSTP", suspendAll);
      process.off("SIGCONT", resumeAll);
    },
  };
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
