/**
 * What a scenario looks like from outside, when it is used as a unit.
 */
import type { PortRef, Scenario } from "./scenario.ts";
import { NO_CAPABILITIES, type Port, type UnitDescription } from "./unit-description.ts";

/** @param step the scenario's own communication step, seconds. */
export function nestedDescription(scenario: Scenario, step: number | undefined): UnitDescription {
  const inputs = scenario.ports.flatMap(({ inner }, index) =>
    portOf(scenario, inner).direction === "input" ? [index] : [],
  );
  const ports = scenario.ports.map(({ name, inner }, index): Port => {
    const port = portOf(scenario, inner);
    const { feedThrough: _inside, clocks: _clocks, ...kept } = port;
    const reached =
      port.direction === "input" ? undefined : inputsReaching(scenario, inner, inputs);
    return {
      ...kept,
      index,
      name,
      reactive: false,
      ...(reached === undefined ? {} : { feedThrough: reached }),
    };
  });
  return {
    name: scenario.name,
    backend: "typescript",
    ports,
    capabilities: {
      ...NO_CAPABILITIES,
      rollback: scenario.units.every(({ description }) => description.capabilities.rollback),
      ...(step === undefined ? {} : { preferredStep: step }),
    },
    experiment: scenario.experiment,
  };
}

function portOf(scenario: Scenario, { unit, port }: PortRef): Port {
  return scenario.units[unit]!.description.ports[port]!;
}

/** Exposed inputs that reach an output at once: back along feed-through and connections. */
function inputsReaching(scenario: Scenario, output: PortRef, inputs: readonly number[]): number[] {
  const exposed = new Map(
    inputs.map((index) => {
      const { inner } = scenario.ports[index]!;
      return [`${inner.unit} ${inner.port}`, index];
    }),
  );
  const found = new Set<number>();
  const seen = new Set<string>();
  const open: PortRef[] = [output];
  while (open.length > 0) {
    const { unit, port } = open.pop()!;
    if (seen.has(`${unit} ${port}`)) continue;
    seen.add(`${unit} ${port}`);
    const { ports } = scenario.units[unit]!.description;
    const direct =
      ports[port]!.feedThrough ?? ports.filter((p) => p.direction === "input").map((p) => p.index);
    for (const input of direct) {
      const index = exposed.get(`${unit} ${input}`);
      if (index !== undefined) found.add(index);
      for (const { from, to } of scenario.connections)
        if (to.unit === unit && to.port === input) open.push(from);
    }
  }
  return [...found].sort((a, b) => a - b);
}
