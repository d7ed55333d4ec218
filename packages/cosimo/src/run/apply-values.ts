/**
 * Values over those that a scenario gives: what a command line or a program sets before a run.
 */
import { nearest } from "../base/nearest.ts";
import type { PortValue, Scenario } from "../model/scenario.ts";
import type { ScenarioPorts } from "../model/scenario-ports.ts";
import { portSize, portsByName } from "../model/unit-description.ts";
import type { Value } from "../model/value-type.ts";

/** By name of a port, in the port's own unit; a single value fills an array. */
export type NamedValues = Readonly<Record<string, Value | readonly Value[]>>;

/**
 * @param values one per element, by port of `ports`.
 * @param file what messages name as their place.
 */
export function withValues(
  scenario: Scenario,
  ports: ScenarioPorts,
  values: ReadonlyMap<number, readonly Value[]>,
  file: string,
): Scenario {
  if (values.size === 0) return scenario;
  const given = new Map<number, PortValue[]>();
  for (const [index, elements] of values) {
    const { unit, port } = ports.origin(index);
    given.set(unit, [...(given.get(unit) ?? []), { port, values: elements, place: { file } }]);
  }
  const units = scenario.units.map((unit, u) => {
    const own = given.get(u);
    if (own === undefined) return unit;
    const set = new Set(own.map(({ port }) => port));
    return { ...unit, values: [...unit.values.filter(({ port }) => !set.has(port)), ...own] };
  });
  return { ...scenario, units };
}

/** @throws RangeError when there is no such port, or it has another number of elements. */
export function withNamedValues(
  scenario: Scenario,
  ports: ScenarioPorts,
  set: NamedValues,
): Scenario {
  const byName = portsByName(ports.description);
  const given = new Map<number, readonly Value[]>();
  for (const [name, value] of Object.entries(set)) {
    const port = byName.get(name);
    if (port === undefined) {
      const near = nearest(name, byName.keys());
      const hint = near === undefined ? "write unit.port" : `did you mean '${near}'?`;
      throw new RangeError(`'${scenario.name}' has no port '${name}'; ${hint}`);
    }
    const size = portSize(port);
    const list = Array.isArray(value) ? (value as readonly Value[]) : [value as Value];
    if (list.length !== 1 && list.length !== size)
      throw new RangeError(`'${name}' has ${size} elements, and ${list.length} values are given`);
    given.set(port.index, list.length === size ? list : new Array<Value>(size).fill(list[0]));
  }
  return withValues(scenario, ports, given, "set");
}
