/**
 * What units are called in the status of a worker and in what is said of them.
 */
import type { Scenario } from "../../model/scenario.ts";

/** Full names of all units, nested ones with the names around them. */
export function unitNames(scenario: Scenario, prefix = ""): string[] {
  return scenario.units.flatMap(({ name, scenario: inner }) => [
    `${prefix}${name}`,
    ...(inner ? unitNames(inner, `${prefix}${name}.`) : []),
  ]);
}
