import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { SampleHistory } from "./divided-differences.ts";
import { bytesPerCall } from "./testing/bytes-per-call.ts";

const RUNS = { seed: 31_415, numRuns: cases(300) };
const coefficient = fc.double({ min: -5, max: 5, noNaN: true });
const gap = fc.double({ min: 0.05, max: 2, noNaN: true });

/** c0 + c1 t + c2 t² with its derivatives. */
function polynomial(c: readonly number[], t: number): [number, number, number] {
  return [c[0]! + c[1]! * t + c[2]! * t * t, c[1]! + 2 * c[2]! * t, 2 * c[2]!];
}

function results(signals: number): [Float64Array, Float64Array, Float64Array] {
  return [new Float64Array(signals), new Float64Array(signals), new Float64Array(signals)];
}

describe("sample histories", () => {
  it.each([0, 1, 2] as const)(
    "[NU10] order %i is exact for polynomials of that order at irregular times, for every signal",
    (order) => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(coefficient, coefficient, coefficient), {
            minLength: 1,
            maxLength: 4,
          }),
          fc.array(gap, { minLength: 4, maxLength: 7 }),
          (all, gaps) => {
            const curves = all.map((c) => c.map((x, power) => (power <= order ? x : 0)));
            const history = new SampleHistory(curves.length);
            let t = -1;
            for (const step of gaps.slice(1)) {
              t += step;
              history.push(
                t,
                Float64Array.from(curves, (c) => polynomial(c, t)[0]),
              );
            }
            const to = t + gaps[0]!;
            const found = results(curves.length);
            history.derivatives(order, to, ...found);
            curves.forEach((c, i) => {
              polynomial(c, to).forEach((exact, k) => {
                // Differences divided by gaps of 0.05 and more: rounding grows by at most
                // (1/0.05)².
                expect(Math.abs(found[k]![i]! - exact)).toBeLessThan(1e-9);
              });
            });
          },
        ),
        RUNS,
      );
    },
  );

  it("[NU11] uses the samples there are: one gives a constant, two a line", () => {
    const history = new SampleHistory(1);
    const [value, first, second] = results(1);
    expect(() => history.derivatives(2, 0, value, first, second)).toThrow("without samples");
    history.push(1, Float64Array.of(5));
    history.derivatives(2, 3, value, first, second);
    expect([value[0], first[0], second[0]]).toEqual([5, 0, 0]);
    history.push(2, Float64Array.of(7));
    history.derivatives(2, 3, value, first, second);
    expect([value[0], first[0], second[0]]).toEqual([9, 2, 0]);
    expect(history.count).toBe(2);
    history.reset();
    expect(history.count).toBe(0);
  });

  it("[NU11] takes samples of one instant as one, also when they differ by rounding", () => {
    const history = new SampleHistory(1);
    const [value, first, second] = results(1);
    history.push(0.2, Float64Array.of(1));
    history.push(0.3, Float64Array.of(100));
    history.push(0.1 + 0.2, Float64Array.of(2));
    expect(history.count).toBe(2);
    history.derivatives(1, 0.4, value, first, second);
    expect(value[0]).toBeCloseTo(3, 12);
    history.replaceNewest(Float64Array.of(3));
    history.derivatives(1, 0.4, value, first, second);
    expect(value[0]).toBeCloseTo(5, 12);
    expect(() => history.push(0.25, Float64Array.of(0))).toThrow("after one at");
  });

  it("[NU12] a restored history answers like the saved one, and does not share memory with it", () => {
    const history = new SampleHistory(2);
    for (const t of [0, 1, 3, 4]) history.push(t, Float64Array.of(t * t, -t));
    const saved = history.save();
    history.push(5, Float64Array.of(99, 99));
    history.restore(saved);
    const [value, first, second] = results(2);
    history.derivatives(2, 6, value, first, second);
    expect([...value]).toEqual([36, -6]);
    expect([...first]).toEqual([12, -1]);
    expect([...second]).toEqual([2, 0]);
    expect(() => new SampleHistory(1).restore(saved)).toThrow("internal");
  });

  it("[NU4] pushes and extrapolates without allocating", () => {
    const history = new SampleHistory(8);
    const values = new Float64Array(8);
    const found = results(8);
    const [value, first, second] = found;
    const saved = history.save();
    let t = 0;
    expect(
      bytesPerCall(() => {
        t += 0.5;
        history.push(t, values);
        history.derivatives(2, t + 0.5, value, first, second);
        history.save(saved);
      }),
    ).toBeLessThan(40);
    let sink = saved;
    expect(
      bytesPerCall(() => {
        sink = history.save();
      }),
    ).toBeGreaterThan(100);
    expect(sink).toHaveLength(history.savedLength);
  });
});
