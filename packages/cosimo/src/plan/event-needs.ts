/**
 * Says before the run which crossings cannot be found where they are, and whose fault that is: a crossing is located by repeating
 * a step with other ends, so every unit must be able to go back and to take steps of any size.
 */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { Crossing, Scenario, ScenarioUnit } from "../model/scenario.ts";
import type { Capabilities } from "../model/unit-description.ts";
import type { MasterSettings } from "./master-settings.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";

export function reportEventNeeds(
  scenario: Scenario,
  { coupling }: MasterSettings,
  report: (diagnostic: Diagnostic) => void,
): void {
  const rigid = without(scenario, "variableStep");
  const stuck = without(scenario, "rollback");
  for (const event of scenario.events) {
    const { text, place } = event;
    if (rigid.length > 0) {
      const params = { event: text, units: names(rigid) };
      report(diagnose(PLAN_DIAGNOSTICS, "event-at-points", params, place));
    } else if (stuck.length > 0 && !(coupling !== "iterative" && stopsItself(scenario, event))) {
      const params = { event: text, units: names(stuck) };
      report(diagnose(PLAN_DIAGNOSTICS, "event-late", params, place));
    }
  }
}

/** Whether the unit behind the signal stops at the level by itself. */
function stopsItself({ units }: Scenario, { signal, other }: Crossing): boolean {
  const { capabilities, ports } = units[signal.unit]!.description;
  const isScalar = ports[signal.port]!.shape.length === 0;
  return other === undefined && isScalar && capabilities.predicates.includes("threshold");
}

function without(
  { units }: Scenario,
  capability: keyof Pick<Capabilities, "rollback" | "variableStep">,
): ScenarioUnit[] {
  return units.filter(({ description }) => !description.capabilities[capability]);
}

function names(units: readonly ScenarioUnit[]): string {
  return units.map(({ name }) => `'${name}'`).join(", ");
}
