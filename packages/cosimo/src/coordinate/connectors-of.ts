/**
 * Connections → connectors: triggers (plan/triggers.ts), units that decide instants for each other,
 * and what has to go first at an instant.
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import type { Scenario } from "../model/scenario.ts";
import { portName } from "../model/scenario-ports.ts";
import { strongComponents } from "../plan/strong-components.ts";
import { chooseTrigger, decidingUnit, isWatched, triggerText } from "../plan/triggers.ts";
import { type Connector, cycleIn, groupsOf } from "./connector.ts";
import { COORDINATION_DIAGNOSTICS } from "./diagnostics.ts";

/**
 * @param leaders units whose conditions end the run, which all others follow.
 * @returns one connector per connection, in their order.
 */
export function connectorsOf(
  scenario: Scenario,
  step: number,
  leaders: readonly number[] = [],
): Checked<readonly Connector[]> {
  const diagnostics: Diagnostic[] = [];
  const connectors = scenario.connections.map((connection): Connector => {
    const { from, to, interaction, tolerance } = connection;
    const { trigger, problem } = chooseTrigger(scenario, connection, step);
    const name = `${portName(scenario, from)} -> ${portName(scenario, to)}`;
    if (problem !== undefined) {
      const params = { connection: name, trigger: triggerText(trigger, scenario), ...problem };
      const { place } = connection;
      diagnostics.push(diagnose(COORDINATION_DIAGNOSTICS, "trigger-not-possible", params, place));
    }
    return { name, from, to, trigger, ...present({ interaction, tolerance }) };
  });
  for (const group of groupsOf(scenario.units.length, connectors, leaders)) {
    const stuck = group.filter((u) => isUnpredictable(scenario, u, connectors));
    if (stuck.length < 2) continue;
    const nameOf = (u: number): string => scenario.units[u].name;
    const params = {
      units: cycleIn(group, connectors, leaders).map(nameOf),
      stuck: stuck.map(nameOf),
    };
    const { place } = scenario.units[group[0]];
    diagnostics.push(diagnose(COORDINATION_DIAGNOSTICS, "trigger-cycle", params, place));
  }
  if (hasErrors(diagnostics)) return { diagnostics };
  const ordered = withFeedThrough(scenario, connectors);
  const isOnGrid = isSampledAlone(scenario);
  return {
    value: isOnGrid ? ordered.map((connector) => ({ ...connector, isOnGrid })) : ordered,
    diagnostics,
  };
}

/**
 * Whether nothing can happen but samples at communication points: then these are those of a plan
 * with common steps (CO10). Elsewhere they are counted like all instants, to meet events of units.
 */
export function isSampledAlone(scenario: Scenario): boolean {
  const isSampled = scenario.connections.every(
    (one) => one.trigger === undefined && chooseTrigger(scenario, one, 1).trigger.kind === "every",
  );
  const hasOwnInstants = scenario.units.some(({ faulty, description: { capabilities } }) => {
    const { predicates, eventMode, refusesSteps } = capabilities;
    return (
      faulty !== undefined ||
      eventMode ||
      refusesSteps === true ||
      predicates.some((kind) => kind !== "threshold")
    );
  });
  return isSampled && !hasOwnInstants;
}

/**
 * Whether a unit can neither roll back nor be known to stop at its communication points alone
 * (watched-unit.ts): when it stops is known only by moving it.
 */
function isUnpredictable(
  scenario: Scenario,
  unit: number,
  connectors: readonly Connector[],
): boolean {
  const { rollback, predicates, eventMode } = scenario.units[unit].description.capabilities;
  if (rollback) return false;
  if (predicates.length > 0 || eventMode) return true;
  return !connectors.some(
    (connector) =>
      decidingUnit(connector, connector.trigger) === unit &&
      isWatched(scenario, unit, connector.trigger),
  );
}

/**
 * Where an output follows inputs at once, it is published after timed values of the same instant
 * have reached them. Around an algebraic loop nothing waits: each unit publishes what it has.
 */
function withFeedThrough(
  { units }: Scenario,
  connectors: readonly Connector[],
): readonly Connector[] {
  const isTimed = ({ trigger }: Connector): boolean => trigger.kind === "every";
  const needs = connectors.map((connector): number[] => {
    const { unit, port } = connector.from;
    const { feedThrough } = units[unit].description.ports[port];
    // The terms of a formula are asked for together with it.
    if (connector.trigger.kind === "ready-to-read" && units[unit].source.kind === "formula")
      return [...connectors.keys()].filter((c) => connectors[c].to.unit === unit);
    if (!isTimed(connector)) return [];
    return [...connectors.keys()].filter((c) => {
      const { to } = connectors[c];
      const isFollowed = feedThrough === undefined || feedThrough.includes(to.port);
      return isTimed(connectors[c]) && to.unit === unit && isFollowed;
    });
  });
  const loopOf = new Map<number, number>();
  strongComponents(needs).forEach((members, loop) => {
    for (const member of members) loopOf.set(member, loop);
  });
  return connectors.map((connector, c) => {
    const after = needs[c].filter((other) => loopOf.get(other) !== loopOf.get(c));
    return after.length === 0 ? connector : { ...connector, after };
  });
}
