/**
 * A unit in a file of its own that is not an FMU (a state machine, an adaptation) as a model to
 * run: a scenario of one unit.
 */
import { basename } from "node:path";
import { type Diagnostic, DiagnosticsError } from "../../base/diagnostic.ts";
import { unitOpener } from "../../host/load-scenario.ts";
import { loadUnit } from "../../host/load-unit.ts";
import type { UnitFileKind } from "../../model/source-kind.ts";
import { withValues } from "../../run/apply-values.ts";
import { singleUnitPorts, singleUnitScenario } from "../../run/single-unit.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { assignedValues, findAssignments } from "./assignments.ts";
import { jobTrust } from "./job-trust.ts";
import type { LoadedModel } from "./load-model.ts";

/** @throws DiagnosticsError when there is nothing to run. */
export async function loadUnitFile(
  kind: UnitFileKind,
  job: Pick<RunJob, "model" | "trust" | "folder" | "set" | "isolation">,
  report: (d: Diagnostic) => void,
): Promise<LoadedModel> {
  const { model: path, folder } = job;
  const name = basename(path).replace(/\..*$/, "");
  const trust = jobTrust(job);
  const { value: loaded, diagnostics } = await loadUnit({ kind, path, name, trust, folder });
  if (loaded === undefined) throw new DiagnosticsError(diagnostics);
  diagnostics.forEach(report);
  const { draft, description, tree } = loaded;
  const bare = singleUnitScenario({ name, source: draft.source, description, file: path });
  const ports = singleUnitPorts(bare);
  const values = assignedValues(findAssignments(job.set, description, report), report);
  return {
    scenario: withValues(bare, ports, values, "--set"),
    ports,
    portsOf: singleUnitPorts,
    opener: (options) => unitOpener(tree, options),
    entries: () => ({ model: description.name, file: path }),
  };
}
