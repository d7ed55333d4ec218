/**
 * What a message from the worker must look like. An FMU shares the worker's process: it may damage
 * messages or write its own, and the supervisor must neither fail on them nor read or write
 * anything because of them. Every shape names its type: a property without one would reach the
 * supervisor unchecked.
 */
import type { Diagnostic, Place } from "../../base/diagnostic.ts";
import type { Outcome, SmallerSteps, UnitFailure } from "../../base/outcome.ts";
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
} from "../../base/shapes.ts";
import type { ConnectionEvents } from "../../engine/event-counts.ts";
import type { BondSummary, MasterSummary } from "../../engine/masters/master-summary.ts";
import type { PaceReport } from "../../engine/pacer.ts";
import type { Profile, UnitTime } from "../../engine/profile.ts";
import type { IsolatedUnit, RestartReport } from "../../host/sources/source.ts";
import { ISOLATIONS } from "../../model/isolation.ts";
import { bankOf, TYPE_NAMES, type ValueType } from "../../model/value-type.ts";
import { BOND_SUM_NAMES, SUMMARY_COUNT_NAMES } from "../../plan/statistics.ts";
import type { Refusal } from "../../platform/native/machine-code/refusal.ts";
import type { ThreadsReport } from "../../platform/native/parallel/parallel-executor.ts";
import type { SpoolLayout } from "../../record/spool.ts";
import type { ColumnInfo } from "../../record/trace.ts";
import type { FaultCount } from "../../unit/unit.ts";
import type { Execution, FromAnalysis, FromWorker, RunHeader } from "../protocol/protocol.ts";
import { isRequirementOver } from "./requirement-shapes.ts";

const isDiagnostic: Shape = isObject<Diagnostic>({
  ...each(isText, "code", "message", "fix"),
  severity: isOneOf("error", "warning", "note"),
  place: isObject<Place>({ file: isText, ...each(isOptional(isNumber), "line", "column") }),
});

const isPlanShape: Shape = isObject<RunHeader>({
  title: isText,
  units: isListOf(isText),
  experiment: isObject<RunHeader["experiment"]>({
    ...each(isNumber, "start", "stop", "step"),
    tolerance: isOptional(isNumber),
  }),
  columns: isListOf(
    isObject<ColumnInfo>({
      name: isText,
      type: isOneOf(...Object.keys(TYPE_NAMES)),
      ...each(isOptional(isText), "unit", "description"),
      stepwise: isOptional(isBoolean),
      isEvent: isOptional(isBoolean),
      items: isOptional(isRecordOf(isText)),
    }),
  ),
  slots: isListOf(isCount),
  layout: isObject<SpoolLayout>(each(isCount, "f64", "i64", "obj")),
  every: isOptional(isCount),
  callNames: isListOf(isText),
  // Held against the columns, once these are known to be whole.
  requirements: isOptional(isListOf(() => true)),
  entries: isRecordOf(isText),
});

/** Rows are read as the plan says: every column has a slot in the bank of its type. */
const isPlan: Shape = (value) => {
  if (!isPlanShape(value)) return false;
  const { columns, slots, layout, requirements } = value as RunHeader;
  const isRequirement = isRequirementOver(new Set(columns.map(({ name }) => name)));
  return (
    isOptional(isListOf(isRequirement))(requirements) &&
    slots.length === columns.length &&
    columns.every(({ type }, c) => (slots[c] ?? 0) < layout[bankOf(type as ValueType)])
  );
};

type End<Kind extends Outcome["kind"]> = Omit<Extract<Outcome, { kind: Kind }>, "kind">;

const END = each(isNumber, "time", "steps");
const isFailure: Shape = isObject<UnitFailure>({
  ...each(isText, "unit", "call", "status"),
  time: isNumber,
  problem: isOptional(isText),
  log: isListOf(isText),
});
const isOutcome: Shape = isKindOf<Outcome["kind"]>({
  completed: isObject<End<"completed">>(END),
  cancelled: isObject<End<"cancelled">>(END),
  "timed-out": isObject<End<"timed-out">>(END),
  "stopped-by-unit": isObject<End<"stopped-by-unit">>({ ...END, unit: isText }),
  failed: isObject<End<"failed">>({ ...END, failure: isFailure }),
  crashed: isObject<End<"crashed">>({ ...END, failure: isFailure }),
  aborted: isObject<End<"aborted">>({ ...END, reason: isText }),
  stalled: isObject<End<"stalled">>({
    ...END,
    unit: isText,
    asks: isOptional(
      isObject<SmallerSteps>({
        signal: isText,
        reason: isOneOf("error", "difference"),
        ...each(isNumber, "over", "step"),
        declared: isOptional(isText),
      }),
    ),
  }),
  diverged: isObject<End<"diverged">>({
    ...END,
    ...each(isListOf(isText), "loop", "methods", "worst"),
    residuals: isListOf(isNumber),
    step: isNumber,
  }),
  unstable: isObject<End<"unstable">>({ ...END, message: isText, advice: isText }),
  violated: isObject<End<"violated">>({ ...END, requirement: isText }),
});

const isMaster: Shape = isObject<MasterSummary>({
  ...each(isNumber, ...SUMMARY_COUNT_NAMES),
  rejections: isListOf(
    isObject<MasterSummary["rejections"][number]>({ reason: isText, count: isNumber }),
  ),
  bonds: isListOf(isObject<BondSummary>({ name: isText, ...each(isNumber, ...BOND_SUM_NAMES) })),
  notes: isListOf(isText),
});

const isProfile: Shape = isObject<Profile>({
  ...each(isNumber, "ticks", "couplingShare"),
  units: isListOf(
    isObject<UnitTime>({
      unit: isText,
      ...each(isNumber, "share", "advanceSeconds", "exchangeSeconds"),
    }),
  ),
});

const isExecution: Shape = isObject<Execution>({
  executor: isText,
  why: isOptional(isText),
  interpreted: isOptional(
    isObject<NonNullable<Execution["interpreted"]>>({
      units: isListOf(isObject<Refusal>(each(isText, "unit", "why"))),
      of: isNumber,
    }),
  ),
  threads: isOptional(isObject<ThreadsReport>({ groups: isListOf(isListOf(isText)), why: isText })),
  profile: isOptional(isProfile),
  master: isOptional(isMaster),
  isolated: isOptional(
    isListOf(
      isObject<IsolatedUnit>({
        unit: isText,
        kind: isOneOf(...ISOLATIONS),
        group: isOptional(isText),
        restarts: isListOf(
          isObject<RestartReport>({ why: isText, replayed: isCount, differs: isBoolean }),
        ),
      }),
    ),
  ),
  faults: isOptional(isListOf(isObject<FaultCount>({ name: isText, activations: isNumber }))),
  events: isOptional(
    isListOf(
      isObject<ConnectionEvents>({
        connection: isText,
        ...each(isNumber, "sent", "received", "atEnd"),
      }),
    ),
  ),
});

const isPace: Shape = isObject<PaceReport>(
  each(isNumber, "factor", "points", "overruns", "worstSeconds"),
);

/** What a message has beside its kind. */
type Said<Message extends { readonly kind: string }, Kind extends Message["kind"]> = Omit<
  Extract<Message, { kind: Kind }>,
  "kind"
>;

/** Messages of every job. */
const COMMON_SHAPES: Readonly<Record<"diagnostics" | "broken" | "through", Shape>> = {
  diagnostics: isObject<Said<FromWorker, "diagnostics">>({ diagnostics: isListOf(isDiagnostic) }),
  broken: isObject<Said<FromWorker, "broken">>({
    ...each(isText, "reason", "stack"),
    cause: isOneOf("system", "module", "ours"),
  }),
  through: () => true,
};

/** Of an analysis, apart from its report. */
export const ANALYSIS_SHAPES: Readonly<
  Record<Exclude<FromAnalysis<never>["kind"], "report">, Shape>
> = {
  ...COMMON_SHAPES,
  units: isObject<Said<FromAnalysis<never>, "units">>(each(isListOf(isText), "units", "callNames")),
  working: isObject<Said<FromAnalysis<never>, "working">>({ fraction: isNumber, doing: isText }),
  failed: isObject<Said<FromAnalysis<never>, "failed">>({ message: isText }),
};

const isRunMessage: Shape = isKindOf<FromWorker["kind"]>({
  ...COMMON_SHAPES,
  plan: isObject<Said<FromWorker, "plan">>({ plan: isPlan }),
  library: isObject<Said<FromWorker, "library">>({ number: isCount, file: isText }),
  progress: isObject<Said<FromWorker, "progress">>(END),
  tunable: isObject<Said<FromWorker, "tunable">>({ names: isListOf(isText) }),
  held: isObject<Said<FromWorker, "held">>({ ...END, isHeld: isBoolean }),
  changed: isObject<Said<FromWorker, "changed">>({
    time: isNumber,
    text: isText,
    problem: isOptional(isText),
  }),
  profile: isObject<Said<FromWorker, "profile">>({ profile: isProfile }),
  checkpoint: isObject<Said<FromWorker, "checkpoint">>({ ...END, isResumed: isBoolean }),
  log: isObject<Said<FromWorker, "log">>(each(isText, "unit", "status", "category", "message")),
  recorded: isObject<Said<FromWorker, "recorded">>({ outcome: isOutcome }),
  done: isObject<Said<FromWorker, "done">>({
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
