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

/**
 * The longest step where discrete outputs change at instants that nobody announces: one that changes twice within a step looks as
 * if it had not changed, so steps stay near the experiment's. What the author says comes first.
 */
export function boundBesideDiscrete(
  scenario: Scenario,
  settings: MasterSettings,
  step: number,
  report: (diagnostic: Diagnostic) => void,
): MasterSettings {
  const { control, policies } = settings;
  if (control === undefined || policies !== undefined) return settings;
  const outputs = unannounced(scenario, settings.eventMode);
  if (outputs.length === 0) return settings;
  const stuck = without(scenario, "rollback");
  const isBounded = Number.isFinite(control.maxStep);
  const longest = stuck.length > 0 ? step : MOST_STEPS * step;
  const maxStep = isBounded ? control.maxStep : Math.max(longest, control.firstStep ?? 0);
  if (stuck.length > 0) {
    const params = { outputs: outputs.join(", "), units: names(stuck), longest: maxStep };
    report(diagnose(PLAN_DIAGNOSTICS, "discrete-late", params, scenario.master.place));
  }
  return { ...settings, control: { ...control, maxStep } };
}

/** How many of the experiment's steps may be one where a change that it contains can be located. */
const MOST_STEPS = 10;

/** Discrete outputs that other units get from units without event mode. */
function unannounced({ connections, units }: Scenario, eventMode: boolean): string[] {
  const found = connections.flatMap(({ from }) => {
    const { name, description } = units[from.unit];
    const port = description.ports[from.port];
    const isAnnounced = eventMode && description.capabilities.eventMode;
    return isAnnounced || port.variability !== "discrete" ? [] : [`'${name}.${port.name}'`];
  });
  return [...new Set(found)];
}

/** Whether the unit behind the signal stops at the level by itself. */
function stopsItself({ units }: Scenario, { signal, other }: Crossing): boolean {
  const { capabilities, ports } = units[signal.unit].description;
  const isScalar = ports[signal.port].shape.length === 0;
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
