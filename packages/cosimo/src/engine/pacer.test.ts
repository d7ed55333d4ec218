import { describe, expect, it } from "vitest";
import { Pacer } from "./pacer.ts";

/** A clock that only moves when something sleeps or works. */
function fakeClock() {
  const clock = {
    time: 100,
    slept: 0,
    now: () => clock.time,
    sleep: async (seconds: number) => {
      clock.slept += seconds;
      clock.time += seconds;
    },
  };
  return clock;
}

describe("pacing", () => {
  it("[EN16] makes simulated time pass as fast as requested", async () => {
    const clock = fakeClock();
    const pacer = new Pacer(2, 5, clock);
    for (let i = 0; i <= 100; i++) await pacer.wait(5 + i * 0.1);
    expect(clock.time).toBeCloseTo(100 + 10 / 2, 9);
    expect(pacer.report()).toEqual({ factor: 2, points: 101, overruns: 0, worstSeconds: 0 });
  });

  it("[EN16] catches up after a slow step and counts it", async () => {
    const clock = fakeClock();
    const pacer = new Pacer(1, 0, clock);
    for (let i = 0; i <= 10; i++) {
      if (i === 5) clock.time += 0.35;
      await pacer.wait(i * 0.1);
    }
    const { overruns, worstSeconds } = pacer.report();
    expect(overruns).toBe(3);
    expect(worstSeconds).toBeCloseTo(0.25, 9);
    expect(clock.time).toBeCloseTo(101, 9);
  });
});
