/**
 * Balancing: coordinates scaled by powers of two, so that rows and columns are of similar size.
 * States in pascal and states in metres make matrices whose norms say nothing; this costs no
 * rounding at all, so what is proved of balanced matrices is proved of the given ones. Osborne
 * 1960; Parlett & Reinsch 1969.
 */
import { spend } from "./time-limit.ts";

/**
 * Off-diagonal rows or columns count as at least this part of the diagonal: what is zero could be
 * scaled for ever.
 */
const FLOOR = 1e-6;
const SWEEPS = 40;

/**
 * Exponents k, for a matrix of absolute values: entry (i, j) is to be multiplied by 2^(k(j) −
 * k(i)).
 */
export function balancingExponents(n: number, sizes: Float64Array): number[] {
  const a = Float64Array.from(sizes);
  const exponents = new Array<number>(n).fill(0);
  let diagonal = 0;
  for (let i = 0; i < n; i++) diagonal = Math.max(diagonal, a[i * n + i]);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    spend(6 * n * n);
    let changed = false;
    for (let i = 0; i < n; i++) {
      const k = shiftOf(n, a, i, FLOOR * diagonal);
      if (k === 0) continue;
      changed = true;
      exponents[i] += k;
      const factor = 2 ** k;
      for (let j = 0; j < n; j++) {
        if (j === i) continue;
        a[j * n + i] *= factor;
        a[i * n + j] /= factor;
      }
    }
    if (!changed) break;
  }
  return exponents;
}

/** How many powers of two column i is to grow by. */
function shiftOf(n: number, a: Float64Array, i: number, floor: number): number {
  let row = 0;
  let column = 0;
  for (let j = 0; j < n; j++) {
    if (j === i) continue;
    row += a[i * n + j];
    column += a[j * n + i];
  }
  if (row === 0 && column === 0) return 0;
  const ratio = Math.max(row, floor) / Math.max(column, floor);
  const k = Math.round(0.5 * Math.log2(ratio));
  return Number.isFinite(k) ? k : 0;
}

/**
 * The matrix in scaled coordinates; undefined when that is not exact, as beyond the range of
 * numbers.
 */
export function scaledExactly(
  n: number,
  a: Float64Array,
  exponents: readonly number[],
): Float64Array | undefined {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const x = a[i * n + j];
      const factor = 2 ** (exponents[j] - exponents[i]);
      const scaled = x * factor;
      if (scaled / factor !== x || !Number.isFinite(scaled)) return undefined;
      out[i * n + j] = scaled;
    }
  }
  return out;
}
