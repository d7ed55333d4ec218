/**
 * Spectral radii of very many small matrices, most of which are not the largest: a bound by
 * repeated squaring answers "no" for a fraction of what eigenvalues cost. It is Gelfand's formula,
 * ρ(A) ≤ ‖Aⁿ‖^(1/n) for every n (Horn & Johnson, Matrix Analysis, 2nd ed., cor. 5.6.14).
 */
import { spectralRadius } from "./eigenvalues.ts";
import { multiply } from "./matrix.ts";

export class GrowthRate {
  private readonly n: number;
  private readonly one: Float64Array;
  private readonly other: Float64Array;

  constructor(n: number) {
    this.n = n;
    this.one = new Float64Array(n * n);
    this.other = new Float64Array(n * n);
  }

  /** The spectral radius of the matrix at `at`; possibly 0 instead when it is at most `floor`. */
  above(a: Float64Array, at: number, floor: number): number {
    const { n, one, other } = this;
    if (n === 1) return Math.abs(a[at]);
    if (n === 2) return radius2(a[at], a[at + 1], a[at + 2], a[at + 3]);
    for (let i = 0; i < n * n; i++) one[i] = a[at + i];
    if (!(this.bound(one, other) > floor)) return 0;
    for (let i = 0; i < n * n; i++) one[i] = a[at + i];
    return spectralRadius(n, one);
  }

  /** ‖A^32‖^(1/32), at least the spectral radius. Overwrites both. */
  private bound(first: Float64Array, second: Float64Array): number {
    const { n } = this;
    let a = first;
    let b = second;
    let logarithm = 0;
    for (let turn = 0; turn <= 5; turn++) {
      let size = 0;
      for (let i = 0; i < n * n; i++) size += a[i] * a[i];
      size = Math.sqrt(size);
      if (!(size > 0)) return 0;
      logarithm += Math.log(size) / (1 << turn);
      if (turn === 5) break;
      for (let i = 0; i < n * n; i++) a[i] /= size;
      multiply(n, a, a, b);
      const kept = a;
      a = b;
      b = kept;
    }
    return Math.exp(logarithm);
  }
}

function radius2(a: number, b: number, c: number, d: number): number {
  const half = 0.5 * (a + d);
  const difference = 0.5 * (a - d);
  const discriminant = difference * difference + b * c;
  if (discriminant >= 0) return Math.abs(half) + Math.sqrt(discriminant);
  return Math.sqrt(half * half - discriminant);
}
