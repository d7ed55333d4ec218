/**
 * One-step maps of several masters and step sizes in the same coordinates, the states of the units:
 * what an adaptive master switches between, and the input of `cosimo stability jsr` and
 * `stabilize`.
 */
import { spectralRadius } from "../numerics/eigenvalues.ts";

export interface NamedMap {
  /** "jacobi, 0.1 s". */
  readonly name: string;
  readonly rows: readonly (readonly number[])[];
}

export interface MapCandidate {
  readonly master: string;
  readonly name: string;
  /** Row-major, over the states of the units; of every candidate the same. */
  readonly matrix: Float64Array;
  /** Of the whole map, with all that the master carries. */
  readonly radius: number;
}

/** Radii that agree so well are the same: the states of the units are all that matters. */
const SAME = 1e-8;

/** Those that depend on states of units alone; `without` are the masters that carry a past. */
export function namedMaps(candidates: readonly MapCandidate[]): {
  readonly maps: readonly NamedMap[];
  readonly without: readonly string[];
} {
  const isWhole = ({ matrix, radius }: MapCandidate): boolean => {
    const n = Math.round(Math.sqrt(matrix.length));
    return n > 0 && Math.abs(spectralRadius(n, matrix) - radius) < SAME * Math.max(1, radius);
  };
  return {
    maps: candidates.filter(isWhole).map(({ name, matrix }) => ({ name, rows: rowsOf(matrix) })),
    without: [...new Set(candidates.filter((one) => !isWhole(one)).map(({ master }) => master))],
  };
}

function rowsOf(matrix: Float64Array): number[][] {
  const n = Math.round(Math.sqrt(matrix.length));
  return Array.from({ length: n }, (_, i) => [...matrix.subarray(i * n, (i + 1) * n)]);
}
