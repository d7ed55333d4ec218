/**
 * A scenario's run in memory: plan, units, trace as arrays. The library's counterpart of `cosimo
 * run scenario.yaml`, for scenarios written in code (define-scenario.ts) and, on Node, read from
 * files (host/scenario-file.ts).
 */

import { type Diagnostic, unwrap } from "../base/diagnostic.ts";
import type { Outcome } from "../base/outcome.ts";
import { present } from "../base/present.ts";
import { type ConnectionEvents, eventCountsText } from "../engine/event-counts.ts";
import type { MasterSummary } from "../engine/masters/master-summary.ts";
import type { MakeExecutor, RunPlanOptions } from "../engine/run-plan.ts";
import { applyFaults } from "../model/apply-faults.ts";
import { wantedPort, withInnerPorts } from "../model/inner-ports.ts";
import type { Scenario } from "../model/scenario.ts";
import { scenarioPorts } from "../model/scenario-ports.ts";
import type { ObjectValue, Value } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import type { Trace } from "../record/trace.ts";
import type { Verdict } from "../requirements/check-requirement.ts";
import type { FaultCount, Unit } from "../unit/unit.ts";
import { withNamedValues } from "./apply-values.ts";
import { verdictsOf } from "./check-trace.ts";
import { executePlan } from "./execute-plan.ts";
import { faultCounts } from "./fault-counts.ts";
import { lateFailures } from "./late-failures.ts";
import { MemoryTrace } from "./memory-trace.ts";
import type { KeptUnits } from "./open-units.ts";
import { mergeExperiment, planRun, type RunRequest } from "./plan-run.ts";
import { runStructure } from "./run-structure.ts";
import { stopOnViolation } from "./watch-requirements.ts";

/** A scenario together with the means to make its units. */
export interface RunnableScenario {
  readonly scenario: Scenario;
  /**
   * Units for one run of `plan`, freshly instantiated, in the scenario's order.
   * @param kept units that go on from an earlier plan, by their place in the scenario: they are not
   * opened again.
   */
  open(scenario: Scenario, plan: Plan, kept?: KeptUnits): Promise<OpenedUnits>;
  /** What executes its plans unless the run says otherwise; default: the interpreter. */
  readonly executor?: MakeExecutor;
}

export interface OpenedUnits {
  readonly units: readonly Unit[];
  /** Gives back what was made for this run. */
  /** @returns what units threw while they were disposed. */
  close(): readonly unknown[];
}

export interface SimulateScenarioOptions extends RunRequest {
  /**
   * Values over those of the scenario, as `unit.port` and in the port's own unit; a single value
   * fills an array.
   */
  readonly set?: Readonly<Record<string, Value | readonly Value[]>>;
  /** What executes the plan; default: the scenario's. All executors give the same trace. */
  readonly executor?: MakeExecutor;
  /** Sees every row as it is recorded: the values of the trace's columns, in their order. */
  readonly onRow?: (time: number, values: readonly (number | bigint | ObjectValue)[]) => void;
  /** Ends the run where a requirement of the scenario is violated whatever comes. */
  readonly stopOnViolation?: boolean;
  /** Called between steps from time to time; true ends the run, which keeps what was recorded. */
  readonly shouldStop?: (time: number, steps: number) => boolean | Promise<boolean>;
}

export interface ScenarioRun {
  readonly outcome: Outcome;
  readonly trace: Trace;
  /** Warnings and notes of the planner, and of the monitor where the run diverges. */
  readonly diagnostics: readonly Diagnostic[];
  /** What a master that decides at run time did. */
  readonly master?: MasterSummary;
  /** How often each fault acted; absent where there is none. */
  readonly faults?: readonly FaultCount[];
  /** A verdict on every requirement of the scenario. */
  readonly requirements?: readonly Verdict[];
  /** Events that connections carried, where there are such connections. */
  readonly events?: readonly ConnectionEvents[];
}

/**
 * Runs the scenario once; it can be run again, each time from its start.
 * @returns how the run ended and what was recorded. A failing unit is an outcome, not an exception.
 * @throws DiagnosticsError when a name, a step or the master does not fit; UnitError when a unit
 * cannot be made.
 */
export async function simulateScenario(
  runnable: RunnableScenario,
  options: SimulateScenarioOptions = {},
): Promise<ScenarioRun> {
  const { set = {}, record = [] } = options;
  const wanted = [...record, ...Object.keys(set)].map(wantedPort);
  const shown = withInnerPorts(runnable.scenario, wanted);
  const scenario = applyFaults(withNamedValues(shown, scenarioPorts(shown), set));
  const ports = scenarioPorts(scenario);
  const { shouldStop, executor = runnable.executor, stopOnDivergence } = options;
  const { stop, tolerance } = mergeExperiment(options, scenario.experiment);
  if (stop === undefined)
    throw new RangeError(`'${scenario.name}' has no stop time; give one: { stop: 10 }`);
  const planned = planRun(scenario, options, { ports });
  const { compiled, columns, structure } = unwrap(planned);
  const { plan } = compiled;
  const diagnostics: Diagnostic[] = [...planned.diagnostics];
  const rows = new MemoryTrace(columns);
  let master: MasterSummary | undefined;
  let events: readonly ConnectionEvents[] | undefined;
  let faults: readonly FaultCount[] | undefined;
  const running: RunPlanOptions = {
    stop,
    ...present({ tolerance, shouldStop, executor, stopOnDivergence }),
    onDivergence: (diagnostic) => void diagnostics.push(diagnostic),
    onMaster: (summary) => {
      master = summary;
    },
    onEvents: (counts) => {
      events = counts;
    },
    onRow: (time, banks) => {
      const row = rows.addSignals(time, plan, banks);
      options.onRow?.(time, row);
    },
  };
  const watched =
    options.stopOnViolation === true && scenario.requirements !== undefined
      ? stopOnViolation(running, scenario.requirements, plan, columns)
      : { options: running, outcome: (one: Outcome) => one };
  const ended =
    structure === undefined
      ? await runOnce()
      : await runStructure(
          structure,
          (...given) => runnable.open(...given),
          watched.options,
          (counts) => {
            faults = counts;
          },
        );
  const outcome = watched.outcome(ended);
  const entries = {
    master: plan.master,
    step: String(plan.step),
    outcome: outcome.kind,
    ...present({ events: events && eventCountsText(events) }),
  };
  const trace = rows.trace({ title: scenario.name, entries });
  const requirements = scenario.requirements && verdictsOf(scenario.requirements, trace);
  return { outcome, trace, diagnostics, ...present({ master, events, faults, requirements }) };

  async function runOnce(): Promise<Outcome> {
    const opened = await runnable.open(scenario, plan);
    try {
      const ended = await executePlan(plan, scenario, opened.units, watched.options);
      faults = faultCounts(scenario, opened.units);
      return ended;
    } finally {
      diagnostics.push(...lateFailures(opened.close(), scenario.name));
    }
  }
}
