/**
 * From the end of a worker to the ending of a run: what its last message did not say is in its
 * status, its exit code and the rows it left.
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import { canClose, canLimitMemory } from "../../platform/native/closes-files.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import {
  type RunHeader,
  type RunJob,
  suspectsOf,
  type WorkerFailure,
} from "../protocol/protocol.ts";
import { readStatus } from "../protocol/status.ts";
import { failureText } from "../protocol/worker-failure.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";
import { FREE_GRACE_MS, type WorkerEnd } from "./isolate.ts";
import {
  isOutOfMemory,
  type LastWords,
  memoryBound,
  outOfMemoryText,
  processorBound,
  uncaughtException,
} from "./out-of-memory.ts";

export function stopped(why: "cancelled" | "timeout", time: number, steps: number): Outcome {
  return { kind: why === "timeout" ? "timed-out" : why, time, steps };
}

/**
 * A run whose temporary files were removed: the rows of a complete one, or the file that says it is
 * still wanted.
 */
export function filesGone({ time, steps }: { time: number; steps: number }): Outcome {
  const reason = "the temporary files of the run are gone: something removed them";
  return { kind: "aborted", time, steps, reason };
}

/**
 * Of a worker that ended before it had a plan: no unit had been opened yet, but their files had.
 */
export function earlyEnd(job: RunJob, end: WorkerEnd, broken: WorkerFailure | undefined): Outcome {
  const [time, steps] = [job.start ?? 0, 0];
  if (end.asked) return stopped(end.asked, time, steps);
  if (broken) return { kind: "aborted", time, steps, reason: failureText(broken) };
  const reason = isOutOfMemory(end, false) ? memoryBound() : processorBound(end);
  if (reason !== undefined) return { kind: "aborted", time, steps, reason };
  const failure = {
    unit: basename(job.model),
    call: "loading",
    status: deathText(end),
    time,
    log: [],
  };
  return { kind: "crashed", time, steps, failure };
}

/** The outcome of a run whose worker did not report it. */
export function howItEnded(
  job: RunJob,
  plan: RunHeader,
  end: WorkerEnd,
  heard: {
    readonly broken: WorkerFailure | undefined;
    /** Errors say why it could not go on. */
    readonly refused: boolean;
    readonly log: readonly string[];
    /** Files of libraries, by their numbers. */
    readonly libraries: ReadonlyMap<number, string>;
  },
): Outcome {
  const status = readStatus(job.folder, plan.units, plan.callNames);
  const time = status.time ?? plan.experiment.start;
  const steps = status.rows ?? 0;
  if (heard.broken) return { kind: "aborted", time, steps, reason: failureText(heard.broken) };
  if (heard.refused) return { kind: "aborted", time, steps, reason: "the run could not go on" };
  if (end.killed === "cancelled") return { kind: "cancelled", time, steps };
  const fileOf = (u: number): string | undefined => heard.libraries.get(status.libraries[u] ?? 0);
  if (end.killed === false && isOutOfMemory(end, status.running.length > 0)) {
    const reason = memoryBound();
    if (reason !== undefined) return { kind: "aborted", time, steps, reason };
    const unit = suspectsOf({ ...plan, units: suspects(plan, fileOf, canLimitMemory) });
    const failure = { unit, call: "the run", status: outOfMemoryText(end), time };
    return { kind: "crashed", time, steps, failure: { ...failure, log: [...heard.log] } };
  }
  if (end.killed === false && (end.lostFiles || end.noise > 0)) {
    const able = end.lostFiles ? suspects(plan, fileOf, canClose) : plan.units;
    const failure = { ...damaged({ ...plan, units: able }, end), time, log: [...heard.log] };
    return { kind: "crashed", time, steps, failure };
  }
  const reason = end.killed === false ? processorBound(end) : undefined;
  if (reason !== undefined) return { kind: "aborted", time, steps, reason };
  const [first, ...others] = status.running;
  if (end.killed === false && end.signal === "SIGABRT" && others.length === 0) {
    const able = suspects(plan, fileOf, canClose);
    const isAbroad = first !== undefined && heard.libraries.size > 0 && !able.includes(first.unit);
    const log = [...heard.log];
    if (first === undefined || (isAbroad && able.length < plan.units.length)) {
      const failure = { ...aborted({ ...plan, units: able }, first), time, log };
      return { kind: "crashed", time, steps, failure };
    }
  }
  const death = end.killed === "timeout" ? "no answer within --timeout" : deathText(end);
  // On threads several FMUs are at work, and it is not known which of them it was.
  const names = others.map(({ unit }) => `'${unit}'`).join(", ");
  const failure = {
    unit: first?.unit ?? onlyUnit(plan) ?? plan.title,
    call: first?.call ?? "the run",
    status: others.length === 0 ? death : `${death}; ${names} ran at the same time`,
    time,
    log: [...heard.log],
  };
  return { kind: "crashed", time, steps, failure };
}

/** Rows that were written and not passed on say more than the status. */
export function upToLastRow(
  outcome: Outcome,
  plan: RunHeader,
  rows: Iterable<TraceChunk>,
): Outcome {
  let time = Number.NEGATIVE_INFINITY;
  for (const chunk of rows) time = Math.max(time, chunk.time.at(-1) ?? time);
  if (time <= outcome.time || !Number.isFinite(time)) return outcome;
  const steps = Math.round((time - plan.experiment.start) / plan.experiment.step);
  if (outcome.kind !== "crashed") return { ...outcome, time, steps };
  return { ...outcome, time, steps, failure: { ...outcome.failure, time } };
}

/** What is to be said of a worker beside the run's own ending. */
export function afterwards(
  job: RunJob,
  plan: RunHeader | undefined,
  end: WorkerEnd,
  /** How the run ended, if the worker said so. */
  known: Outcome | undefined,
): Diagnostic[] {
  const place = { file: job.model };
  const only = plan && onlyUnit(plan);
  const suspect = only === undefined ? "one of the units" : `'${only}'`;
  const found: Diagnostic[] = [];
  const isClean = end.isThrough && end.killed !== "unfinished" && end.code === 0;
  // Without its files, or with noise in them, the process cannot end well: no exit handler is to
  // blame.
  const isExplained = (end.isThrough && end.lostFiles) || (end.noise > 0 && end.killed === false);
  if (known && !isClean && !isExplained) {
    const [running] = readStatus(job.folder, plan?.units ?? [], plan?.callNames ?? []).running;
    const unit = running ? `'${running.unit}'` : suspect;
    const call = running?.call ?? "the end of the process (an exit handler or a destructor)";
    found.push(
      end.killed === "unfinished"
        ? diagnose(
            RUN_DIAGNOSTICS,
            "unit-not-freed",
            { unit, call, seconds: FREE_GRACE_MS / 1000 },
            place,
          )
        : diagnose(
            RUN_DIAGNOSTICS,
            "unit-crashed-late",
            { unit, call, how: deathText(end) },
            place,
          ),
    );
  }
  if (end.leftProcesses)
    found.push(diagnose(RUN_DIAGNOSTICS, "unit-left-processes", { unit: suspect }, place));
  if ((end.noise > 0 && known) || (end.lostFiles && known && known.kind !== "failed"))
    found.push(diagnose(RUN_DIAGNOSTICS, "unit-disturbed-channel", { unit: suspect }, place));
  return found;
}

function onlyUnit({ units }: RunHeader): string | undefined {
  return units.length === 1 ? units[0] : undefined;
}

/**
 * Node takes addresses from pipes of its own, in threads of its own: when an FMU has written into
 * them, the process dies sooner or later, whichever unit is in a call by then.
 */
function damaged(
  plan: RunHeader,
  end: WorkerEnd,
): { readonly unit: string; readonly call: string; readonly status: string } {
  const how = end.signal ?? `exit code ${end.code}`;
  const what = end.lostFiles ? "closed or replaced" : "written into";
  return {
    unit: suspectsOf(plan),
    call: "the run",
    status: `${how}, after it had ${what} files that belong to its process`,
  };
}

/**
 * Units whose libraries could have done it; all of them where none could, as far as can be seen.
 */
function suspects(
  plan: RunHeader,
  fileOf: (unit: number) => string | undefined,
  could: (file: string) => boolean,
): readonly string[] {
  const able = plan.units.filter((_, u) => {
    const file = fileOf(u);
    return file === undefined || !isPlainFile(file) || could(file);
  });
  return able.length > 0 ? able : plan.units;
}

/** The worker named it, so it may be anything. */
function isPlainFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Node gives up in a thread of its own when it finds its files gone or its heap corrupted,
 * whichever unit is in a call by then. One that is in a call may have given up itself.
 * @param plan with the units that can close files.
 */
function aborted(
  plan: RunHeader,
  inCall: { readonly unit: string; readonly call: string } | undefined,
): { readonly unit: string; readonly call: string; readonly status: string } {
  const cause = "closed or replaced files that belong to its process";
  if (inCall === undefined) {
    const status = `SIGABRT between two calls: it has corrupted memory, or has ${cause}`;
    return { unit: suspectsOf(plan), call: "the run", status };
  }
  const units = [...plan.units, inCall.unit];
  const status = `SIGABRT in ${inCall.call} of '${inCall.unit}': it gave up, or another unit has ${cause}`;
  return { unit: suspectsOf({ ...plan, units }), call: "the run", status };
}

export function deathText(end: LastWords): string {
  if (isOutOfMemory(end, true)) return outOfMemoryText(end);
  switch (end.signal) {
    case "SIGSEGV":
    case "SIGBUS":
      return `${end.signal} (the FMU touched memory that is not its own)`;
    case "SIGABRT":
      return `SIGABRT (the FMU gave up: ${uncaughtException(end) ?? "a failed assertion or a corrupted heap"})`;
    case "SIGFPE":
      return "SIGFPE (the FMU divided an integer by zero)";
    case "SIGKILL":
      return "SIGKILL (its process was killed: by the FMU, by another process, or by the system for lack of memory)";
    case "SIGXCPU":
      return "SIGXCPU (the processor time of its process is bounded, and used up)";
    case null:
      return `exit code ${end.code} (the FMU ended its process)`;
    default:
      return end.signal;
  }
}
