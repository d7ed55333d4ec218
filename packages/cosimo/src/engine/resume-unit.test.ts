/**
 * A unit that runs alone, interrupted after any step: what is continued is the run that was not
 * interrupted, bit for bit. And what executes the plan takes its steps where nothing happens
 * between them.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { Outcome } from "../base/outcome.ts";
import { compilePlan } from "../plan/compile.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Stop } from "../unit/predicate.ts";
import { type InputSignals, makeInputSignals } from "../unit/signal-source.ts";
import type { Unit } from "../unit/unit.ts";
import type { RunState } from "./checkpoint.ts";
import { LoggedUnit } from "./replay-log.ts";
import { type Executor, interpreterExecutor, type RunPlanOptions, runPlan } from "./run-plan.ts";
import type { PlanState } from "./signals.ts";

const STOP = 1.23;

/** x' = v, v' = sin 3t - x³ + u: nothing of it is linear. */
const driven = (): Unit =>
  odeUnit({
    name: "driven",
    inputs: { u: {} },
    states: { x: { start: 1 }, v: {} },
    derivatives: (t, x, u, _p, dx) => {
      dx[0] = x[1];
      dx[1] = Math.sin(3 * t) - x[0] ** 3 + u[0];
    },
  });

/** Refuses long steps that begin between 0.45 s and 0.7 s. */
class Reluctant extends DelegatingUnit {
  override advance(from: number, until: Parameters<Unit["advance"]>[1]): Stop {
    const to = until.kind === "time" ? until.time : from;
    if (from > 0.45 && from < 0.7 && to - from > 0.03)
      return { reason: "discarded", port: -1, time: from };
    return this.unit.advance(from, until);
  }
}

interface Run {
  readonly rows: string[];
  readonly states: RunState[];
  readonly outcome: Outcome;
}

type Signals = (unit: Unit) => InputSignals;

async function run(
  unit: Unit,
  signals: Signals | undefined,
  options: Partial<RunPlanOptions> = {},
): Promise<Run> {
  const scenario = scenarioOf({ unit: unit.description }, "", { step: 0.1 });
  const record = unit.description.ports.flatMap(({ index, direction }) =>
    direction === "output" ? [{ unit: 0, port: index, element: 0 }] : [],
  );
  const { plan } = unwrap(compilePlan(scenario, { record, isSingle: true }));
  const rows: string[] = [];
  const states: RunState[] = [];
  const outcome = await runPlan(plan, scenario, [unit], {
    stop: STOP,
    single: signals === undefined ? {} : { inputs: signals(unit) },
    onRow: (time, { f64 }) => {
      const values = [time, ...plan.record.columns.map(({ slot }) => f64[slot])];
      rows.push(new BigUint64Array(Float64Array.from(values).buffer).join(" "));
    },
    checkpoint: { nextTime: 0, isDue: () => true, store: (state) => states.push(state) },
    ...options,
  });
  return { rows, states, outcome };
}

/** A jump between two points of the grid, and one at a point. */
const jumps: Signals = (unit) => {
  const u = unit.description.ports.find(({ name }) => name === "u")!;
  const time = Float64Array.of(0, 0.25, 0.25, 0.7, 0.7, 2);
  const values = Float64Array.of(0, 1, -3, 2, 0, 1);
  return makeInputSignals([u], time, new Map([[u.index, [values]]]));
};

describe("a unit that runs alone, continued from a checkpoint", () => {
  it.each<[string, () => Unit, Signals | undefined]>([
    ["steps alone", driven, undefined],
    ["inputs with events", driven, jumps],
    ["refused steps", () => new Reluctant(driven()), undefined],
    ["refused steps and inputs", () => new Reluctant(driven()), jumps],
  ])("[CK1] [CK15] gives the rest of its rows: %s", async (_, make, signals) => {
    const whole = await run(make(), signals);
    expect(whole.outcome.kind).toBe("completed");
    expect(whole.states.length).toBeGreaterThan(10);
    for (const state of whole.states) {
      const rest = await run(make(), signals, { resume: state });
      const before = whole.rows.length - rest.rows.length;
      expect(rest.rows).toEqual(whole.rows.slice(before));
      expect(rest.outcome).toEqual(whole.outcome);
    }
  });

  it("[CK7] [CK15] is brought back by its log where it cannot save its state", async () => {
    const first = new LoggedUnit(driven());
    const whole = await run(first, jumps);
    const log = first.takeLog();
    const state = whole.states[7]!;
    const rest = await run(new LoggedUnit(driven(), log), jumps, { resume: state });
    expect(rest.rows.length).toBeGreaterThan(0);
    expect(rest.rows).toEqual(whole.rows.slice(-rest.rows.length));
  });
});

describe("what executes the plan of a unit that runs alone", () => {
  /** The interpreter under another name, so that it is given many ticks. */
  const counting =
    (runs: [number, number][]) =>
    (state: PlanState): Executor => {
      const inner = interpreterExecutor(state);
      return {
        name: "machine-code",
        preferredChunk: 5,
        run(first, count, ...rest) {
          runs.push([first, count]);
          inner.run(first, count, ...rest);
        },
        dispose: () => undefined,
      };
    };
  const quiet = { nextTime: Number.POSITIVE_INFINITY, isDue: () => false, store: () => undefined };

  it("[RU12] takes all whole steps; the shorter last one is not its own", async () => {
    const runs: [number, number][] = [];
    const options = { executor: counting(runs), checkpoint: quiet };
    const executed = await run(driven(), undefined, options);
    expect(runs).toEqual([
      [1, 5],
      [6, 5],
      [11, 2],
    ]);
    const { rows, outcome } = await run(driven(), undefined);
    expect(executed.rows).toEqual(rows);
    expect(executed.outcome).toEqual(outcome);
  });

  it("[RU6] [RU12] hands over where the unit refuses a step, and nothing changes", async () => {
    const runs: [number, number][] = [];
    const options = { executor: counting(runs), checkpoint: quiet };
    const executed = await run(new Reluctant(driven()), undefined, options);
    expect(runs).toEqual([
      [1, 5],
      [6, 5],
    ]);
    const { rows, outcome } = await run(new Reluctant(driven()), undefined);
    expect(executed.rows).toEqual(rows);
    expect(executed.outcome).toEqual(outcome);
    expect(rows.length).toBeGreaterThan(15);
  });

  it("[RU12] is not needed where inputs may have events", async () => {
    const runs: [number, number][] = [];
    await run(driven(), jumps, { executor: counting(runs) });
    expect(runs).toEqual([]);
  });

  it("[RU12] ends where the signals diverge, if that is wanted", async () => {
    const broken = (): Unit =>
      functionUnit({
        name: "broken",
        outputs: { y: { feedThrough: [] } },
        evaluate: (t, _u, _p, y) => {
          y[0] = t > 0.45 ? Number.NaN : t;
        },
      });
    const watched = await run(broken(), undefined, { stopOnDivergence: true });
    expect(watched.outcome).toMatchObject({ kind: "unstable" });
    expect(watched.outcome.time).toBeLessThan(1);
    expect((await run(broken(), undefined)).outcome.kind).toBe("completed");
  });
});
