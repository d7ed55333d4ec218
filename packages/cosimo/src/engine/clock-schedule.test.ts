import { describe, expect, it } from "vitest";
import { testPort } from "../model/testing/plain-data.ts";
import type { Port, PortClock } from "../model/unit-description.ts";
import { type ClockOptions, ClockSchedule } from "./clock-schedule.ts";

/** An input clock; its port number is its place in the list. */
function clocks(...kinds: (Partial<PortClock> & Pick<PortClock, "interval">)[]): Port[] {
  return kinds.map((clock, index) =>
    testPort(index, `clock${index}`, {
      type: "clock",
      variability: "discrete",
      nature: "transient",
      clock: { shift: 0, ...clock },
    }),
  );
}

interface Settings {
  readonly start?: number;
  readonly intervals?: [number, number][];
  readonly triggers?: [number, number[]][];
  /** What the unit answers when it is asked for an interval, one answer a question. */
  readonly answers?: (number | undefined)[];
}

function schedule(
  ports: Port[],
  settings: Settings = {},
): { ticks: ClockSchedule; chosen: [number, number][] } {
  const answers = [...(settings.answers ?? [])];
  const chosen: [number, number][] = [];
  const options: ClockOptions = {
    intervals: new Map(settings.intervals),
    triggers: new Map(settings.triggers),
    services: {
      getIntervals: (asked) =>
        asked.map(() => {
          const seconds = answers.shift();
          return {
            seconds: seconds ?? 0,
            qualifier: seconds === undefined ? "unchanged" : "changed",
          };
        }),
      setIntervals: (ports, seconds) => {
        chosen.push(...ports.map((port, i): [number, number] => [port, seconds[i]]));
      },
    },
  };
  const ticks = new ClockSchedule(ports, options, settings.start ?? 0);
  ticks.chooseIntervals();
  ticks.begin();
  return { ticks, chosen };
}

/** `time: ports` of the first ticks, events of changing clocks included. */
function play({ ticks }: { ticks: ClockSchedule }, count: number): string[] {
  const seen: string[] = [];
  for (let i = 0; i < count && ticks.next() < Number.POSITIVE_INFINITY; i++) {
    const time = ticks.next();
    seen.push(`${time}: ${ticks.take(time).join(" ")}`);
    ticks.askAgain(time);
  }
  return seen;
}

describe("input clocks", () => {
  it("[RU5] with a period tick at counted multiples, so that nothing drifts", () => {
    const run = schedule(clocks({ interval: "constant", seconds: 0.1, shift: 0.05 }), { start: 2 });
    expect(play(run, 4)).toEqual(["2.05: 0", "2.15: 0", "2.25: 0", "2.35: 0"]);
  });

  it("[RU5] that are due at one time tick together", () => {
    const run = schedule(
      clocks({ interval: "constant", seconds: 0.5 }, { interval: "constant", seconds: 0.25 }),
    );
    expect(play(run, 3)).toEqual(["0: 0 1", "0.25: 1", "0.5: 0 1"]);
  });

  it("[RU5] tick together where only rounding keeps their multiples apart", () => {
    expect(3 * 0.1).not.toBe(0.3);
    const run = schedule(
      clocks({ interval: "constant", seconds: 0.1 }, { interval: "constant", seconds: 0.3 }),
    );
    const ticks = play(run, 3000).map((tick) => tick.split(": ")[1]);
    expect(ticks).toEqual(Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? "0 1" : "0")));
  });

  it("whose interval the importer chooses are told it, and tick with it", () => {
    const run = schedule(clocks({ interval: "fixed" }), { intervals: [[0, 0.8]] });
    expect(run.chosen).toEqual([[0, 0.8]]);
    expect(play(run, 3)).toEqual(["0: 0", "0.8: 0", "1.6: 0"]);
  });

  it("whose interval nobody knows never tick", () => {
    expect(schedule(clocks({ interval: "fixed" })).ticks.next()).toBe(Number.POSITIVE_INFINITY);
  });

  it("that are tunable are asked when the run begins", () => {
    expect(play(schedule(clocks({ interval: "tunable" }), { answers: [1] }), 2)).toEqual([
      "0: 0",
      "1: 0",
    ]);
  });

  it("with changing intervals tell after every tick when the next one is", () => {
    const run = schedule(clocks({ interval: "changing" }), { answers: [0.25, 0.5, 0.75] });
    expect(play(run, 5)).toEqual(["0.25: 0", "0.75: 0", "1.5: 0"]);
  });

  it("that count down tick once for every announcement", () => {
    const run = schedule(clocks({ interval: "countdown" }, { interval: "triggered" }), {
      answers: [undefined, 0.3],
      triggers: [[1, [1]]],
    });
    expect(play(run, 5)).toEqual(["1: 1", "1.3: 0"]);
  });

  it("that are triggered tick when they are triggered, not before the run begins", () => {
    const run = schedule(clocks({ interval: "triggered" }), {
      start: 1,
      triggers: [[0, [0.5, 1, 2.5]]],
    });
    expect(play(run, 5)).toEqual(["1: 0", "2.5: 0"]);
  });

  it("[EV19] goes on where it was saved, without asking again", () => {
    const kinds = (): Port[] =>
      clocks(
        { interval: "constant", seconds: 0.1 },
        { interval: "constant", seconds: 0.3, shift: 0.05 },
        { interval: "changing" },
        { interval: "triggered" },
      );
    const triggers: [number, number[]][] = [[3, [0.12, 0.34, 0.56]]];
    const whole = schedule(kinds(), { triggers, answers: [0.25] });
    play(whole, 3);
    const saved = whole.ticks.save();
    const other = new ClockSchedule(
      kinds(),
      {
        intervals: new Map(),
        triggers: new Map(triggers),
        services: { getIntervals: () => [], setIntervals: () => undefined },
      },
      0,
    );
    other.restore(saved);
    const rest = play(whole, 6);
    expect(rest.length).toBe(6);
    expect(play({ ticks: other }, 6)).toEqual(rest);
  });
});
