/**
 * A run seen from outside: starts the worker, shows progress, and whatever happened turns the
 * recorded rows into the requested files and the ending into an outcome.
 */
import { append, type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import { eventCountsText } from "../../engine/event-counts.ts";
import type { PaceReport } from "../../engine/pacer.ts";
import type { LivePublisher } from "../../host/network/live-publisher.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import type { Verdict } from "../../requirements/check-requirement.ts";
import { removeCheckpoints } from "../checkpoint/checkpoint-files.ts";
import { NewestRows } from "../protocol/newest-rows.ts";
import {
  type Execution,
  type FromWorker,
  type RunHeader,
  type RunJob,
  spoolFolder,
  type WorkerFailure,
} from "../protocol/protocol.ts";
import { readSpool } from "../protocol/spool-files.ts";
import { printError, printVerbose } from "../terminal.ts";
import { checkRequirements } from "./check-requirements.ts";
import { executorText, interpretedText, profileText, threadsText } from "./execution-text.ts";
import {
  afterwards,
  earlyEnd,
  filesGone,
  howItEnded,
  stopped,
  upToLastRow,
} from "./how-it-ended.ts";
import { isolate } from "./isolate.ts";
import { runMessage } from "./message-shapes.ts";
import { isExplained } from "./out-of-memory.ts";
import { progressBar } from "./progress.ts";
import { STOP_CODES, StopRequests, type StopSignal } from "./stop-signals.ts";
import { UnitLog } from "./unit-log.ts";
import { writeOutputs } from "./write-outputs.ts";

export interface SuperviseOptions {
  readonly out: readonly string[];
  readonly plot: readonly string[];
  readonly showProgress: boolean;
  readonly timeoutSeconds?: number;
  /**
   * Of a caller that shows the run itself: everything that the worker says; units' messages are
   * then not printed.
   */
  readonly onMessage?: (message: FromWorker) => void;
  /** Where the rows are kept, also after the run; default: a folder that is removed at its end. */
  readonly folder?: string;
  /** Shows the run to others while it goes on. */
  readonly live?: Pick<LivePublisher, "begin" | "progress" | "end">;
}

export interface RunReport {
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when the run was refused before it started. */
  readonly outcome?: Outcome;
  /** The worker itself failed. */
  readonly broken?: WorkerFailure;
  /** The signal that cancelled the run. */
  readonly stoppedBy?: StopSignal;
  readonly plan?: RunHeader;
  readonly rows: number;
  readonly wallSeconds: number;
  /** Of a run in real time. */
  readonly pace?: PaceReport;
  /** Of a scenario. */
  readonly execution?: Execution;
  /** Of a run that can be continued, or was. */
  readonly checkpoint?: CheckpointReport;
  /** On what the scenario requires. */
  readonly verdicts: readonly Verdict[];
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

export async function superviseRun(
  job: Omit<RunJob, "folder">,
  options: SuperviseOptions,
): Promise<RunReport> {
  const temp = options.folder === undefined ? createTempFolder() : undefined;
  const folder = options.folder ?? temp?.path ?? "";
  // Until the results are written: a signal ends the run, not what is made of it.
  const stop = new StopRequests();
  try {
    return await supervise({ ...job, folder }, options, stop);
  } finally {
    stop.close();
    temp?.remove();
  }
}

/** What a worker said. */
interface Heard {
  readonly diagnostics: Diagnostic[];
  readonly log: UnitLog;
  plan?: RunHeader;
  done?: Extract<FromWorker, { kind: "done" }>;
  /** How it ends unless a unit cannot be terminated. */
  recorded?: Outcome;
  broken?: WorkerFailure;
  resumedAt?: number;
  lastCheckpoint?: { readonly time: number; readonly steps: number };
  /** Files of libraries, by their numbers. */
  readonly libraries: Map<number, string>;
}

async function supervise(
  job: RunJob,
  options: SuperviseOptions,
  stop: StopRequests,
): Promise<RunReport> {
  const progress = progressBar(process.stderr);
  const started = performance.now();
  const sayFor = (line: string): void => {
    progress.clear();
    printError(line);
  };
  const heard: Heard = {
    diagnostics: [],
    log: new UnitLog(job.debugLogging, options.onMessage ? () => undefined : sayFor),
    libraries: new Map(),
  };
  const end = await isolate<FromWorker>(job, {
    ...present({ timeoutMs: options.timeoutSeconds && options.timeoutSeconds * 1000 }),
    stop,
    read: runMessage,
    beforeOutput: progress.clear,
    onMessage: (message) => {
      if (options.live !== undefined) show(options.live, job, heard, message);
      listen(heard, message);
      options.onMessage?.(message);
      const done = verboseText(message);
      if (done !== undefined) printVerbose(done);
      if (message.kind === "progress" && heard.plan && options.showProgress) {
        const { start, stop: last } = heard.plan.experiment;
        const text = `t=${message.time.toPrecision(6)}`;
        progress.update((message.time - start) / (last - start), text);
      }
      return ["recorded", "done", "broken"].includes(message.kind);
    },
  });
  progress.clear();
  const { plan, log, broken, done, resumedAt, lastCheckpoint, libraries } = heard;
  if (end.lastWords !== "" && (job.debugLogging || !isExplained(end))) printError(end.lastWords);
  // Units that do not come back from being terminated take nothing from the result.
  const known = done?.outcome ?? (end.killed === "unfinished" ? heard.recorded : undefined);
  const diagnostics = [...heard.diagnostics, ...afterwards(job, plan, end, known)];
  const stoppedBy = end.asked === "cancelled" ? stop.signal : undefined;
  const about = present({ broken, stoppedBy });
  const refused = known === undefined && broken === undefined && hasErrors(heard.diagnostics);
  const rows = (): Iterable<TraceChunk> =>
    plan === undefined ? [] : readSpool(spoolFolder(job), job.folder, plan);
  const isEmpty = isNone(rows());
  if (plan === undefined || (refused && isEmpty)) {
    log.end(refused);
    const outcome = refused ? undefined : earlyEnd(job, end, broken);
    await options.live?.end(outcome?.kind ?? "refused");
    const none = { rows: 0, wallSeconds: 0, verdicts: [], files: [], lastValues: [] };
    return { diagnostics, ...present({ outcome }), ...about, ...none };
  }
  let outcome =
    known ??
    upToLastRow(
      howItEnded(job, plan, end, { broken, log: log.newest, refused, libraries }),
      plan,
      rows(),
    );
  if (outcome.kind === "cancelled")
    outcome = end.asked ? stopped(end.asked, outcome.time, outcome.steps) : filesGone(outcome);
  if (outcome.kind === "completed" && isEmpty) outcome = filesGone(outcome);
  log.end(outcome.kind === "failed" || outcome.kind === "crashed");
  options.live?.progress(outcome.steps);
  const shown = options.live?.end(outcome.kind);
  const execution = done?.execution;
  stop.onStop = secondThoughts(sayFor);
  const verdicts = checkRequirements(plan, rows());
  const written = await writeOutputs(withExecutor(plan, execution), outcome, rows, {
    ...options,
    verdicts,
    measured: measuredEntries(execution),
    isDurable: job.checkpoint !== undefined,
  });
  const isKept =
    lastCheckpoint !== undefined &&
    lastCheckpoint.steps > 0 &&
    (hasErrors(written.diagnostics) || !isOver(outcome));
  if (job.checkpoint && !isKept) removeCheckpoints(job.checkpoint.folder);
  await shown;
  return {
    ...written,
    diagnostics: [...diagnostics, ...written.diagnostics],
    outcome,
    ...about,
    plan,
    verdicts,
    wallSeconds: done?.wallSeconds ?? (performance.now() - started) / 1000,
    ...present({
      pace: done?.pace,
      execution,
      checkpoint: job.checkpoint && {
        folder: job.checkpoint.folder,
        ...present({ resumedAt, time: isKept ? lastCheckpoint.time : undefined }),
      },
    }),
  };
}

function isNone(items: Iterable<unknown>): boolean {
  for (const _ of items) return false;
  return true;
}

/** What watchers see of a message; a second plan is not sent. */
function show(
  live: NonNullable<SuperviseOptions["live"]>,
  job: RunJob,
  heard: Heard,
  message: FromWorker,
): void {
  if (message.kind === "progress") live.progress(message.steps);
  if (message.kind !== "plan" || heard.plan !== undefined) return;
  const { title, columns, experiment } = message.plan;
  const rows = new NewestRows(spoolFolder(job), message.plan);
  live.begin({
    title,
    start: experiment.start,
    stop: experiment.stop,
    columns,
    count: () => rows.count(),
    read: (first, count) => rows.read(first, count),
  });
}

/** What `--verbose` shows of a message. */
function verboseText(message: FromWorker): string | undefined {
  switch (message.kind) {
    case "plan": {
      const { units, columns, experiment } = message.plan;
      const { start, stop, step } = experiment;
      return `runs ${units.join(", ")} from ${start} s to ${stop} s in steps of ${step} s, records ${columns.length} columns`;
    }
    case "library":
      return `loads ${message.file}`;
    case "checkpoint":
      return `checkpoint at t=${message.time}${message.isResumed ? ", continued from here" : ""}`;
    case "recorded":
      return `${message.outcome.kind} at t=${message.outcome.time}; frees the units`;
    case "done":
      return `freed the units; the run took ${message.wallSeconds.toFixed(3)} s`;
    default:
      return undefined;
  }
}

/** A plan, an ending, a failure come once: a second one is not the worker's. */
function listen(heard: Heard, message: FromWorker): void {
  switch (message.kind) {
    case "diagnostics":
      append(
        heard.diagnostics,
        message.diagnostics.slice(0, MAX_DIAGNOSTICS - heard.diagnostics.length),
      );
      break;
    case "library":
      heard.libraries.set(message.number, message.file);
      break;
    case "plan":
      heard.plan ??= message.plan;
      break;
    case "checkpoint":
      heard.lastCheckpoint = message;
      if (message.isResumed) heard.resumedAt = message.time;
      break;
    case "log":
      heard.log.take(message);
      break;
    case "broken":
      heard.broken ??= message;
      break;
    case "recorded":
      heard.recorded ??= message.outcome;
      break;
    case "done":
      heard.done ??= message;
      break;
    case "progress":
    case "tunable":
    case "held":
    case "changed":
    case "profile":
    case "through":
      break;
  }
}

/** Far more than a person reads; an FMU can cause any number of them. */
const MAX_DIAGNOSTICS = 10_000;

/**
 * While results are written: the second request ends the command, what is half written is removed.
 */
function secondThoughts(sayFor: (line: string) => void): (signal: StopSignal) => void {
  let requests = 0;
  return (signal) => {
    if (++requests === 1) sayFor("cosimo: writing the results; repeat to discard them");
    else process.exit(STOP_CODES[signal]);
  };
}

/** Nothing would come if it went on. */
function isOver(outcome: Outcome): boolean {
  return ["completed", "stopped-by-unit", "violated"].includes(outcome.kind);
}

function withExecutor(plan: RunHeader, execution: Execution | undefined): RunHeader {
  if (execution === undefined) return plan;
  const { executor, interpreted, events } = execution;
  const facts = interpreted
    ? { executor: executorText(execution), interpreted: interpretedText(interpreted) }
    : { executor };
  const counts = present({ events: events && eventCountsText(events) });
  return { ...plan, entries: { ...plan.entries, ...facts, ...counts } };
}

/** What is different in every run. */
function measuredEntries(execution: Execution | undefined): Record<string, string> {
  return present({
    threads: execution?.threads && threadsText(execution.threads),
    profile: execution?.profile && profileText(execution.profile),
  });
}
