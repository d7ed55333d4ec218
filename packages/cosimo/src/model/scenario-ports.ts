/**
 * All ports of a scenario as if it were one unit: `motor.speed`, `tank.level`. Patterns and "did you mean" work on it as they do
 * on a single unit.
 */
import type { PortRef, Scenario } from "./scenario.ts";
import { NO_CAPABILITIES, type UnitDescription } from "./unit-description.ts";

export interface ScenarioPorts {
  readonly description: UnitDescription;
  /** Where a port of `description` comes from. */
  origin(index: number): PortRef;
}

export function scenarioPorts(scenario: Scenario): ScenarioPorts {
  const origins: PortRef[] = [];
  const ports = scenario.units.flatMap(({ name, description }, unit) =>
    description.ports.map((port) => {
      origins.push({ unit, port: port.index });
      const { feedThrough: _, derivativeOf: __, ...kept } = port;
      return { ...kept, index: origins.length - 1, name: `${name}.${port.name}` };
    }),
  );
  return {
    description: {
      name: scenario.name,
      backend: "typescript",
      ports,
      capabilities: NO_CAPABILITIES,
      experiment: scenario.experiment,
    },
    origin: (index) => origins[index]!,
  };
}
