/**
 * From a scenario and a request for a run to a plan with its columns. `cosimo run`, `cosimo check`
 * and programs come here alike, so that what is checked is what runs.
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { present } from "../base/present.ts";
import { connectorsOf } from "../coordinate/connectors-of.ts";
import { MASTERS } from "../model/masters.ts";
import type { Scenario } from "../model/scenario.ts";
import { type ScenarioPorts, scenarioPorts } from "../model/scenario-ports.ts";
import type { Experiment, UnitDescription } from "../model/unit-description.ts";
import { type Compiled, compilePlan } from "../plan/compile.ts";
import { withFaultTriggers } from "../plan/fault-needs.ts";
import { GROWTH_COLUMN, statisticNames } from "../plan/statistics.ts";
import { RECORD_DIAGNOSTICS } from "../record/diagnostics.ts";
import type { ColumnInfo } from "../record/trace.ts";
import {
  type ColumnChoice,
  columnsOf,
  type RecordedChoice,
  selectColumns,
  selectRecorded,
} from "../record/trace-select.ts";
import { planStructure, type StructurePlan } from "./plan-structure.ts";
import { statisticColumns } from "./statistic-columns.ts";

/** What is absent is taken from the scenario. */
export interface RunRequest extends Experiment {
  readonly master?: string;
  /** Names or patterns with * and ? over `unit.port`; default: all outputs. */
  readonly record?: readonly string[];
  /**
   * Ends the run where its signals diverge; a column `master.growth` gives the rate at which they
   * grow.
   */
  readonly stopOnDivergence?: boolean;
}

export interface PlannedRun {
  readonly compiled: Compiled;
  /** Those of ports, then those of the master; in the order of `plan.record.columns`. */
  readonly columns: readonly ColumnInfo[];
  /**
   * Where the structure of the scenario changes: `compiled` is the plan of the start, with the
   * columns of all structures.
   */
  readonly structure?: StructurePlan;
}

export interface PlanRunOptions {
  /**
   * The ports that can be recorded, by the names that patterns use; default: all, as `unit.port`.
   */
  readonly ports?: ScenarioPorts;
  /** The only unit is driven event by event (engine/simulate-unit.ts). */
  readonly isSingle?: boolean;
  /** The scenario is one structure of several, whose units go on from plan to plan. */
  readonly isPart?: boolean;
}

export function planRun(
  scenario: Scenario,
  request: RunRequest,
  options: PlanRunOptions = {},
): Checked<PlannedRun> {
  const planned = planColumns(scenario, request, options);
  if (planned.value === undefined) return planned;
  const missing = missingColumns(scenario, planned.value.columns);
  if (missing.length === 0) return planned;
  return { diagnostics: [...planned.diagnostics, ...missing] };
}

/** Plans one structure of a scenario whose structure changes. */
export function planPart(scenario: Scenario, request: RunRequest): Checked<PlannedRun> {
  return planRun(scenario, request, { isPart: true });
}

function planColumns(
  scenario: Scenario,
  request: RunRequest,
  { ports = scenarioPorts(scenario), isSingle = false, isPart = false }: PlanRunOptions,
): Checked<PlannedRun> {
  if (scenario.structure !== undefined)
    return planStructure(scenario, scenario.structure, request, planPart);
  const { record, start, step, master, stopOnDivergence } = request;
  const patterns = record ?? scenario.record.patterns;
  const names = statisticNames(
    scenario.units.map(({ name }) => name),
    scenario.bonds.map(({ name }) => name),
  );
  const recorded = isSingle
    ? portsOnly(selectColumns(ports.description, patterns))
    : selectRecorded(ports.description, patterns, names);
  const required = requiredColumns(scenario);
  const chosen = withTracks(ports.description, recorded.columns.value ?? []);
  const choices = withRequired(ports.description, chosen, required);
  const planned = compilePlan(scenario, {
    ...present({ start, step, master }),
    isSingle,
    meetsEvents: !isSingle && !isPart,
    record: choices.map(({ port, element }) => ({ ...ports.origin(port), element })),
    statistics: (name) => recorded.wantsStatistic(name) || required.has(name),
    growth: stopOnDivergence === true || recorded.asksFor(GROWTH_COLUMN),
    index: !isSingle && choices.some(({ info }) => info.isEvent),
  });
  const diagnostics: Diagnostic[] = [...recorded.columns.diagnostics, ...planned.diagnostics];
  if (planned.value === undefined || hasErrors(planned.diagnostics)) return { diagnostics };
  const { plan } = planned.value;
  if (MASTERS[plan.master].coordinates) {
    const { diagnostics: found } = connectorsOf(withFaultTriggers(scenario), plan.step);
    diagnostics.push(...found);
    if (hasErrors(found)) return { diagnostics };
  }
  const columns = [...choices.map(({ info }) => info), ...statisticColumns(plan)];
  return { value: { compiled: planned.value, columns }, diagnostics };
}

/** Faults are recorded whatever is chosen. */
function withTracks(
  { ports }: UnitDescription,
  chosen: readonly ColumnChoice[],
): readonly ColumnChoice[] {
  const known = new Set(chosen.map(({ port }) => port));
  const tracks = ports.filter(({ track, index }) => track === true && !known.has(index));
  return [...chosen, ...tracks.flatMap(columnsOf)];
}

/** Names of the columns that requirements are about. */
function requiredColumns({ requirements = [] }: Scenario): ReadonlySet<string> {
  return new Set(requirements.flatMap(({ signals }) => signals.map(({ name }) => name)));
}

/** So is what requirements name. */
function withRequired(
  { ports }: UnitDescription,
  chosen: readonly ColumnChoice[],
  required: ReadonlySet<string>,
): readonly ColumnChoice[] {
  if (required.size === 0) return chosen;
  const known = new Set(chosen.map(({ info }) => info.name));
  const isMissing = ({ info }: ColumnChoice): boolean =>
    required.has(info.name) && !known.has(info.name);
  return [...chosen, ...ports.flatMap(columnsOf).filter(isMissing)];
}

/** What no run of this scenario records: numbers about the run that its master does not report. */
function missingColumns(
  { requirements = [] }: Scenario,
  columns: readonly ColumnInfo[],
): Diagnostic[] {
  const names = columns.map(({ name }) => name);
  return requirements.flatMap(({ signals, place }) =>
    signals
      .filter(({ name }) => !names.includes(name))
      .map(({ name: signal }) => {
        const params = { signal, nearest: nearest(signal, names) };
        return diagnose(RECORD_DIAGNOSTICS, "requirement-no-column", params, place);
      }),
  );
}

/** A unit that runs alone has no master: every pattern is about its ports. */
function portsOnly(columns: RecordedChoice["columns"]): RecordedChoice {
  return { columns, wantsStatistic: () => true, asksFor: () => false };
}

/** The request, over what the scenario or the unit says. */
export function mergeExperiment(request: Experiment, own: Experiment): Experiment {
  const {
    start = own.start,
    stop = own.stop,
    step = own.step,
    tolerance = own.tolerance,
  } = request;
  return present({ start, stop, step, tolerance });
}
