import { describe, expect, it } from "vitest";
import { Flow } from "./hybrid-flow.ts";
import { along, type ScalarField, type VectorField } from "./hybrid-model.ts";

/** x'' = −ω² x: from (1, 0) the position is cos ωt. */
const OMEGA = 248;
const oscillator: VectorField = (x, dx) => {
  dx[0] = x[1];
  dx[1] = -OMEGA * OMEGA * x[0];
};
const position = (level: number): ScalarField => ({ value: (x) => x[0] - level });
const begin = (): Float64Array => Float64Array.of(1, 0);

describe("flows", () => {
  it("[HY4] are followed to twelve digits, forwards and back", () => {
    const flow = new Flow(2, oscillator);
    const x = begin();
    flow.advance(x, 0.1);
    expect(Math.abs(x[0] - Math.cos(24.8))).toBeLessThan(1e-12);
    flow.advance(x, -0.1);
    expect(Math.abs(x[0] - 1)).toBeLessThan(1e-12);
  });

  it.each([0.5, 0, -0.9, -0.999999])("[HY4] meet the level %d when theory says", (level) => {
    const flow = new Flow(2, oscillator);
    const time = flow.untilZero(begin(), along(position(level), oscillator, 2), 1, false);
    expect(time * OMEGA).toBeCloseTo(Math.acos(level), 9);
  });

  it("[HY4] that begin on a surface meet it again, even when they only graze its other side", () => {
    const flow = new Flow(2, oscillator);
    const watched = along(position(0), oscillator, 2);
    const x = Float64Array.of(0, 1e-6);
    expect(flow.untilZero(x, watched, 1, true) * OMEGA).toBeCloseTo(Math.PI, 9);
    // A ball thrown up slowly: back after 2v/g, a time far below any step.
    const fall = new Flow(2, (p, dx) => {
      dx[0] = p[1];
      dx[1] = -9.81;
    });
    const thrown = Float64Array.of(0, 1e-9);
    const floor = along(position(0), fall.field, 2);
    expect(fall.untilZero(thrown, floor, 10, true)).toBeCloseTo(2e-9 / 9.81, 15);
  });

  it("[HY4] that dip below a level within one step are not missed", () => {
    const flow = new Flow(2, oscillator);
    const watched = along(position(-1 + 1e-7), oscillator, 2);
    const time = flow.untilZero(begin(), watched, 1, false);
    expect(time * OMEGA).toBeCloseTo(Math.acos(-1 + 1e-7), 6);
  });

  it("[HY4] that never meet a level say so", () => {
    const flow = new Flow(2, oscillator);
    expect(flow.untilZero(begin(), along(position(1.5), oscillator, 2), 1, false)).toBeNaN();
  });

  it.each([
    ["has no numbers", () => Number.NaN],
    ["runs away to infinity in a finite time", (v: number) => v * v * v],
  ])("[HY4] that %s end, and say so", (_, acceleration) => {
    const flow = new Flow(2, (x, dx) => {
      dx[0] = x[1];
      dx[1] = acceleration(x[1]);
    });
    const x = Float64Array.of(0, 1);
    expect(flow.untilZero(x, along(position(-1), flow.field, 2), 10, false)).toBeNaN();
    x.set([0, 1]);
    flow.advance(x, 10);
    expect(x[1]).toBeNaN();
    x.set([0, 1]);
    expect(flow.extremum(x, along(position(0), flow.field, 2), 10, 1).time).toBeLessThan(1);
  });

  it("[HY4] show where an energy is least and greatest, inside or at an end", () => {
    const flow = new Flow(2, oscillator);
    const watched = along(position(0), oscillator, 2);
    const least = flow.extremum(begin(), watched, 4 / OMEGA, -1);
    expect(least.value).toBeCloseTo(-1, 12);
    expect(least.time * OMEGA).toBeCloseTo(Math.PI, 5);
    expect(flow.extremum(begin(), watched, 4 / OMEGA, 1)).toEqual({ time: 0, value: 1 });
    const end = flow.extremum(begin(), watched, 1 / OMEGA, -1);
    expect(end.value).toBeCloseTo(Math.cos(1), 12);
  });

  it("[HY4] have exact rates with a gradient, and close ones without", () => {
    const energy = (x: Float64Array): number => x[0] ** 2 * x[1];
    const exact = along(
      {
        value: energy,
        gradient(x, out) {
          out[0] = 2 * x[0] * x[1];
          out[1] = x[0] ** 2;
        },
      },
      oscillator,
      2,
    );
    const close = along({ value: energy }, oscillator, 2);
    const x = Float64Array.of(0.3, 40);
    const expected = 2 * 0.3 * 40 * 40 - 0.3 ** 3 * OMEGA ** 2;
    expect(exact.rate(x)).toBeCloseTo(expected, 9);
    expect(close.rate(x) / expected).toBeCloseTo(1, 8);
  });
});
