/**
 * Requirements of a run while it runs: rows go to a monitor, and what it finds ends the run between
 * two steps.
 */
import type { Outcome } from "../base/outcome.ts";
import type { RunPlanOptions } from "../engine/run-plan.ts";
import type { Requirement } from "../model/requirement.ts";
import type { Banks } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import type { ColumnInfo } from "../record/trace.ts";
import type { Verdict } from "../requirements/check-requirement.ts";
import { RequirementMonitor } from "../requirements/monitor.ts";

type Watching = Pick<RunPlanOptions, "onRow" | "shouldStop" | "onRecorded" | "chunk">;

export interface WatchedRun<Options> {
  readonly options: Options;
  /** The outcome of a run that ended because of a violation. */
  outcome(ended: Outcome): Outcome;
  /** Why it ended. */
  readonly violated: Verdict | undefined;
}

/** Steps between two chances to stop. */
const CHUNK = 8;

/** The options of a run that stops as soon as a requirement is violated whatever comes. */
export function stopOnViolation<Options extends Watching>(
  options: Options,
  requirements: readonly Requirement[],
  plan: Plan,
  columns: readonly ColumnInfo[],
): WatchedRun<Options> {
  const monitor = new RequirementMonitor(requirements);
  const slots = monitor.names.map(
    (name) => plan.record.columns[columns.findIndex((one) => one.name === name)],
  );
  const values = new Array<number>(slots.length);
  const outcome = (ended: Outcome): Outcome =>
    monitor.violated === undefined || ended.kind !== "cancelled"
      ? ended
      : { ...ended, kind: "violated", requirement: monitor.violated.name };
  const { onRow, shouldStop, onRecorded } = options;
  return {
    options: {
      ...options,
      chunk: Math.min(options.chunk ?? CHUNK, CHUNK),
      onRow: (time: number, banks: Banks) => {
        onRow(time, banks);
        for (let i = 0; i < slots.length; i++)
          values[i] = Number(banks[slots[i].bank][slots[i].slot]);
        monitor.row(time, values);
      },
      shouldStop: (time: number, steps: number) =>
        monitor.violated !== undefined || (shouldStop?.(time, steps) ?? false),
      ...(onRecorded && { onRecorded: (ended: Outcome) => onRecorded(outcome(ended)) }),
    },
    outcome,
    get violated() {
      return monitor.violated;
    },
  };
}
