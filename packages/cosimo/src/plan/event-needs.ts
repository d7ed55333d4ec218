/**
 * Says before the run which crossings cannot be located exactly, and which units prevent it: a
 * crossing is located by repeating a step with other ends, so every unit must be able to roll back
 * and to take steps of any size.
 */
import { iterates } from "../model/masters.ts";
import type { Crossing, Scenario } from "../model/scenario.ts";
import { quoted, unitsWithout } from "./master-needs.ts";
import type { MasterSettings } from "./master-settings.ts";
import type { PlanReport } from "./plan-diagnostics.ts";

export function reportEventNeeds(
  scenario: Scenario,
  settings: MasterSettings,
  report: PlanReport,
): void {
  const rigid = unitsWithout(scenario, "variableStep");
  const stuck = unitsWithout(scenario, "rollback");
  for (const event of scenario.events) {
    const { text, place } = event;
    if (rigid.length > 0) report("event-at-points", { event: text, units: quoted(rigid) }, place);
    else if (stuck.length > 0 && (iterates(settings) || !stopsItself(scenario, event)))
      report("event-late", { event: text, units: quoted(stuck) }, place);
  }
}

/** How many of the experiment's steps may be one where a change inside it can be located. */
const MOST_STEPS = 10;

/**
 * The longest step where discrete outputs change at instants that are not announced: one that
 * changes twice within a step seems unchanged, so steps stay near the experiment's. A longest step
 * that the author gives comes first.
 */
export function boundBesideDiscrete(
  scenario: Scenario,
  settings: MasterSettings,
  step: number,
  report: PlanReport,
): MasterSettings {
  const { control, policies } = settings;
  if (control === undefined || policies !== undefined) return settings;
  const outputs = unannounced(scenario, settings.eventMode);
  if (outputs.length === 0) return settings;
  const stuck = unitsWithout(scenario, "rollback");
  const longest = stuck.length > 0 ? step : MOST_STEPS * step;
  const isBounded = Number.isFinite(control.maxStep);
  const maxStep = isBounded ? control.maxStep : Math.max(longest, control.firstStep ?? 0);
  if (stuck.length > 0) {
    const params = { outputs: outputs.join(", "), units: quoted(stuck), longest: maxStep };
    report("discrete-late", params, scenario.master.place);
  }
  return { ...settings, control: { ...control, maxStep } };
}

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
