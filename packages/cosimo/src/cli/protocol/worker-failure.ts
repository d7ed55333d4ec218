/**
 * What went wrong in a process of ours, for the person: a refusal of the system is named as one,
 * everything else is a mistake of ours, said in one line; its trace is shown with --debug.
 */
import { basename } from "node:path";
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { errorText } from "../../base/error-text.ts";
import type { FromWorker, WorkerFailure } from "./protocol.ts";

/**
 * Whether there was no memory: the engine says so when it makes an array, the loader when it maps a
 * library. Both without the name of a call of the system.
 */
function isOutOfMemory(error: unknown): error is Error {
  return (
    error instanceof Error &&
    /array buffer allocation failed|failed to map segment|cannot allocate memory|cannot create thread/i.test(
      error.message,
    )
  );
}

/** Whether the system said no (a file, a folder), and not a mistake of ours. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    typeof (error as NodeJS.ErrnoException).code === "string" &&
    "syscall" in error
  );
}

/**
 * What the worker says when `error` was thrown; an FMU that fails is an outcome and does not come
 * here.
 */
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
    cause: causeOf(error),
    stack: error instanceof Error ? String(error.stack) : String(error),
  };
}

/** One line about a system error, or an internal one. */
export function failureText({ reason, cause }: Pick<WorkerFailure, "reason" | "cause">): string {
  if (cause === "ours") return `internal error: ${reason}; run with --debug for the trace`;
  if (cause === "module") return `a module threw outside of the calls of its unit: ${reason}`;
  return `the system refused what is needed to go on: ${reason}${hintFor(reason)}`;
}

function reasonOf(error: unknown): string {
  if (isOutOfMemory(error) && !isSystemError(error)) return `ENOMEM: ${error.message}`;
  const text = errorText(error).split("\n", 1)[0] || "no reason given";
  const place = placeOutside(error);
  return place === undefined || isSystemError(error) ? text : `${text} (${place})`;
}

function causeOf(error: unknown): WorkerFailure["cause"] {
  if (isSystemError(error) || isOutOfMemory(error)) return "system";
  return placeOutside(error) === undefined ? "ours" : "module";
}

/** This package: in a checkout, installed, or bundled. */
const OWN = import.meta.url.replace(/\/(?:src|dist)\/.*$/, "/");
/** Of the first line of a stack: the file, as an address or a path, and the line in it. */
const FRAME = /^ +at (?:.* \()?(?:async )?((?:file:|node:|\/|[A-Z]:\\).*?):(\d+):\d+\)?$/m;

/** File and line that threw, where it is a file of the user: a timer or a promise of a module. */
function placeOutside(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, file = "node:", line] = FRAME.exec(error.stack ?? "") ?? [];
  const url = file.startsWith("file:") ? file : `file://${file}`;
  const isOurs = url.startsWith(OWN) || /^node:|[\\/]node_modules[\\/]/.test(file);
  return isOurs ? undefined : `${basename(file)}:${line}`;
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
