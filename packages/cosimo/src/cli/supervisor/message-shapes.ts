/**
 * What a message from the worker must look like. An FMU shares the worker's process: it may damage messages or write its
 * own, and the supervisor must neither fail on them nor read or write anything because of them.
 */
import type { Outcome } from "../../base/outcome.ts";
import { bankOf, TYPE_NAMES, type ValueType } from "../../model/value-type.ts";
import type { FromWorker, RunHeader } from "../protocol/protocol.ts";
import {
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
  code: isText,
  severity: isOneOf("error", "warning", "note"),
  message: isText,
  fix: isText,
  place: isObject({ file: isText, line: isOptional(isNumber), column: isOptional(isNumber) }),
});

const isPlanShape: Shape = isObject({
  title: isText,
  units: isListOf(isText),
  experiment: isObject({
    start: isNumber,
    stop: isNumber,
    step: isNumber,
    tolerance: isOptional(isNumber),
  }),
  columns: isListOf(
    isObject({
      name: isText,
      type: isOneOf(...Object.keys(TYPE_NAMES)),
      unit: isOptional(isText),
      description: isOptional(isText),
      stepwise: isOptional(isBoolean),
    }),
  ),
  slots: isListOf(isCount),
  layout: isObject({ f64: isCount, i64: isCount, obj: isCount }),
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

const END = { time: isNumber, steps: isNumber };
const isFailure: Shape = isObject({
  unit: isText,
  call: isText,
  status: isText,
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
        over: isNumber,
        step: isNumber,
        declared: isOptional(isText),
      }),
    ),
  }),
  diverged: isObject({
    ...END,
    loop: isListOf(isText),
    methods: isListOf(isText),
    residuals: isListOf(isNumber),
    worst: isListOf(isText),
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
          share: isNumber,
          advanceSeconds: isNumber,
          exchangeSeconds: isNumber,
        }),
      ),
      couplingShare: isNumber,
    }),
  ),
  master: isOptional(
    isObject({
      steps: isNumber,
      rejections: isListOf(isObject({ reason: isText, count: isNumber })),
      iterations: isNumber,
      advances: isNumber,
      events: isNumber,
      bonds: isListOf(
        isObject({
          name: isText,
          transferred: isNumber,
          moved: isNumber,
          made: isNumber,
          lost: isNumber,
        }),
      ),
      notes: isListOf(isText),
    }),
  ),
});

const isPace: Shape = isObject({
  factor: isNumber,
  points: isNumber,
  overruns: isNumber,
  worstSeconds: isNumber,
});

/** What every job may say. */
export const COMMON_SHAPES: Readonly<Record<"diagnostics" | "broken" | "through", Shape>> = {
  diagnostics: isObject({ diagnostics: isListOf(isDiagnostic) }),
  broken: isObject({ reason: isText, isSystem: isBoolean, stack: isText }),
  through: () => true,
};

const isRunMessage: Shape = isKindOf<FromWorker["kind"]>({
  ...COMMON_SHAPES,
  plan: isObject({ plan: isPlan }),
  progress: isObject({ time: isNumber, steps: isNumber }),
  checkpoint: isObject({ time: isNumber, steps: isNumber, isResumed: isBoolean }),
  log: isObject({ unit: isText, status: isText, category: isText, message: isText }),
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
