/**
 * A scenario as a unit: the ports it exposes, which outputs depend directly on which inputs, and
 * what it can do.
 *
 * A nested scenario can do what all of its units can. It takes no part in derivatives, events or
 * predicates of the outer one: its own master handles them.
 */
import { addTo, ascending } from "../base/collections.ts";
import { MASTERS, masterNamed } from "./masters.ts";
import type { ExposedPort, PortRef, Scenario } from "./scenario.ts";
import { portAt } from "./scenario-ports.ts";
import {
  type Capabilities,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "./unit-description.ts";

/**
 * Describes `scenario` from outside. Its ports are the exposed names as listed; a name that stands
 * for several inner inputs is one port.
 */
export function describeScenario(scenario: Scenario): UnitDescription {
  const firsts = new Map<string, ExposedPort>();
  for (const port of scenario.ports) if (!firsts.has(port.name)) firsts.set(port.name, port);
  const indices = new Map([...firsts.keys()].map((name, index) => [name, index]));
  const indexOf = (name: string): number => indices.get(name) ?? -1;
  const reach = reachOf(scenario, indexOf);
  return {
    name: scenario.name,
    backend: "typescript",
    ports: [...firsts.values()].map((port, index) => ({
      ...outerPort(scenario, port, indexOf, reach),
      index,
    })),
    capabilities: capabilitiesOf(scenario),
    experiment: scenario.experiment,
  };
}

function outerPort(
  scenario: Scenario,
  { name, inner, isObserved }: ExposedPort,
  indexOf: (name: string) => number,
  reach: (unit: number, port: number) => readonly number[],
): Port {
  const { feedThrough: _, derivativeOf, ...port } = portAt(scenario, inner);
  const integral = scenario.ports.find(
    (one) => one.inner.unit === inner.unit && one.inner.port === derivativeOf,
  );
  const set = scenario.units[inner.unit]?.values.find((value) => value.port === inner.port);
  const direction = isObserved && isSignal(port) ? "local" : port.direction;
  return {
    ...port,
    name,
    direction,
    ...(port.aliases && isObserved && { aliases: innerAliases(port.aliases, name, port.name) }),
    ...(integral !== undefined && { derivativeOf: indexOf(integral.name) }),
    ...(set !== undefined && { start: set.values }),
    ...(port.direction === "output" || port.direction === "local"
      ? { feedThrough: reach(inner.unit, inner.port) }
      : {}),
  };
}

function isSignal({ direction }: Port): boolean {
  return direction === "input" || direction === "output";
}

/** Aliases as the name is written: with that of the unit. */
function innerAliases(aliases: readonly string[], name: string, bare: string): readonly string[] {
  const prefix = name.slice(0, -bare.length);
  return aliases.map((alias) => `${prefix}${alias}`);
}

/** Exposed inputs that reach a port inside by connections, constraints and feed-through. */
function reachOf(
  scenario: Scenario,
  indexOf: (name: string) => number,
): (unit: number, port: number) => readonly number[] {
  const sources = new Map<string, PortRef[]>();
  const feed = (to: PortRef, from: PortRef): void => addTo(sources, keyOf(to), from);
  for (const { from, to } of scenario.connections) feed(to, from);
  for (const { left, right, rate, by } of scenario.constraints) {
    const held = [left, right, ...(rate === undefined ? [] : [rate.left, rate.right])];
    for (const force of by) for (const one of held) feed(force, one);
  }
  const exposed = new Map(scenario.ports.map(({ name, inner }) => [keyOf(inner), indexOf(name)]));
  return (unit, port) => {
    const found = new Set<number>();
    const seen = new Set<string>();
    const open: PortRef[] = [{ unit, port }];
    for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
      if (seen.has(keyOf(ref))) continue;
      seen.add(keyOf(ref));
      for (const input of inputsBehind(scenario, ref)) {
        const outer = exposed.get(keyOf(input));
        if (outer !== undefined) found.add(outer);
        open.push(...(sources.get(keyOf(input)) ?? []));
      }
    }
    return ascending(found);
  };
}

function keyOf({ unit, port }: PortRef): string {
  return `${unit} ${port}`;
}

/** The inputs that an output depends on directly; all of them when the unit does not declare it. */
function inputsBehind(scenario: Scenario, output: PortRef): PortRef[] {
  const { unit } = output;
  const inputs = portAt(scenario, output).feedThrough;
  const ports = scenario.units[unit]?.description.ports ?? [];
  const all = ports.filter(({ direction }) => direction === "input").map(({ index }) => index);
  return (inputs ?? all).map((port) => ({ unit, port }));
}

function capabilitiesOf({ units, experiment, master }: Scenario): Capabilities {
  const all = units.map(({ description }) => description.capabilities);
  const name = masterNamed(master.name);
  const endsAnywhere = name !== undefined && MASTERS[name].decidesAtRunTime;
  return {
    ...NO_CAPABILITIES,
    rollback: all.every(({ rollback }) => rollback),
    variableStep: endsAnywhere && all.every((one) => one.variableStep),
    serialize: all.every(({ serialize }) => serialize),
    oncePerProcess: all.some(({ oncePerProcess }) => oncePerProcess),
    needsExecutionTool: all.some(({ needsExecutionTool }) => needsExecutionTool),
    ...(experiment.step !== undefined && { preferredStep: experiment.step }),
  };
}
