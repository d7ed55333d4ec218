/**
 * What an adaptation must know of the kinds of its inner units: whether a unit as a whole is
 * reactive or delayed, Mealy or Moore.
 */
import type { InputKind, OutputKind } from "../model/adaptation/data.ts";
import { actsAtOnce } from "../model/adaptation/inner-order.ts";
import type { UnitDescription } from "../model/unit-description.ts";

export interface UnitKinds {
  readonly input: InputKind;
  readonly output: OutputKind;
}

/**
 * The kind of a whole unit, rules in order: dependencies that are not disclosed, or one that acts
 * at once, make it Mealy, otherwise it is Moore; one input that is interpolated makes it reactive,
 * otherwise it is delayed.
 */
export function kindsOf(unit: UnitDescription): UnitKinds {
  const inputs = unit.ports.filter(({ direction }) => direction === "input");
  return {
    input: inputs.some(({ reactive }) => reactive === true) ? "reactive" : "delayed",
    output: inputs.some(({ index }) => actsAtOnce(unit, index)) ? "mealy" : "moore",
  };
}
