/**
 * Starts the process that holds an FMU and stands between it and the person: relays what it says, forwards Ctrl-C,
 * ends it when it hangs, and tells how it died.
 *
 * The worker's stdout is our stderr: FMUs print, and our stdout belongs to the command's own answer.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FromWorker, ToWorker } from "./run/protocol.ts";
import type { SpectralJob } from "./stability/spectral-protocol.ts";

/** How long a worker that shall stop may take to come back from the FMU before it is ended. */
const GRACE_MS = 2000;

type Reason = "cancelled" | "timeout";

export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** We asked it to stop: after Ctrl-C, or when `timeoutMs` was over. */
  readonly asked: false | Reason;
  /** It did not stop when asked, and was ended. */
  readonly killed: false | Reason;
}

export interface IsolateOptions<Message> {
  readonly onMessage: (message: Message) => void;
  readonly timeoutMs?: number;
}

export async function isolate<Message = FromWorker>(
  job: ToWorker | SpectralJob,
  options: IsolateOptions<Message>,
): Promise<WorkerEnd> {
  const child = fork(fileURLToPath(new URL("./worker.js", import.meta.url)), [], {
    stdio: ["ignore", 2, 2, "ipc"],
    serialization: "advanced",
  });
  let asked: WorkerEnd["asked"] = false;
  let killed: WorkerEnd["killed"] = false;
  let graceTimer: NodeJS.Timeout | undefined;

  const kill = (why: Reason): void => {
    killed = why;
    child.kill("SIGKILL");
  };
  const ask = (why: Reason): void => {
    asked = why;
    if (child.connected) child.send({ kind: "cancel" } satisfies ToWorker);
    graceTimer = setTimeout(() => kill(why), GRACE_MS);
  };
  const cancel = (): void => {
    if (asked) kill("cancelled");
    else ask("cancelled");
  };
  const timeOut = (): void => {
    if (!asked) ask("timeout");
  };
  const timeoutTimer =
    options.timeoutMs === undefined ? undefined : setTimeout(timeOut, options.timeoutMs);

  process.on("SIGINT", cancel);
  process.on("SIGTERM", cancel);
  try {
    return await new Promise<WorkerEnd>((resolve, reject) => {
      child.on("error", reject);
      child.on("message", (message) => options.onMessage(message as Message));
      // "close" comes after the last message; "exit" may come before it.
      child.on("close", (code, signal) => resolve({ code, signal, asked, killed }));
      child.send(job);
    });
  } finally {
    clearTimeout(graceTimer);
    clearTimeout(timeoutTimer);
    process.off("SIGINT", cancel);
    process.off("SIGTERM", cancel);
  }
}
