/**
 * Common steps against exact fractions: what doubles find is what whole numbers say.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { hyperperiod } from "./check-plan.ts";
import { communicationStep, timeOf } from "./plan.ts";
import { commonRates, fillsStep } from "./rates.ts";

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));
const multiple = (a: bigint, b: bigint): bigint => (a / divisor(a, b)) * b;

interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

/** Steps n/d over their common denominator, divided by the greatest common divisor. */
function exactTicks(steps: readonly Fraction[]): { ticks: bigint[]; step: number } {
  const denominator = steps.reduce((all, { d }) => multiple(all, d), 1n);
  const whole = steps.map(({ n, d }) => n * (denominator / d));
  const common = whole.reduce(divisor);
  return {
    ticks: whole.map((n) => n / common),
    step: Number(common) / Number(denominator),
  };
}

describe("the common step", () => {
  it("[PN10] is the greatest common divisor of the fractions", () => {
    const fraction = fc.record({
      n: fc.bigInt({ min: 1n, max: 50n }),
      d: fc.constantFrom(1n, 2n, 3n, 7n, 10n, 100n, 1000n),
    });
    fc.assert(
      fc.property(fc.array(fraction, { minLength: 1, maxLength: 3 }), (steps) => {
        const { ticks, step } = exactTicks(steps);
        const found = commonRates(steps.map(({ n, d }) => Number(n) / Number(d)));
        // Beyond these bounds there is none by PN11; the cases on them are below.
        const counts = ticks.map(Number);
        fc.pre(Math.min(...counts) <= 10_000 && Math.max(...counts) <= 1_000_000);
        expect(found?.ticks.map(BigInt)).toEqual(ticks);
        expect(Math.abs((found?.step ?? 0) / step - 1)).toBeLessThan(1e-12);
      }),
      { seed: 18, numRuns: cases(1000) },
    );
  });

  it.each<[string, number[], number[] | undefined]>([
    ["a millionth of the largest, exactly", [1e-6, 1], [1, 1_000_000]],
    ["less than a millionth", [1 / 1_000_001, 1], undefined],
    ["a millionth by parts: a third of 3 µs", [3e-6, 1], [3, 1_000_000]],
    ["ten thousand parts of the smallest", [1, 1.0001], [10_000, 10_001]],
    ["more parts than that", [1, 1 + 1 / 10_001], undefined],
    ["steps that are equal to rounding", [0.1, 0.1 * (1 + 9e-10)], [1, 1]],
    ["steps that differ by more", [0.1, 0.1 * (1 + 1e-8)], undefined],
    ["a sum of tenths", [0.1, 0.1 + 0.2], [1, 3]],
    ["the same step many times", [0.25, 0.25, 0.25], [1, 1, 1]],
  ])("[PN10] [PN11] of %s", (_, steps, ticks) => {
    expect(commonRates(steps)?.ticks).toEqual(ticks);
  });

  it.each<[number, number, boolean]>([
    [0.1, 0.1, true],
    [0.1, 0.3, true],
    [0.05, 0.1, true],
    [0.03, 0.1, false],
    [0.2, 0.1, false],
    [0.15, 0.1, false],
    [1, 0, false],
    [0.1, 0.3 * (1 + 5e-10), true],
    [0.1, 0.3 * (1 + 5e-9), false],
  ])("[PN10] whole steps of %f s fill %f s: %o", (inner, outer, expected) => {
    expect(fillsStep(inner, outer)).toBe(expected);
  });
});

describe("the period of a plan", () => {
  const planOf = (every: number, ticks: readonly number[]) => ({
    units: ticks.map((count, u) => ({ name: `u${u}`, ticks: count })),
    record: { columns: [], every },
  });

  it("[PN40] is the least common multiple of all rates and of the records", () => {
    const count = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(count, fc.array(count, { maxLength: 4 }), (every, ticks) => {
        const expected = ticks.map(BigInt).reduce(multiple, BigInt(every));
        expect(BigInt(hyperperiod(planOf(every, ticks)))).toBe(expected);
      }),
      { seed: 19, numRuns: cases(300) },
    );
  });

  it("[PN31] counts time in ticks and never adds steps up", () => {
    const plan = { start: 2, step: 0.1 };
    expect(timeOf(plan, 0)).toBe(2);
    expect(timeOf(plan, 3)).toBe(2 + 3 * 0.1);
    // A sum of ten tenths is not 1; ten ticks of a tenth are.
    expect(timeOf({ start: 0, step: 0.1 }, 10)).toBe(1);
    const units = [1, 7].map((ticks, u) => ({ name: `u${u}`, ticks }));
    expect(communicationStep({ step: 0.25, units }, 1)).toBe(1.75);
    expect(communicationStep({ step: 0.25, units }, 0)).toBe(0.25);
  });
});
