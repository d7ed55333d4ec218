/**
 * A unit that hides some of what it can: the same model from a less able tool.
 */
import type { Capabilities } from "../../model/unit-description.ts";
import type { Unit } from "../../unit/unit.ts";

export function limitedUnit(unit: Unit, without: Partial<Capabilities>): Unit {
  const { description } = unit;
  const capabilities = { ...description.capabilities, ...without };
  const limited = { ...description, capabilities };
  // The unit itself does the work: solvers hold on to the object that they were made in.
  return new Proxy(unit, {
    get(target, key) {
      if (key === "description") return limited;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
