/**
 * What compiling a scenario reports, for tests: `code: message` in order.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Scenario } from "../../model/scenario.ts";
import { type CompileOptions, compilePlan } from "../compile.ts";

export function findingsOf(
  scenario: Scenario,
  options: Partial<CompileOptions> = {},
): readonly Diagnostic[] {
  return compilePlan(scenario, { record: [], ...options }).diagnostics;
}

export function codesOf(scenario: Scenario, options: Partial<CompileOptions> = {}): string[] {
  return findingsOf(scenario, options).map(({ code }) => code);
}
