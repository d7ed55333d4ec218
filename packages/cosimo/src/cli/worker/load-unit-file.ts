/**
 * A unit in a file of its own that is not an FMU (a state machine, an adaptation) as a model to run: a scenario of one unit.
 */
import { basename, resolve } from "node:path";
import { type Diagnostic, DiagnosticsError } from "../../base/diagnostic.ts";
import { unitOpener } from "../../host/load-scenario.ts";
import { diskFiles } from "../../host/sources/files.ts";
import { SourceTree } from "../../host/sources/tree.ts";
import { userTrust } from "../../host/trust.ts";
import type { UnitDraft } from "../../model/scenario.ts";
import type { FileKind } from "../../model/source-kind.ts";
import { withValues } from "../../run/apply-values.ts";
import { singleUnitPorts, singleUnitScenario } from "../../run/single-unit.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { assignedValues, findAssignments } from "./assignments.ts";
import type { LoadedModel } from "./load-model.ts";

/** @throws DiagnosticsError when there is nothing to run. */
export async function loadUnitFile(
  kind: FileKind,
  job: Pick<RunJob, "model" | "trust" | "folder" | "set">,
  report: (d: Diagnostic) => void,
): Promise<LoadedModel> {
  const path = resolve(job.model);
  const tree = new SourceTree(diskFiles(userTrust(job.trust)), job.folder);
  const name = basename(path).replace(/\..*$/, "");
  const unit: UnitDraft = { name, source: { kind, path }, values: [], place: { file: job.model } };
  await tree.read(unit, path, []);
  const description = tree.describe(unit);
  if (description === undefined) throw new DiagnosticsError(tree.diagnostics);
  tree.diagnostics.forEach(report);
  const bare = singleUnitScenario({ name, source: unit.source, description, file: job.model });
  const ports = singleUnitPorts(bare);
  const values = assignedValues(findAssignments(job.set, description, report), report);
  return {
    scenario: withValues(bare, ports, values, "--set"),
    ports,
    portsOf: singleUnitPorts,
    opener: (options) => unitOpener(tree, options),
    entries: () => ({ model: description.name, file: job.model }),
  };
}
