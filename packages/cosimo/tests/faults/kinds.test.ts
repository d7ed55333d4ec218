/** What each kind of fault does, against closed forms, under every master. */
import { describe, expect, it } from "vitest";
import { normal, uniform } from "../../src/faults/random.ts";
import { defineScenario } from "../../src/run/define-scenario.ts";
import { simulateScenario } from "../../src/run/simulate-scenario.ts";
import { odeUnit } from "../../src/unit/ode-unit.ts";
import { at, chain, columnOf, final, integrator, MASTERS, ramp, runChain } from "./systems.ts";

const CONSTANT = { level: 2, rate: 0 };
const RISING = { level: 1, rate: 3 };
/** Of Dormand and Prince on polynomials: only roundings are left. */
const EXACT = 12;

/**
 * Masters with common steps see a change of an output at its instant; triggers decide when the
 * others do.
 */
const STEPPED = MASTERS.filter((master) => master !== "event-driven");

describe.each(MASTERS)("under %s", (master) => {
  const run = (faults: string[], source: { level: number; rate: number }) =>
    runChain(master, faults, source);

  it("[FA1] a fault acts from its instant until its end, and the trace has rows there", async () => {
    const done = await run(["source.y stuck 0 at 1.3 s for 1.4 s"], CONSTANT);
    expect(done.outcome.kind).toBe("completed");
    const [begin, end] = [1.3, 1.3 + 1.4];
    expect([...done.trace.time]).toEqual(expect.arrayContaining([begin, end]));
    done.trace.time.forEach((time, row) => {
      const isLast = done.trace.time[row + 1] !== time;
      if (!isLast) return;
      const acts = time >= begin && time < end;
      expect([time, columnOf(done, "source.y")[row]]).toEqual([time, acts ? 0 : 2]);
      expect([time, columnOf(done, "fault.source.y")[row]]).toEqual([time, acts ? 1 : 0]);
    });
  });

  it("[FA2] stuck: a value, or the one of the instant at which it begins", async () => {
    const given = await run(["source.y stuck 7 at 1.3 s"], RISING);
    expect(at(given, "source.y", 4)).toBe(7);
    const kept = await run(["source.y stuck at 1.3 s"], RISING);
    expect(at(kept, "source.y", 4)).toBeCloseTo(1 + 3 * 1.3, EXACT);
    const end = await run(["source.y stuck at 1.3 s until 2.1 s"], RISING);
    expect(at(end, "source.y", 4)).toBeCloseTo(1 + 3 * 4, EXACT);
  });

  it("[FA3] offset, gain and drift change what the port shows, and end with the fault", async () => {
    const faults = [
      "source.y offset 5 at 1 s until 1.7 s",
      "source.y gain -2 at 2 s for 0.3 s",
      "source.y drift 0.5 K/s at 2.6 s until 3.5 s",
    ];
    const done = await run(faults, RISING);
    done.trace.time.forEach((time, row) => {
      if (done.trace.time[row + 1] === time) return;
      const healthy = 1 + 3 * time;
      const isIn = (from: number, to: number) => time >= from && time < to;
      const expected = isIn(1, 1.7)
        ? healthy + 5
        : isIn(2, 2.3)
          ? -2 * healthy
          : isIn(2.6, 3.5)
            ? healthy + 0.5 * (time - 2.6)
            : healthy;
      expect(columnOf(done, "source.y")[row]).toBeCloseTo(expected, EXACT);
    });
  });

  it("[FA4] noise is a function of its seed and of how many samples have passed", async () => {
    const done = await run(["source.y noise 0.1 seed 7 every 0.4 s at 1 s until 3 s"], CONSTANT);
    done.trace.time.forEach((time, row) => {
      if (done.trace.time[row + 1] === time) return;
      const sample = Math.floor((time - 1) / 0.4 + 1e-9);
      const acts = time >= 1 && time < 3;
      const expected = acts ? 2 + 0.1 * normal(7, 0, sample) : 2;
      expect(columnOf(done, "source.y")[row]).toBeCloseTo(expected, EXACT);
    });
    expect([...done.trace.time]).toEqual(expect.arrayContaining([1, 1.4, 1.8]));
  });

  it("[FA5] a delayed signal is what it was before, and its first value before that", async () => {
    const done = await run(["source.y delay 0.7 s at 0.2 s"], RISING);
    done.trace.time.forEach((time, row) => {
      if (done.trace.time[row + 1] === time) return;
      const then = time < 0.2 ? time : Math.max(0, time - 0.7);
      expect(columnOf(done, "source.y")[row]).toBeCloseTo(1 + 3 * then, EXACT);
    });
  });

  it("[FA6] drop-out: the signal keeps the value that it had when it was lost", async () => {
    const done = await run(["source.y drop-out at 1.3 s until 2.9 s"], RISING);
    expect(at(done, "source.y", 2.8)).toBeCloseTo(1 + 3 * 1.3, EXACT);
    expect(at(done, "source.y", 2.9)).toBeCloseTo(1 + 3 * 2.9, EXACT);
    const partly = await run(["source.y drop-out 0.5 seed 3 every 0.5 s"], RISING);
    partly.trace.time.forEach((time, row) => {
      if (partly.trace.time[row + 1] === time) return;
      const isLost = (sample: number) => uniform(3, 0, sample) < 0.5;
      let since = Math.floor(time / 0.5 + 1e-9);
      const lost = isLost(since);
      while (since > 0 && isLost(since - 1)) since--;
      const shown = lost ? since * 0.5 : time;
      expect(columnOf(partly, "source.y")[row]).toBeCloseTo(1 + 3 * shown, EXACT);
    });
  });

  it("[FA7] a flipped bit of a float is that of IEEE 754", async () => {
    const done = await run(["source.y bit-flip 63 at 1 s", "sum.u bit-flip 52 at 1 s"], CONSTANT);
    expect(at(done, "source.y", 1)).toBe(-2);
    // The lowest bit of the exponent of 2 is 0, of -2 as well: the input is twice as large.
    expect(final(done, "sum.x")).toBeCloseTo(2 - 4 * 3, EXACT);
  });

  it("[FA8] a frozen unit stands still, shows what it showed, and goes on from there", async () => {
    const done = await run(["source frozen at 1.3 s for 1.2 s"], RISING);
    done.trace.time.forEach((time, row) => {
      const own = time < 1.3 ? time : time < 2.5 ? 1.3 : time - 1.2;
      expect(columnOf(done, "source.y")[row]).toBeCloseTo(1 + 3 * own, EXACT);
    });
  });

  it("[FA9] a unit that fails ends the run at that instant, with the fault's name", async () => {
    const done = await run(["source fails at 1.3 s"], CONSTANT);
    expect(done.outcome).toMatchObject({
      kind: "failed",
      failure: { unit: "source", time: 1.3 },
    });
    expect(JSON.stringify(done.outcome)).toContain("source fails at 1.3 s");
    expect(done.trace.time.at(-1)).toBe(1.3);
  });

  it("[FA10] faults of inputs and tunable parameters act inside the unit from their instant", async () => {
    const input = await run(["sum.u stuck 10 at 1.3 s for 1.4 s"], CONSTANT);
    expect(final(input, "sum.x")).toBeCloseTo(2 * (4 - 1.4) + 10 * 1.4, EXACT);
    const parameter = await run(["source.rate offset 2 at 1.3 s until 3.2 s"], RISING);
    expect(final(parameter, "source.y")).toBeCloseTo(1 + 3 * 4 + 2 * (3.2 - 1.3), EXACT);
  });

  it("[FA15] faults of one port act one after the other, as they were declared", async () => {
    const done = await run(["source.y offset 3 at 1 s", "source.y gain 2 at 2 s"], CONSTANT);
    expect([at(done, "source.y", 1), at(done, "source.y", 2)]).toEqual([5, 10]);
    const other = await run(["source.y gain 2 at 2 s", "source.y offset 3 at 1 s"], CONSTANT);
    expect([at(other, "source.y", 1), at(other, "source.y", 2)]).toEqual([5, 7]);
  });
});

describe.each(STEPPED)("under %s, the units that a port feeds", (master) => {
  it("[FA1] see the value before the instant up to it, and the other one from it on", async () => {
    const done = await runChain(master, ["source.y stuck 0 at 1.3 s for 1.4 s"], CONSTANT);
    expect(final(done, "sum.x")).toBeCloseTo(2 * (4 - 1.4), EXACT);
    const onGrid = await runChain(master, ["source.y gain 3 at 1 s until 2 s"], CONSTANT);
    expect(final(onGrid, "sum.x")).toBeCloseTo(2 * 3 + 6 * 1, EXACT);
  });
});

describe("other ways to run", () => {
  it("[FA11] units of different rates meet instants at multiples of their steps", async () => {
    const scenario = chain(["source.y gain 3 at 1 s until 3 s"], CONSTANT, {
      units: { source: ramp(2, 0), sum: { unit: integrator(), step: 1 } },
      master: "jacobi",
    });
    const done = await simulateScenario(scenario);
    expect(final(done, "sum.x")).toBeCloseTo(2 * 2 + 6 * 2, EXACT);
    const late = chain(["source.y gain 3 at 1.3 s"], CONSTANT, {
      units: { source: ramp(2, 0), sum: { unit: integrator(), step: 1 } },
      master: "jacobi",
    });
    await expect(simulateScenario(late)).rejects.toThrow("with faults at multiples");
  });

  it("[FA1] exchanges that keep the energy meet instants too", async () => {
    const mass = (name: string) =>
      odeUnit(
        {
          name: "mass",
          inputs: { F: {} },
          states: { v: { start: 1 } },
          derivatives: (_t, _x, u, _p, out) => {
            out[0] = -(u[0] as number);
          },
        },
        name,
      );
    const scenario = defineScenario({
      units: { mass, spring: integrator() },
      bonds: [
        {
          name: "hook",
          effort: "spring.x -> mass.F",
          flow: "mass.v -> spring.u",
          preserve: "energy",
        },
      ],
      experiment: { stop: 4, step: 0.1 },
      master: "jacobi",
      faults: ["spring.x stuck 0 at 1.234 s until 2.345 s"],
    });
    const done = await simulateScenario(scenario);
    expect(done.outcome.kind).toBe("completed");
    done.trace.time.forEach((time, row) => {
      if (done.trace.time[row + 1] === time || time < 1.234 || time >= 2.345) return;
      expect(columnOf(done, "spring.x")[row]).toBe(0);
    });
    expect([...done.trace.time]).toEqual(expect.arrayContaining([1.234, 2.345]));
  });
});
