/**
 * Profiles with a clock that only moves when units work: shares are exact.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { compilePlan } from "../plan/compile.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { type Profile, type ProfiledExecutor, profiledExecutor } from "./profile.ts";
import { interpreterExecutor, runPlan } from "./run-plan.ts";

interface Work {
  /** Seconds that a step, and each exchange of values, takes. */
  readonly step: number;
  readonly exchange?: number;
}

/** A lag whose calls move the clock. */
function busyUnit(name: string, clock: { now: number }, { step, exchange = 0 }: Work): Unit {
  const unit = linearUnit(
    { name, inputs: { u: {} }, states: { x: { start: 1 } }, a: [[-1]], b: [[1]] },
    name,
  );
  const { advance, read, write } = unit;
  return Object.assign(unit, {
    advance: (...args: Parameters<Unit["advance"]>) => {
      clock.now += step;
      return advance.apply(unit, args);
    },
    read: (...args: Parameters<Unit["read"]>) => {
      clock.now += exchange;
      read.apply(unit, args);
    },
    write: (...args: Parameters<Unit["write"]>) => {
      clock.now += exchange;
      write.apply(unit, args);
    },
  });
}

interface Measured {
  readonly profile: Profile | undefined;
  readonly rows: readonly (readonly number[])[];
}

async function measure(
  work: Readonly<Record<string, Work>>,
  ticks: number,
  {
    steps = {},
    isProfiled = true,
    master = "jacobi",
  }: { steps?: Record<string, number>; isProfiled?: boolean; master?: "jacobi" | "iterative" } = {},
): Promise<Measured> {
  const clock = { now: 0 };
  const units = Object.entries(work).map(([name, w]) => busyUnit(name, clock, w));
  const descriptions = Object.fromEntries(units.map((unit) => [unit.name, unit.description]));
  const scenario = scenarioOf(descriptions, "a.x -> b.u; b.x -> a.u", {
    step: 0.125,
    steps,
    master,
  });
  const x = units[0].description.ports.findIndex(({ name }) => name === "x");
  const record = units.map((_, unit) => ({ unit, port: x, element: 0 }));
  const { plan } = unwrap(compilePlan(scenario, { record }));
  const rows: number[][] = [];
  let profiled: ProfiledExecutor | undefined;
  await runPlan(plan, scenario, units, {
    stop: ticks * 0.125,
    chunk: 7,
    onRow: (time, { f64 }) =>
      rows.push([time, ...plan.record.columns.map(({ slot }) => f64[slot])]),
    executor: (state) => {
      const inner = interpreterExecutor(state);
      if (!isProfiled) return inner;
      profiled = profiledExecutor(inner, state, () => clock.now);
      return profiled;
    },
  });
  return { profile: profiled?.profile(), rows };
}

describe("a profile", () => {
  it("[EN18] gives the part of the time that every unit takes, steps and exchanges apart", async () => {
    const { profile } = await measure({ a: { step: 6 }, b: { step: 1, exchange: 1.5 } }, 40);
    // b: one read and one write a tick.
    expect(profile!.units[0]).toEqual({
      unit: "a",
      share: 0.6,
      advanceSeconds: 6,
      exchangeSeconds: 0,
    });
    expect(profile!.units[1]).toEqual({
      unit: "b",
      share: 0.4,
      advanceSeconds: 1,
      exchangeSeconds: 3,
    });
    expect(profile!.couplingShare).toBe(0);
  });

  it("[EN18] sees units with long steps as often as they step", async () => {
    const { profile } = await measure({ a: { step: 1 }, b: { step: 4 } }, 400, {
      steps: { b: 0.5 },
    });
    expect(profile!.units.map(({ advanceSeconds }) => advanceSeconds)).toEqual([1, 1]);
  });

  it("[EN18] measures a few ticks of a short run and one in a thousand of a long one", async () => {
    const short = await measure({ a: { step: 1 }, b: { step: 1 } }, 40);
    expect(short.profile!.ticks).toBe(6);
    const long = await measure({ a: { step: 1 }, b: { step: 1 } }, 20_000);
    expect(long.profile!.ticks).toBe(29);
  });

  it("[MC18] gives the same where the master decides at run time", async () => {
    const work = { a: { step: 6 }, b: { step: 2 } };
    const { profile, rows } = await measure(work, 40, { master: "iterative" });
    expect(profile!.units.map(({ share }) => share)).toEqual([0.75, 0.25]);
    expect(profile!.couplingShare).toBe(0);
    expect(profile!.ticks).toBe(6);
    const plain = await measure(work, 40, { master: "iterative", isProfiled: false });
    expect(rows).toEqual(plain.rows);
  });

  it("[EN18] is absent when the run ended before anything was measured", async () => {
    const { profile } = await measure({ a: { step: 1 }, b: { step: 1 } }, 1);
    expect(profile).toBeUndefined();
  });

  it("[EN18] changes nothing in the trace", async () => {
    const work = { a: { step: 1 }, b: { step: 4 } };
    const { rows } = await measure(work, 100, { steps: { b: 0.5 } });
    const plain = await measure(work, 100, { steps: { b: 0.5 }, isProfiled: false });
    expect(rows).toEqual(plain.rows);
    expect(rows).toHaveLength(101);
  });
});
