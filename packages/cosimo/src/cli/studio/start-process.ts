/**
 * Starts a process that works for the studio, and hears it.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FromStudioProcess, StudioOrder } from "./process-protocol.ts";

export interface StudioProcess {
  stop(): void;
  kill(): void;
}

export interface ProcessEars {
  message(message: FromStudioProcess): void;
  /** What units and commands print. */
  line(text: string): void;
  /** Once, after all messages. */
  end(how: string): void;
}

/** How long a process that is to end may take to end its own. */
const KILL_MS = 3000;

export function startProcess(order: StudioOrder, ears: ProcessEars): StudioProcess {
  const script = fileURLToPath(new URL("../worker/studio-run.js", import.meta.url));
  const child = fork(script, [], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    serialization: "advanced",
  });
  let isOver = false;
  const over = (how: string): void => {
    if (isOver) return;
    isOver = true;
    ears.end(how);
  };
  child.on("message", (message) => ears.message(message as FromStudioProcess));
  child.on("error", (error) => over(error.message));
  // Without files for its pipes there is no process, and nothing to hear it by.
  if (child.pid === undefined) return { stop: () => undefined, kill: () => undefined };
  child.on("exit", (code, signal) => over(signal ?? `exit code ${code}`));
  for (const stream of [child.stdout, child.stderr]) linesOf(stream, ears.line);
  child.send(order);
  return {
    stop: () => void (child.connected && child.send({ kind: "stop" })),
    kill: () => endOf(child),
  };
}

/** Without us it stops what it does; one that does not is ended. */
function endOf(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill("SIGKILL"), KILL_MS);
  timer.unref();
  child.once("exit", () => clearTimeout(timer));
}

/** What a line may have; more is cut up. */
const MAX_LINE = 1 << 16;

function linesOf(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  let rest = "";
  stream?.setEncoding("utf8");
  stream?.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") take(line);
    if (rest.length > MAX_LINE) {
      take(rest);
      rest = "";
    }
  });
  stream?.on("end", () => {
    if (rest.trim() !== "") take(rest);
  });
}
