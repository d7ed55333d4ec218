import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { type EventPattern, ZenoWatch } from "./zeno.ts";

const GRAVITY = 9.81;

/**
 * Impacts of a ball dropped from 1 m: √(2/g), then flights of 2 v eᵏ/g that add up to 2 v e/(g (1 −
 * e)).
 */
function impacts(restitution: number, count: number): { times: number[]; limit: number } {
  const first = Math.sqrt(2 / GRAVITY);
  const times = [first];
  for (let k = 1; k < count; k++) times.push(times[k - 1]! + 2 * first * restitution ** k);
  return { times, limit: first + (2 * first * restitution) / (1 - restitution) };
}

function kinds(watch: ZenoWatch, times: Iterable<number>): Set<EventPattern["kind"]> {
  return new Set(Array.from(times, (t) => watch.note(t).kind));
}

function accumulated(count: number, interval: (n: number) => number): number[] {
  const times = [0];
  for (let n = 1; n < count; n++) times.push(times[n - 1]! + interval(n));
  return times;
}

describe("the watch over event times", () => {
  it.each([0.5, 0.7, 0.9])(
    "[NU26] a ball of restitution %d is Zeno, its ratio the restitution, its limit the analytic one",
    (e) => {
      // The last of them is 1/32 of the first flight or shorter, and at least six flights are seen.
      const count = 2 + Math.max(6, Math.ceil(Math.log(1 / 32) / Math.log(e)) + 1);
      const { times, limit } = impacts(e, count);
      const watch = new ZenoWatch();
      const answers = times.map((t) => watch.note(t));
      expect(answers.slice(0, 5).map((a) => a.kind)).toEqual(Array(5).fill("none"));
      const last = answers.at(-1)!;
      expect(last.kind).toBe("zeno");
      if (last.kind !== "zeno") return;
      expect(last.ratio).toBeCloseTo(e, 9);
      expect(last.limit).toBeCloseTo(limit, 9);
    },
  );

  it("[NU26] recognises the ball also when its impacts are located to 1e-8 only", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.3, max: 0.9, noNaN: true }),
        fc.infiniteStream(fc.double({ min: 0, max: 1e-8, noNaN: true })),
        (e, noise) => {
          const { times, limit } = impacts(e, 3 + Math.ceil(Math.log(1e-4) / Math.log(e)));
          const watch = new ZenoWatch();
          let last: EventPattern = { kind: "none" };
          for (const t of times) last = watch.note(t + noise.next().value!);
          expect(last.kind).toBe("zeno");
          if (last.kind !== "zeno") return;
          // Flights of 1e-4 of the first are known to one in some thousand, and so is what is left
          // of the sum.
          expect(Math.abs(last.limit - limit)).toBeLessThan(1e-5);
        },
      ),
      { seed: 46, numRuns: cases(100) },
    );
  });

  it("[NU27] never names a thermostat, whatever its two phases and its start", () => {
    const phase = fc.double({ min: 1e-4, max: 1e3, noNaN: true });
    fc.assert(
      fc.property(phase, phase, phase, (start, on, off) => {
        const times = accumulated(300, (n) => (n === 1 ? start : n % 2 === 0 ? on : off));
        expect(kinds(new ZenoWatch(), times)).toEqual(new Set(["none"]));
      }),
      { seed: 7, numRuns: cases(100) },
    );
  });

  it("[NU27] never names clocks, whose ticks late in a run are periodic only up to rounding", () => {
    const ticks = Array.from({ length: 500 }, (_, i) => 1e5 + i * 1e-3);
    expect(kinds(new ZenoWatch(), ticks)).toEqual(new Set(["none"]));
  });

  it("[NU27] never takes intervals 1/n for Zeno, whose sum has no limit", () => {
    expect(
      kinds(
        new ZenoWatch(),
        accumulated(2000, (n) => 1 / n),
      ),
    ).toEqual(new Set(["none"]));
    expect(
      kinds(
        new ZenoWatch(),
        accumulated(2000, (n) => 1 / (n + 7)),
      ),
    ).toEqual(new Set(["none"]));
  });

  it("[NU28] tiny intervals that do not shrink are chattering, with their mean", () => {
    const watch = new ZenoWatch({ minInterval: 1e-6, chatteringIntervals: 10 });
    const answers = [0, 1, ...Array.from({ length: 10 }, (_, i) => 1 + (i + 1) * 1e-7)].map((t) =>
      watch.note(t),
    );
    expect(new Set(answers.slice(0, -1).map((a) => a.kind))).toEqual(new Set(["none"]));
    const last = answers.at(-1)!;
    expect(last.kind).toBe("chattering");
    if (last.kind === "chattering") expect(last.interval).toBeCloseTo(1e-7, 14);
    expect(watch.note(2).kind).toBe("none");
  });

  it("[NU28] events at one instant count once, and time does not run backwards", () => {
    const watch = new ZenoWatch({ chatteringIntervals: 2 });
    expect(kinds(watch, [1, 1, 1, 1, 1, 1, 1])).toEqual(new Set(["none"]));
    expect(() => watch.note(0.5)).toThrow("internal");
    watch.reset();
    expect(watch.note(0.5).kind).toBe("none");
  });

  it("[NU12] a restored watch answers like the saved one", () => {
    const { times } = impacts(0.6, 14);
    const watch = new ZenoWatch();
    for (const t of times.slice(0, 7)) watch.note(t);
    const saved = watch.save();
    const rest = (): EventPattern[] => times.slice(7).map((t) => watch.note(t));
    const once = rest();
    watch.restore(saved);
    expect(rest()).toEqual(once);
    const other = new ZenoWatch();
    other.restore(saved);
    expect(times.slice(7).map((t) => other.note(t))).toEqual(once);
    expect(once.at(-1)!.kind).toBe("zeno");
  });
});
