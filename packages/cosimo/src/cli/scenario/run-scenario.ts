/**
 * A scenario's run, inside the worker: load, apply the wishes of the command line, plan, open the units, execute.
 */
import { join } from "node:path";
import {
  append,
  type Diagnostic,
  DiagnosticsError,
  diagnose,
  hasErrors,
} from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import type { MasterSummary } from "../../engine/masters/master-summary.ts";
import type { RowMemory } from "../../engine/signals.ts";
import { stepCount } from "../../engine/simulate-unit.ts";
import { loadScenario, openLoaded } from "../../host/load-scenario.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../../host/scenario-diagnostics.ts";
import { userTrust } from "../../host/trust.ts";
import type { Scenario } from "../../model/scenario.ts";
import { scenarioPorts } from "../../model/scenario-ports.ts";
import { makeBanks } from "../../model/value-type.ts";
import { type Plan, timeOf } from "../../plan/plan.ts";
import { CALL_NAMES } from "../../platform/native/call-names.ts";
import { mapSharedFile } from "../../platform/native/shared-memory.ts";
import { executePlan } from "../../run/execute-plan.ts";
import { planRun, type RunRequest } from "../../run/plan-run.ts";
import type { RunHeader, RunJob, WorkerHost } from "../run/protocol.ts";
import { openSession } from "../run/session.ts";
import { resolveExperiment } from "../run/settings.ts";
import { ROW_MEMORY, ROW_MEMORY_BYTES } from "../run/spool-files.ts";
import { type ChosenExecutor, chooseExecutor } from "./choose-executor.ts";
import { keepCheckpoints } from "./keep-checkpoints.ts";
import { driveInputs } from "./scenario-inputs.ts";
import { applyValues } from "./scenario-values.ts";
import { unitNames } from "./unit-names.ts";

export async function runScenario(job: RunJob, host: WorkerHost): Promise<void> {
  const { say } = host;
  const loaded = await loadScenario(job.model, userTrust(job.trust), job.folder);
  if (loaded.value === undefined) throw new DiagnosticsError(loaded.diagnostics);
  const { tree } = loaded.value;
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const report = (d: Diagnostic): void => void diagnostics.push(d);
  const given = applyValues(loaded.value.scenario, job.set, report);
  const driven = job.input === undefined ? undefined : driveInputs(given, job.input, tree, report);
  const scenario = driven ?? given;
  const experiment = resolveExperiment(job, scenario.experiment, undefined, report);
  const planned = planRun(scenario, request(job), scenarioPorts(given));
  append(diagnostics, planned.diagnostics);
  if (planned.value) reportStop(planned.value.compiled.plan, experiment.stop, job.model, report);
  if (diagnostics.length > 0) say({ kind: "diagnostics", diagnostics });
  if (hasErrors(diagnostics) || planned.value === undefined) return;

  const { columns } = planned.value;
  const { plan } = planned.value.compiled;
  const told = planMessage(job, scenario, plan, experiment, columns);
  const kept =
    job.checkpoint && (await keepCheckpoints(job.checkpoint, job, scenario, plan, told, say));
  const session = openSession(job, told, host, kept?.resume);
  const banks = makeBanks(told.layout);
  const durableRows = rowMemory(job.folder, told.columns.length);
  const giveUp = (error: unknown): void => {
    if (!(error instanceof UnitError)) session.failed(error);
    else
      session.done({
        kind: "failed",
        time: experiment.start,
        steps: 0,
        failure: error.failure,
      });
  };
  try {
    const opened = await openLoaded(scenario, plan, tree, {
      folder: job.folder,
      ownLibraries: job.threads !== undefined,
      native: (name) => session.native(told.units.indexOf(name)),
    });
    const units = kept?.logged(opened) ?? opened;
    try {
      let chosen: ChosenExecutor | undefined;
      let master: MasterSummary | undefined;
      const outcome = await executePlan(plan, scenario, units, {
        ...experiment,
        executor: (state) => {
          chosen = chooseExecutor(job, durableRows ? { ...state, rowMemory: durableRows } : state);
          return chosen.executor;
        },
        stopOnDivergence: job.stopOnDivergence,
        onDivergence: (d) => say({ kind: "diagnostics", diagnostics: [d] }),
        onMaster: (summary) => {
          master = summary;
        },
        onRow: (time, signals) => {
          plan.record.columns.forEach(({ bank, slot }, c) => {
            const target = told.slots[c]!;
            if (bank === "f64") banks.f64[target] = signals.f64[slot]!;
            else if (bank === "i64") banks.i64[target] = signals.i64[slot]!;
            else banks.obj[target] = signals.obj[slot]!;
          });
          session.row(time, banks);
        },
        shouldStop: (time, steps) => session.shouldStop(time, steps),
        onRecorded: session.recorded,
        ...(job.realtime === undefined ? {} : { chunk: pacedChunk(plan.step, job.realtime) }),
        ...(kept ? { checkpoint: kept.keeper(units, session.syncRows) } : {}),
        ...(kept?.resume ? { resume: kept.resume } : {}),
      });
      const decided = master && { executor: "interpreter", master };
      session.done(outcome, chosen?.execution() ?? decided);
    } catch (error) {
      // Said before units are freed, which may take one of them for ever.
      giveUp(error);
    } finally {
      for (const unit of units) unit.dispose();
    }
  } catch (error) {
    giveUp(error);
  } finally {
    session.close();
    kept?.close();
  }
}

function request({ start, step, master, record, stopOnDivergence }: RunJob): RunRequest {
  return {
    stopOnDivergence,
    ...(start === undefined ? {} : { start }),
    ...(step === undefined ? {} : { step }),
    ...(master === undefined ? {} : { master }),
    ...(record.length === 0 ? {} : { record }),
  };
}

/** Rows of machine code, where a crash cannot take them. */
function rowMemory(folder: string, columns: number): RowMemory | undefined {
  const bytes = Math.max(ROW_MEMORY_BYTES, 8 * (1 + MIN_ROWS * columns));
  return columns === 0 ? undefined : mapSharedFile(join(folder, ROW_MEMORY), bytes);
}

const MIN_ROWS = 64;

/** Ticks between two looks at the wall clock: often enough to be smooth, seldom enough to be cheap. */
function pacedChunk(step: number, factor: number): number {
  return Math.max(1, Math.floor((PACE_SECONDS * factor) / step));
}

const PACE_SECONDS = 0.01;

function reportStop(plan: Plan, stop: number, file: string, report: (d: Diagnostic) => void): void {
  // A master that decides at run time makes its last step shorter.
  if (plan.coupling !== undefined) return;
  const last = timeOf(plan, stepCount(plan.start, stop, plan.step, false));
  if (Math.abs(last - stop) <= 1e-9 * Math.max(1, Math.abs(stop))) return;
  report(
    diagnose(
      SCENARIO_LOAD_DIAGNOSTICS,
      "scenario-incomplete-stop",
      { stop, last, step: plan.step },
      { file },
    ),
  );
}

/** Columns lie one after the other in the banks of their types. */
function planMessage(
  job: RunJob,
  scenario: Scenario,
  plan: Plan,
  experiment: RunHeader["experiment"],
  columns: RunHeader["columns"],
): RunHeader {
  const layout = { f64: 0, i64: 0, obj: 0 };
  const slots = plan.record.columns.map(({ bank }) => layout[bank]++);
  return {
    title: scenario.name,
    units: unitNames(scenario),
    experiment: { ...experiment, step: plan.step },
    columns,
    slots,
    layout,
    callNames: CALL_NAMES,
    every: plan.record.every,
    entries: {
      scenario: scenario.name,
      file: job.model,
      master: plan.master,
      units: scenario.units.map((unit) => `${unit.name} (${unit.description.name})`).join(", "),
      start: String(plan.start),
      stop: String(experiment.stop),
      step: String(plan.step),
      ...(job.set.length > 0 ? { set: job.set.join("; ") } : {}),
    },
  };
}
