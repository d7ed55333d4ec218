/**
 * Model Exchange FMUs against what their equations say: stiff ones, events of every kind,
 * snapshots, derivatives, in both versions.
 */
import { describe, expect, it } from "vitest";
import { DiagnosticsError } from "../../base/diagnostic.ts";
import type { IntegratorOptions } from "../../model/integrator.ts";
import {
  advanceTo,
  getNumber,
  indexOf,
  settleEvents,
  setValues,
  startUnit,
  type Values,
} from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import type { NativeUnitOptions } from "./native-options.ts";
import { openExchangeUnit } from "./open-exchange-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

async function started(
  name: string,
  integrator: IntegratorOptions = {},
  values: Values = {},
  options: NativeUnitOptions = {},
): Promise<Unit> {
  const unit = openExchangeUnit(await fixture(name), options, integrator);
  startUnit(unit, { start: 0 }, values);
  return unit;
}

/** Times of the events on the way, each settled. */
function eventsUntil(unit: Unit, end: number): number[] {
  const times: number[] = [];
  for (let at = 0; at < end; ) {
    const { reason, time } = unit.advance(at, { kind: "time", time: end });
    if (reason === "event") {
      times.push(time);
      settleEvents(unit);
    }
    at = time;
  }
  return times;
}

describe.each(VERSIONS)("%s Model Exchange", (version) => {
  it.each(["radau", "auto"] as const)(
    "[ME22] Robertson's reactions, stiff, by %s",
    async (method) => {
      const unit = await started(`${version}/ExchangeRobertson`, { method, tolerance: 1e-8 });
      advanceTo(unit, 0, 40);
      // Hairer & Wanner II, sec. IV.10: y(40) of problem ROBER.
      expect(getNumber(unit, "a")).toBeCloseTo(0.7158270687, 7);
      expect(getNumber(unit, "b") / 9.185534764e-6).toBeCloseTo(1, 5);
      const sum = ["a", "b", "c"].reduce((all, name) => all + getNumber(unit, name), 0);
      expect(sum).toBeCloseTo(1, 12);
      unit.dispose();
    },
  );

  it("[ME22] Van der Pol's oscillator at mu = 1000, with directional derivatives", async () => {
    const notes: string[] = [];
    const unit = await started(
      `${version}/ExchangeVanDerPol`,
      { tolerance: 1e-8 },
      {},
      {
        onDiagnostic: ({ code }) => notes.push(code),
      },
    );
    advanceTo(unit, 0, 2000);
    expect(getNumber(unit, "x0")).toBeCloseTo(1.706167732170469, 6);
    expect(getNumber(unit, "x1") / -8.928097010248125e-4).toBeCloseTo(1, 6);
    expect(notes).toEqual(["integrator-stiff"]);
    unit.dispose();
  });

  it("[ME2] a ball that bounces, with a hysteresis and an event that asks for another update", async () => {
    const unit = await started(`${version}/ExchangeBall`, { tolerance: 1e-9 });
    const fall = Math.sqrt(2 / 9.81);
    const bounces = eventsUntil(unit, 2.2).filter((t) => t > 0);
    const expected = (n: number): number => {
      let time = fall;
      for (let i = 1; i <= n; i++) time += 2 * fall * 0.7 ** i;
      return time;
    };
    const firsts = bounces.filter((t, i) => i === 0 || t - bounces[i - 1] > 1e-6);
    expect(getNumber(unit, "bounces")).toBe(firsts.length);
    firsts.slice(0, 5).forEach((time, n) => {
      expect(time).toBeCloseTo(expected(n), 7);
    });
    expect(unit.description.capabilities.rollback).toBe(false);
    unit.dispose();
  });

  it("[ME2] a relay that chatters stays inside of its hysteresis", async () => {
    const unit = await started(`${version}/ExchangeRelay`);
    let widest = 0;
    for (let i = 20; i < 200; i++) {
      if (i === 20) advanceTo(unit, 0, 0.2);
      advanceTo(unit, i * 0.01, (i + 1) * 0.01);
      widest = Math.max(widest, Math.abs(getNumber(unit, "x")));
    }
    expect(widest).toBeLessThan(0.001 * (1 + 1e-6));
    // Speeds 1 ± sin(t)/2 cross a band of 0.002: one switch takes 0.002 / speed on average.
    expect(getNumber(unit, "switches")).toBeGreaterThan(600);
    unit.dispose();
  });

  it("[ME3] [ME7] [ME8] samples a ramp at time events, and takes a discrete input in event mode", async () => {
    const unit = await started(`${version}/ExchangeSampler`);
    setValues(unit, { u: 0 });
    unit.setInputDerivatives([indexOf(unit, "u")], [1], Float64Array.of(1));
    advanceTo(unit, 0, 1);
    expect(getNumber(unit, "samples")).toBe(5);
    expect(getNumber(unit, "held")).toBeCloseTo(1, 12);
    setValues(unit, { enable: 0 });
    expect(getNumber(unit, "changes")).toBe(1);
    expect(getNumber(unit, "held")).toBe(0);
    setValues(unit, { enable: 0 });
    expect(getNumber(unit, "changes")).toBe(1);
    // The first sample was taken during initialization, with u = 1.
    expect(getNumber(unit, "x")).toBeCloseTo(0.25 * (1 + 0.25 + 0.5 + 0.75), 9);
    unit.dispose();
  });

  it("[ME4] wraps an angle at the end of integrator steps", async () => {
    const unit = await started(`${version}/ExchangePhase`, { maxStep: 0.05 });
    advanceTo(unit, 0, 20);
    expect(getNumber(unit, "total")).toBeCloseTo(60, 9);
    expect(getNumber(unit, "turns")).toBe(Math.floor(60 / (2 * Math.PI)));
    expect(getNumber(unit, "phi")).toBeLessThan(2 * Math.PI + 3 * 0.05);
    unit.dispose();
  });

  it("[ME6] has events without any continuous state", async () => {
    const unit = await started(`${version}/ExchangeSign`);
    const times = eventsUntil(unit, 7).filter((t) => t > 1e-6);
    expect(times).toEqual([1, 2, 3, 4].map((n) => expect.closeTo((n * Math.PI) / 2, 10)));
    unit.dispose();
  });

  it("[ME23] a chain of eight states costs three directional derivatives per Jacobian", async () => {
    const calls: string[] = [];
    const unit = await started(
      `${version}/ExchangeChain`,
      { method: "radau" },
      { u: 1 },
      {
        callLog: (line) => calls.push(line),
      },
    );
    advanceTo(unit, 0, 0.5);
    const made = calls.filter((line) => line.includes("DirectionalDerivative(")).length;
    expect(made).toBeGreaterThan(0);
    expect(made % 3).toBe(0);
    expect(getNumber(unit, "y")).toBeCloseTo(chain(0.5), 6);
    unit.dispose();
  });

  it("[ME9] is saved from outside where all of its state is continuous", async () => {
    const unit = await started(`${version}/ExchangeChain`, {}, { u: 1 });
    expect(unit.description.capabilities).toMatchObject({ rollback: true, serialize: true });
    advanceTo(unit, 0, 0.1);
    const saved = unit.save();
    const bytes = unit.serialize(saved);
    advanceTo(unit, 0.1, 0.2);
    const once = getNumber(unit, "y");
    setValues(unit, { u: -5 });
    unit.restore(unit.deserialize(bytes));
    advanceTo(unit, 0.1, 0.2);
    expect(getNumber(unit, "y")).toBe(once);
    unit.dispose();
  });
});

it.each(VERSIONS)(
  "[ME53] %s: functions that a model has no need of may be missing",
  async (version) => {
    const stair = await started(`gotchas/${version}/NoStateCalls`);
    advanceTo(stair, 0, 2.5);
    expect(getNumber(stair, "counter")).toBe(3);
    stair.dispose();
    const decay = await started(`gotchas/${version}/NoNominals`, { tolerance: 1e-9 });
    advanceTo(decay, 0, 1);
    expect(getNumber(decay, "x")).toBeCloseTo(Math.exp(-1), 8);
    decay.dispose();
  },
);

it("[ME1] an FMU whose list of derivatives names no state is refused, with the variable", async () => {
  const fmu = await fixture("fmi2/ExchangeFeed");
  const { description } = fmu;
  const variables = description.variables.map(({ derivativeOf: _, ...variable }) => variable);
  const broken = { ...fmu, description: { ...description, variables } };
  expect(() => openExchangeUnit(broken)).toThrow(DiagnosticsError);
});

it("[ME1] an interface that an FMU does not offer is refused", async () => {
  expect(() => openExchangeUnit).not.toThrow();
  const fmu = await fixture("fmi2/MassSpringDamperLeft");
  expect(() => openExchangeUnit(fmu)).toThrow("does not offer model-exchange");
});

/**
 * The last cell of the chain at `t`, k = 100, u = 1 from rest: modes of x_i' = k (x_{i−1} − 2 x_i +
 * x_{i+1}) with an insulated end.
 */
function chain(t: number): number {
  const [n, k] = [8, 100];
  let y = 1;
  for (let m = 0; m < n; m++) {
    const angle = ((2 * m + 1) * Math.PI) / (2 * n + 1);
    const shape = (i: number): number => Math.sin(i * angle);
    const norm = Array.from({ length: n }, (_, i) => shape(i + 1) ** 2).reduce((a, b) => a + b);
    const part = Array.from({ length: n }, (_, i) => shape(i + 1)).reduce((a, b) => a + b) / norm;
    y -= part * shape(n) * Math.exp(-2 * k * (1 - Math.cos(angle)) * t);
  }
  return y;
}
