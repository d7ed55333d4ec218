/**
 * What the supervisor and the process that holds the FMU say to each other. One file of unions.
 *
 * Why two processes: an FMU is foreign machine code. It may crash, hang or write to stdout; the person's
 * terminal, the recorded rows and the temporary folders must survive that.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { SpoolLayout } from "../../record/spool.ts";
import type { ColumnInfo } from "../../record/trace.ts";

export interface RunJob {
  readonly kind: "run";
  readonly fmu: string;
  /** Folder of this run: the unpacked FMU, the spool, the status word. Owned by the supervisor. */
  readonly folder: string;
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
  readonly tolerance?: number;
  readonly set: readonly string[];
  readonly input?: string;
  /** Intervals of input clocks, `name=seconds`. */
  readonly clocks: readonly string[];
  readonly record: readonly string[];
  readonly logCalls?: string;
  readonly debugLogging: boolean;
  /** Off: the FMU handles its events by itself (FMI 3). */
  readonly events: "auto" | "off";
}

export interface CheckBinaryJob {
  readonly kind: "check-binary";
  readonly fmu: string;
  readonly folder: string;
}

export type ToWorker = RunJob | CheckBinaryJob | { readonly kind: "cancel" };

/** What the run will do, said before the first step. */
export interface RunPlan {
  readonly title: string;
  readonly unit: string;
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
  /** Names behind the call numbers of the status word. */
  readonly callNames: readonly string[];
  /** Facts of the run for the trace's metadata. */
  readonly entries: Readonly<Record<string, string>>;
}

export type FromWorker =
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "plan"; readonly plan: RunPlan }
  | { readonly kind: "progress"; readonly time: number; readonly steps: number }
  | {
      readonly kind: "log";
      readonly status: string;
      readonly category: string;
      readonly message: string;
    }
  /** The worker itself is broken. */
  | { readonly kind: "bug"; readonly stack: string }
  | { readonly kind: "done"; readonly outcome: Outcome; readonly wallSeconds: number };

/**
 * The status word, in shared memory, 8-byte words: [0] low half: number of the FMI call under way (0: none),
 * [1] simulated time, [2] steps. Read by the supervisor when the worker died.
 */
export const STATUS_BYTES = 64;
export const STATUS_FILE = "status.bin";
export const STATUS_TIME = 1;
export const STATUS_STEPS = 2;
