import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticsError, unwrap } from "../base/diagnostic.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { Approximation, Scenario } from "../model/scenario.ts";
import { compilePlan } from "../plan/compile.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import {
  type Checkpoint,
  decodeCheckpoint,
  encodeCheckpoint,
  type RunState,
} from "./checkpoint.ts";
import { CheckpointRhythm } from "./checkpoint-rhythm.ts";
import { LoggedUnit } from "./replay-log.ts";
import { runPlan } from "./run-plan.ts";
import { scenarioUnit } from "./scenario-unit.ts";
import { springUnit } from "./testing/spring.ts";

const SEED = 20_240_501;
const START = 0.25;

const mass = (name: string): Unit =>
  odeUnit(
    {
      name,
      inputs: { F: {} },
      states: { x: { start: 1 }, v: {} },
      derivatives: (t, x, u, _p, dx) => {
        dx[0] = x[1];
        dx[1] = u[0] - Math.sin(3 * x[0]) - 0.3 * x[1] + Math.cos(t);
      },
    },
    name,
  );

const spring = (name: string): Unit => springUnit(name, (t) => 0.1 * t);

/** Mass and spring, coupled inside, with a force from outside. */
function nested(name: string, step: number): Unit {
  const units = { mass: mass("mass"), spring: spring("spring"), second: mass("second") };
  const descriptions = Object.fromEntries(
    Object.entries(units).map(([key, unit]) => [key, unit.description]),
  );
  const flat = scenarioOf(descriptions, "mass.x -> spring.x; spring.F -> mass.F", {
    step,
    approximation: "linear",
  });
  const ref = (unit: number, port: string) => ({
    unit,
    port: flat.units[unit].description.ports.findIndex((p) => p.name === port),
  });
  const scenario: Scenario = {
    ...flat,
    ports: [
      { name: "F", inner: ref(2, "F") },
      { name: "x", inner: ref(0, "x") },
      { name: "y", inner: ref(2, "x") },
    ],
  };
  const { plan } = unwrap(compilePlan(scenario, { start: START, step, record: [] }));
  return scenarioUnit(name, describeScenario(scenario), scenario, plan, Object.values(units));
}

interface Case {
  readonly make: () => Readonly<Record<string, Unit>>;
  readonly connections: string;
  readonly steps?: Readonly<Record<string, number>>;
  readonly master?: string;
  readonly approximation?: Approximation;
}

const PAIR = "a.x -> b.x; b.F -> a.F";

interface Run {
  readonly rows: readonly string[];
  readonly states: readonly RunState[];
}

/** All signals at every tick, as text that distinguishes any two doubles. */
async function run(
  { make, connections, ...options }: Case,
  ticks: number,
  more: { every?: number; wrap?: (unit: Unit) => Unit; resume?: RunState; chunk?: number } = {},
): Promise<Run> {
  const units = make();
  const wrapped = Object.values(units).map(more.wrap ?? ((unit) => unit));
  const scenario = scenarioOf(
    Object.fromEntries(Object.entries(units).map(([name, unit]) => [name, unit.description])),
    connections,
    { step: 0.1, ...options },
  );
  const { plan } = unwrap(compilePlan(scenario, { start: START, record: [] }));
  const rows: string[] = [];
  const states: RunState[] = [];
  const rhythm = new CheckpointRhythm({ every: more.every ?? 1e9 }, plan.start, () => 0);
  const outcome = await runPlan(plan, scenario, wrapped, {
    stop: plan.start + ticks * plan.step,
    ...(more.chunk === undefined ? {} : { chunk: more.chunk }),
    onRow: (time, { f64 }) =>
      rows.push([time, ...f64].map((v) => (Object.is(v, -0) ? "-0" : String(v))).join(" ")),
    checkpoint: {
      get nextTime() {
        return rhythm.nextTime;
      },
      isDue: (time) => rhythm.isDue(time),
      store: (state) => {
        rhythm.taken(state.time);
        states.push(state);
      },
    },
    ...(more.resume === undefined ? {} : { resume: more.resume }),
  });
  expect(outcome).toMatchObject({ kind: "completed", steps: ticks });
  return { rows, states };
}

/** Through bytes, as another process gets it. */
function carried(state: RunState): Checkpoint {
  return unwrap(
    decodeCheckpoint(
      encodeCheckpoint({
        ...state,
        rows: 0,
        parts: [{ name: "rows", bytes: 24, checksum: 0xdeadbeef }],
        facts: {},
      }),
      "test",
    ),
  );
}

async function expectSameFromEverywhere(one: Case): Promise<void> {
  const ticks = 17;
  const whole = await run(one, ticks, { every: 0.1 });
  expect(whole.states.map(({ steps }) => steps)).toEqual(
    Array.from({ length: ticks }, (_, i) => i),
  );
  const plain = await run(one, ticks);
  expect(plain.rows).toEqual(whole.rows);
  for (const state of whole.states) {
    const rest = await run(one, ticks, { resume: carried(state) });
    expect(rest.rows).toEqual(whole.rows.slice(state.steps + 1));
  }
}

const pair = (more: Partial<Case> = {}): Case => ({
  make: () => ({ a: mass("a"), b: spring("b") }),
  connections: PAIR,
  ...more,
});

describe("a checkpoint", () => {
  it.each([
    ["jacobi", "hold"],
    ["jacobi", "linear"],
    ["jacobi", "quadratic"],
    ["jacobi", "extrapolated-interpolation"],
    ["gauss-seidel", "hold"],
    ["gauss-seidel", "linear"],
    ["gauss-seidel", "quadratic"],
    ["gauss-seidel", "interpolation"],
  ] as const)(
    "[CK1] continues %s with %s inputs to the same trace, from every tick",
    async (master, approximation) => {
      // Interpolation needs a source that is advanced first: the chain has one, the loop has not.
      const connections = approximation === "interpolation" ? "a.x -> b.x" : PAIR;
      await expectSameFromEverywhere(pair({ master, approximation, connections }));
    },
  );

  it.each(["hold", "linear", "quadratic"] as const)(
    "[CK1] continues units of several rates with %s inputs, in the midst of their steps",
    async (approximation) => {
      await expectSameFromEverywhere({
        make: () => ({ a: mass("a"), b: spring("b"), c: mass("c") }),
        connections: `${PAIR}; a.v -> c.F`,
        steps: { b: 0.2, c: 0.3 },
        approximation,
      });
    },
  );

  it.each([0.1, 0.05, 0.01])(
    "[CK2] holds what is inside a nested scenario with steps of %s",
    async (inner) => {
      await expectSameFromEverywhere({
        make: () => ({ a: mass("a"), box: nested("box", inner) }),
        connections: "a.x -> box.F; box.x -> a.F",
        approximation: "hold",
      });
    },
  );

  it("[CK4] comes back bit for bit from its bytes", () => {
    fc.assert(
      fc.property(
        fc.record({
          planHash: fc.string({ unit: "binary" }),
          steps: fc.nat(),
          time: fc.double(),
          rows: fc.nat(),
          parts: fc.constant([{ name: "rows", bytes: 24, checksum: 0xdeadbeef }]),
          facts: fc.dictionary(fc.string(), fc.string({ unit: "binary" })),
          banks: banksArbitrary(),
          units: fc.array(
            fc.oneof(
              fc.record({ kind: fc.constant("saved" as const), bytes: fc.uint8Array() }),
              fc.record({
                kind: fc.constant("replay" as const),
                length: fc.nat(),
                shown: banksArbitrary(),
              }),
            ),
          ),
          master: fc.uint8Array(),
        }),
        (checkpoint) => {
          const back = unwrap(decodeCheckpoint(encodeCheckpoint(checkpoint), "test"));
          expect(back).toEqual({ ...checkpoint, facts: { ...checkpoint.facts } });
          const { master: _, ...without } = checkpoint;
          expect(unwrap(decodeCheckpoint(encodeCheckpoint(without), "test")).master).toBe(
            undefined,
          );
        },
      ),
      { seed: SEED, numRuns: 100 },
    );
  });

  it("[CK4] of which bytes are missing or changed is not believed", async () => {
    const { states } = await run(pair(), 3, { every: 0.1 });
    const bytes = encodeCheckpoint({
      ...states[1],
      rows: 2,
      parts: [{ name: "rows", bytes: 24, checksum: 0xdeadbeef }],
      facts: { plan: "x" },
    });
    expect(decodeCheckpoint(bytes, "ck").diagnostics).toEqual([]);
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, x) => {
        const changed = bytes.slice();
        changed[at] ^= x;
        for (const broken of [changed, bytes.subarray(0, at)]) {
          const { value, diagnostics } = decodeCheckpoint(broken, "ck");
          expect(value).toBe(undefined);
          expect(diagnostics).toHaveLength(1);
          expect(diagnostics[0].code).toMatch(/^checkpoint-(torn|version)$/);
          expect(diagnostics[0].place).toEqual({ file: "ck" });
        }
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it("[CK5] is taken at the first point at or behind multiples of the rhythm, whatever the chunks", async () => {
    for (const chunk of [1, 3, 7, 1000]) {
      const { states } = await run(pair(), 25, { every: 0.25, chunk });
      // Due every 2.5 ticks.
      expect(states.map(({ steps }) => steps)).toEqual([0, 3, 5, 8, 10, 13, 15, 18, 20, 23]);
    }
  });

  it("[CK5] is due when wall time is over, and not before", () => {
    let now = 100;
    const rhythm = new CheckpointRhythm({ wall: 60 }, 0, () => now);
    expect(rhythm.nextTime).toBe(Number.POSITIVE_INFINITY);
    now = 159;
    expect(rhythm.isDue(1e6)).toBe(false);
    now = 160;
    expect(rhythm.isDue(1e6)).toBe(true);
    rhythm.taken(1e6);
    expect(rhythm.isDue(2e6)).toBe(false);
  });

  it("[CK5] is taken where a run is cancelled", async () => {
    const { make, connections } = pair();
    const units = make();
    const scenario = scenarioOf(
      { a: units["a"].description, b: units["b"].description },
      connections,
      { step: 0.1 },
    );
    const { plan } = unwrap(compilePlan(scenario, { record: [] }));
    const states: RunState[] = [];
    await runPlan(plan, scenario, Object.values(units), {
      stop: 10,
      chunk: 4,
      onRow: () => undefined,
      shouldStop: (_, steps) => steps >= 8,
      checkpoint: {
        nextTime: Number.POSITIVE_INFINITY,
        isDue: () => false,
        store: (state) => states.push(state),
      },
    });
    expect(states.map(({ steps }) => steps)).toEqual([0, 8]);
  });

  it("[CK10] of another plan is refused", async () => {
    const { states } = await run(pair(), 3, { every: 0.1 });
    await expect(
      run(pair({ approximation: "linear" }), 3, { resume: states[1] }),
    ).rejects.toMatchObject({ diagnostics: [{ code: "checkpoint-other-plan" }] });
  });
});

describe("a unit that cannot save its state", () => {
  const logs = new Map<string, Uint8Array[]>();
  /** Keeps what units log, as a host does, and gives it to their successors. */
  const logging = (unit: Unit): LoggedUnit => {
    const parts = logs.get(unit.name) ?? [];
    const stored = new Uint8Array(parts.flatMap((part) => [...part]));
    return new LoggedUnit(unit, stored);
  };

  it.each([
    ["jacobi", "linear"],
    ["gauss-seidel", "quadratic"],
    ["jacobi", "hold"],
  ] as const)(
    "[CK7] is brought back by repeating what %s with %s inputs did to it",
    async (master, approximation) => {
      logs.clear();
      const one = pair({ master, approximation, steps: { b: 0.2 } });
      const plain = await run(one, 17);
      const logged: LoggedUnit[] = [];
      const whole = await run(one, 17, {
        every: 0.3,
        wrap: (unit) => {
          const made = logging(unit);
          logged.push(made);
          return made;
        },
      });
      for (const unit of logged) logs.set(unit.name, [unit.takeLog()]);
      expect(whole.rows).toEqual(plain.rows);
      expect(whole.states.length).toBeGreaterThan(4);
      for (const state of whole.states) {
        expect(state.units.map(({ kind }) => kind)).toEqual(["replay", "replay"]);
        const rest = await run(one, 17, { wrap: logging, resume: carried(state) });
        expect(rest.rows).toEqual(whole.rows.slice(state.steps + 1));
      }
    },
  );

  it("[CK7] and does not repeat itself is named", async () => {
    logs.clear();
    let drift = 0;
    const one: Case = {
      make: () => ({
        a: mass("a"),
        b: functionUnit(
          {
            name: "moody",
            inputs: { x: {} },
            outputs: { F: { feedThrough: ["x"] } },
            evaluate: (t, u, _p, y) => {
              y[0] = u[0] + (t > 0.6 ? drift : 0);
            },
          },
          "b",
        ),
      }),
      connections: PAIR,
    };
    const logged: LoggedUnit[] = [];
    const wrap = (unit: Unit): Unit => {
      if (unit.name !== "b") return unit;
      logged.push(logging(unit));
      return logged.at(-1)!;
    };
    const { states } = await run(one, 9, { every: 0.1, wrap });
    logs.set("b", [logged[0].takeLog()]);
    drift = 1e-12;
    await run(one, 9, { wrap, resume: carried(states[2]) });
    const attempt = run(one, 9, { wrap, resume: carried(states[6]) });
    await expect(attempt).rejects.toThrow(DiagnosticsError);
    await expect(attempt).rejects.toThrow(/'b' cannot be brought back/);
  });

  it("[CK6] has nothing in its log of what was rolled back", () => {
    const straight = new LoggedUnit(mass("m"));
    const wavering = new LoggedUnit(mass("m"));
    const banks = { f64: new Float64Array(1), i64: new BigInt64Array(0), obj: [] };
    for (const unit of [straight, wavering]) {
      unit.enterInitialization({ start: 0 });
      unit.exitInitialization();
      const access = unit.bind([{ port: 0, slot: 0 }]);
      for (let i = 0; i < 20; i++) {
        const snapshot = unit.save();
        for (let attempt = unit === wavering ? 3 : 0; attempt >= 0; attempt--) {
          // The same input twice in a row now and then: it is logged as such.
          banks.f64[0] = attempt === 0 ? Math.floor(i / 3) : attempt * 100;
          unit.write(access, banks);
          unit.setInputDerivatives([0], [1], Float64Array.of(attempt));
          unit.advance(i, { kind: "time", time: i + (attempt === 0 ? 1 : 0.3) });
          if (attempt > 0) unit.restore(snapshot);
        }
        unit.release(snapshot);
      }
    }
    expect(wavering.shown()).toEqual(straight.shown());
    for (const unit of [straight, wavering]) {
      const length = unit.logLength;
      const successor = new LoggedUnit(mass("m"), unit.takeLog());
      successor.enterInitialization({ start: 0 });
      successor.exitInitialization();
      successor.replay(length, straight.shown());
      expect(successor.shown()).toEqual(straight.shown());
    }
    // A full write and step need at most: write 13, slopes 25, advance 17 bytes, once more the list
    // of ports.
    expect(wavering.logLength).toBeLessThanOrEqual(20 * (13 + 25 + 17) + 13);
    expect(straight.logLength).toBeLessThan(wavering.logLength + 1);
  });
});

function banksArbitrary() {
  return fc.record({
    f64: fc.float64Array(),
    i64: fc.bigInt64Array(),
    obj: fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array())),
  });
}
