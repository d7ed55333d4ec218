/**
 * Periodic clocks of units written in TypeScript, under masters that decide at run time: when they
 * tick, what moves with them, and how often it is written.
 */
import { describe, expect, it } from "vitest";
import { functionUnit } from "../../unit/function-unit.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";
import { SAMPLER, SamplerUnit } from "../testing/sampler-unit.ts";

const MASTERS = ["iterative", "adaptive"];
const STOP = 2;

/** Gives the time. */
const clock = () =>
  functionUnit({
    name: "clock",
    outputs: { t: { feedThrough: [] } },
    evaluate: (t, _u, _p, out) => {
      out[0] = t;
    },
  });

function runSampler(
  sampler: SamplerUnit,
  master: string,
  step: number,
  options: Readonly<Record<string, unknown>> = {},
): Promise<CoupledRun> {
  return runUnits(
    { clock: clock(), sampler },
    "clock.t -> sampler.u",
    ["sampler.y", "sampler.ticks"],
    { master, step, stop: STOP, options },
  );
}

/** When a clock should tick up to the stop time: counted, in hundredths of a second. */
function ticksOf(seconds: number, shift: number): number[] {
  const [first, each] = [Math.round(shift * 100), Math.round(seconds * 100)];
  const times: number[] = [];
  for (let k = 0; first + k * each <= STOP * 100; k++) times.push((first + k * each) / 100);
  return times;
}

/** Times of the rows at which the count of ticks is new. */
function tickRows({ time, values: { "sampler.ticks": ticks = [] } }: CoupledRun): number[] {
  return time.filter((_, row) => (row === 0 ? ticks[0] > 0 : ticks[row] !== ticks[row - 1]));
}

describe("a periodic clock", () => {
  const cases = MASTERS.flatMap((master) =>
    [
      { seconds: 0.3, shift: 0, step: 0.2 },
      { seconds: 0.3, shift: 0.05, step: 0.2 },
      { seconds: 0.1, shift: 0.35, step: 0.1 },
      { seconds: 0.7, shift: 0.7, step: 1 },
    ].map((one) => ({ master, ...one })),
  );

  it.each(cases)(
    "[EV11] ticks every $seconds s from $shift s on, to the last bit, with steps of $step s ($master)",
    async ({ master, seconds, shift, step }) => {
      const run = await runSampler(
        new SamplerUnit("sampler", { interval: "constant", seconds, shift }),
        master,
        step,
      );
      expect(run.outcome).toMatchObject({ kind: "completed", time: STOP });
      const expected = ticksOf(seconds, shift);
      expect(tickRows(run)).toEqual(expected);
      expect(run.values["sampler.ticks"].at(-1)).toBe(expected.length);
      // What is sampled is the value of that instant, not one of a communication point.
      const { "sampler.y": y, "sampler.ticks": ticks } = run.values;
      const sampled = expected.map((_, k) => y[ticks.indexOf(k + 1)]);
      expect(sampled).toEqual(expected);
    },
  );

  it.each(MASTERS)(
    "[EV7] moves with what belongs to it, written once at an instant (%s)",
    async (master) => {
      const sampler = new SamplerUnit("sampler", {
        interval: "constant",
        seconds: 0.5,
        shift: 0.2,
      });
      const run = await runSampler(sampler, master, 0.4);
      expect(run.outcome.kind).toBe("completed");
      const expected = ticksOf(0.5, 0.2);
      const writesOf = (port: number): number[] =>
        sampler.written.filter(({ ports }) => ports.includes(port)).map(({ time }) => time);
      expect(writesOf(SAMPLER.tick)).toEqual(expected);
      expect(writesOf(SAMPLER.u)).toEqual(expected);
      // The clock first: only what is written while it ticks belongs to the tick.
      for (const time of expected)
        expect(
          sampler.written.filter((one) => one.time === time).flatMap(({ ports }) => ports),
        ).toEqual([SAMPLER.tick, SAMPLER.u]);
    },
  );

  it("[EV10] makes one event with a clock of another unit that ticks then", async () => {
    const units = {
      clock: clock(),
      fast: new SamplerUnit("fast", { interval: "constant", seconds: 0.1, shift: 0 }),
      slow: new SamplerUnit("slow", { interval: "constant", seconds: 0.3, shift: 0.2 }),
    };
    const run = await runUnits(
      units,
      "clock.t -> fast.u; clock.t -> slow.u",
      ["fast.ticks", "slow.ticks"],
      { master: "iterative", step: 0.25, stop: 1 },
    );
    expect(run.outcome.kind).toBe("completed");
    const { "fast.ticks": fast, "slow.ticks": slow } = run.values;
    const both = run.time.filter(
      (_, row) => row > 0 && slow[row] !== slow[row - 1] && fast[row] !== fast[row - 1],
    );
    // 0.2, 0.5 and 0.8: one row in which both are new.
    expect(both.map((t) => t.toFixed(9))).toEqual([0.2, 0.5, 0.8].map((t) => t.toFixed(9)));
    expect(slow.at(-1)).toBe(3);
    // At the start and every 0.1 s up to the end.
    expect(fast.at(-1)).toBe(11);
  });

  it("[AD23] between two points beside a unit with constant steps ends the run by the name of its unit", async () => {
    const sampler = new SamplerUnit("sampler", { interval: "constant", seconds: 0.5, shift: 0.2 });
    const run = await runUnits(
      { clock: limitedUnit(clock(), { variableStep: false }), sampler },
      "clock.t -> sampler.u",
      ["sampler.ticks"],
      { master: "iterative", step: 0.5, stop: STOP },
    );
    expect(run.outcome).toMatchObject({ kind: "failed", failure: { unit: "sampler", time: 0.2 } });
  });
});
