/**
 * `--set unit.port=value` on a scenario: over what the file says.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Scenario } from "../../model/scenario.ts";
import { scenarioPorts } from "../../model/scenario-ports.ts";
import { portSize } from "../../model/unit-description.ts";
import { bankOf, type Value } from "../../model/value-type.ts";
import { withValues } from "../../run/apply-values.ts";
import { findAssignments, parseAssignments } from "../run/settings.ts";

export function applyValues(
  scenario: Scenario,
  set: readonly string[],
  report: (d: Diagnostic) => void,
): Scenario {
  if (set.length === 0) return scenario;
  const all = scenarioPorts(scenario);
  const { layout, banks } = parseAssignments(findAssignments(set, all.description, report), report);
  const values = new Map<number, readonly Value[]>();
  for (const { port, slot } of layout.slots) {
    const described = all.description.ports[port]!;
    const bank = banks[bankOf(described.type)];
    values.set(
      port,
      Array.from({ length: portSize(described) }, (_, i): Value => bank[slot + i]!),
    );
  }
  return withValues(scenario, all, values, "--set");
}
