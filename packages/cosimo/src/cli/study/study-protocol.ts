/**
 * What a study and the processes that run it say to each other. A worker is given the texts of the
 * study and its scenario once, then runs as lines of orders, and answers each with a row, in the
 * order of the orders.
 */
import {
  isCount,
  isKindOf,
  isListOf,
  isNumber,
  isObject,
  isOptional,
  isText,
  type Shape,
} from "../../base/shapes.ts";
import type { IsolationChoice } from "../../host/sources/source.ts";
import type { StudyPoint } from "../../model/study.ts";
import type { FromAnalysis } from "../protocol/protocol.ts";
import { ANALYSIS_SHAPES } from "../supervisor/message-shapes.ts";

export interface StudyJob {
  readonly kind: "study";
  /** The study: its path, and what it holds. */
  readonly study: string;
  readonly text: string;
  /** The same of its scenario; without a text it is not a scenario.yaml. */
  readonly scenario: string;
  readonly scenarioText?: string;
  /** For unpacked FMUs. Owned by the supervisor. */
  readonly folder: string;
  /** 'nobody': not even folders that this user trusts. */
  readonly trust: boolean | "nobody";
  /** Of units whose scenario says nothing. */
  readonly isolation?: IsolationChoice;
  /** Where traces go, if they are kept. */
  readonly traces?: string;
}

/** One run: its number in the study, and a level per factor. */
export interface StudyRun {
  readonly run: number;
  readonly point: StudyPoint;
}

/** What became of a run. */
export interface StudyRow extends StudyRun {
  /** 'completed', or another kind of outcome; 'rejected': there is no plan for it. */
  readonly outcome: string;
  /** Why it is not completed. */
  readonly reason?: string;
  /** What is kept, in the order of the table; NaN where the run has no such number. */
  readonly values: readonly number[];
  /** Wall clock. */
  readonly seconds: number;
  /** Of a calibration: differences to what was measured. */
  readonly residuals?: readonly number[];
}

export function isCompleted({ outcome }: Pick<StudyRow, "outcome">): boolean {
  return outcome === "completed" || outcome === "stopped-by-unit";
}

/** The file of a run's trace. */
export function traceName(run: number): string {
  return `run-${String(run).padStart(6, "0")}.parquet`;
}

export type FromStudy =
  | Exclude<FromAnalysis<never>, { readonly kind: "report" | "working" | "failed" }>
  /** It waits for orders. */
  | { readonly kind: "ready" }
  /** The units of a run are open; said where runs have a time. */
  | { readonly kind: "begun" }
  | { readonly kind: "row"; readonly row: StudyRow };

const isRow: Shape = isObject<StudyRow>({
  run: isCount,
  point: isListOf(isNumber),
  outcome: isText,
  reason: isOptional(isText),
  values: isListOf(isNumber),
  seconds: isNumber,
  residuals: isOptional(isListOf(isNumber)),
});

const { units, diagnostics, broken, through } = ANALYSIS_SHAPES;

const isMessage: Shape = isKindOf<FromStudy["kind"]>({
  units,
  diagnostics,
  broken,
  through,
  ready: isObject<object>({}),
  begun: isObject<object>({}),
  row: isObject<{ readonly row: unknown }>({ row: isRow }),
});

export function studyMessage(value: unknown): FromStudy | undefined {
  return isMessage(value) ? (value as FromStudy) : undefined;
}

/** The same for a row that was kept in a file. */
export function studyRow(value: unknown): StudyRow | undefined {
  return isRow(value) ? (value as StudyRow) : undefined;
}
