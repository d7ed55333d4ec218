/**
 * Runs a plan from its start to a stop time: initialization, then tick by tick through an executor,
 * with rows for the recorder and a say for the host between chunks of ticks.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import { type Outcome, UnitError, UnitLost } from "../base/outcome.ts";
import { present } from "../base/present.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Banks } from "../model/value-type.ts";
import { type Plan, timeOf } from "../plan/plan.ts";
import type { Predicate } from "../unit/predicate.ts";
import type { Ties } from "../unit/ties.ts";
import type { Unit } from "../unit/unit.ts";
import {
  type CheckpointKeeper,
  type RunState,
  restoreRunState,
  takeRunState,
} from "./checkpoint.ts";
import { Diverged, DivergenceMonitor } from "./divergence-monitor.ts";
import type { ConnectionEvents } from "./event-counts.ts";
import { divergenceDiagnostic } from "./explain-divergence.ts";
import { learnFirstSlopes } from "./first-slopes.ts";
import {
  enterRun,
  exitInitialization,
  exitToFirstEvent,
  resolveInitial,
} from "./initialize-plan.ts";
import { EarlyStop, Interpreter } from "./interpreter.ts";
import { packParts, unpackParts } from "./masters/master-state.ts";
import type { MasterSummary } from "./masters/master-summary.ts";
import type { MasterRun } from "./masters/run-master.ts";
import { NotConverged, StepTooSmall } from "./masters/step-method.ts";
import type { MasterCode } from "./masters/step-program.ts";
import { MeteredInterpreter, type StepMeasure } from "./metered-interpreter.ts";
import { bindPlan, type PlanState } from "./signals.ts";
import { type SingleUnit, stepCount, ticksUntil, UnitRun } from "./simulate-unit.ts";
import { LoopError, type LoopSolution } from "./solve-loop.ts";

/** Executes ticks of an initialized plan. */
export interface Executor {
  readonly name: "interpreter" | "machine-code";
  /** How many ticks it would like to do at once by default; it may learn better while it runs. */
  readonly preferredChunk?: number;
  /**
   * Runs the step segment for ticks first … first + count - 1 and calls `onRow` after every tick
   * that is recorded.
   */
  run(first: number, count: number, sink: RowSink): void;
  /**
   * For plans whose master decides at run time, in place of `run`: makes code of what is straight
   * in its steps.
   */
  readonly master?: MasterCode;
  /** For the same plans: measures some of their steps. */
  readonly meter?: StepMeasure;
  dispose(): void;
}

/** Where an executor says how far it came. */
export interface RowSink {
  /** `tick` is the last one that was completed, also when a unit fails. */
  readonly progress: { tick: number };
  readonly onRow: (tick: number) => void;
  /** Where present, an executor that has many rows at once hands them over together. */
  readonly onRows?: (rows: RecordedRows) => void;
}

/** Rows of recorded ticks that follow each other, only valid while they are handed over. */
export interface RecordedRows {
  readonly firstTick: number;
  /** Ticks from row to row. */
  readonly every: number;
  readonly count: number;
  /**
   * Row after row, one word for every column of `plan.record`. Both arrays are the same memory:
   * columns of the i64 bank are read through `i64`, all others through `f64`.
   */
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
}

export type MakeExecutor = (state: PlanState) => Executor;

export interface RunPlanOptions {
  readonly stop: number;
  readonly tolerance?: number;
  /** The signal banks at a recorded tick; columns as in `plan.record`. */
  readonly onRow: (time: number, banks: Banks) => void;
  /**
   * Many rows at once, in place of as many calls of `onRow`; only for plans without columns of
   * texts or binary values.
   */
  readonly onRows?: (rows: RecordedRows) => void;
  /** Called between chunks; a promise is awaited. True ends the run. */
  readonly shouldStop?: (time: number, steps: number) => boolean | Promise<boolean>;
  /** All rows are there, and the run will have ended like this when the units are terminated. */
  readonly onRecorded?: (outcome: Outcome) => void;
  /** Ticks between two calls of `shouldStop`; default: as the executor likes. */
  readonly chunk?: number;
  /**
   * Asked before every chunk: at most so many ticks until `shouldStop` is called again, where a
   * person steps through a run.
   */
  readonly chunkLimit?: () => number | undefined;
  readonly executor?: MakeExecutor;
  /** Under 'event-driven': every unit is waited for, also where it works elsewhere. */
  readonly isSequential?: boolean;
  /**
   * The plan bound to these units by an earlier run, after which they were reset; default: it is
   * bound for this run.
   */
  readonly state?: PlanState;
  /** Ends the run where it is found to diverge; everything up to there is recorded. */
  readonly stopOnDivergence?: boolean;
  /** Called when a run diverges and was not to end there: what was seen, and what may help. */
  readonly onDivergence?: (diagnostic: Diagnostic) => void;
  readonly onInitialized?: (loops: readonly LoopSolution[]) => void;
  /** Called when a master that decides at run time has ended. */
  readonly onMaster?: (summary: MasterSummary) => void;
  /**
   * Called when the run has ended, where connections carry events: how many were sent and received.
   */
  readonly onEvents?: (counts: readonly ConnectionEvents[]) => void;
  /**
   * Takes the state of the run after initialization, whenever it is due, and when the run is
   * cancelled.
   */
  readonly checkpoint?: CheckpointKeeper;
  /**
   * Goes on from here, after an initialization like that of the run it was taken from; rows up to
   * here are not given again.
   */
  readonly resume?: RunState;
  /**
   * For a straight plan of one unit: it is driven event by event (engine/simulate-unit.ts), with
   * these inputs and clocks.
   */
  readonly single?: SingleUnit;
  /**
   * Under a master that coordinates: where periods of connections are counted from; default: the
   * start.
   */
  readonly origin?: number;
  /**
   * Under a master that coordinates: conditions that end the run before its stop, where all units
   * meet.
   */
  readonly endings?: readonly Ending[];
  /** Under a master that coordinates: what decides the order of simultaneous values. */
  readonly ties?: Ties;
  /** Under a master that coordinates: a value has reached the target of a connection. */
  readonly onExchange?: (connection: string, time: number, value: number) => void;
}

/** A run ends where a unit stops for this condition, and it is met. */
export interface Ending {
  readonly unit: number;
  readonly condition: Exclude<Predicate, { kind: "time" | "or" }>;
  isMet(): boolean;
}

export const DEFAULT_CHUNK = 1000;

/**
 * @param units freshly instantiated, in the plan's order. They are terminated when the run
 * completes, never disposed.
 * @returns how the run ended; a failing unit is an outcome, not an exception.
 */
export async function runPlan(
  plan: Plan,
  scenario: Scenario,
  units: readonly Unit[],
  options: RunPlanOptions,
): Promise<Outcome> {
  const progress = { tick: 0 };
  const state = options.state ?? bindPlan(plan, units);
  const monitor = new DivergenceMonitor(plan, scenario, state.banks.f64);
  let executor: Executor | undefined;
  let master: MasterRun | undefined;
  let single: UnitRun | undefined;
  let hasStopped = false;
  try {
    const interpreter = new Interpreter(state);
    const { stop } = options;
    enterRun(state, scenario.units, options);
    if (options.single !== undefined) {
      single = new UnitRun(state, interpreter, {
        ...options,
        ...options.single,
        ...(options.stopOnDivergence ? { monitor } : {}),
        executor: () => {
          executor = options.executor?.(state) ?? interpreterExecutor(state, interpreter);
          return executor;
        },
      });
      return await single.run();
    }
    const loops = resolveInitial(state, interpreter);
    options.onInitialized?.(loops);
    if (plan.coupling !== undefined) exitToFirstEvent(state, interpreter);
    else {
      exitInitialization(state, interpreter);
      if (options.resume === undefined) learnFirstSlopes(state, interpreter);
    }
    if (options.resume !== undefined) restoreRunState(state, options.resume);
    if (plan.coupling !== undefined) {
      // What takes steps of one size only cannot take what is left of one.
      const isWhole = units.some(({ description }) => !description.capabilities.variableStep);
      const last = isWhole ? timeOf(plan, stepCount(plan.start, stop, plan.step, false)) : stop;
      // Most runs have no master that decides, and its parts are many.
      const { MasterRun: Master } = await import("./masters/run-master.ts");
      executor = options.executor?.(state);
      const { master: code, meter } = executor ?? {};
      const measured = meter && new MeteredInterpreter(state, meter);
      master = new Master(state, measured ?? interpreter, {
        ...options,
        ...present({ code, meter }),
        stop: last,
        monitor,
      });
      return await master.run();
    }
    const onRow = (tick: number): void => options.onRow(timeOf(plan, tick), state.banks);
    const sink: RowSink = { progress, onRow, ...present({ onRows: options.onRows }) };
    try {
      executor = options.executor?.(state) ?? interpreterExecutor(state, interpreter);
    } catch (error) {
      // A unit may lack what its steps need, and the first row is there all the same. An executor
      // that is refused ran nothing.
      if (error instanceof UnitError && options.resume === undefined) onRow(0);
      throw error;
    }
    if (options.resume === undefined) {
      onRow(0);
      keep();
    } else {
      progress.tick = options.resume.steps;
      if (options.resume.master !== undefined) unpackParts(options.resume.master, [monitor]);
    }
    const ticks = stepCount(plan.start, options.stop, plan.step, false);
    const { checkpoint } = options;
    while (progress.tick < ticks) {
      const first = progress.tick + 1;
      const chunk = options.chunk ?? executor.preferredChunk ?? DEFAULT_CHUNK;
      const due = checkpoint ? ticksUntil(plan, progress.tick, checkpoint.nextTime) : ticks;
      const limit = options.chunkLimit?.() ?? ticks;
      const count = Math.min(chunk, ticks - progress.tick, due, limit);
      if (execute(executor, first, first + count, sink))
        return unstable({ time: timeOf(plan, progress.tick), steps: progress.tick });
      const isOver = await options.shouldStop?.(timeOf(plan, progress.tick), progress.tick);
      const isDue = progress.tick < ticks && checkpoint?.isDue(timeOf(plan, progress.tick));
      if (isOver || isDue) keep();
      if (isOver) return ended("cancelled");
    }
    monitor.lookForNumbers(timeOf(plan, progress.tick));
    return ended("completed");
  } catch (error) {
    const at = master ?? single ?? { steps: progress.tick, time: timeOf(plan, progress.tick) };
    if (error instanceof Diverged) return unstable({ time: at.time, steps: at.steps });
    return failureOf(plan, { time: at.time, steps: at.steps }, error);
  } finally {
    if (master) options.onMaster?.(master.summary());
    const { finding } = monitor;
    if (finding && !hasStopped)
      options.onDivergence?.(divergenceDiagnostic(finding, plan, scenario));
    executor?.dispose();
  }

  function keep(): void {
    const at = { steps: progress.tick, time: timeOf(plan, progress.tick) };
    options.checkpoint?.store(takeRunState(state, at, packParts([monitor])));
  }

  /**
   * Ticks first … end - 1, with looks of the monitor between. @returns true where the run diverges
   * and is to end.
   */
  function execute(executor: Executor, first: number, end: number, sink: RowSink): boolean {
    for (let tick = first; tick < end; tick = progress.tick + 1) {
      const count = Math.min(end - tick, Math.max(1, monitor.nextStep - tick + 1));
      executor.run(tick, count, sink);
      if (progress.tick < monitor.nextStep) continue;
      const hasDiverged = monitor.look(progress.tick, timeOf(plan, progress.tick));
      if (hasDiverged && options.stopOnDivergence) return true;
    }
    return false;
  }

  function unstable(at: { readonly time: number; readonly steps: number }): Outcome {
    hasStopped = true;
    const { message, fix = "" } = divergenceDiagnostic(monitor.finding!, plan, scenario);
    return endRun(units, options, { kind: "unstable", ...at, message, advice: fix });
  }

  function ended(kind: "completed" | "cancelled"): Outcome {
    return endRun(units, options, {
      kind,
      time: timeOf(plan, progress.tick),
      steps: progress.tick,
    });
  }
}

/** All rows are there: the units are terminated. */
export function endRun(
  units: readonly Unit[],
  { onRecorded }: Pick<RunPlanOptions, "onRecorded">,
  outcome: Outcome,
): Outcome {
  onRecorded?.(outcome);
  for (const unit of units) if (unit.phase === "step") unit.terminate();
  return outcome;
}

export function interpreterExecutor(
  state: PlanState,
  interpreter: Interpreter = new Interpreter(state),
): Executor {
  const { segments, record } = state.plan;
  return {
    name: "interpreter",
    run(first, count, { progress, onRow }) {
      for (let tick = first; tick < first + count; tick++) {
        interpreter.run(segments.step, tick);
        progress.tick = tick;
        if (tick % record.every === 0) onRow(tick);
      }
    },
    dispose: () => undefined,
  };
}

/**
 * What an exception means for a run that got so far; one that is not an outcome is thrown again.
 */
export function failureOf(
  plan: Plan,
  at: { readonly steps: number; readonly time: number },
  error: unknown,
): Outcome {
  if (error instanceof UnitError) {
    const kind = error instanceof UnitLost ? "crashed" : "failed";
    return { kind, ...at, failure: error.failure };
  }
  if (error instanceof EarlyStop) {
    if (error.reason === "terminated")
      return { kind: "stopped-by-unit", time: error.time, steps: at.steps, unit: error.unit };
    const advice =
      plan.coupling === undefined
        ? "fixed steps cannot follow: use a smaller step, or the master 'iterative' or 'adaptive'"
        : "the other units cannot go back to meet it: use a smaller step, or units that can save their state and take steps of any size";
    const status = `${error.message}; ${advice}`;
    return {
      kind: "failed",
      ...at,
      failure: { unit: error.unit, call: "advance", status, time: error.time, log: [] },
    };
  }
  if (error instanceof NotConverged) return { kind: "diverged", ...error.what, ...at };
  if (error instanceof StepTooSmall) {
    const { declared } = error;
    const { unit, time: _, ...asks } = error.what;
    return {
      kind: "stalled",
      ...at,
      unit,
      asks: declared === undefined ? asks : { ...asks, declared },
    };
  }
  if (error instanceof LoopError) {
    const status = `${error.message}; break the loop, or give better start values`;
    return {
      kind: "failed",
      ...at,
      failure: { unit: plan.name, call: "initialization", status, time: at.time, log: [] },
    };
  }
  throw error;
}
