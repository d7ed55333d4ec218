/**
 * The end of a worker that the system gave no more memory or processor time: Node gives up in any
 * of its threads, or the system ends it, whichever unit is in a call by then. A bound that the
 * command was started with is not a unit's fault; otherwise a unit has taken the memory or bounded
 * it.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { ProcessEnd } from "../../platform/process/process-end.ts";

/** What a process that has ended left behind. */
export interface LastWords extends ProcessEnd {
  /** What Node said when it gave up; empty: it did not. */
  readonly lastWords: string;
}

/** @param isInCall a unit was in a call, and may have thrown a C++ exception itself. */
export function isOutOfMemory(
  { lastWords }: Pick<LastWords, "lastWords">,
  isInCall: boolean,
): boolean {
  return (
    /out of memory|allocation failed|\bOOM\b/i.test(lastWords) ||
    (!isInCall && lastWords.includes("std::bad_alloc"))
  );
}

/** An exception of C++ that nothing caught, in a few words. */
export function uncaughtException({ lastWords }: Pick<LastWords, "lastWords">): string | undefined {
  const [, type, what] =
    /^terminate called after throwing an instance of '(.*)'(?:\n\s*what\(\):\s*(.*))?/.exec(
      lastWords,
    ) ?? [];
  return type === undefined ? undefined : `a C++ exception that it did not catch: ${what ?? type}`;
}

/** Whether the sentence about the end says what the last words do. */
export function isExplained(end: Pick<LastWords, "lastWords">): boolean {
  return isOutOfMemory(end, true) || uncaughtException(end) !== undefined;
}

/** For "… ended with …". */
export function outOfMemoryText({ code, signal }: ProcessEnd): string {
  return `${signal ?? `exit code ${code}`}: there was no memory left for its process, which a unit has taken or bounded`;
}

/**
 * Why no unit is to blame: this process, whose limits the worker has inherited, is bounded itself.
 * Undefined: it is not.
 */
export function memoryBound(limits: string = limitsOfThisProcess()): string | undefined {
  const bytes = Number(/^Max address space\s+(\d+)/m.exec(limits)?.[1]);
  if (!Number.isFinite(bytes)) return undefined;
  return `there is not enough memory: 'ulimit -v' bounds it to ${Math.round(bytes / 2 ** 20)} MiB; raise the bound`;
}

/**
 * Why no unit is to blame for the end of a process that the system may have ended for its use of
 * the processor. Undefined: this process is not bounded, or has not been running for long enough.
 */
export function processorBound(
  { signal }: Pick<ProcessEnd, "signal">,
  runningSeconds: number = process.uptime(),
  limits: string = limitsOfThisProcess(),
): string | undefined {
  const seconds = Number(/^Max cpu time\s+(\d+)/m.exec(limits)?.[1]);
  const isUsedUp = runningSeconds * availableParallelism() >= seconds;
  if ((signal !== "SIGKILL" && signal !== "SIGXCPU") || !isUsedUp) return undefined;
  return `the processor time is used up: 'ulimit -t' bounds it to ${seconds} s; raise the bound`;
}

function limitsOfThisProcess(): string {
  try {
    return readFileSync("/proc/self/limits", "latin1");
  } catch {
    return "";
  }
}
