/**
 * What the server needs of the command line, which knows how runs are started: `cosimo studio`
 * provides it, so that a run of the studio is a run of `cosimo run`, process by process.
 */
import type { ChildProcess } from "node:child_process";
import type { Checked, Diagnostic } from "../base/diagnostic.ts";
import type { Outcome } from "../base/outcome.ts";
import type { ColumnInfo, Trace } from "../record/trace.ts";
import type { FmuPage, LogLine, RunOptions, StabilityRequest, UnitTimes } from "./protocol.ts";
import type { RowSource } from "./signal-index.ts";

export interface RunOrder {
  /** Absolute. */
  readonly file: string;
  readonly text?: string;
  readonly options: RunOptions;
  /** Absolute paths of traces to write. */
  readonly out: readonly string[];
  /** For the run's rows. Removed by the server. */
  readonly folder: string;
}

/** What a run says while it goes on, from its worker to the page. */
export type RunNews =
  | { readonly kind: "progress"; readonly time: number; readonly steps: number }
  /** Of a run that listens: what can be set while it runs. */
  | { readonly kind: "tunable"; readonly names: readonly string[] }
  /** It waits, or goes on. */
  | {
      readonly kind: "held";
      readonly isHeld: boolean;
      readonly time: number;
      readonly steps: number;
    }
  /** A value was set, or why it was not. */
  | {
      readonly kind: "changed";
      readonly time: number;
      readonly text: string;
      readonly problem?: string;
    };

export type RunEvent =
  | {
      readonly kind: "plan";
      readonly title: string;
      readonly units: readonly string[];
      readonly columns: readonly ColumnInfo[];
      readonly experiment: { readonly start: number; readonly stop: number; readonly step: number };
      readonly rows: RowSource;
    }
  | RunNews
  | { readonly kind: "times"; readonly times: UnitTimes }
  | { readonly kind: "log"; readonly line: LogLine }
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  | RunEnd;

export interface RunEnd {
  readonly kind: "ended";
  /** All of them. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent: it was refused before it began. */
  readonly outcome?: Outcome;
  readonly ending: string;
  readonly failedUnit?: string;
  readonly wallSeconds: number;
  readonly executor?: string;
  readonly times?: UnitTimes;
  readonly verdicts: readonly {
    readonly name: string;
    readonly state: string;
    readonly text: string;
  }[];
  readonly files: readonly string[];
}

export interface StartedRun {
  /** Waits between steps, or goes on. */
  pause(isPaused: boolean): void;
  step(count: number): void;
  set(text: string): void;
  stop(): void;
  /** Writes the rows of a run that has ended. */
  save(file: string): Promise<readonly Diagnostic[]>;
  /** Ends the process, whatever it does. */
  kill(): void;
}

export interface StabilityEvent {
  readonly kind: "working" | "done" | "failed" | "stopped";
  readonly fraction?: number;
  readonly doing?: string;
  readonly failure?: string;
  readonly diagnostics?: readonly Diagnostic[];
  readonly report?: unknown;
  readonly advice?: readonly string[];
  readonly picture?: string;
}

export interface StudioServices {
  startRun(order: RunOrder, hear: (event: RunEvent) => void): StartedRun;
  startStability(
    file: string,
    request: StabilityRequest,
    hear: (event: StabilityEvent) => void,
  ): { stop(): void };
  /** Speaks on its standard input and output. */
  startLanguageServer(): ChildProcess;
  fmuPage(file: string): Omit<FmuPage, "path">;
  readTrace(file: string): Promise<Checked<Trace>>;
}
