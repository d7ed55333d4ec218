/**
 * A unit that runs alone is a scenario of one unit, whose ports are called by their own names.
 * `cosimo run model.fmu` and `traceUnit` make it; from there on there is one way to plan, open and
 * run.
 */
import type { PortValue, Scenario, UnitSource } from "../model/scenario.ts";
import type { ScenarioPorts } from "../model/scenario-ports.ts";
import type { UnitDescription } from "../model/unit-description.ts";

export interface SingleUnitParts {
  /** Of the unit and of the scenario. */
  readonly name: string;
  readonly source: UnitSource;
  readonly description: UnitDescription;
  readonly values?: readonly PortValue[];
  /** What messages name as the place of the unit. */
  readonly file: string;
}

export function singleUnitScenario(parts: SingleUnitParts): Scenario {
  const { name, source, description, values = [], file } = parts;
  const place = { file };
  return {
    name,
    file,
    units: [{ name, source, description, values, place }],
    connections: [],
    ports: [],
    experiment: description.experiment,
    master: { name: "", options: {}, place },
    record: { patterns: [], every: 1 },
    bonds: [],
    constraints: [],
    events: [],
    limits: [],
  };
}

/** Its ports without the name of the unit. */
export function singleUnitPorts({ units: [unit] }: Scenario): ScenarioPorts {
  return { description: unit.description, origin: (port) => ({ unit: 0, port }) };
}
