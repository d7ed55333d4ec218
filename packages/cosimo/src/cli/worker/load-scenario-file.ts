/**
 * A scenario file as a model to run, with the values of `--set`.
 */
import { type Diagnostic, DiagnosticsError } from "../../base/diagnostic.ts";
import { loadScenario, unitOpener } from "../../host/load-scenario.ts";
import { userTrust } from "../../host/trust.ts";
import { scenarioPorts } from "../../model/scenario-ports.ts";
import { withValues } from "../../run/apply-values.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { assignedValues, findAssignments } from "./assignments.ts";
import type { LoadedModel } from "./load-model.ts";

export async function loadScenarioFile(
  path: string,
  job: Pick<RunJob, "trust" | "folder" | "set">,
  report: (d: Diagnostic) => void,
): Promise<LoadedModel> {
  const loaded = await loadScenario(path, userTrust(job.trust), job.folder);
  if (loaded.value === undefined) throw new DiagnosticsError(loaded.diagnostics);
  loaded.diagnostics.forEach(report);
  const { scenario: written, tree } = loaded.value;
  const ports = scenarioPorts(written);
  const found = findAssignments(job.set, ports.description, report);
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
