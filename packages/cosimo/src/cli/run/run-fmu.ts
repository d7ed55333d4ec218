/**
 * The run itself, inside the worker: open, check the wishes, unpack, load, simulate into the spool.
 */
import { join } from "node:path";
import {
  append,
  type Diagnostic,
  DiagnosticsError,
  diagnose,
  hasErrors,
  unwrap,
} from "../../base/diagnostic.ts";
import { type Outcome, UnitError, type UnitFailure } from "../../base/outcome.ts";
import { banksFor, layoutPorts, type PortLayout } from "../../engine/port-layout.ts";
import { type SimulateOptions, simulateUnit } from "../../engine/simulate-unit.ts";
import type { FmuDescription } from "../../fmi/description.ts";
import { isLossless, tooManyElements } from "../../fmi/description-diagnostics.ts";
import { toUnitDescription } from "../../fmi/to-unit-description.ts";
import { placeInFmu } from "../../host/place-in-fmu.ts";
import type { Port, UnitDescription } from "../../model/unit-description.ts";
import { CALL_NAMES } from "../../platform/native/call-names.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import { openNativeUnit } from "../../platform/native/open-native-unit.ts";
import { openFmuFile } from "../../platform/node/fmu-file.ts";
import { type ColumnChoice, selectColumns } from "../../record/trace-select.ts";
import type { Unit } from "../../unit/unit.ts";
import { CHECKPOINT_RUN_DIAGNOSTICS } from "./checkpoint-run-diagnostics.ts";
import type { RunHeader, RunJob, WorkerHost } from "./protocol.ts";
import { RUN_DIAGNOSTICS } from "./run-diagnostics.ts";
import { openSession } from "./session.ts";
import {
  clockIntervals,
  endsEarly,
  findAssignments,
  openClocks,
  parseAssignments,
  type ResolvedExperiment,
  resolveExperiment,
  structuralValues,
} from "./settings.ts";

export async function runFmu(job: RunJob, host: WorkerHost): Promise<void> {
  const { say } = host;
  if (job.checkpoint)
    throw new DiagnosticsError([
      diagnose(
        CHECKPOINT_RUN_DIAGNOSTICS,
        "checkpoint-single-unit",
        { model: job.model },
        { file: job.model },
      ),
    ]);
  const opened = openFmuFile(job.model);
  const fmu = opened.value;
  // What is sloppy but can be understood does not stop a run; 'cosimo validate' is strict.
  if (fmu === undefined || !opened.diagnostics.every(isLossless))
    throw new DiagnosticsError(opened.diagnostics);
  requireCoSimulation(fmu.description, job.model);

  const diagnostics: Diagnostic[] = opened.diagnostics.map((d) => ({
    ...d,
    severity: d.severity === "error" ? "warning" : d.severity,
  }));
  const report = (d: Diagnostic): void => void diagnostics.push(d);
  const declared = toUnitDescription(fmu.description);
  const structural = structuralValues(findAssignments(job.set, declared, () => undefined));
  const description = toUnitDescription(fmu.description, { structural });
  const excess = tooManyElements(description, { file: "--set" });
  if (excess !== undefined) throw new DiagnosticsError([...diagnostics, excess]);
  const values = parseAssignments(findAssignments(job.set, description, report), report);
  const experiment = resolveExperiment(
    job,
    description.experiment,
    description.capabilities.preferredStep,
    report,
  );
  const inputs =
    job.input === undefined
      ? undefined
      : (await import("./inputs.ts")).readInputs(job.input, description, report);
  const intervals = clockIntervals(job.clocks, description, report);
  if (!hasErrors(diagnostics)) endsEarly(experiment, description).forEach(report);
  if (job.events === "auto") openClocks(description, intervals).forEach(report);
  const recorded = selectColumns(description, job.record);
  append(diagnostics, recorded.diagnostics);
  if (diagnostics.length > 0) say({ kind: "diagnostics", diagnostics });
  if (hasErrors(diagnostics) || recorded.value === undefined) return;

  const record = layoutPorts(portsOf(description, recorded.value));
  const plan = planOf(job, fmu.description, experiment, recorded.value, record);
  const folder = unwrap(await fmu.extract(join(job.folder, "fmu")));
  const session = openSession(job, plan, host);
  const unit = openUnit({ folder, description: fmu.description }, job.model, {
    ...session.native(0),
    onDiagnostic: (d) =>
      say({ kind: "diagnostics", diagnostics: [placeInFmu(d, folder, job.model)] }),
    name: fmu.description.modelName,
    structural,
    ...(job.events === "off" ? { eventMode: false, earlyReturn: false } : {}),
  });
  if ("failure" in unit) {
    const outcome: Outcome = { kind: "failed", time: experiment.start, steps: 0, ...unit };
    session.done(outcome);
    session.close();
    return;
  }
  const banks = banksFor(record);
  let steps = 0;
  try {
    const outcome = await simulateUnit(unit, {
      ...experiment,
      values: { slots: values.layout.slots, banks: values.banks },
      ...(inputs ? { inputs: inputs.signals } : {}),
      ...clockOptions(unit, inputs?.triggers, intervals),
      record: { slots: record.slots, banks },
      onRow: (time) => {
        steps++;
        session.row(time, banks);
      },
      shouldStop: (time) => session.shouldStop(time, steps),
      onRecorded: session.recorded,
    });
    session.done(outcome);
  } catch (error) {
    // Said before the unit is freed, which may take it for ever.
    session.failed(error);
  } finally {
    // Freeing is a call like any other: the log of calls is still open for it.
    unit.dispose();
    session.close();
  }
}

/** An FMU that refuses to be instantiated is a failed run, like one that refuses a step. */
function openUnit(
  fmu: Parameters<typeof openNativeUnit>[0],
  file: string,
  options: NativeUnitOptions,
): Unit | { readonly failure: UnitFailure } {
  try {
    return openNativeUnit(fmu, options);
  } catch (error) {
    if (error instanceof UnitError) return { failure: error.failure };
    if (!(error instanceof DiagnosticsError)) throw error;
    throw new DiagnosticsError(error.diagnostics.map((d) => placeInFmu(d, fmu.folder, file)));
  }
}

/** Whoever drives an FMU with input clocks must tick them. */
function clockOptions(
  unit: Unit,
  triggers: ReadonlyMap<number, readonly number[]> = new Map(),
  intervals: ReadonlyMap<number, number> = new Map(),
): Pick<SimulateOptions, "clocks"> {
  const services = unit.clocks;
  const hasClocks = unit.description.ports.some(
    (port) => port.direction === "input" && port.clock !== undefined,
  );
  if (!services || !hasClocks || !unit.description.capabilities.eventMode) return {};
  return { clocks: { services, intervals, triggers } };
}

function requireCoSimulation(description: FmuDescription, file: string): void {
  if (description.coSimulation) return;
  const offers = [
    description.modelExchange && "Model Exchange",
    description.scheduledExecution && "Scheduled Execution",
  ]
    .filter((name) => name !== undefined)
    .join(" and ");
  throw new DiagnosticsError([
    diagnose(
      RUN_DIAGNOSTICS,
      "run-no-co-simulation",
      { offers: offers || "no interface" },
      { file },
    ),
  ]);
}

function portsOf(unit: UnitDescription, choices: readonly ColumnChoice[]): Port[] {
  return [...new Set(choices.map((choice) => choice.port))].map((index) => unit.ports[index]!);
}

function planOf(
  job: RunJob,
  fmu: FmuDescription,
  experiment: ResolvedExperiment,
  choices: readonly ColumnChoice[],
  record: PortLayout,
): RunHeader {
  const firstSlot = new Map(record.slots.map(({ port, slot }) => [port, slot]));
  return {
    title: fmu.modelName,
    units: [fmu.modelName],
    experiment,
    columns: choices.map((choice) => choice.info),
    slots: choices.map((choice) => firstSlot.get(choice.port)! + choice.element),
    layout: record.sizes,
    callNames: CALL_NAMES,
    entries: {
      model: fmu.modelName,
      fmu: job.model,
      fmiVersion: fmu.fmiVersion,
      instantiationToken: fmu.instantiationToken,
      start: String(experiment.start),
      stop: String(experiment.stop),
      step: String(experiment.step),
      ...(experiment.tolerance === undefined ? {} : { tolerance: String(experiment.tolerance) }),
      ...(fmu.generationTool ? { generationTool: fmu.generationTool } : {}),
      ...(job.set.length > 0 ? { set: job.set.join("; ") } : {}),
      ...(job.input ? { input: job.input } : {}),
    },
  };
}
