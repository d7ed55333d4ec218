/** Linear units from matrices that a property test draws: inputs u0…, states x0…, one output y. */
import { linearUnit } from "../../linear-unit.ts";
import type { Unit } from "../../unit.ts";

export interface LinearSpec {
  readonly a: readonly (readonly number[])[];
  readonly b: readonly (readonly number[])[];
  readonly c: readonly (readonly number[])[];
  readonly d: readonly (readonly number[])[];
  /** Where the states start. */
  readonly x: readonly number[];
}

/** `reactive`: for each input. */
export function drawnUnit(
  spec: LinearSpec,
  reactive: (input: number) => boolean,
  name: string,
): Unit {
  const { a, b, c, d, x } = spec;
  return linearUnit(
    {
      name,
      inputs: Object.fromEntries(b[0].map((_, i) => [`u${i}`, { reactive: reactive(i) }])),
      states: Object.fromEntries(x.map((start, i) => [`x${i}`, { start }])),
      outputs: { y: {} },
      a,
      b,
      c,
      d,
    },
    name,
  );
}
