/**
 * Products of matrices without any rounding: doubles are whole numbers times powers of two, and so
 * are their products. For long products of matrices that are far from normal, bounds of rounding
 * say nothing; whole numbers of a few thousand bits cost less than a millisecond.
 */
import { spend } from "./time-limit.ts";

/** Entries are `entries[i]` · 2^`exponent`, row-major. */
export interface ExactMatrix {
  readonly entries: readonly bigint[];
  readonly exponent: number;
}

/** @throws RangeError for entries that are not finite. */
export function exactOf(a: Float64Array): ExactMatrix {
  const parts = Array.from(a, partsOf);
  const exponent = parts.reduce(
    (least, part) => (part.whole === 0n ? least : Math.min(least, part.exponent)),
    Infinity,
  );
  if (exponent === Infinity) return { entries: parts.map(() => 0n), exponent: 0 };
  return {
    entries: parts.map((part) =>
      part.whole === 0n ? 0n : part.whole << BigInt(part.exponent - exponent),
    ),
    exponent,
  };
}

const VIEW = new DataView(new ArrayBuffer(8));

function partsOf(x: number): { whole: bigint; exponent: number } {
  if (!Number.isFinite(x)) throw new RangeError(`${x} is not finite, so it has no exact value`);
  VIEW.setFloat64(0, x);
  const bits = VIEW.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const whole = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return { whole: x < 0 ? -whole : whole, exponent: Math.max(biased, 1) - 1075 };
}

/** A B. */
export function exactMultiply(n: number, a: ExactMatrix, b: ExactMatrix): ExactMatrix {
  const entries: bigint[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      spend(50 * n);
      let sum = 0n;
      for (let k = 0; k < n; k++) sum += a.entries[i * n + k] * b.entries[k * n + j];
      entries.push(sum);
    }
  }
  return { entries, exponent: a.exponent + b.exponent };
}

/**
 * The nearest doubles of the matrix over 2^`scale`, with `scale` so that the largest entry is
 * between 2⁻² and 1.
 */
export function nearestDoubles({ entries, exponent }: ExactMatrix): {
  readonly matrix: Float64Array;
  readonly scale: number;
  /** No entry had to be rounded. */
  readonly isExact: boolean;
} {
  const lengths = entries.map(bitLength);
  const most = lengths.reduce((longest, length) => Math.max(longest, length), 0);
  if (most === 0) return { matrix: new Float64Array(entries.length), scale: 0, isExact: true };
  const matrix = Float64Array.from(entries, (entry, i) => {
    // 64 leading bits decide a double up to one unit of its last place.
    const excess = Math.max(0, lengths[i] - 64);
    return Number(entry >> BigInt(excess)) * 2 ** (excess - most);
  });
  const isExact = entries.every(
    (entry, i) => lengths[i] <= 1000 && BigInt(Number(entry)) === entry,
  );
  return { matrix, scale: exponent + most, isExact };
}

function bitLength(x: bigint): number {
  spend(500);
  return x === 0n ? 0 : (x < 0n ? -x : x).toString(2).length;
}
