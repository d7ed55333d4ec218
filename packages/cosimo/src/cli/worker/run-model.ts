/**
 * A run, inside the worker: load the model, apply the options of the command line, plan, open the
 * units, execute.
 */
import { join } from "node:path";
import { append, type Diagnostic, diagnose, hasErrors } from "../../base/diagnostic.ts";
import { type Outcome, UnitError, UnitLost } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import type { ConnectionEvents } from "../../engine/event-counts.ts";
import type { MasterSummary } from "../../engine/masters/master-summary.ts";
import type { Executor, RunPlanOptions } from "../../engine/run-plan.ts";
import type { PlanState, RowMemory } from "../../engine/signals.ts";
import type { SingleUnit } from "../../engine/simulate-unit.ts";
import type { IsolatorReport } from "../../host/sources/source.ts";
import { actingFaults, hasFaults } from "../../model/apply-faults.ts";
import type { Scenario } from "../../model/scenario.ts";
import { type Banks, makeBanks } from "../../model/value-type.ts";
import type { Plan } from "../../plan/plan.ts";
import { CALL_NAMES } from "../../platform/native/call-names.ts";
import { mapSharedFile } from "../../platform/native/shared-memory.ts";
import { executePlan } from "../../run/execute-plan.ts";
import { faultCounts } from "../../run/fault-counts.ts";
import { type OpenUnit, openUnits } from "../../run/open-units.ts";
import { type PlannedRun, planRun } from "../../run/plan-run.ts";
import { type OpenStructure, runStructure } from "../../run/run-structure.ts";
import { disposeAll } from "../../unit/dispose-all.ts";
import type { FaultCount, Unit } from "../../unit/unit.ts";
import type { KeptCheckpoints } from "../checkpoint/keep-checkpoints.ts";
import type { RunHeader, RunJob, WorkerHost } from "../protocol/protocol.ts";
import { ROW_MEMORY, ROW_MEMORY_BYTES } from "../protocol/spool-files.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";
import type { ChosenExecutor } from "./choose-executor.ts";
import { clockIntervals, openClocks } from "./clocks.ts";
import { endsEarly, missesStop, type ResolvedExperiment, resolveExperiment } from "./experiment.ts";
import type { DrivenScenario } from "./inputs.ts";
import type { Interaction } from "./interaction.ts";
import { type LoadedModel, loadModel, unitNames } from "./load-model.ts";
import { openSession } from "./session.ts";

/** A run that can be executed. */
interface PreparedRun extends PlannedRun {
  readonly model: LoadedModel;
  /** With what plays `--input`. */
  readonly scenario: Scenario;
  readonly experiment: ResolvedExperiment;
  /** What plays `--input` in it. */
  readonly driven?: DrivenScenario;
  /** For an FMU without a master: what acts on it. */
  readonly single?: SingleUnit;
}

export async function runModel(job: RunJob, host: WorkerHost): Promise<void> {
  const diagnostics: Diagnostic[] = [];
  const prepared = await prepare(job, diagnostics);
  if (diagnostics.length > 0) host.say({ kind: "diagnostics", diagnostics });
  if (prepared !== undefined && !hasErrors(diagnostics)) await execute(job, prepared, host);
}

/** @param diagnostics gets everything that is wrong with the options and the model. */
async function prepare(job: RunJob, diagnostics: Diagnostic[]): Promise<PreparedRun | undefined> {
  const report = (d: Diagnostic): void => void diagnostics.push(d);
  const model = await withJobFaults(await loadModel(job, report), job, report);
  const { ports, scenario: given } = model;
  // A master drives the FMU as it drives any scenario; without one its events, clocks and inputs
  // are handled one by one.
  const isAlone = model.fmu !== undefined && job.master === undefined;
  // Faults act at instants of their own, which a master meets.
  const isSingle = isAlone && !hasFaults(given);
  const preferredStep = isAlone ? ports.description.capabilities.preferredStep : undefined;
  const experiment = resolveExperiment(job, given.experiment, preferredStep, report);
  const inputs = job.input === undefined ? undefined : await import("./inputs.ts");
  if (!isSingle) optionsOfOneFmu(job).forEach(report);
  const single = isSingle ? singleUnit(job, model, experiment, inputs, diagnostics) : undefined;
  const driven =
    isSingle || job.input === undefined
      ? undefined
      : inputs?.driveInputs(given, ports, job.input, report);
  const scenario = driven?.scenario ?? given;
  if (given.structure !== undefined) refusedOptions(job).forEach(report);
  const { start, step, master, record, stopOnDivergence } = job;
  // What is wrong with a step is reported once.
  const usableStep = experiment.step > 0 ? experiment.step : 1;
  const planned = planRun(
    scenario,
    {
      ...present({ start, step: isAlone ? usableStep : step, master }),
      ...(record.length > 0 ? { record } : {}),
      stopOnDivergence,
    },
    { ports, isSingle },
  );
  append(diagnostics, planned.diagnostics);
  if (planned.value === undefined) return undefined;
  if (job.isDistributed === true) {
    const { checkDistributed } = await import("./distributed.ts");
    append(diagnostics, checkDistributed(job, planned.value.compiled.plan, scenario));
  }
  if (!isSingle)
    missesStop(planned.value.compiled.plan, experiment.stop, job.model).forEach(report);
  return { ...planned.value, model, scenario, experiment, ...present({ single, driven }) };
}

/** The model with what is to go wrong in it; without faults it is as it was. */
async function withJobFaults(
  model: LoadedModel,
  job: RunJob,
  report: (d: Diagnostic) => void,
): Promise<LoadedModel> {
  const { scenario: given } = model;
  const isFaultless =
    job.faults.length === 0 && job.faultFiles.length === 0 && given.faults === undefined;
  if (isFaultless) return model;
  const { withFaults } = await import("../faults.ts");
  const { value, diagnostics } = withFaults(given, job);
  diagnostics.forEach(report);
  if (value === undefined) return model;
  return { ...model, scenario: value, ports: model.portsOf(value) };
}

/** What only an FMU that runs alone takes: elsewhere it would be ignored. */
function optionsOfOneFmu({ clocks, events, model }: RunJob): Diagnostic[] {
  const place = { file: model };
  const found: Diagnostic[] = [];
  if (clocks.length > 0) {
    const instead =
      "connect the clock to an output clock or to an event, or run the FMU alone without --master and faults";
    const params = { option: "--clock", instead };
    found.push(diagnose(RUN_DIAGNOSTICS, "run-only-alone", params, place));
  }
  if (events === "off") {
    const instead = "write 'eventMode: false' to the 'master' of a scenario";
    const params = { option: "--events off", instead };
    found.push(diagnose(RUN_DIAGNOSTICS, "run-only-alone", params, place));
  }
  return found;
}

/** What needs one plan for the whole run. */
function refusedOptions(job: RunJob): Diagnostic[] {
  const { threads, executor } = job;
  const options = {
    "--threads": threads !== undefined,
    "--executor machine-code": executor === "machine-code",
  };
  return Object.entries(options).flatMap(([option, isGiven]) =>
    isGiven ? [diagnose(RUN_DIAGNOSTICS, "run-structure", { option }, { file: job.model })] : [],
  );
}

/** Inputs and clocks of an FMU that runs alone. */
function singleUnit(
  { input, clocks, events }: RunJob,
  { ports: { description } }: LoadedModel,
  experiment: ResolvedExperiment,
  inputs: typeof import("./inputs.ts") | undefined,
  diagnostics: Diagnostic[],
): SingleUnit {
  const report = (d: Diagnostic): void => void diagnostics.push(d);
  const given = input === undefined ? undefined : inputs?.readInputs(input, description, report);
  const intervals = clockIntervals(clocks, description, report);
  if (!hasErrors(diagnostics)) endsEarly(experiment, description).forEach(report);
  if (events === "auto") openClocks(description, intervals).forEach(report);
  return {
    ...present({ inputs: given?.inputs }),
    clocks: { intervals, triggers: given?.triggers ?? new Map() },
  };
}

async function execute(job: RunJob, prepared: PreparedRun, host: WorkerHost): Promise<void> {
  const { say } = host;
  const { model, scenario, experiment, single, driven, structure } = prepared;
  const { plan } = prepared.compiled;
  const header = headerOf(job, prepared);
  const kept = await checkpointsOf(job, prepared, header, say);
  const session = openSession(job, header, host, kept?.resume);
  const giveUp = (error: unknown): void => {
    if (!(error instanceof UnitError)) session.failed(error);
    else {
      const kind = error instanceof UnitLost ? "crashed" : "failed";
      session.done({ kind, time: experiment.start, steps: 0, failure: error.failure });
    }
  };
  let isolator: IsolatorReport | undefined;
  try {
    const open = model.opener({
      folder: job.folder,
      ownLibraries: job.threads !== undefined,
      native: (name) => session.native(header.units.indexOf(name)),
      isolation: {
        ...present({ choice: job.isolation }),
        onDiagnostic: (d) => say({ kind: "diagnostics", diagnostics: [d] }),
        onIsolator: (made) => {
          isolator = made;
        },
      },
    });
    const events = single && eventUse(job, model);
    const around = job.isDistributed ? await import("./distributed.ts") : undefined;
    const make: OpenUnit = (unit, use) =>
      unit.source === driven?.source
        ? driven.make(use.name)
        : open(unit, { ...use, ...events, ...around?.drivenInputs(scenario, unit.name) });
    const isSingle = single !== undefined;
    const opened =
      structure === undefined ? await openUnits(scenario, plan, make, { isSingle }) : [];
    const units = kept?.logged(opened) ?? opened;
    try {
      const banks = makeBanks(header.layout);
      const { chooseExecutor } = isShort(job, prepared) ? {} : await import("./choose-executor.ts");
      const interaction = await interactionOf(job, prepared, units, host);
      const rowMemory = rowMemoryIn(job.folder, header.columns.length);
      let chosen: ChosenExecutor | undefined;
      let master: MasterSummary | undefined;
      let counts: readonly ConnectionEvents[] | undefined;
      let faults: readonly FaultCount[] | undefined;
      const given: RunPlanOptions = {
        ...experiment,
        ...(chooseExecutor && {
          executor: (state: PlanState): Executor => {
            chosen = chooseExecutor(job, { ...state, ...present({ rowMemory }) });
            return chosen.executor;
          },
        }),
        stopOnDivergence: job.stopOnDivergence,
        isSequential: job.parallel === "off",
        onDivergence: (d) => say({ kind: "diagnostics", diagnostics: [d] }),
        onMaster: (summary) => {
          master = summary;
        },
        onEvents: (all) => {
          counts = all;
        },
        onRow: (time, signals) => {
          copyColumns(plan, signals, header.slots, banks);
          session.row(time, banks);
        },
        shouldStop:
          interaction?.shouldStop(session, () => chosen?.execution()) ?? session.shouldStop,
        ...present({ chunkLimit: interaction?.limit }),
        onRecorded: session.recorded,
        ...(job.realtime === undefined ? {} : { chunk: pacedChunk(plan.step, job.realtime) }),
        ...present({
          checkpoint: kept?.keeper(units, session.syncRows),
          resume: kept?.resume,
          single,
        }),
      };
      const { options, outcome: named } = await watched(job, prepared, given);
      const ended =
        structure === undefined
          ? await executePlan(
              plan,
              scenario,
              units,
              options,
              await around?.distributed(units, job, scenario, (name) =>
                session.native(header.units.indexOf(name)),
              ),
            )
          : await runStructure(structure, opener(make), options, (all) => {
              faults = all;
            });
      const outcome = named(ended);
      const executed = chosen?.execution() ?? (master && { executor: "interpreter" });
      const known =
        executed && !isOrdinary(job, single) ? { ...executed, ...present({ master }) } : undefined;
      faults ??= faultCounts(scenario, units);
      const more = present({ events: counts, faults, isolated: isolator?.report() });
      const hasMore = Object.keys(more).length > 0;
      session.done(outcome, hasMore ? { executor: "interpreter", ...known, ...more } : known);
    } catch (error) {
      // Reported before units are freed, a call that may never return.
      giveUp(error);
    } finally {
      session.late(disposeAll(units));
    }
  } catch (error) {
    giveUp(error);
  } finally {
    await isolator?.settle();
    session.close();
    kept?.close();
  }
}

/** Of a run that a person may pause and change. */
async function interactionOf(
  job: RunJob,
  { model, scenario, structure }: PreparedRun,
  units: readonly Unit[],
  host: WorkerHost,
): Promise<Interaction | undefined> {
  if (job.isInteractive !== true) return undefined;
  const { Interaction: Made } = await import("./interaction.ts");
  // Where units come and go, their values are what the structure says.
  const { ports } = model;
  return new Made(job.folder, host, { scenario, ports, units, isFixed: structure !== undefined });
}

/** With what ends the run at a violation, where that is requested. */
async function watched(
  { stopOnViolation }: RunJob,
  { scenario, compiled, columns }: PreparedRun,
  options: RunPlanOptions,
): Promise<{ readonly options: RunPlanOptions; outcome(ended: Outcome): Outcome }> {
  const { requirements } = scenario;
  if (!stopOnViolation || requirements === undefined) return { options, outcome: (ended) => ended };
  const watch = await import("../../run/watch-requirements.ts");
  return watch.stopOnViolation(options, requirements, compiled.plan, columns);
}

/** Opens the units of one structure after the other. */
function opener(make: OpenUnit): OpenStructure {
  return async (scenario, plan, kept) => {
    const units = await openUnits(scenario, plan, make, { kept });
    return { units, close: () => disposeAll(units) };
  };
}

/** Events of an FMU that runs alone are handled unless the command line says otherwise. */
function eventUse(
  { events }: RunJob,
  { ports }: LoadedModel,
): { readonly hasEvents: boolean; readonly mayReturnEarly: boolean } {
  const hasEvents = ports.description.capabilities.eventMode && events === "auto";
  return { hasEvents, mayReturnEarly: hasEvents };
}

/** Of a run that is over before machine code is made: steps below this. */
const SHORT = 5000;

/** An FMU that runs alone and that nothing but the interpreter is worth loading for. */
function isShort(job: RunJob, { single, experiment, model }: PreparedRun): boolean {
  const { start, stop, step } = experiment;
  const { eventMode } = model.ports.description.capabilities;
  const isStepped = eventMode || single?.inputs !== undefined || (stop - start) / step < SHORT;
  return isOrdinary(job, single) && isStepped;
}

async function checkpointsOf(
  job: RunJob,
  { scenario, compiled }: PreparedRun,
  header: RunHeader,
  say: WorkerHost["say"],
): Promise<KeptCheckpoints | undefined> {
  if (job.checkpoint === undefined) return undefined;
  const { keepCheckpoints } = await import("../checkpoint/keep-checkpoints.ts");
  return keepCheckpoints(job.checkpoint, job, scenario, compiled.plan, header, say);
}

/**
 * How an FMU that runs alone is executed is worth a word only where an option asks for something.
 */
function isOrdinary(job: RunJob, single: SingleUnit | undefined): boolean {
  const { executor, threads, profile } = job;
  return single !== undefined && executor === "auto" && threads === undefined && !profile;
}

/** Rows of machine code, where a crash cannot take them. */
function rowMemoryIn(folder: string, columns: number): RowMemory | undefined {
  const bytes = Math.max(ROW_MEMORY_BYTES, 8 * (1 + MIN_ROWS * columns));
  return columns === 0 ? undefined : mapSharedFile(join(folder, ROW_MEMORY), bytes);
}

const MIN_ROWS = 64;

/**
 * Ticks between two looks at the wall clock: often enough to be smooth, seldom enough to be cheap.
 */
function pacedChunk(step: number, factor: number): number {
  return Math.max(1, Math.floor((PACE_SECONDS * factor) / step));
}

const PACE_SECONDS = 0.01;

/** @param slots of every column in the bank of its type, in `rows`. */
function copyColumns(plan: Plan, signals: Banks, slots: readonly number[], rows: Banks): void {
  for (const [c, { bank, slot }] of plan.record.columns.entries()) {
    const target = slots[c] as number;
    if (bank === "f64") rows.f64[target] = signals.f64[slot] as number;
    else if (bank === "i64") rows.i64[target] = signals.i64[slot] as bigint;
    else rows.obj[target] = signals.obj[slot] as Banks["obj"][number];
  }
}

/** Columns lie one after the other in the banks of their types. */
function headerOf(job: RunJob, prepared: PreparedRun): RunHeader {
  const { model, scenario, columns, experiment } = prepared;
  const { plan } = prepared.compiled;
  const { start, step } = plan;
  const layout = { f64: 0, i64: 0, obj: 0 };
  const slots = plan.record.columns.map(({ bank }) => layout[bank]++);
  const { fmu } = model;
  return {
    title: scenario.name,
    units: unitNames(scenario),
    experiment: { ...experiment, step },
    columns,
    slots,
    layout,
    callNames: CALL_NAMES,
    every: plan.record.every,
    ...present({ requirements: scenario.requirements }),
    entries: {
      ...model.entries(plan),
      start: String(start),
      stop: String(experiment.stop),
      step: String(step),
      ...present({
        tolerance: fmu && experiment.tolerance?.toString(),
        generationTool: fmu?.generationTool || undefined,
        set: job.set.join("; ") || undefined,
        faults:
          actingFaults(scenario)
            .map(({ text }) => text)
            .join("; ") || undefined,
        input: fmu && job.input,
      }),
    },
  };
}
