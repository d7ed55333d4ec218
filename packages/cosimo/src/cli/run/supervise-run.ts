/**
 * A run seen from outside: starts the worker, shows progress, and whatever happened turns the recorded rows into
 * the files that were asked for and the ending into an outcome.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { PaceReport } from "../../engine/pacer.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { isolate, type WorkerEnd } from "../isolate.ts";
import { progressBar } from "../progress.ts";
import { removeCheckpoints } from "./checkpoint-files.ts";
import { executorText, interpretedText, profileText, threadsText } from "./execution-text.ts";
import {
  type Execution,
  type RunJob,
  type RunPlan,
  STATUS_FILE,
  STATUS_STEPS,
  STATUS_TIME,
  spoolFolder,
  statusCallsAt,
} from "./protocol.ts";
import { readSpool } from "./spool-files.ts";
import { writeOutputs } from "./write-outputs.ts";

export interface SuperviseOptions {
  readonly out: readonly string[];
  readonly plot: readonly string[];
  readonly showProgress: boolean;
  readonly timeoutSeconds?: number;
}

export interface RunReport {
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when the run was refused before it started. */
  readonly outcome?: Outcome;
  readonly plan?: RunPlan;
  readonly rows: number;
  readonly wallSeconds: number;
  /** Of a run in real time. */
  readonly pace?: PaceReport;
  /** Of a scenario. */
  readonly execution?: Execution;
  /** Of a run that can be continued, or was. */
  readonly checkpoint?: CheckpointReport;
  readonly files: readonly string[];
  /** The last row as text, for a run that wrote no file. */
  readonly lastValues: readonly string[];
}

export interface CheckpointReport {
  readonly folder: string;
  /** Where the run went on. */
  readonly resumedAt?: number;
  /** Where it can be continued; absent when it came to its end. */
  readonly time?: number;
}

const MAX_LOG_LINES = 200;

export async function superviseRun(
  job: Omit<RunJob, "folder">,
  options: SuperviseOptions,
): Promise<RunReport> {
  const temp = createTempFolder();
  try {
    return await supervise({ ...job, folder: temp.path }, options);
  } finally {
    temp.remove();
  }
}

async function supervise(job: RunJob, options: SuperviseOptions): Promise<RunReport> {
  const diagnostics: Diagnostic[] = [];
  const log: string[] = [];
  const unexplained: string[] = [];
  let plan: RunPlan | undefined;
  let outcome: Outcome | undefined;
  let bug: string | undefined;
  let wallSeconds = 0;
  let pace: PaceReport | undefined;
  let execution: Execution | undefined;
  let resumedAt: number | undefined;
  let lastCheckpoint: { readonly time: number; readonly steps: number } | undefined;
  const progress = progressBar(process.stderr);
  const started = performance.now();
  const sayFor = (line: string): void => {
    progress.clear();
    console.error(line);
  };

  const end = await isolate(job, {
    ...(options.timeoutSeconds === undefined ? {} : { timeoutMs: options.timeoutSeconds * 1000 }),
    onMessage: (message) => {
      switch (message.kind) {
        case "diagnostics":
          diagnostics.push(...message.diagnostics);
          break;
        case "plan":
          plan = message.plan;
          break;
        case "progress":
          if (plan && options.showProgress) {
            const { start, stop } = plan.experiment;
            progress.update(
              (message.time - start) / (stop - start),
              `t=${message.time.toPrecision(6)}`,
            );
          }
          break;
        case "checkpoint":
          lastCheckpoint = message;
          if (message.isResumed) resumedAt = message.time;
          break;
        case "log": {
          const line = `${message.unit}: [${message.status}] ${message.category ? `${message.category}: ` : ""}${message.message}`;
          log.push(line);
          if (log.length > MAX_LOG_LINES) log.shift();
          // An error's words come with the failure they explain; without one, at the end.
          if (message.status === "error" || message.status === "fatal") unexplained.push(line);
          else if (job.debugLogging || message.status !== "ok") sayFor(line);
          break;
        }
        case "bug":
          bug = message.stack;
          break;
        case "done":
          outcome = message.outcome;
          wallSeconds = message.wallSeconds;
          pace = message.pace;
          execution = message.execution;
          break;
      }
    },
  });
  progress.clear();
  if (bug !== undefined) throw new Error(`internal: ${bug}`);
  const refused = outcome === undefined && hasErrors(diagnostics);
  if (plan === undefined || refused) {
    if (!refused && !end.asked) throw workerLost(end);
    const early = end.asked ? { outcome: stopped(end.asked, job.start ?? 0, 0) } : {};
    return { diagnostics, ...early, rows: 0, wallSeconds, files: [], lastValues: [] };
  }
  if (outcome === undefined) {
    outcome = upToLastRow(deathOf(job, plan, end, log), job, plan);
    wallSeconds = (performance.now() - started) / 1000;
  }
  if (outcome.kind === "cancelled" && end.asked)
    outcome = stopped(end.asked, outcome.time, outcome.steps);
  if (outcome.kind !== "failed" && outcome.kind !== "crashed") unexplained.forEach(sayFor);
  const written = await writeOutputs(
    withExecutor(plan, execution),
    outcome,
    () => readSpool(spoolFolder(job), job.folder, plan!),
    { ...options, measured: measuredEntries(execution), isDurable: job.checkpoint !== undefined },
  );
  const isKept =
    lastCheckpoint !== undefined &&
    lastCheckpoint.steps > 0 &&
    (hasErrors(written.diagnostics) || !isOver(outcome));
  if (job.checkpoint && !isKept) removeCheckpoints(job.checkpoint.folder);
  return {
    ...written,
    diagnostics: [...diagnostics, ...written.diagnostics],
    outcome,
    plan,
    wallSeconds,
    ...(pace ? { pace } : {}),
    ...(execution ? { execution } : {}),
    ...(job.checkpoint
      ? {
          checkpoint: {
            folder: job.checkpoint.folder,
            ...(resumedAt === undefined ? {} : { resumedAt }),
            ...(isKept ? { time: lastCheckpoint!.time } : {}),
          },
        }
      : {}),
  };
}

/** Nothing would come if it went on. */
function isOver(outcome: Outcome): boolean {
  return outcome.kind === "completed" || outcome.kind === "stopped-by-unit";
}

function withExecutor(plan: RunPlan, execution: Execution | undefined): RunPlan {
  if (execution === undefined) return plan;
  const { executor, interpreted } = execution;
  const facts = interpreted
    ? { executor: executorText(execution), interpreted: interpretedText(interpreted) }
    : { executor };
  return { ...plan, entries: { ...plan.entries, ...facts } };
}

/** What is different in every run. */
function measuredEntries(execution: Execution | undefined): Record<string, string> {
  return {
    ...(execution?.threads ? { threads: threadsText(execution.threads) } : {}),
    ...(execution?.profile ? { profile: profileText(execution.profile) } : {}),
  };
}

function workerLost(end: WorkerEnd): Error {
  return new Error(`internal: the worker ended (${end.signal ?? end.code}) without an answer`);
}

function stopped(why: "cancelled" | "timeout", time: number, steps: number): Outcome {
  return { kind: why === "timeout" ? "timed-out" : why, time, steps };
}

/** The outcome of a run whose process died: where it was is in the status word. */
function deathOf(job: RunJob, plan: RunPlan, end: WorkerEnd, log: readonly string[]): Outcome {
  const file = readFileSync(join(job.folder, STATUS_FILE));
  const bytes = new Uint8Array(file).buffer;
  const calls = new Int32Array(bytes, statusCallsAt(0));
  const running = plan.units.map((_, unit) => unit).filter((unit) => calls[unit] !== 0);
  const unit = running[0] ?? 0;
  const words = new Float64Array(bytes);
  const time = words[STATUS_TIME] ?? plan.experiment.start;
  const steps = words[STATUS_STEPS] ?? 0;
  if (end.killed === "cancelled") return { kind: "cancelled", time, steps };
  const death = end.killed === "timeout" ? "no answer within --timeout" : deathText(end);
  const others = running.slice(1).map((other) => `'${plan.units[other]}'`);
  // On threads several FMUs are at work, and nobody knows which of them it was.
  const status =
    others.length === 0 ? death : `${death}; ${others.join(", ")} ran at the same time`;
  const failure = {
    unit: plan.units[unit] ?? plan.title,
    call: plan.callNames[calls[unit] ?? 0] || "the run",
    status,
    time,
    log: [...log],
  };
  return { kind: "crashed", time, steps, failure };
}

/** Rows that were written and not handed on tell more than the status. */
function upToLastRow(outcome: Outcome, job: RunJob, plan: RunPlan): Outcome {
  let { time } = outcome;
  for (const chunk of readSpool(spoolFolder(job), job.folder, plan))
    time = Math.max(time, chunk.time.at(-1) ?? time);
  if (time === outcome.time) return outcome;
  const steps = Math.round((time - plan.experiment.start) / plan.experiment.step);
  if (outcome.kind !== "crashed") return { ...outcome, time, steps };
  return { ...outcome, time, steps, failure: { ...outcome.failure, time } };
}

function deathText(end: WorkerEnd): string {
  switch (end.signal) {
    case "SIGSEGV":
    case "SIGBUS":
      return `${end.signal} (the FMU touched memory that is not its own)`;
    case "SIGABRT":
      return "SIGABRT (the FMU gave up: a failed assertion or a corrupted heap)";
    case "SIGFPE":
      return "SIGFPE (the FMU divided an integer by zero)";
    case null:
      return `exit code ${end.code} (the FMU ended its process)`;
    default:
      return end.signal;
  }
}
