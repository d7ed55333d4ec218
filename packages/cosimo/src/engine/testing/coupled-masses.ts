/**
 * Two mass-spring-dampers coupled by a spring and a damper (theory: AX-4), each solved exactly, so
 * that what a coupled run shows is the master.
 */
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";

/** x1(0), v1(0), x2(0), v2(0). */
export type MassesStart = readonly [number, number, number, number];

export interface MassesParameters {
  /** Damper between the masses. */
  readonly coupling?: number;
  /** Damper of the right mass to the ground. */
  readonly damping?: number;
  /** Of the right mass; the left one has 1. */
  readonly mass?: number;
  readonly start?: MassesStart;
}

export const MASSES_WIRES = "left.x -> right.xc; left.v -> right.vc; right.F -> left.F";
export const MASSES_STATES: readonly string[] = ["left.x", "left.v", "right.x", "right.v"];

export function coupledMasses({
  coupling: dc = 1,
  damping: d2 = 0,
  mass: m2 = 1,
  start = [1, 0, 0, 0],
}: MassesParameters = {}): { left: Unit; right: Unit } {
  return {
    left: linearUnit(
      {
        name: "left",
        inputs: { F: { reactive: true } },
        states: { x: { start: start[0] }, v: { start: start[1] } },
        a: [
          [0, 1],
          [-1, -1],
        ],
        b: [[0], [1]],
      },
      "left",
    ),
    right: linearUnit(
      {
        name: "right",
        inputs: { xc: { reactive: true }, vc: { reactive: true } },
        states: { x: { start: start[2] }, v: { start: start[3] } },
        outputs: { F: { feedThrough: ["xc", "vc"] } },
        a: [
          [0, 1],
          [-2 / m2, (-dc - d2) / m2],
        ],
        b: [
          [0, 0],
          [1 / m2, dc / m2],
        ],
        c: [[1, dc]],
        d: [[-1, -dc]],
      },
      "right",
    ),
  };
}

/** The same without cutting: x' = M x, row-major. */
export function massesMatrix({
  coupling: dc = 1,
  damping: d2 = 0,
  mass: m2 = 1,
}: MassesParameters = {}): Float64Array {
  return Float64Array.of(
    ...[0, 1, 0, 0],
    ...[-2, -1 - dc, 1, dc],
    ...[0, 0, 0, 1],
    ...[1, dc, -2, -dc - d2].map((entry) => entry / m2),
  );
}
