/**
 * What goes wrong besides what the scenario says (fault-options.ts), brought into action.
 */
import { readFileSync } from "node:fs";
import { type Checked, type Diagnostic, hasErrors } from "../base/diagnostic.ts";
import { loadFaults } from "../host/load-faults.ts";
import { parseFaultLine } from "../lang/fault/parse-fault.ts";
import { applyFaults } from "../model/apply-faults.ts";
import type { FaultDraft } from "../model/faults.ts";
import { resolveMoreFaults } from "../model/resolve-scenario-faults.ts";
import type { Scenario } from "../model/scenario.ts";

export interface FaultRequest {
  /** One fault each. */
  readonly faults: readonly string[];
  /** Files with more of them. */
  readonly faultFiles: readonly string[];
}

const FILES = { text: (path: string): string => readFileSync(path, "utf8") };

/** The scenario with all of its faults in action. */
export function withFaults(scenario: Scenario, request: FaultRequest): Checked<Scenario> {
  const diagnostics: Diagnostic[] = [];
  const drafts: FaultDraft[] = [];
  for (const line of request.faults) {
    const read = parseFaultLine(line, { file: "--fault" });
    diagnostics.push(...read.diagnostics);
    if (read.value !== undefined) drafts.push(read.value);
  }
  for (const path of request.faultFiles) {
    const read = loadFaults(path, path, { file: "--faults" }, FILES);
    diagnostics.push(...read.diagnostics);
    drafts.push(...(read.value ?? []));
  }
  const resolved = resolveMoreFaults(scenario, drafts);
  diagnostics.push(...resolved.diagnostics);
  if (resolved.value === undefined || hasErrors(diagnostics)) return { diagnostics };
  return { value: applyFaults(resolved.value), diagnostics };
}
