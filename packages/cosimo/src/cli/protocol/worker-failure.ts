/**
 * What went wrong in a process of ours, for the person: a refusal of the system is named as one, everything else is a
 * mistake of ours, said in one line; its trace is shown with --debug.
 */
import { DiagnosticsError } from "../../base/diagnostic.ts";
import type { FromWorker, WorkerFailure } from "./protocol.ts";

/** Whether the system said no (a file, a folder, memory), and not a mistake of ours. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    typeof (error as NodeJS.ErrnoException).code === "string" &&
    "syscall" in error
  );
}

/** What the worker says when `error` was thrown; an FMU that fails is an outcome and does not come here. */
export function failureMessage(
  error: unknown,
): Extract<FromWorker, { kind: "broken" | "diagnostics" }> {
  if (error instanceof DiagnosticsError)
    return { kind: "diagnostics", diagnostics: error.diagnostics };
  return workerFailure(error);
}

export function workerFailure(error: unknown): WorkerFailure {
  return {
    kind: "broken",
    reason: reasonOf(error),
    isSystem: isSystemError(error),
    stack: error instanceof Error ? String(error.stack) : String(error),
  };
}

/** One line about a system error, or an internal one. */
export function failureText({
  reason,
  isSystem,
}: Pick<WorkerFailure, "reason" | "isSystem">): string {
  if (!isSystem) return `internal error: ${reason}; run with --debug for the trace`;
  return `the system refused what is needed to go on: ${reason}${hintFor(reason)}`;
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] || "no reason given";
}

function hintFor(reason: string): string {
  if (reason.includes(" mkdtemp ")) return " (TMPDIR names the folder for temporary files)";
  const code = /^[A-Z]+/.exec(reason)?.[0] ?? "";
  return HINTS[code] ?? "";
}

const HINTS: Readonly<Record<string, string>> = {
  EMFILE: " (a unit may open files and never close them; 'ulimit -n' raises the limit)",
  ENFILE: " (the whole machine has too many open files)",
  ENOSPC: " (the disk is full; TMPDIR names another folder for temporary files)",
  EDQUOT: " (the quota is used up; TMPDIR names another folder for temporary files)",
  EFBIG: " (files may not be that large; 'ulimit -f' raises the limit)",
  ENOMEM: " (there is not enough memory; 'ulimit -v' may raise the limit)",
};

/** Carries what failed in the worker to the one place that reports to the person. */
export class WorkerBroken extends Error {
  readonly failure: WorkerFailure;
  constructor(failure: WorkerFailure) {
    super(failure.reason);
    this.name = "WorkerBroken";
    this.failure = failure;
  }
}
