/**
 * Instants of periods: those of decimals are the doubles nearest to them, as ticks of
 * discrete-event models are.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSeconds, toTicks } from "../devs/ticks.ts";
import { areSameInstant, countedInstant, countedUntil, gridInstant } from "./instants.ts";
import { cases } from "./testing/cases.ts";

/** Decimals of up to nine places, as people write them. */
const decimal = (most: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: 1, max: most }), fc.integer({ min: 0, max: 9 }))
    .map(([digits, places]) => Number(`${digits}e-${places}`));

describe("instants of a period", () => {
  it("[CO30] of whole nanoseconds are the doubles nearest to the decimal instants", () => {
    let rounded = 0;
    for (let n = 1; n <= 10_000; n++) {
      expect(countedInstant(0, 0.1, n)).toBe(Number(`${n}e-1`));
      if (gridInstant(0, 0.1, n) !== n / 10) rounded++;
    }
    expect(rounded).toBeGreaterThan(1000);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e12 }),
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 0, max: 1e6 }),
        (first, each, places, n) => {
          const [origin, period] = [Number(`${first}e-${places}`), Number(`${each}e-${places}`)];
          const instant = countedInstant(origin, period, n);
          expect(instant).toBe(Number(`${BigInt(first) + BigInt(n) * BigInt(each)}e-${places}`));
          if (instant > 2e6) return;
          const [start, step] = [toTicks(origin, 1e9), toTicks(period, 1e9)];
          expect(instant).toBe(toSeconds(start + n * step, 1e9));
        },
      ),
      { seed: 130, numRuns: cases(2000) },
    );
  });

  it("[CO30] of other periods, or from other origins, are rounded sums", () => {
    for (const [origin, period] of [
      [0, 1 / 3],
      [Math.PI, 0.1],
      [0, 1e-12],
      [1e12, Math.SQRT2],
    ] as const)
      for (let n = 1; n <= 1000; n++)
        expect(countedInstant(origin, period, n)).toBe(origin + n * period);
    expect(countedInstant(0.5, Number.POSITIVE_INFINITY, 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("[CO30] begin at what a computed origin means", () => {
    expect(countedInstant(3 * 0.1, 0.1, 3)).toBe(0.6);
    expect(countedInstant(0, 7 * 1e-6, 3)).toBe(21e-6);
  });

  it("[CO30] hold beyond the ticks of discrete-event models, as far as doubles do", () => {
    expect(countedInstant(0, 0.1, 1e12 + 1)).toBe(100_000_000_000.1);
    expect(countedInstant(1e9 + 0.3, 0.1, 4)).toBe(1_000_000_000.7);
  });

  it("[CO30] are counted back without a mistake of one", () => {
    fc.assert(
      fc.property(
        fc.oneof(decimal(1e6), fc.double({ min: 0, max: 1e6, noNaN: true })),
        fc.oneof(decimal(1e4), fc.double({ min: 1e-3, max: 10, noNaN: true })),
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom(countedInstant, gridInstant),
        (origin, period, n, instant) => {
          const time = instant(origin, period, n);
          fc.pre(instant(origin, period, n + 1) > time && time > instant(origin, period, n - 1));
          expect(countedUntil(origin, period, time, instant)).toBe(n);
          const before = time - Math.max(Number.EPSILON * Math.abs(time), Number.MIN_VALUE);
          expect(countedUntil(origin, period, before, instant)).toBe(Math.max(0, n - 1));
        },
      ),
      { seed: 131, numRuns: cases(2000) },
    );
  });

  it("[CO30] differ from the grid of plans by no more than makes them one instant", () => {
    for (const period of [0.1, 0.3, 0.7, 1e-3, 1e-9, 0.05])
      for (let n = 0; n <= 5000; n++)
        expect(areSameInstant(countedInstant(0.2, period, n), 0.2 + n * period)).toBe(true);
    expect(areSameInstant(1, 1 + 1e-14)).toBe(false);
    expect(areSameInstant(1, Number.POSITIVE_INFINITY)).toBe(false);
    expect(areSameInstant(0, Number.MIN_VALUE)).toBe(false);
    expect(areSameInstant(Number.NaN, 1)).toBe(false);
  });
});
