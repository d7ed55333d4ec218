/**
 * What `cosimo run` was given, as a scenario: a scenario file, or one unit (an FMU, a state machine, an adaptation), which is a scenario of one unit.
 */
import { basename } from "node:path";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import type { CoSimulationInterface, FmuDescription } from "../../fmi/description.ts";
import { isLossless, tooManyElements } from "../../fmi/description-diagnostics.ts";
import { toUnitDescription } from "../../fmi/to-unit-description.ts";
import { isScenarioPath, scenarioInFolder } from "../../host/scenario-path.ts";
import { fmuSource } from "../../host/sources/fmu.ts";
import type { OpenContext } from "../../host/sources/source.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { ScenarioPorts } from "../../model/scenario-ports.ts";
import { fileKind, isUnitFile } from "../../model/source-kind.ts";
import type { Plan } from "../../plan/plan.ts";
import { openFmuFile } from "../../platform/node/fmu-file.ts";
import { withValues } from "../../run/apply-values.ts";
import type { OpenUnit } from "../../run/open-units.ts";
import { singleUnitPorts, singleUnitScenario } from "../../run/single-unit.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";
import { assignedValues, findAssignments, structuralValues } from "./assignments.ts";

export type OpenOptions = Omit<OpenContext, "openScenario">;

export interface LoadedModel {
  /** With the values of `--set`. */
  readonly scenario: Scenario;
  /** By the names that `--set`, `--record` and `--input` use. */
  readonly ports: ScenarioPorts;
  /** Makes its units, one by one. */
  opener(options: OpenOptions): OpenUnit;
  /** Present for a model that is one FMU. */
  readonly fmu?: FmuDescription;
  /** Facts for the metadata of traces that only this kind of model has. */
  entries(plan: Plan): Readonly<Record<string, string>>;
}

/** @throws DiagnosticsError when there is nothing to run. */
export async function loadModel(
  job: RunJob,
  report: (d: Diagnostic) => void,
): Promise<LoadedModel> {
  const path = isScenarioPath(job.model) ? job.model : scenarioInFolder(job.model);
  const kind = fileKind(job.model);
  if (path === undefined && isUnitFile(kind)) {
    const { loadUnitFile } = await import("./load-unit-file.ts");
    return loadUnitFile(kind, job, report);
  }
  if (path === undefined) return loadFmu(job, report);
  // Most of what is loaded to run is there for scenarios.
  const { loadScenarioFile } = await import("./load-scenario-file.ts");
  return loadScenarioFile(path, job, report);
}

function loadFmu(job: RunJob, report: (d: Diagnostic) => void): LoadedModel {
  const { value: file, diagnostics } = openFmuFile(job.model);
  // What is sloppy but can be understood does not stop a run; 'cosimo validate' is strict.
  if (file === undefined || !diagnostics.every(isLossless)) throw new DiagnosticsError(diagnostics);
  const { description: fmu } = file;
  const coSimulation = coSimulationOf(fmu, job.model);
  const noticed = diagnostics.map(
    (d): Diagnostic => (d.severity === "error" ? { ...d, severity: "warning" } : d),
  );
  const declared = toUnitDescription(fmu);
  const structural = structuralValues(findAssignments(job.set, declared, () => undefined));
  const name = fmu.modelName;
  const source = { kind: "fmu", path: basename(job.model) } as const;
  const made = fmuSource(file, coSimulation, job.model);
  const description = made.describe(structural, { name, place: { file: job.model } }) ?? declared;
  const excess = tooManyElements(description, { file: "--set" });
  if (excess !== undefined) throw new DiagnosticsError([...noticed, excess]);
  noticed.forEach(report);
  const bare = singleUnitScenario({ name, source, description, file: job.model });
  const ports = singleUnitPorts(bare);
  const values = assignedValues(findAssignments(job.set, description, report), report);
  return {
    scenario: withValues(bare, ports, values, "--set"),
    ports,
    opener: (options) => (_, use) => made.open(use, { ...options, openScenario: noScenario }),
    fmu,
    entries: () => ({
      model: name,
      fmu: job.model,
      fmiVersion: fmu.fmiVersion,
      instantiationToken: fmu.instantiationToken,
    }),
  };
}

function noScenario(): never {
  throw new Error("internal: an FMU holds no scenario");
}

function coSimulationOf(description: FmuDescription, file: string): CoSimulationInterface {
  if (description.coSimulation) return description.coSimulation;
  const offers = [
    description.modelExchange && "Model Exchange",
    description.scheduledExecution && "Scheduled Execution",
  ]
    .filter((name) => name !== undefined)
    .join(" and ");
  const params = { offers: offers || "no interface" };
  throw new DiagnosticsError([diagnose(RUN_DIAGNOSTICS, "run-no-co-simulation", params, { file })]);
}

/** Full names of all units, nested ones with the names around them: their order in the status of the worker. */
export function unitNames(scenario: Scenario, prefix = ""): string[] {
  return scenario.units.flatMap(({ name, scenario: inner }) => [
    `${prefix}${name}`,
    ...(inner ? unitNames(inner, `${prefix}${name}.`) : []),
  ]);
}
