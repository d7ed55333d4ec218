/**
 * What a message from the worker must look like. An FMU shares the worker's process: it may damage messages or write its
 * own, and the supervisor must neither fail on them nor read or write anything because of them.
 */
import type { Outcome } from "../../base/outcome.ts";
import { bankOf, TYPE_NAMES, type ValueType } from "../../model/value-type.ts";
import type { FromAnalysis, FromWorker, RunHeader } from "../protocol/protocol.ts";
import {
  each,
  isBoolean,
  isCount,
  isKindOf,
  isListOf,
  isNumber,
  isObject,
  isOneOf,
  isOptional,
  isRecordOf,
  isText,
  type Shape,
} from "../protocol/shapes.ts";

const isDiagnostic: Shape = isObject({
  ...each(isText, "code", "message", "fix"),
  severity: isOneOf("error", "warning", "note"),
  place: isObject({ file: isText, ...each(isOptional(isNumber), "line", "column") }),
});

const isPlanShape: Shape = isObject({
  title: isText,
  units: isListOf(isText),
  experiment: isObject({
    ...each(isNumber, "start", "stop", "step"),
    tolerance: isOptional(isNumber),
  }),
  columns: isListOf(
    isObject({
      name: isText,
      type: isOneOf(...Object.keys(TYPE_NAMES)),
      ...each(isOptional(isText), "unit", "description"),
      stepwise: isOptional(isBoolean),
      isEvent: isOptional(isBoolean),
    }),
  ),
  slots: isListOf(isCount),
  layout: isObject(each(isCount, "f64", "i64", "obj")),
  every: isOptional(isCount),
  callNames: isListOf(isText),
  entries: isRecordOf(isText),
});

/** Rows are read as the plan says: every column has a slot in the bank of its type. */
const isPlan: Shape = (value) => {
  if (!isPlanShape(value)) return false;
  const { columns, slots, layout } = value as RunHeader;
  return (
    slots.length === columns.length &&
    columns.every(({ type }, c) => (slots[c] ?? 0) < layout[bankOf(type as ValueType)])
  );
};

const END = each(isNumber, "time", "steps");
const isFailure: Shape = isObject({
  ...each(isText, "unit", "call", "status"),
  time: isNumber,
  log: isListOf(isText),
});
const isOutcome: Shape = isKindOf<Outcome["kind"]>({
  completed: isObject(END),
  cancelled: isObject(END),
  "timed-out": isObject(END),
  "stopped-by-unit": isObject({ ...END, unit: isText }),
  failed: isObject({ ...END, failure: isFailure }),
  crashed: isObject({ ...END, failure: isFailure }),
  aborted: isObject({ ...END, reason: isText }),
  stalled: isObject({
    ...END,
    unit: isText,
    asks: isOptional(
      isObject({
        signal: isText,
        reason: isOneOf("error", "difference"),
        ...each(isNumber, "over", "step"),
        declared: isOptional(isText),
      }),
    ),
  }),
  diverged: isObject({
    ...END,
    ...each(isListOf(isText), "loop", "methods", "worst"),
    residuals: isListOf(isNumber),
    step: isNumber,
  }),
  unstable: isObject({ ...END, message: isText, advice: isText }),
});

const isExecution: Shape = isObject({
  executor: isText,
  interpreted: isOptional(
    isObject({ units: isListOf(isObject({ unit: isText, why: isText })), of: isNumber }),
  ),
  threads: isOptional(isObject({ groups: isListOf(isListOf(isText)), why: isText })),
  profile: isOptional(
    isObject({
      ticks: isNumber,
      units: isListOf(
        isObject({
          unit: isText,
          ...each(isNumber, "share", "advanceSeconds", "exchangeSeconds"),
        }),
      ),
      couplingShare: isNumber,
    }),
  ),
  master: isOptional(
    isObject({
      ...each(isNumber, "steps", "iterations", "advances", "events"),
      rejections: isListOf(isObject({ reason: isText, count: isNumber })),
      bonds: isListOf(
        isObject({ name: isText, ...each(isNumber, "transferred", "moved", "made", "lost") }),
      ),
      notes: isListOf(isText),
    }),
  ),
  faults: isOptional(isListOf(isObject({ name: isText, activations: isNumber }))),
});

const isPace: Shape = isObject(each(isNumber, "factor", "points", "overruns", "worstSeconds"));

/** Messages of every job. */
export const COMMON_SHAPES: Readonly<Record<"diagnostics" | "broken" | "through", Shape>> = {
  diagnostics: isObject({ diagnostics: isListOf(isDiagnostic) }),
  broken: isObject({ reason: isText, isSystem: isBoolean, stack: isText }),
  through: () => true,
};

/** Of an analysis, apart from its report. */
export const ANALYSIS_SHAPES: Readonly<
  Record<Exclude<FromAnalysis<never>["kind"], "report">, Shape>
> = {
  ...COMMON_SHAPES,
  units: isObject({ units: isListOf(isText), callNames: isListOf(isText) }),
  working: isObject({ fraction: isNumber, doing: isText }),
  failed: isObject({ message: isText }),
};

const isRunMessage: Shape = isKindOf<FromWorker["kind"]>({
  ...COMMON_SHAPES,
  plan: isObject({ plan: isPlan }),
  library: isObject({ unit: isCount, file: isText }),
  progress: isObject(END),
  checkpoint: isObject({ ...END, isResumed: isBoolean }),
  log: isObject(each(isText, "unit", "status", "category", "message")),
  recorded: isObject({ outcome: isOutcome }),
  done: isObject({
    outcome: isOutcome,
    wallSeconds: isNumber,
    pace: isOptional(isPace),
    execution: isOptional(isExecution),
  }),
});

/** `value` if it is a message of a run, or of the check of a binary. */
export function runMessage(value: unknown): FromWorker | undefined {
  return isRunMessage(value) ? (value as FromWorker) : undefined;
}
