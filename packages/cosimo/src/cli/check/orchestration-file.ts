/**
 * Orchestration algorithms in files: what units they are about, and whether they are correct.
 */
import { dirname, join } from "node:path";
import { type Checked, type Diagnostic, hasErrors, type Place } from "../../base/diagnostic.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { scenarioInFolder } from "../../host/scenario-path.ts";
import type { Trust } from "../../host/trust.ts";
import { parseOrchestration } from "../../lang/orchestration/parse-orchestration.ts";
import type { OrchestratedSystem, Orchestration } from "../../model/orchestration.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { checkOrchestration } from "../../search/orchestration/check-orchestration.ts";
import { systemOf } from "../../search/orchestration/system.ts";
import type { ExitCode } from "../command.ts";
import { findingTexts } from "../findings.ts";
import { readText } from "../read-file.ts";
import { print } from "../terminal.ts";

export interface OrchestrationInFile {
  readonly system: OrchestratedSystem;
  /** Absent where the file only describes units. */
  readonly orchestration?: Orchestration;
  /** The scenario of the units, where they are in one. */
  readonly scenario?: string;
  readonly place: Place;
}

/** @param given a scenario whose units it is about, over what the file says. */
export async function readOrchestration(
  path: string,
  trust: Trust,
  given?: string,
): Promise<Checked<OrchestrationInFile>> {
  const diagnostics: Diagnostic[] = [];
  const text = readText(path, (d) => diagnostics.push(d));
  if (text === undefined) return { diagnostics };
  const parsed = parseOrchestration(text, path);
  if (parsed.value === undefined) return { diagnostics: parsed.diagnostics };
  const { scenario: named, system, orchestration, place } = parsed.value;
  const scenario = given ?? (named === undefined ? undefined : join(dirname(path), named));
  const about = { place, ...(orchestration && { orchestration }) };
  if (scenario === undefined)
    return system === undefined
      ? { diagnostics: parsed.diagnostics }
      : { value: { system, ...about }, diagnostics: parsed.diagnostics };
  const loaded = await systemInScenario(scenario, trust);
  if (loaded.value === undefined) return { diagnostics: loaded.diagnostics };
  const all = [...parsed.diagnostics, ...loaded.diagnostics];
  return { value: { system: loaded.value, scenario, ...about }, diagnostics: all };
}

/** What of a scenario matters to the order of operations. */
export async function systemInScenario(
  path: string,
  trust: Trust,
): Promise<Checked<OrchestratedSystem>> {
  const temp = createTempFolder();
  try {
    const loaded = await loadScenario(scenarioInFolder(path) ?? path, trust, temp.path);
    const { value, diagnostics } = loaded;
    if (value === undefined || hasErrors(diagnostics)) return { diagnostics };
    return { value: systemOf(value.scenario), diagnostics };
  } finally {
    temp.remove();
  }
}

/** `cosimo check --orchestration`. */
export async function checkOrchestrationFile(
  path: string,
  trust: Trust,
  options: { readonly json: boolean; readonly scenario?: string },
): Promise<ExitCode> {
  const { value, diagnostics } = await readOrchestration(path, trust, options.scenario);
  const findings = [...diagnostics];
  if (value?.orchestration !== undefined && !hasErrors(findings))
    findings.push(...checkOrchestration(value.system, value.orchestration, value.place));
  const isWrong = hasErrors(findings) || value === undefined;
  const isEmpty = value !== undefined && value.orchestration === undefined;
  if (options.json)
    print(
      JSON.stringify(
        { file: path, isCorrect: !isWrong && !isEmpty, diagnostics: findings },
        undefined,
        2,
      ),
    );
  else {
    const verdict = isWrong
      ? `${path}: not correct`
      : isEmpty
        ? `${path}: there is no algorithm in it; 'cosimo plan ${path}' makes one`
        : `${path}: correct`;
    print([...findingTexts(findings), verdict].join("\n"));
  }
  return isWrong || isEmpty ? 1 : 0;
}
