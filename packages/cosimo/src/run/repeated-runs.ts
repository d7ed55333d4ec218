/**
 * Many runs of one scenario with other values: planned once, its units loaded once.
 *
 * Between runs units are reset, and what was bound and compiled for them stays. Whether a unit is
 * as new after a reset is seen, not believed: the first run is made twice, on new units and after a
 * reset, and where a number differs all further runs get new units. The result of a run therefore
 * does not depend on the runs before it.
 */
import type { Outcome } from "../base/outcome.ts";
import { present } from "../base/present.ts";
import type { Executor, MakeExecutor, RecordedRows, RunPlanOptions } from "../engine/run-plan.ts";
import { bindPlan, type PlanState } from "../engine/signals.ts";
import { MASTERS } from "../model/masters.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Banks } from "../model/value-type.ts";
import { timeOf } from "../plan/plan.ts";
import type { Trace } from "../record/trace.ts";
import { executePlan } from "./execute-plan.ts";
import { FlatTrace } from "./flat-trace.ts";
import { mergeExperiment, type PlannedRun } from "./plan-run.ts";
import { runStructure } from "./run-structure.ts";
import type { OpenedUnits, RunnableScenario } from "./simulate-scenario.ts";
import { stopOnViolation as watchRequirements } from "./watch-requirements.ts";

export interface RepeatedRunOptions {
  readonly shouldStop?: RunPlanOptions["shouldStop"];
  readonly stopOnViolation?: boolean;
  /** Units are open, and the run begins. */
  readonly onBegin?: () => void;
}

export interface RepeatedRun {
  readonly outcome: Outcome;
  readonly trace: Trace;
}

/** Accesses that runs bind belong to their units and are freed with them. */
const RUNS_PER_UNITS = 500;

interface Living extends OpenedUnits {
  readonly state: PlanState | undefined;
  runs: number;
}

export class RepeatedRuns {
  private readonly runnable: RunnableScenario;
  private readonly planned: PlannedRun;
  private readonly executor: MakeExecutor | undefined;
  /** Straight plans keep their state and what executes them. */
  private readonly isStraight: boolean;
  /** Undefined: not seen yet. */
  private isResettable: boolean | undefined;
  private living: Living | undefined;
  private kept: Executor | undefined;

  /** @param runnable with faults applied, as it was planned. */
  constructor(runnable: RunnableScenario, planned: PlannedRun) {
    this.runnable = runnable;
    this.planned = planned;
    this.executor = runnable.executor;
    const { plan } = planned.compiled;
    const isCoordinated = MASTERS[plan.master].coordinates === true;
    this.isStraight =
      plan.coupling === undefined && !isCoordinated && planned.structure === undefined;
    // Units that come and go are opened within the run.
    if (planned.structure !== undefined) this.isResettable = false;
  }

  /** @param scenario with the values of this run; what was planned is the same otherwise. */
  async run(scenario: Scenario, options: RepeatedRunOptions = {}): Promise<RepeatedRun> {
    const { structure } = this.planned;
    if (structure !== undefined) return this.runWith(scenario, options, undefined);
    if (this.isResettable === false || (this.living?.runs ?? 0) >= RUNS_PER_UNITS) this.close();
    if (this.living !== undefined && !this.resetUnits()) this.close();
    this.living ??= await this.open(scenario);
    const first = await this.runWith(scenario, options, this.living);
    if (first.outcome.kind !== "completed" && first.outcome.kind !== "stopped-by-unit") {
      // What a unit is like after a failure is not known.
      this.close();
      return first;
    }
    if (this.isResettable !== undefined) return first;
    this.isResettable = this.resetUnits();
    if (this.isResettable) {
      const second = await this.runWith(scenario, options, this.living);
      this.isResettable = areSameTraces(first.trace, second.trace);
    }
    if (!this.isResettable) this.close();
    return first;
  }

  close(): void {
    const { living, kept } = this;
    this.living = undefined;
    this.kept = undefined;
    kept?.dispose();
    living?.close();
  }

  private async open(scenario: Scenario): Promise<Living> {
    const { plan } = this.planned.compiled;
    const opened = await this.runnable.open(scenario, plan);
    const state = this.isStraight ? bindPlan(plan, opened.units) : undefined;
    return { ...opened, state, runs: 0 };
  }

  private resetUnits(): boolean {
    try {
      for (const unit of this.living?.units ?? []) unit.reset();
      return true;
    } catch {
      // New ones can be made all the same.
      return false;
    }
  }

  private async runWith(
    scenario: Scenario,
    { shouldStop, stopOnViolation = false, onBegin }: RepeatedRunOptions,
    living: Living | undefined,
  ): Promise<RepeatedRun> {
    const { compiled, columns, structure } = this.planned;
    const { plan } = compiled;
    const { stop = plan.start, tolerance } = mergeExperiment({}, scenario.experiment);
    const rows = new FlatTrace(columns, plan);
    if (living?.state !== undefined) clearBanks(living.state.banks);
    if (living !== undefined) living.runs++;
    const running: RunPlanOptions = {
      stop,
      ...present({ tolerance, shouldStop, state: living?.state }),
      ...(this.executor && { executor: this.executorFor(living) }),
      onRow: (time, banks) => rows.add(time, banks),
      ...(rows.isFlat && {
        onRows: (recorded: RecordedRows) => rows.addRows(recorded, (tick) => timeOf(plan, tick)),
      }),
    };
    onBegin?.();
    const { requirements } = scenario;
    const watched =
      stopOnViolation && requirements !== undefined
        ? watchRequirements(running, requirements, plan, columns)
        : { options: running, outcome: (one: Outcome) => one };
    const ended =
      structure === undefined
        ? await executePlan(plan, scenario, living?.units ?? [], watched.options)
        : await runStructure(
            structure,
            (...given) => this.runnable.open(...given),
            watched.options,
            () => undefined,
          );
    const outcome = watched.outcome(ended);
    const entries = { master: plan.master, step: String(plan.step), outcome: outcome.kind };
    return { outcome, trace: rows.trace({ title: scenario.name, entries }) };
  }

  /** Code for the units that are there is made once. */
  private executorFor(living: Living | undefined): MakeExecutor {
    const { executor: make = () => undefined as never } = this;
    if (living?.state === undefined) return make;
    return (state) => {
      this.kept ??= make(state);
      const { kept } = this;
      return {
        name: kept.name,
        ...present({ preferredChunk: kept.preferredChunk }),
        run: (first, count, sink) => kept.run(first, count, sink),
        dispose: () => undefined,
      };
    };
  }
}

function clearBanks({ f64, i64, obj }: Banks): void {
  f64.fill(0);
  i64.fill(0n);
  obj.fill("");
}

function areSameTraces(a: Trace, b: Trace): boolean {
  const isSame = (x: ArrayLike<unknown>, y: ArrayLike<unknown>): boolean => {
    if (x.length !== y.length) return false;
    for (let i = 0; i < x.length; i++) if (!Object.is(x[i], y[i])) return false;
    return true;
  };
  return (
    isSame(a.time, b.time) && a.columns.every(({ data }, c) => isSame(data, b.columns[c].data))
  );
}
