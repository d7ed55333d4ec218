import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { decimate, GAP } from "./decimate.ts";

function ramp(rows: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => i);
}

describe("decimation", () => {
  it("[PL4] keeps every row of a short signal", () => {
    expect(decimate(ramp(4), Float64Array.of(1, 2, 3, 4), 100)).toEqual([0, 1, 2, 3]);
  });

  it("[PL4] keeps the one spike among a million points", () => {
    const values = new Float64Array(1_000_000);
    values[700_123] = 9;
    values[200_001] = -9;
    const kept = decimate(ramp(1_000_000), values, 800);
    expect(kept).toContain(700_123);
    expect(kept).toContain(200_001);
    expect(kept.length).toBeLessThanOrEqual(4 * 801);
  });

  it("[PL5] turns values that are not finite into gaps, and a run of them into one", () => {
    const values = Float64Array.of(Number.NaN, 1, Number.NaN, Number.POSITIVE_INFINITY, 2);
    expect(decimate(ramp(5), values, 100)).toEqual([1, GAP, 4]);
  });

  it("[PL4] keeps extremes, ends and order of any signal, and stays small", () => {
    const value = fc.oneof({ weight: 9, arbitrary: fc.double() }, fc.constant(Number.NaN));
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 20 }),
        (list, buckets) => {
          const values = Float64Array.from(list);
          const kept = decimate(ramp(values.length), values, buckets);
          const rows = kept.filter((row) => row !== GAP);
          expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
          const finite = list.filter(Number.isFinite);
          const drawn = rows.map((row) => values[row]);
          expect(Math.min(...drawn)).toBe(Math.min(...finite));
          expect(Math.max(...drawn)).toBe(Math.max(...finite));
          expect(drawn[0]).toBe(finite[0]);
          expect(drawn.at(-1)).toBe(finite.at(-1));
          if (values.length > 4 * buckets)
            expect(kept.length).toBeLessThanOrEqual(6 * (buckets + 1));
        },
      ),
      { seed: 12, numRuns: cases(500) },
    );
  });
});
