/**
 * From a scenario and what somebody asks of a run to a plan with its columns. `cosimo run`, `cosimo check` and programs come here alike,
 * so that what is checked is what runs.
 */
import { type Checked, type Diagnostic, hasErrors } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { type ScenarioPorts, scenarioPorts } from "../model/scenario-ports.ts";
import type { Experiment } from "../model/unit-description.ts";
import { type Compiled, compilePlan } from "../plan/compile.ts";
import { GROWTH_COLUMN, statisticNames } from "../plan/statistics.ts";
import type { ColumnInfo } from "../record/trace.ts";
import { selectRecorded } from "../record/trace-select.ts";
import { statisticColumns } from "./statistic-columns.ts";

/** What is left out is taken from the scenario. */
export interface RunRequest extends Experiment {
  readonly master?: string;
  /** Names or patterns with * and ? over `unit.port`; default: all outputs. */
  readonly record?: readonly string[];
  /** Ends the run where its signals diverge; a column `master.growth` gives the rate at which they grow. */
  readonly stopOnDivergence?: boolean;
}

export interface PlannedRun {
  readonly compiled: Compiled;
  /** Those of ports, then those of the master; in the order of `plan.record.columns`. */
  readonly columns: readonly ColumnInfo[];
}

/** @param shown the ports that can be recorded, where that is not all of them. */
export function planRun(
  scenario: Scenario,
  request: RunRequest,
  shown: ScenarioPorts = scenarioPorts(scenario),
): Checked<PlannedRun> {
  const { record, start, step, master, stopOnDivergence } = request;
  const recorded = selectRecorded(
    shown.description,
    record ?? scenario.record.patterns,
    statisticNames(
      scenario.units.map(({ name }) => name),
      scenario.bonds.map(({ name }) => name),
    ),
  );
  const choices = recorded.columns.value ?? [];
  const planned = compilePlan(scenario, {
    ...(start === undefined ? {} : { start }),
    ...(step === undefined ? {} : { step }),
    ...(master === undefined ? {} : { master }),
    record: choices.map(({ port, element }) => ({ ...shown.origin(port), element })),
    statistics: recorded.wantsStatistic,
    growth: stopOnDivergence === true || recorded.asksFor(GROWTH_COLUMN),
  });
  const diagnostics: Diagnostic[] = [...recorded.columns.diagnostics, ...planned.diagnostics];
  if (planned.value === undefined || hasErrors(planned.diagnostics)) return { diagnostics };
  const { plan } = planned.value;
  const columns = [...choices.map(({ info }) => info), ...statisticColumns(plan)];
  return { value: { compiled: planned.value, columns }, diagnostics };
}

/** What was asked for, over what the scenario or the unit says. */
export function mergeExperiment(request: Experiment, own: Experiment): Experiment {
  const {
    start = own.start,
    stop = own.stop,
    step = own.step,
    tolerance = own.tolerance,
  } = request;
  return {
    ...(start === undefined ? {} : { start }),
    ...(stop === undefined ? {} : { stop }),
    ...(step === undefined ? {} : { step }),
    ...(tolerance === undefined ? {} : { tolerance }),
  };
}
