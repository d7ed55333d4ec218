/**
 * A unit that hides some of what it can: the same model from a less able tool.
 */
import type { Capabilities } from "../../model/unit-description.ts";
import type { Unit } from "../../unit/unit.ts";

export function limitedUnit(unit: Unit, without: Partial<Capabilities>): Unit {
  const { description } = unit;
  const capabilities = { ...description.capabilities, ...without };
  return Object.create(unit, {
    description: { value: { ...description, capabilities }, enumerable: true },
  }) as Unit;
}
