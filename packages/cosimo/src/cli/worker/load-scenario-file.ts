/**
 * A scenario file as a model to run, with the values of `--set`.
 */
import { type Diagnostic, DiagnosticsError } from "../../base/diagnostic.ts";
import { loadScenario, unitOpener } from "../../host/load-scenario.ts";
import { innerPortNames, wantedPort, withInnerPorts } from "../../model/inner-ports.ts";
import { scenarioPorts } from "../../model/scenario-ports.ts";
import { withValues } from "../../run/apply-values.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { assignedValues, findAssignments } from "./assignments.ts";
import { jobTrust } from "./job-trust.ts";
import type { LoadedModel } from "./load-model.ts";

export async function loadScenarioFile(
  path: string,
  job: Pick<RunJob, "trust" | "folder" | "set"> &
    Partial<Pick<RunJob, "record" | "text" | "isolation">>,
  report: (d: Diagnostic) => void,
): Promise<LoadedModel> {
  const loaded = await loadScenario(path, jobTrust(job), job.folder, job.text);
  if (loaded.value === undefined) throw new DiagnosticsError(loaded.diagnostics);
  loaded.diagnostics.forEach(report);
  const { tree } = loaded.value;
  const names = job.set.map((text) => text.split("=", 1)[0]?.trim() ?? "");
  const wanted = [...(job.record ?? []), ...names].map(wantedPort);
  const written = withInnerPorts(loaded.value.scenario, wanted);
  const ports = scenarioPorts(written);
  const found = findAssignments(job.set, ports.description, report, () => innerPortNames(written));
  // Sizes of arrays are those of the file.
  const values = assignedValues(
    found.filter(({ port }) => port.direction !== "structural-parameter"),
    report,
  );
  const scenario = withValues(written, ports, values, "--set");
  return {
    scenario,
    ports,
    portsOf: scenarioPorts,
    opener: (options) => unitOpener(tree, options),
    entries: (plan) => ({
      scenario: scenario.name,
      file: path,
      master: plan.master,
      units: scenario.units.map((unit) => `${unit.name} (${unit.description.name})`).join(", "),
    }),
  };
}
