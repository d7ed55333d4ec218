/**
 * Two masses joined by a massless rigid link (theory: AX-3): the constraint x1 = x3, held by a
 * force between them.
 */
import type { Constraint, ElementRef } from "../../model/scenario.ts";
import { portNamed } from "../../model/unit-description.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";

export const LINK_COLUMNS: readonly string[] = ["one.x", "one.v", "three.x", "three.v", "one.F"];

function mass(name: string, m: number, spring: number, damper: number, x: number): Unit {
  return linearUnit(
    {
      name,
      inputs: { F: {} },
      states: { x: { start: x }, v: {} },
      a: [
        [0, 1],
        [-spring / m, -damper / m],
      ],
      b: [[0], [1 / m]],
    },
    name,
  );
}

/**
 * @param x3 where the second mass begins; the first begins at 1, so anything else is inconsistent.
 */
export function linkedMasses(x3: number): { one: Unit; three: Unit } {
  return { one: mass("one", 1, 1, 1, 1), three: mass("three", 2, 1, 0, x3) };
}

/** @param withRate the speeds are held as well. */
export function rigidLink(
  units: { readonly one: Unit; readonly three: Unit },
  withRate: boolean,
): Constraint {
  const at = (unit: 0 | 1, port: string): ElementRef => ({
    unit,
    port: portNamed((unit === 0 ? units.one : units.three).description, port)!.index,
    element: 0,
  });
  return {
    left: at(0, "x"),
    right: at(1, "x"),
    factor: 1,
    offset: 0,
    ...(withRate ? { rate: { left: at(0, "v"), right: at(1, "v"), factor: 1 } } : {}),
    by: [
      { ...at(0, "F"), factor: 1 },
      { ...at(1, "F"), factor: -1 },
    ],
    text: "one.x = three.x",
    place: { file: "test" },
  };
}
