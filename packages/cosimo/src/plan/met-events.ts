/**
 * Which units without event mode run with it all the same under a master with common steps: those
 * that exchange events, such as state machines. Their events then arrive at their instants
 * (engine/with-event-mode.ts), whatever the step.
 *
 * A unit that receives an event must react to it where it occurs, and all units must be able to
 * end a step there. Where the units that send announce what they do next, none has to go back;
 * elsewhere all must be able to.
 */
import type { Connection, Scenario } from "../model/scenario.ts";
import { portAt } from "../model/scenario-ports.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { isLateInSteps, mixesEvents } from "./choose-master.ts";
import { unitsWithout } from "./master-needs.ts";

/**
 * The scenario with the descriptions that its units have in such a run; the same one where there
 * are none.
 */
export function withMetEvents(scenario: Scenario): Scenario {
  const met = metUnits(scenario);
  if (met.size === 0) return scenario;
  return {
    ...scenario,
    units: scenario.units.map((unit, u) => {
      return met.has(u) ? { ...unit, description: metDescription(unit.description) } : unit;
    }),
  };
}

/** What is known of such a unit. What it reports besides is what event mode is for. */
export function metDescription(description: UnitDescription): UnitDescription {
  const { capabilities } = description;
  return {
    ...description,
    capabilities: { ...capabilities, eventMode: true, zeroStep: false, predicates: [] },
  };
}

/** Whether both ends take part in event mode. */
export function hasEventModes({ units }: Scenario, { from, to }: Connection): boolean {
  const [source, target] = [from, to].map(({ unit }) => units[unit].description.capabilities);
  return source.eventMode && target.eventMode;
}

function metUnits(scenario: Scenario): ReadonlySet<number> {
  const { units, master } = scenario;
  const exchanged = scenario.connections.filter(
    (one) => isLateInSteps(scenario, one) || mixesEvents(scenario, one),
  );
  const isOff = master.options["eventMode"] === false;
  if (exchanged.length === 0 || isOff || unitsWithout(scenario, "variableStep").length > 0)
    return new Set();
  const able = new Set([...units.keys()].filter((u) => canBeMet(scenario, u)));
  // Who sends an event to a unit that cannot react at its instant keeps it until the step is over.
  for (let before = -1; before !== able.size; ) {
    before = able.size;
    for (const one of exchanged) if (!isMet(scenario, one, able)) able.delete(one.from.unit);
  }
  const met = new Set(
    exchanged
      .filter((one) => isMet(scenario, one, able))
      .flatMap(({ from, to }) => [from.unit, to.unit])
      .filter((u) => able.has(u)),
  );
  const isKnown = [...met].every((u) => isAnnounced(scenario, u));
  return isKnown || unitsWithout(scenario, "rollback").length === 0 ? met : new Set();
}

function canBeMet({ units }: Scenario, u: number): boolean {
  const { description, faulty, scenario } = units[u];
  const { eventMode, zeroStep, rollback, predicates } = description.capabilities;
  const isOther = faulty !== undefined || scenario !== undefined;
  return !eventMode && zeroStep === true && rollback && predicates.includes("event") && !isOther;
}

function isMet(
  scenario: Scenario,
  { from, to, interaction }: Connection,
  able: ReadonlySet<number>,
): boolean {
  const hasEventMode = (u: number): boolean =>
    able.has(u) || scenario.units[u].description.capabilities.eventMode;
  const { observed } = portAt(scenario, to);
  const isPlain = interaction === undefined && observed !== true;
  return isPlain && hasEventMode(from.unit) && hasEventMode(to.unit);
}

/** Whether it stops only where it said so before. */
function isAnnounced({ units }: Scenario, u: number): boolean {
  const { description, isolation } = units[u];
  return description.capabilities.announces === true && isolation === undefined;
}
