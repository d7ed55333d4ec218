/**
 * Values over those that a scenario gives: what a command line or a program sets before a run.
 */
import type { PortValue, Scenario } from "../model/scenario.ts";
import type { ScenarioPorts } from "../model/scenario-ports.ts";
import type { Value } from "../model/value-type.ts";

/**
 * @param values one per element, by port of `ports`.
 * @param file what messages say of where they come from.
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
