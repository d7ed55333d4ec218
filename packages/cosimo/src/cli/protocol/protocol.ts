/**
 * The messages between the supervisor and the process that holds the FMU. One file of unions;
 * `message-shapes.ts` holds them against what arrives.
 *
 * Why two processes: an FMU is foreign machine code. It may crash, hang or write to stdout; the
 * person's terminal, the recorded rows and the temporary folders must survive that.
 */
import { resolve } from "node:path";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { ConnectionEvents } from "../../engine/event-counts.ts";
import type { MasterSummary } from "../../engine/masters/master-summary.ts";
import type { PaceReport } from "../../engine/pacer.ts";
import type { Profile } from "../../engine/profile.ts";
import type { IsolatedUnit, IsolationChoice } from "../../host/sources/source.ts";
import type { FmiInterfaceName, IntegratorOptions } from "../../model/integrator.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Refusal } from "../../platform/native/machine-code/refusal.ts";
import type { ThreadsReport } from "../../platform/native/parallel/parallel-executor.ts";
import type { SpoolLayout } from "../../record/spool.ts";
import type { ColumnInfo } from "../../record/trace.ts";
import type { RunNews } from "../../serve/services.ts";
import type { FaultCount } from "../../unit/unit.ts";
import type { CheckpointRequest } from "../checkpoint/checkpoint-options.ts";

export interface RunJob {
  readonly kind: "run";
  /** An FMU or a scenario. */
  readonly model: string;
  /** Of a scenario: in place of what its file holds. */
  readonly text?: string;
  /** Folder of this run: the unpacked FMU, the spool, the status word. Owned by the supervisor. */
  readonly folder: string;
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
  readonly tolerance?: number;
  /** Of an FMU that runs alone; default: Co-Simulation where it is offered. */
  readonly interface?: FmiInterfaceName;
  readonly integrator?: IntegratorOptions;
  /** Units get processes of their own, also where the scenario does not say so. */
  readonly isolation?: IsolationChoice;
  /** Modules are run wherever they are, not only in folders that the user trusts. */
  readonly trust: boolean;
  readonly set: readonly string[];
  /** What goes wrong: faults in a line each, and files of them. */
  readonly faults: readonly string[];
  readonly faultFiles: readonly string[];
  readonly input?: string;
  /** Intervals of input clocks, `name=seconds`. */
  readonly clocks: readonly string[];
  readonly record: readonly string[];
  readonly logCalls?: string;
  readonly debugLogging: boolean;
  /** Off: the FMU handles its events by itself (FMI 3). */
  readonly events: "auto" | "off";
  /** In place of what the scenario says. */
  readonly master?: string;
  /** What executes the plan. */
  readonly executor: "auto" | "interpreter" | "machine-code";
  /** The part of the time that each unit takes is reported in any case. */
  readonly profile: boolean;
  /** Ends the run where its signals diverge. */
  readonly stopOnDivergence: boolean;
  /** Ends the run where a requirement is violated. */
  readonly stopOnViolation: boolean;
  /** Under 'event-driven', units in processes of their own are waited for one by one. */
  readonly parallel?: "off";
  /** Units exchange values directly between their nodes; this process records. */
  readonly isDistributed?: boolean;
  /** How many threads may step the units; absent: one. */
  readonly threads?: number | "auto";
  /** Simulated seconds per wall second; absent: as fast as possible. */
  readonly realtime?: number;
  /** How the run can be continued after an interruption. */
  readonly checkpoint?: CheckpointRequest;
  /**
   * Listens to what is written into the control file (control-file.ts): pause, step, change a
   * value.
   */
  readonly isInteractive?: boolean;
}

/**
 * Where the rows of a run are: with its checkpoints, so that they outlive it, or with everything
 * else.
 */
export function spoolFolder(job: Pick<RunJob, "folder" | "checkpoint">): string {
  // Node remembers where the process began: an FMU that goes elsewhere does not move what we
  // resolve.
  return resolve(job.checkpoint?.folder ?? job.folder);
}

export interface CheckBinaryJob {
  readonly kind: "check-binary";
  readonly fmu: string;
  readonly folder: string;
}

/**
 * The job is in the run's folder as long as it is wanted: a worker that no longer finds it is to
 * stop.
 */
export const JOB_FILE = "job";

/** What the run will do, sent before the first step. */
export interface RunHeader {
  readonly title: string;
  /** Names of the units, in the order of their words in the status (status.ts). */
  readonly units: readonly string[];
  readonly experiment: {
    readonly start: number;
    readonly stop: number;
    readonly step: number;
    readonly tolerance?: number;
  };
  readonly columns: readonly ColumnInfo[];
  /** Slot of every column in the bank of its type. */
  readonly slots: readonly number[];
  readonly layout: SpoolLayout;
  /** Every how many steps a row is taken. */
  readonly every?: number;
  /** Names behind the call numbers of the status word. */
  readonly callNames: readonly string[];
  /** What must hold of the columns. */
  readonly requirements?: readonly Requirement[];
  /** Facts of the run for the trace's metadata. */
  readonly entries: Readonly<Record<string, string>>;
}

/** Where it is not known which unit it was: all of them, for a text in quotes. */
export function suspectsOf({ units, title }: RunHeader): string {
  return units.length > 0 && units.length <= MAX_SUSPECTS ? units.join("' or '") : title;
}

const MAX_SUSPECTS = 4;

/** What executed the plan, and where the time went. */
export interface Execution {
  readonly executor: string;
  /** Why the interpreter did all of it, though nobody asked for that. */
  readonly why?: string;
  /**
   * Where machine code shares the work with the interpreter: units that are not its alone, and out
   * of how many.
   */
  readonly interpreted?: { readonly units: readonly Refusal[]; readonly of: number };
  /** Where threads were requested: which unit ran on which, and why there were no more. */
  readonly threads?: ThreadsReport;
  readonly profile?: Profile;
  /** Where the master decided at run time: what it did. */
  readonly master?: MasterSummary;
  /** Units that had processes of their own, and what became of them. */
  readonly isolated?: readonly IsolatedUnit[];
  /** How often each fault acted. */
  readonly faults?: readonly FaultCount[];
  /** Where connections carry events: how many. */
  readonly events?: readonly ConnectionEvents[];
}

/** Something in the worker itself went wrong, not in a unit. */
export interface WorkerFailure {
  readonly kind: "broken";
  readonly reason: string;
  /**
   * The system refused something (files, memory), a module of the user threw outside of all calls,
   * or the mistake is ours.
   */
  readonly cause: "system" | "module" | "ours";
  readonly stack: string;
}

/** All units are freed: nothing comes any more but the end of the process. */
export interface WorkerIsThrough {
  readonly kind: "through";
}

/** What the worker of an analysis says. */
export type FromAnalysis<Report> =
  /** Said before units are opened: names for the words of the status. */
  | {
      readonly kind: "units";
      readonly units: readonly string[];
      readonly callNames: readonly string[];
    }
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "working"; readonly fraction: number; readonly doing: string }
  | { readonly kind: "report"; readonly report: Report }
  /** A unit failed before anything could be said. */
  | { readonly kind: "failed"; readonly message: string }
  | WorkerFailure
  | WorkerIsThrough;

export type FromWorker =
  | WorkerIsThrough
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "plan"; readonly plan: RunHeader }
  /**
   * A library, before it is loaded for the first time; the status says which units have it, by its
   * number.
   */
  | { readonly kind: "library"; readonly number: number; readonly file: string }
  | RunNews
  /** Where the time goes, from time to time. */
  | { readonly kind: "profile"; readonly profile: Profile }
  /** One was stored, or the run continues from one. */
  | {
      readonly kind: "checkpoint";
      readonly time: number;
      readonly steps: number;
      readonly isResumed: boolean;
    }
  | {
      readonly kind: "log";
      readonly unit: string;
      readonly status: string;
      readonly category: string;
      readonly message: string;
    }
  | WorkerFailure
  /** All rows are there; the run ends like this unless a unit cannot be terminated. */
  | { readonly kind: "recorded"; readonly outcome: Outcome }
  | {
      readonly kind: "done";
      readonly outcome: Outcome;
      readonly wallSeconds: number;
      readonly pace?: PaceReport;
      /** Of a scenario. */
      readonly execution?: Execution;
    };

/** What a run in the worker is given by the process around it. */
export interface WorkerHost {
  /** Comes back when the message is on its way. */
  say(message: FromWorker): void;
  /** The run is not wanted any more. */
  isCancelled(): boolean;
  /**
   * False when a unit has closed or replaced the files of this process: then nothing asynchronous
   * works any more.
   */
  areFilesOpen(): boolean;
}
