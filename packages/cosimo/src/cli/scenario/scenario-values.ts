/**
 * `--set unit.port=value` on a scenario: over what the file says.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { PortValue, Scenario } from "../../model/scenario.ts";
import { scenarioPorts } from "../../model/scenario-ports.ts";
import { portSize } from "../../model/unit-description.ts";
import { bankOf, type Value } from "../../model/value-type.ts";
import { findAssignments, parseAssignments } from "../run/settings.ts";

export function applyValues(
  scenario: Scenario,
  set: readonly string[],
  report: (d: Diagnostic) => void,
): Scenario {
  if (set.length === 0) return scenario;
  const all = scenarioPorts(scenario);
  const { layout, banks } = parseAssignments(findAssignments(set, all.description, report), report);
  const values = new Map<number, PortValue[]>();
  for (const { port: index, slot } of layout.slots) {
    const { unit, port } = all.origin(index);
    const described = all.description.ports[index]!;
    const bank = bankOf(described.type);
    const elements = Array.from(
      { length: portSize(described) },
      (_, i): Value => banks[bank][slot + i]!,
    );
    values.set(unit, [
      ...(values.get(unit) ?? []),
      { port, values: elements, place: { file: "--set" } },
    ]);
  }
  return {
    ...scenario,
    units: scenario.units.map((unit, u) => {
      const given = values.get(u);
      if (!given) return unit;
      const kept = unit.values.filter(({ port }) => !given.some((value) => value.port === port));
      return { ...unit, values: [...kept, ...given] };
    }),
  };
}
