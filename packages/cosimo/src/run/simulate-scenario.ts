/**
 * A scenario's run in memory: plan, units, trace as arrays. The library's counterpart of `cosimo run scenario.yaml`, for
 * scenarios written in code (simulate-scenario-define.ts) and, on Node, read from files (simulate-scenario-file.ts).
 */
import { type Diagnostic, unwrap } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import type { Outcome } from "../base/outcome.ts";
import type { MasterSummary } from "../engine/masters/master-summary.ts";
import { type MakeExecutor, runPlan } from "../engine/run-plan.ts";
import type { PortValue, Scenario } from "../model/scenario.ts";
import { type ScenarioPorts, scenarioPorts } from "../model/scenario-ports.ts";
import { portSize } from "../model/unit-description.ts";
import type { ObjectValue, Value } from "../model/value-type.ts";
import { checkPlan } from "../plan/check-plan.ts";
import { compilePlan } from "../plan/compile.ts";
import { GROWTH_COLUMN, type Plan } from "../plan/plan.ts";
import type { Column, Trace } from "../record/trace.ts";
import { selectRecorded } from "../record/trace-select.ts";
import type { Unit } from "../unit/unit.ts";
import { statisticColumns } from "./statistic-columns.ts";
import { columnData } from "./trace-unit.ts";

/** A scenario together with the means to make its units. */
export interface RunnableScenario {
  readonly scenario: Scenario;
  /** Units for one run of `plan`, freshly instantiated, in the scenario's order. */
  open(scenario: Scenario, plan: Plan): Promise<OpenedUnits>;
}

export interface OpenedUnits {
  readonly units: readonly Unit[];
  /** Gives back what was made for this run. */
  close(): void;
}

/** What is left out is taken from the scenario. */
export interface SimulateScenarioOptions {
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
  readonly tolerance?: number;
  readonly master?: string;
  /** Values over those of the scenario, as `unit.port` and in the port's own unit; a single value fills an array. */
  readonly set?: Readonly<Record<string, Value | readonly Value[]>>;
  /** Names or patterns with * and ? over `unit.port`; all outputs unless anybody says. */
  readonly record?: readonly string[];
  /** Ends the run where its signals fly apart; a column `master.growth` tells at what rate they grow. */
  readonly stopOnDivergence?: boolean;
  /** What executes the plan; the interpreter unless said. All executors give the same trace. */
  readonly executor?: MakeExecutor;
  /** Sees every row as it is recorded: the values of the trace's columns, in their order. */
  readonly onRow?: (time: number, values: readonly (number | bigint | ObjectValue)[]) => void;
  /** Asked now and then; true ends the run, which keeps what was recorded. */
  readonly shouldStop?: (time: number, steps: number) => boolean | Promise<boolean>;
}

export interface ScenarioRun {
  readonly outcome: Outcome;
  readonly trace: Trace;
  /** Warnings and notes of the planner, and of the monitor where the run diverges. */
  readonly diagnostics: readonly Diagnostic[];
  /** What a master that decides at run time did. */
  readonly master?: MasterSummary;
}

/**
 * Runs the scenario once; it can be run again, each time from its start.
 * @returns how the run ended and what was recorded. A failing unit is an outcome, not an exception.
 * @throws DiagnosticsError when a name, a step or the master does not fit; UnitError when a unit cannot be made.
 */
export async function simulateScenario(
  runnable: RunnableScenario,
  options: SimulateScenarioOptions = {},
): Promise<ScenarioRun> {
  const ports = scenarioPorts(runnable.scenario);
  const scenario = withValues(runnable.scenario, ports, options.set ?? {});
  const stop = options.stop ?? scenario.experiment.stop;
  if (stop === undefined)
    throw new RangeError(`'${scenario.name}' has no stop time; give one: { stop: 10 }`);
  const recorded = selectRecorded(ports.description, options.record ?? scenario.record.patterns);
  const choices = unwrap(recorded.columns);
  const compiled = compilePlan(scenario, {
    ...(options.start === undefined ? {} : { start: options.start }),
    ...(options.step === undefined ? {} : { step: options.step }),
    ...(options.master === undefined ? {} : { master: options.master }),
    record: choices.map(({ port, element }) => ({ ...ports.origin(port), element })),
    statistics: recorded.wantsStatistic,
    growth: options.stopOnDivergence === true || recorded.asksFor(GROWTH_COLUMN),
  });
  const { plan } = unwrap(compiled);
  unwrap({ value: plan, diagnostics: checkPlan(plan, scenario) });
  const tolerance = options.tolerance ?? scenario.experiment.tolerance;
  const time: number[] = [];
  const diagnostics: Diagnostic[] = [...compiled.diagnostics];
  const infos = [...choices.map(({ info }) => info), ...statisticColumns(plan)];
  const values: (number | bigint | ObjectValue)[][] = infos.map(() => []);
  let master: MasterSummary | undefined;
  const opened = await runnable.open(scenario, plan);
  try {
    const outcome = await runPlan(plan, scenario, opened.units, {
      stop,
      ...(tolerance === undefined ? {} : { tolerance }),
      ...(options.shouldStop === undefined ? {} : { shouldStop: options.shouldStop }),
      ...(options.executor === undefined ? {} : { executor: options.executor }),
      ...(options.stopOnDivergence === undefined
        ? {}
        : { stopOnDivergence: options.stopOnDivergence }),
      onDivergence: (diagnostic) => void diagnostics.push(diagnostic),
      onMaster: (summary) => {
        master = summary;
      },
      onRow: (t, banks) => {
        time.push(t);
        plan.record.columns.forEach(({ bank, slot }, c) => {
          values[c]!.push(banks[bank][slot]!);
        });
        options.onRow?.(
          t,
          plan.record.columns.map(({ bank, slot }) => banks[bank][slot]!),
        );
      },
    });
    const columns = infos.map((info, c): Column => ({ ...info, data: columnData(values[c]!) }));
    const entries = { master: plan.master, step: String(plan.step), outcome: outcome.kind };
    const trace = {
      meta: { title: scenario.name, entries },
      time: Float64Array.from(time),
      columns,
    };
    return { outcome, trace, diagnostics, ...(master ? { master } : {}) };
  } finally {
    opened.close();
  }
}

function withValues(
  scenario: Scenario,
  ports: ScenarioPorts,
  set: NonNullable<SimulateScenarioOptions["set"]>,
): Scenario {
  const byName = new Map(ports.description.ports.map((port) => [port.name, port]));
  const given = new Map<number, PortValue[]>();
  for (const [name, value] of Object.entries(set)) {
    const described = byName.get(name);
    if (described === undefined) {
      const near = nearest(name, byName.keys());
      const hint = near === undefined ? "write unit.port" : `did you mean '${near}'?`;
      throw new RangeError(`'${scenario.name}' has no port '${name}'; ${hint}`);
    }
    const size = portSize(described);
    const list = Array.isArray(value) ? (value as readonly Value[]) : [value as Value];
    if (list.length !== 1 && list.length !== size)
      throw new RangeError(`'${name}' has ${size} elements, and ${list.length} values are given`);
    const values = Array.from({ length: size }, (_, i) => list[list.length === 1 ? 0 : i]!);
    const { unit, port } = ports.origin(described.index);
    given.set(unit, [...(given.get(unit) ?? []), { port, values, place: { file: "set" } }]);
  }
  const units = scenario.units.map((unit, u) => {
    const own = given.get(u) ?? [];
    const kept = unit.values.filter(({ port }) => !own.some((value) => value.port === port));
    return own.length === 0 ? unit : { ...unit, values: [...kept, ...own] };
  });
  return { ...scenario, units };
}
