/**
 * A scenario as a unit: the ports it exposes, which of them act on which at once, and what it can do.
 *
 * A nested scenario can do what all of its units can. It takes no part in derivatives, events or predicates of the outer
 * one: its own master has them.
 */
import type { ExposedPort, PortRef, Scenario } from "./scenario.ts";
import {
  type Capabilities,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "./unit-description.ts";

/**
 * Describes `scenario` from outside. Its ports are the exposed names in the order of writing; a name that stands for
 * several inner inputs is one port.
 */
export function describeScenario(scenario: Scenario): UnitDescription {
  const names = [...new Set(scenario.ports.map(({ name }) => name))];
  const indexOf = new Map(names.map((name, index) => [name, index]));
  const firsts = new Map<string, ExposedPort>();
  for (const port of scenario.ports) if (!firsts.has(port.name)) firsts.set(port.name, port);
  const reach = reachOf(scenario, indexOf);
  return {
    name: scenario.name,
    backend: "typescript",
    ports: names.map((name) => outerPort(scenario, firsts.get(name)!, indexOf, reach)),
    capabilities: capabilitiesOf(scenario),
    experiment: scenario.experiment,
  };
}

function outerPort(
  scenario: Scenario,
  { name, inner }: ExposedPort,
  indexOf: ReadonlyMap<string, number>,
  reach: (unit: number, port: number) => readonly number[],
): Port {
  const unit = scenario.units[inner.unit]!;
  const { feedThrough: _, derivativeOf, ...port } = unit.description.ports[inner.port]!;
  const integral = scenario.ports.find(
    (one) => one.inner.unit === inner.unit && one.inner.port === derivativeOf,
  );
  const set = unit.values.find((value) => value.port === inner.port);
  return {
    ...port,
    index: indexOf.get(name)!,
    name,
    ...(integral !== undefined && { derivativeOf: indexOf.get(integral.name)! }),
    ...(set !== undefined && { start: set.values }),
    ...(port.direction === "output" || port.direction === "local"
      ? { feedThrough: reach(inner.unit, inner.port) }
      : {}),
  };
}

/** Exposed inputs that act at once on a port inside, along connections, constraints and feed-through. */
function reachOf(
  scenario: Scenario,
  indexOf: ReadonlyMap<string, number>,
): (unit: number, port: number) => readonly number[] {
  const sources = new Map<string, string[]>();
  const feed = (to: PortRef, from: PortRef): void => {
    const key = `${to.unit} ${to.port}`;
    sources.set(key, [...(sources.get(key) ?? []), `${from.unit} ${from.port}`]);
  };
  for (const { from, to } of scenario.connections) feed(to, from);
  for (const { left, right, rate, by } of scenario.constraints) {
    const held = [left, right, ...(rate === undefined ? [] : [rate.left, rate.right])];
    for (const force of by) for (const one of held) feed(force, one);
  }
  const exposed = new Map<string, number>();
  for (const { name, inner } of scenario.ports)
    exposed.set(`${inner.unit} ${inner.port}`, indexOf.get(name)!);
  return (unit, port) => {
    const found = new Set<number>();
    const seen = new Set<string>();
    const open = [`${unit} ${port}`];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      if (seen.has(key)) continue;
      seen.add(key);
      const [u, p] = key.split(" ").map(Number) as [number, number];
      for (const input of inputsBehind(scenario.units[u]!.description, p)) {
        const outer = exposed.get(`${u} ${input}`);
        if (outer !== undefined) found.add(outer);
        open.push(...(sources.get(`${u} ${input}`) ?? []));
      }
    }
    return [...found].sort((a, b) => a - b);
  };
}

/** The inputs that an output depends on at once; all of them when the unit does not say. */
function inputsBehind({ ports }: UnitDescription, output: number): readonly number[] {
  return (
    ports[output]!.feedThrough ??
    ports.filter(({ direction }) => direction === "input").map(({ index }) => index)
  );
}

/** Masters that end a step wherever the scenario around them wants. */
const ANY_STEP: readonly string[] = ["iterative", "adaptive"];

function capabilitiesOf({ units, experiment, master }: Scenario): Capabilities {
  const all = units.map(({ description }) => description.capabilities);
  return {
    ...NO_CAPABILITIES,
    rollback: all.every(({ rollback }) => rollback),
    variableStep: ANY_STEP.includes(master.name) && all.every((one) => one.variableStep),
    serialize: all.every(({ serialize }) => serialize),
    oncePerProcess: all.some(({ oncePerProcess }) => oncePerProcess),
    needsExecutionTool: all.some(({ needsExecutionTool }) => needsExecutionTool),
    ...(experiment.step !== undefined && { preferredStep: experiment.step }),
  };
}
