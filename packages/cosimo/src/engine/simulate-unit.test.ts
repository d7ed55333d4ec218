import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { type Outcome, UnitError } from "../base/outcome.ts";
import type { Capabilities } from "../model/unit-description.ts";
import { compilePlan } from "../plan/compile.ts";
import { singleUnitScenario } from "../run/single-unit.ts";
import { functionUnit } from "../unit/function-unit.ts";
import type { Stop, StopReason } from "../unit/predicate.ts";
import { makeInputSignals } from "../unit/signal-source.ts";
import { indexOf } from "../unit/testing/drive.ts";
import type { DiscreteUpdate, Phase, Unit } from "../unit/unit.ts";
import { type RunPlanOptions, runPlan } from "./run-plan.ts";
import { type SingleUnit, stepCount } from "./simulate-unit.ts";

/** y = u, e = d, now = t: whatever the engine does shows in the outputs at once. */
function mirror(): Unit {
  return functionUnit({
    name: "mirror",
    inputs: { u: {}, d: { type: "int32" } },
    outputs: { y: {}, e: { type: "int32" }, now: { feedThrough: [] } },
    evaluate: (t, [u, d], _p, out) => {
      out[0] = u;
      out[1] = d;
      out[2] = t;
    },
  });
}

/**
 * The mirror with some of its members replaced; `log` sees the calls that the engine decides on.
 */
function scripted(
  script: Partial<Omit<Unit, "description">>,
  capabilities: Partial<Capabilities> = {},
  log: string[] = [],
): Unit {
  const base = mirror();
  const { description } = base;
  const changed: Record<string, unknown> = {
    ...script,
    description: { ...description, capabilities: { ...description.capabilities, ...capabilities } },
  };
  return new Proxy(base, {
    get(target, key) {
      const own = Object.hasOwn(changed, key)
        ? changed[key as string]
        : Reflect.get(target, key, target);
      if (typeof own !== "function") return own;
      return (...args: unknown[]) => {
        if (key === "write") {
          const access = args[0] as { slots: readonly { port: number }[] };
          log.push(
            `write ${access.slots.map(({ port }) => description.ports[port].name).join(" ")}`,
          );
        }
        return own.apply(target, args);
      };
    },
  });
}

/** Event mode on top of the mirror, decided by `update`. */
function withEvents(
  update: (round: number) => Partial<DiscreteUpdate>,
  advance?: (from: number, until: number) => Partial<Stop>,
): { unit: Unit; log: string[] } {
  const log: string[] = [];
  let phase: Phase = "instantiated";
  let rounds = 0;
  const base = { again: false, terminate: false, nominalsChanged: false, statesChanged: false };
  const inner = scripted(
    {
      advance: (from, until) => {
        const bound = until.kind === "time" ? until.time : from;
        const stop = {
          reason: "time" as StopReason,
          port: -1,
          time: bound,
          ...advance?.(from, bound),
        };
        log.push(`advance ${stop.time}`);
        return stop;
      },
      enterEventMode: () => {
        phase = "event";
        log.push("event");
      },
      enterStepMode: () => {
        phase = "step";
        log.push("step");
      },
      updateDiscreteStates: () => {
        log.push("update");
        return { nextEventTime: undefined, ...base, ...update(rounds++) };
      },
      exitInitialization: () => {
        phase = "event";
      },
      read: () => undefined,
      terminate: () => undefined,
    },
    { eventMode: true, inputDerivativeOrder: 0 },
    log,
  );
  const unit = new Proxy(inner, {
    get: (target, key) => (key === "phase" ? phase : Reflect.get(target, key)),
  });
  return { unit, log };
}

interface Recorded {
  readonly outcome: Outcome;
  readonly times: number[];
  readonly rows: number[][];
}

interface RunOptions extends SingleUnit, Pick<RunPlanOptions, "shouldStop"> {
  readonly start?: number;
  readonly stop: number;
  readonly step: number;
}

async function run(
  unit: Unit,
  { start = 0, stop, step, inputs, ...options }: RunOptions,
): Promise<Recorded> {
  const source = { kind: "module", path: "mirror" } as const;
  const { name, description } = unit;
  const scenario = singleUnitScenario({ name, source, description, file: "test" });
  const record = ["y", "e", "now"].map((port) => ({
    unit: 0,
    port: indexOf(unit, port),
    element: 0,
  }));
  const { plan } = unwrap(compilePlan(scenario, { start, step, record, isSingle: true }));
  const times: number[] = [];
  const rows: number[][] = [];
  const outcome = await runPlan(plan, scenario, [unit], {
    ...options,
    stop,
    single: inputs === undefined ? {} : { inputs },
    onRow: (time, banks) => {
      times.push(time);
      rows.push(plan.record.columns.map(({ slot }) => banks.f64[slot]));
    },
  });
  return { outcome, times, rows };
}

/** Signals from rows `[time, u, d]`. */
function signals(unit: Unit, rows: readonly (readonly [number, number, number])[]) {
  const column = (i: 0 | 1 | 2): Float64Array => Float64Array.from(rows, (row) => row[i]);
  return makeInputSignals(
    unit.description.ports,
    column(0),
    new Map([
      [indexOf(unit, "u"), [column(1)]],
      [indexOf(unit, "d"), [column(2)]],
    ]),
  );
}

describe("communication points", () => {
  it("[RU1] are counted from the start, bit for bit", async () => {
    const { times, outcome } = await run(mirror(), { start: 0.3, stop: 100.3, step: 0.1 });
    expect(times).toHaveLength(1001);
    expect(times.slice(0, -1)).toEqual(Array.from({ length: 1000 }, (_, i) => 0.3 + i * 0.1));
    expect(outcome).toEqual({ kind: "completed", time: 100.3, steps: 1000 });
  });

  it("[RU2] end with a step that is clipped to the stop time", async () => {
    const { times } = await run(mirror(), { stop: 1, step: 0.3 });
    expect(times).toEqual([0, 0.3, 0.6, 3 * 0.3, 1]);
  });

  it("[RU2] end before the stop time for a unit that wants constant steps, never after it", async () => {
    const constant = (): Unit => scripted({}, { variableStep: false });
    expect((await run(constant(), { stop: 1, step: 0.3 })).times).toEqual([0, 0.3, 0.6, 3 * 0.3]);
    // 3 * 0.1 is a little more than 0.3.
    expect((await run(constant(), { stop: 0.3, step: 0.1 })).times.at(-1)).toBe(0.3);
  });

  it("[RU1] are as many as the experiment holds, whatever rounding does", () => {
    expect(stepCount(0, 0.3, 0.1, true)).toBe(3);
    expect(stepCount(0, 1, 0.3, true)).toBe(4);
    expect(stepCount(0, 1, 0.3, false)).toBe(3);
    expect(stepCount(0, 1e6, 0.001, true)).toBe(1e9);
  });
});

describe("inputs", () => {
  it("[RU3] that jump are recorded before and after, at exactly their time", async () => {
    const unit = mirror();
    const inputs = signals(unit, [
      [0, 0, 1],
      [0.25, 1, 1],
      [0.25, 5, 2],
      [1, 5, 2],
    ]);
    const { times, rows } = await run(unit, { stop: 0.4, step: 0.1, inputs });
    expect(times).toEqual([0, 0.1, 0.2, 0.25, 0.25, 3 * 0.1, 0.4]);
    expect(rows[3][0]).toBeCloseTo(1, 12);
    expect(rows.map(([, e]) => e)).toEqual([1, 1, 1, 1, 2, 2, 2]);
    expect(rows[4][0]).toBe(5);
  });

  it("[RU3] that jump wait for the next point of a unit with constant steps", async () => {
    const unit = scripted({}, { variableStep: false });
    const inputs = signals(unit, [
      [0, 0, 1],
      [0.25, 0, 2],
    ]);
    const { times, rows } = await run(unit, { stop: 0.4, step: 0.1, inputs });
    expect(times).toEqual([0, 0.1, 0.2, 3 * 0.1, 0.4]);
    expect(rows.at(-1)![1]).toBe(2);
  });

  it("[RU11] that a unit can interpolate are given with their slope", async () => {
    const given: [number, number][] = [];
    const unit = scripted({
      setInputDerivatives: (ports, _orders, values) => void given.push([ports[0], values[0]]),
    });
    const inputs = signals(unit, [
      [0, 0, 0],
      [0.2, 1, 0],
      [0.4, 1, 0],
    ]);
    await run(unit, { stop: 0.4, step: 0.1, inputs });
    expect(given).toEqual([5, 5, 0, 0].map((slope) => [indexOf(unit, "u"), slope]));
  });

  it("[RU11] keep their slopes to themselves where a unit takes none", async () => {
    const unit = scripted({}, { inputDerivativeOrder: 0 });
    const inputs = signals(unit, [
      [0, 0, 0],
      [1, 1, 0],
    ]);
    const { rows } = await run(unit, { stop: 0.2, step: 0.1, inputs });
    expect(rows.map(([y]) => y)).toEqual([0, 0, 0.1]);
  });
});

describe("a unit with event mode", () => {
  it("[RU4] gets discrete inputs at events only, and is updated until it is settled", async () => {
    const { unit, log } = withEvents((round) => ({ again: round === 0 }));
    const inputs = signals(unit, [
      [0, 0, 1],
      [0.15, 0, 1],
      [0.15, 0, 2],
    ]);
    await run(unit, { stop: 0.2, step: 0.1, inputs });
    expect(log).toEqual([
      ...["write u d", "write u d", "update", "update", "step"],
      ...["write u", "advance 0.1", "write u", "advance 0.15"],
      ...["event", "write u d", "update", "step"],
      ...["write u", "advance 0.2"],
    ]);
  });

  it("[RU5] is stopped at exactly the event that it announces", async () => {
    const { unit, log } = withEvents((round) => (round === 0 ? { nextEventTime: 0.137 } : {}));
    const { times } = await run(unit, { stop: 0.2, step: 0.1 });
    expect(times).toEqual([0, 0.1, 0.137, 0.137, 0.2]);
    expect(log.filter((call) => call === "event")).toHaveLength(1);
  });

  it("[RU5] that stops by itself is heard at that time", async () => {
    const { unit } = withEvents(
      () => ({}),
      (from, until) => (from < 0.05 && until > 0.05 ? { reason: "event", time: 0.05 } : {}),
    );
    expect((await run(unit, { stop: 0.2, step: 0.1 })).times).toEqual([0, 0.05, 0.05, 0.1, 0.2]);
  });

  it("[RU7] may end the simulation in an event", async () => {
    const { unit } = withEvents((round) =>
      round === 0 ? { nextEventTime: 0.15 } : { terminate: true },
    );
    const { outcome, times } = await run(unit, { stop: 1, step: 0.1 });
    expect(outcome).toEqual({ kind: "stopped-by-unit", time: 0.15, steps: 2, unit: "mirror" });
    expect(times).toEqual([0, 0.1, 0.15, 0.15]);
  });

  it("[RU9] that never settles is named", async () => {
    const { unit } = withEvents(() => ({ again: true }));
    expect((await run(unit, { stop: 1, step: 0.1 })).outcome).toMatchObject({
      kind: "failed",
      time: 0,
      failure: { unit: "mirror", status: expect.stringContaining("an endless event loop") },
    });
  });

  it("[RU9] whose events leave no time between them is named", async () => {
    const { unit } = withEvents(() => ({ nextEventTime: 0.1 }));
    expect((await run(unit, { stop: 1, step: 0.1 })).outcome).toMatchObject({
      kind: "failed",
      time: 0.1,
      failure: { status: expect.stringContaining("an endless event loop") },
    });
  });
});

describe("a unit that", () => {
  /** Goes no further than `limit` at a time, as FMI 2 units discard. */
  const reluctant = (limit: number): Unit =>
    scripted({
      advance: (from, until) => {
        const bound = until.kind === "time" ? until.time : from;
        return bound - from <= limit
          ? { reason: "time", port: -1, time: bound }
          : { reason: "discarded", port: -1, time: from };
      },
    });

  it("[RU6] refuses a step gets half of it", async () => {
    const { times, outcome } = await run(reluctant(0.0501), { stop: 0.2, step: 0.1 });
    expect(times).toEqual([0, 0.05, 0.1, 0.1 + (0.2 - 0.1) / 2, 0.2]);
    expect(outcome.kind).toBe("completed");
  });

  it("[RU6] takes no step at all has stalled", async () => {
    expect((await run(reluctant(0), { stop: 1, step: 0.1 })).outcome).toMatchObject({
      kind: "stalled",
      time: 0,
      unit: "mirror",
    });
  });

  it("[RU6] stops on the way goes on from there", async () => {
    const unit = scripted({
      advance: (from, until) => {
        const bound = until.kind === "time" ? until.time : from;
        return from < 0.13 && bound > 0.13
          ? { reason: "discarded", port: -1, time: 0.13 }
          : { reason: "time", port: -1, time: bound };
      },
    });
    expect((await run(unit, { stop: 0.3, step: 0.1 })).times).toEqual([0, 0.1, 0.13, 0.2, 0.3]);
  });

  it("[RU7] asks to end the simulation ends it, with its last row", async () => {
    const unit = scripted({
      advance: (_from, until) => {
        const bound = until.kind === "time" ? until.time : 0;
        return bound > 0.15
          ? { reason: "terminated", port: -1, time: 0.15 }
          : { reason: "time", port: -1, time: bound };
      },
    });
    const { outcome, times } = await run(unit, { stop: 1, step: 0.1 });
    expect(outcome).toEqual({ kind: "stopped-by-unit", time: 0.15, steps: 2, unit: "mirror" });
    expect(times).toEqual([0, 0.1, 0.15]);
  });

  it("[RU8] fails ends the run with everything that is known about it", async () => {
    const failure = { unit: "mirror", call: "advance", status: "error", time: 0.1, log: ["no!"] };
    const unit = scripted({
      advance: (from, until) => {
        if (from > 0.05) throw new UnitError(failure);
        return { reason: "time", port: -1, time: until.kind === "time" ? until.time : 0 };
      },
    });
    const { outcome, times } = await run(unit, { stop: 1, step: 0.1 });
    expect(outcome).toEqual({ kind: "failed", time: 0.1, steps: 1, failure });
    expect(times).toEqual([0, 0.1]);
  });

  it("[RU8] has a bug of ours inside is not taken for a failing unit", async () => {
    const unit = scripted({
      advance: () => {
        throw new TypeError("bug");
      },
    });
    await expect(run(unit, { stop: 1, step: 0.1 })).rejects.toThrow("bug");
  });
});

describe("cancelling", () => {
  it.each([
    ["at once", (time: number) => time > 0.25],
    ["after a breath", (time: number) => Promise.resolve(time > 0.25)],
  ])("[RU10] %s ends the run between two steps and keeps its rows", async (_, shouldStop) => {
    const { outcome, times } = await run(mirror(), { stop: 1, step: 0.1, shouldStop });
    expect(outcome).toEqual({ kind: "cancelled", time: 3 * 0.1, steps: 3 });
    expect(times).toEqual([0, 0.1, 0.2, 3 * 0.1]);
  });
});
