/**
 * Who drives the dominating mode of a coupling that does not simply stay: the share of every unit's
 * states and of every exchanged signal, and what the spectral radius would do if a connection
 * carried a little more.
 */
import type { Connection, Scenario } from "../model/scenario.ts";
import { movingRadius, participations, type ReducedMap } from "./spectrum.ts";
import type { OneStepMap } from "./stepped-plan.ts";

/**
 * Share of the mode that lives in a unit's states, or in the signals on their way to one of its
 * inputs.
 */
export interface UnitDriver {
  /** `unit`, or `unit.input`. */
  readonly name: string;
  readonly kind: "states" | "signal" | "between";
  readonly share: number;
}

export interface CouplingDriver {
  /** `a.y -> b.u`. */
  readonly connection: string;
  /** Change of the spectral radius per relative change of what the connection carries. */
  readonly sensitivity: number;
}

const LEAST_SHARE = 0.005;

export function unitDrivers(scenario: Scenario, map: ReducedMap): UnitDriver[] {
  return participations(map)
    .filter(({ share }) => share >= LEAST_SHARE)
    .map(({ owner, share }) => {
      if (owner.kind === "signal") return { name: "signals", kind: "between", share };
      const { name, description } = scenario.units[owner.unit];
      if (owner.kind === "unit") return { name, kind: "states", share };
      return { name: `${name}.${description.ports[owner.port].name}`, kind: "signal", share };
    });
}

const CHANGE = 1e-4;
/** What differences over such a change cannot tell from rounding. */
const NO_INFLUENCE = 1e-9;
/** Every connection costs two maps; beyond this many the list helps no reader. */
const MOST_CONNECTIONS = 64;

/** @param mapWith the map with one connection's factor multiplied. */
export function couplingDrivers(
  scenario: Scenario,
  mapWith: (connection: number, factor: number) => OneStepMap,
): CouplingDriver[] {
  return scenario.connections
    .slice(0, MOST_CONNECTIONS)
    .map((connection, c) => {
      const more = movingRadius(mapWith(c, 1 + CHANGE));
      const less = movingRadius(mapWith(c, 1 - CHANGE));
      return {
        connection: connectionName(scenario, connection),
        sensitivity: (more - less) / (2 * CHANGE),
      };
    })
    .filter(({ sensitivity }) => Math.abs(sensitivity) > NO_INFLUENCE)
    .sort((a, b) => Math.abs(b.sensitivity) - Math.abs(a.sensitivity));
}

function connectionName({ units }: Scenario, { from, to }: Connection): string {
  const name = ({ unit, port }: Connection["from"]): string =>
    `${units[unit].name}.${units[unit].description.ports[port].name}`;
  return `${name(from)} -> ${name(to)}`;
}
