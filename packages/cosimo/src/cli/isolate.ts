/**
 * Starts the process that holds an FMU and stands between it and the person: relays what it says, forwards Ctrl-C,
 * ends it when it hangs, and tells how it died.
 *
 * The worker's stdout is our stderr: FMUs print, and our stdout belongs to the command's own answer.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FromWorker, ToWorker } from "./run/protocol.ts";

/** How long a cancelled worker may take to come back from the FMU before it is ended. */
const GRACE_MS = 2000;

export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** We ended it: after Ctrl-C, or when `timeoutMs` was over. */
  readonly killed: false | "cancelled" | "timeout";
}

export interface IsolateOptions {
  readonly onMessage: (message: FromWorker) => void;
  readonly timeoutMs?: number;
}

export async function isolate(job: ToWorker, options: IsolateOptions): Promise<WorkerEnd> {
  const child = fork(fileURLToPath(new URL("./worker.js", import.meta.url)), [], {
    stdio: ["ignore", 2, 2, "ipc"],
    serialization: "advanced",
  });
  let killed: WorkerEnd["killed"] = false;
  let cancelled = false;
  let graceTimer: NodeJS.Timeout | undefined;

  const kill = (why: "cancelled" | "timeout"): void => {
    killed = why;
    child.kill("SIGKILL");
  };
  const cancel = (): void => {
    if (cancelled) {
      kill("cancelled");
      return;
    }
    cancelled = true;
    if (child.connected) child.send({ kind: "cancel" } satisfies ToWorker);
    graceTimer = setTimeout(() => kill("cancelled"), GRACE_MS);
  };
  const timeoutTimer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => kill("timeout"), options.timeoutMs);

  process.on("SIGINT", cancel);
  process.on("SIGTERM", cancel);
  try {
    return await new Promise<WorkerEnd>((resolve, reject) => {
      child.on("error", reject);
      child.on("message", (message) => options.onMessage(message as FromWorker));
      // "close" comes after the last message; "exit" may come before it.
      child.on("close", (code, signal) => resolve({ code, signal, killed }));
      child.send(job);
    });
  } finally {
    clearTimeout(graceTimer);
    clearTimeout(timeoutTimer);
    process.off("SIGINT", cancel);
    process.off("SIGTERM", cancel);
  }
}
