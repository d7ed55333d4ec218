/** A spring: F = -2 x, with what `more` adds over time. */
import { functionUnit } from "../../unit/function-unit.ts";
import type { Unit } from "../../unit/unit.ts";

export function springUnit(name: string, more: (t: number) => number = () => 0): Unit {
  return functionUnit(
    {
      name,
      inputs: { x: {} },
      outputs: { F: { feedThrough: ["x"] } },
      evaluate: (t, u, _p, y) => {
        y[0] = -2 * u[0] + more(t);
      },
    },
    name,
  );
}
