/**
 * A switched linear system: x(k+1) = A(mode) x(k), where the modes follow an automaton. What an
 * adaptive master makes of a linear scenario when each of its policies is a matrix; the subject of
 * joint spectral radius and stabilization.
 */
import { type Automaton, freeAutomaton } from "../model/decision-automaton.ts";

export interface SwitchedSystem {
  readonly dimension: number;
  /** One per mode, row-major, dimension × dimension. */
  readonly matrices: readonly Float64Array[];
  /** What people call the modes. */
  readonly names: readonly string[];
  readonly automaton: Automaton;
}

/** Any order of the modes. */
export function freeSystem(
  matrices: readonly (readonly (readonly number[])[])[],
  names?: readonly string[],
): SwitchedSystem {
  return {
    dimension: matrices[0]?.length ?? 0,
    matrices: matrices.map((rows) => Float64Array.from(rows.flat())),
    names: names ?? matrices.map((_, k) => String(k + 1)),
    automaton: freeAutomaton(matrices.length),
  };
}
