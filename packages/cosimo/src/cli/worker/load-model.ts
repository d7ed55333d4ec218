/**
 * What `cosimo run` was given, as a scenario: a scenario file, or one unit (an FMU, a state
 * machine, an adaptation), which is a scenario of one unit.
 */
import { basename, resolve } from "node:path";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import type { FmuDescription } from "../../fmi/description.ts";
import { isLossless, tooManyElements } from "../../fmi/description-diagnostics.ts";
import { toUnitDescription } from "../../fmi/to-unit-description.ts";
import { isolatingOpener } from "../../host/isolation/isolating-opener.ts";
import { isScenarioPath, scenarioInFolder } from "../../host/scenario-path.ts";
import { diskFiles } from "../../host/sources/files.ts";
import { fmuSource, interfacesText, wantedText } from "../../host/sources/fmu.ts";
import type { OpenContext } from "../../host/sources/source.ts";
import { TRUST_NOBODY } from "../../host/trust.ts";
import type { FmuChoice } from "../../model/integrator.ts";
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
  /** The same of this scenario with faults. */
  readonly portsOf: (scenario: Scenario) => ScenarioPorts;
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
  if (path !== undefined || isUnitFile(kind)) refuseChoice(job);
  if (path === undefined && isUnitFile(kind)) {
    const { loadUnitFile } = await import("./load-unit-file.ts");
    return loadUnitFile(kind, job, report);
  }
  if (path === undefined && (kind === "module" || kind === "table")) throw asUnit(kind, job.model);
  if (path === undefined) return loadFmu(job, report);
  // Most of what is loaded to run is there for scenarios.
  const { loadScenarioFile } = await import("./load-scenario-file.ts");
  return loadScenarioFile(path, job, report);
}

function loadFmu(job: RunJob, report: (d: Diagnostic) => void): LoadedModel {
  refuseUnusedMethod(job);
  const { value: file, diagnostics } = openFmuFile(job.model);
  // What is sloppy but can be understood does not stop a run; 'cosimo validate' is strict.
  if (file === undefined || !diagnostics.every(isLossless)) throw new DiagnosticsError(diagnostics);
  const { description: fmu } = file;
  const choice = { ...present({ interface: job.interface, integrator: job.integrator }) };
  const made = fmuSource(file, job.model, choice);
  if (made === undefined) throw notOffered(fmu, choice, job.model);
  const noticed = diagnostics.map(
    (d): Diagnostic => (d.severity === "error" ? { ...d, severity: "warning" } : d),
  );
  const declared = toUnitDescription(fmu);
  const structural = structuralValues(findAssignments(job.set, declared, () => undefined));
  const name = fmu.modelName;
  const source = { kind: "fmu", path: basename(job.model), ...choice } as const;
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
    portsOf: singleUnitPorts,
    opener: (options) =>
      isolatingOpener(
        (_, use) => made.open(use, { ...options, openScenario: noScenario }),
        {
          files: diskFiles(TRUST_NOBODY),
          requestOf: () => ({ path: resolve(job.model), file: job.model, around: [] }),
          describe: (_, { structural: given, name: unit, place }) =>
            made.describe(given, { name: unit, place }),
        },
        options,
      ),
    fmu,
    entries: () => ({
      model: name,
      fmu: job.model,
      fmiVersion: fmu.fmiVersion,
      instantiationToken: fmu.instantiationToken,
    }),
  };
}

function asUnit(kind: "module" | "table", file: string): DiagnosticsError {
  const name = basename(file).replace(/\..*$/, "").replaceAll(/\W/g, "_") || "unit";
  const what = kind === "module" ? "a unit in JavaScript" : "a table of signals";
  const params = { what, name, path: basename(file) };
  return new DiagnosticsError([diagnose(RUN_DIAGNOSTICS, "run-needs-scenario", params, { file })]);
}

function noScenario(): never {
  throw new Error("internal: an FMU holds no scenario");
}

function notOffered(fmu: FmuDescription, choice: FmuChoice, file: string): DiagnosticsError {
  const params = { offers: interfacesText(fmu), wanted: wantedText(choice) };
  return new DiagnosticsError([
    diagnose(RUN_DIAGNOSTICS, "run-no-co-simulation", params, { file }),
  ]);
}

/** Options that choose how an FMU is driven, of a job that is about something else. */
function refuseChoice({ interface: name, integrator, model: file }: RunJob): void {
  const option = name !== undefined ? "--interface" : integrator ? "--method" : undefined;
  if (option === undefined) return;
  throw new DiagnosticsError([
    diagnose(RUN_DIAGNOSTICS, "run-interface-scenario", { option }, { file }),
  ]);
}

function refuseUnusedMethod({ interface: name, integrator, model: file }: RunJob): void {
  if (name === undefined || name === "model-exchange" || integrator === undefined) return;
  const unused = diagnose(RUN_DIAGNOSTICS, "run-method-unused", { interface: name }, { file });
  throw new DiagnosticsError([unused]);
}

/**
 * Full names of all units, nested ones with the names around them: their order in the status of the
 * worker.
 */
export function unitNames(scenario: Scenario, prefix = ""): string[] {
  return scenario.units.flatMap(({ name, scenario: inner }) => [
    `${prefix}${name}`,
    ...(inner ? unitNames(inner, `${prefix}${name}.`) : []),
  ]);
}
