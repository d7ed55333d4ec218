/**
 * Ports of a scenario by reference and by name, and all of them as if the scenario were one unit
 * (`motor.speed`, `tank.level`): patterns and "did you mean" then work as on a single unit.
 */
import type { PortRef, Scenario, ScenarioUnit } from "./scenario.ts";
import { NO_CAPABILITIES, type Port, type UnitDescription } from "./unit-description.ts";

type Units = Pick<Scenario, "units">;

export function portAt({ units }: Units, { unit, port }: PortRef): Port {
  const found = units[unit]?.description.ports[port];
  if (found === undefined) throw new Error(`internal: there is no port ${port} of unit ${unit}`);
  return found;
}

/** `unit.port`, for messages. */
export function portName(scenario: Units, ref: PortRef): string {
  return `${scenario.units[ref.unit]?.name}.${portAt(scenario, ref).name}`;
}

/** How traces name a track: as its unit does, or, where that is a nested scenario, with the name of the unit. */
export function trackName({ name, scenario }: ScenarioUnit, { name: track }: Port): string {
  return scenario === undefined ? track : track.replace(/^fault\./, `fault.${name}.`);
}

export interface ScenarioPorts {
  readonly description: UnitDescription;
  /** Where a port of `description` comes from. */
  origin(index: number): PortRef;
}

export function scenarioPorts(scenario: Scenario): ScenarioPorts {
  const origins: PortRef[] = [];
  const ports = scenario.units.flatMap((unit, index) => {
    const { name, description } = unit;
    return description.ports.map((port) => {
      origins.push({ unit: index, port: port.index });
      const { feedThrough: _, derivativeOf: __, ...kept } = port;
      const full = port.track ? trackName(unit, port) : `${name}.${port.name}`;
      return { ...kept, index: origins.length - 1, name: full };
    });
  });
  return {
    description: {
      name: scenario.name,
      backend: "typescript",
      ports,
      capabilities: NO_CAPABILITIES,
      experiment: scenario.experiment,
    },
    origin: (index) => origins[index] as PortRef,
  };
}
