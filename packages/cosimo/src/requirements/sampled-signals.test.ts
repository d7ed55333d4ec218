import { describe, expect, it } from "vitest";
import type { NumberExpression } from "../model/requirement.ts";
import { ExpressionValues, type SampledSignals } from "./sampled-signals.ts";
import { number, past, place, rows, signal } from "./testing/formulas.ts";

const x = signal(0);
const values = (e: NumberExpression<number>, signals: SampledSignals): number[] => [
  ...new ExpressionValues(signals).of(e, { begin: 0, end: signals.time.length }),
];
/** x = t² at uneven times. */
const TIMES = [0, 0.5, 1, 2, 4];
const parabola = rows([TIMES.map((t) => t * t)], { time: TIMES });

describe("functions of signals", () => {
  it("[RQ10] derivative is the slope since the row before; jumps at an instant are not part of it", () => {
    expect(values(past("derivative", x), parabola)).toEqual([0.5, 0.5, 1.5, 3, 6]);
    const jump = rows([[0, 1, 7, 8]], { time: [0, 1, 1, 2] });
    expect(values(past("derivative", x), jump)).toEqual([1, 1, 1, 1]);
  });

  it("[RQ10] integral and average weigh by time, between rows as the signal is there", () => {
    const ramp = rows([[0, 2, 8]], { time: [0, 1, 4] });
    expect(values(past("integral", x), ramp)).toEqual([0, 1, 16]);
    expect(values(past("average", x), ramp)).toEqual([0, 1, 4]);
    // The last 2 s of a ramp of slope 2: its value 1 s ago.
    expect(values(past("average", x, 2), ramp)).toEqual([0, 1, 6]);
    const held = rows([[0, 2, 8]], { time: [0, 1, 4], stepwise: [0] });
    expect(values(past("integral", x), held)).toEqual([0, 0, 6]);
    expect(values(past("average", x, 2), held)).toEqual([0, 0, 2]);
  });

  it("[RQ10] delay is the value of before, at first the first one", () => {
    const ramp = rows([[0, 2, 8]], { time: [0, 1, 4] });
    expect(values(past("delay", x, 0.5), ramp)).toEqual([0, 1, 7]);
    const held = rows([[0, 2, 8]], { time: [0, 1, 4], stepwise: [0] });
    expect(values(past("delay", x, 0.5), held)).toEqual([0, 0, 2]);
  });

  it("[RQ10] minimum and maximum over the last seconds, between rows too", () => {
    const signals = rows([[0, 4, 1, 1]], { time: [0, 1, 2, 4] });
    expect(values(past("minimum", x), signals)).toEqual([0, 0, 0, 0]);
    expect(values(past("maximum", x, 1), signals)).toEqual([0, 4, 4, 1]);
    // From 0.5 s on, where x is 2.
    expect(values(past("minimum", x, 1.5), signals)).toEqual([0, 0, 1, 1]);
    expect(values(past("minimum", x, 0.5), signals)).toEqual([0, 2, 1, 1]);
  });

  it("[RQ10] smoothness is range over total variation: 1 of a ramp, less of what goes back and forth", () => {
    const signals = rows([[0, 1, 0, 1, 0]]);
    expect(values(past("variation", x), signals)).toEqual([0, 1, 2, 3, 4]);
    expect(values(past("variation", x, 1), signals)).toEqual([0, 1, 1, 1, 1]);
    expect(values(past("smoothness", x), signals)).toEqual([1, 1, 1 / 2, 1 / 3, 1 / 4]);
    expect(values(past("smoothness", x), parabola)).toEqual([1, 1, 1, 1, 1]);
  });

  const answers = (name: "settling" | "overshoot", more: readonly number[]) => ({
    kind: "response" as const,
    function: name,
    of: [x, ...more.map(number)],
    place,
  });

  it("[RQ10] overshoot is seen from where the signal is", () => {
    const signals = rows([[0, 12, 9, 10]]);
    expect(values(answers("overshoot", [10]), signals)).toEqual([2, 1, 0, 0]);
  });

  it("[RQ10] settling is the time until the signal stays in its band, infinite where it does not", () => {
    const signals = rows([[0, 12, 9.5, 10]]);
    // From 12 at 1 s to 9.5 at 2 s: in the band of ±1 from 1.4 s on.
    const [first, second, ...rest] = values(answers("settling", [10, 1]), signals);
    expect(first).toBeCloseTo(1.4, 12);
    expect(second).toBeCloseTo(0.4, 12);
    expect(rest).toEqual([0, 0]);
    expect(values(answers("settling", [10, 0.1]), rows([[0, 10, 12]]))).toEqual([
      Infinity,
      Infinity,
      Infinity,
    ]);
  });
});
