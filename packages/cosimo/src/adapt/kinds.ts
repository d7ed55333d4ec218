/**
 * What an adaptation must know of the kinds of its inner units: whether a unit as a whole is reactive or delayed, Mealy or
 * Moore, and in which order units can be executed so that each finds what it needs of the others.
 */
import type { InputKind, OutputKind } from "../model/adaptation.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { strongComponents } from "../plan/strong-components.ts";

export interface UnitKinds {
  readonly input: InputKind;
  readonly output: OutputKind;
}

/** A port of one of several units, by position. */
export interface InnerPort {
  readonly unit: number;
  readonly port: number;
}

export interface InnerWire {
  readonly from: InnerPort;
  readonly to: InnerPort;
}

/**
 * The kind of a whole unit, rules in order: dependencies that are not disclosed, or one that acts at once, make it Mealy, otherwise it
 * is Moore; one input that is interpolated makes it reactive, otherwise it is delayed.
 */
export function kindsOf(unit: UnitDescription): UnitKinds {
  const inputs = unit.ports.filter(({ direction }) => direction === "input");
  return {
    input: inputs.some(({ reactive }) => reactive === true) ? "reactive" : "delayed",
    output: inputs.some(({ index }) => actsAtOnce(unit, index)) ? "mealy" : "moore",
  };
}

/** Whether some output follows this input without a step. */
export function actsAtOnce(unit: UnitDescription, input: number): boolean {
  return unit.ports.some(
    ({ direction, feedThrough }) =>
      direction === "output" && (feedThrough === undefined || feedThrough.includes(input)),
  );
}

/**
 * An order in which every unit comes after those it depends on: at an instant those that feed an input which acts at once, over a
 * step also those that feed a reactive one.
 * @returns undefined where dependencies form a circle.
 */
export function innerOrder(
  units: readonly UnitDescription[],
  wires: readonly InnerWire[],
  over: "step" | "instant",
): readonly number[] | undefined {
  const targets: number[][] = units.map(() => []);
  for (const { from, to } of wires) {
    const unit = units[to.unit]!;
    const waits = over === "step" && unit.ports[to.port]!.reactive === true;
    if (!waits && !actsAtOnce(unit, to.port)) continue;
    if (from.unit === to.unit) return undefined;
    targets[from.unit]!.push(to.unit);
  }
  const components = strongComponents(targets);
  if (components.some((component) => component.length > 1)) return undefined;
  return components.map(([unit]) => unit!);
}
