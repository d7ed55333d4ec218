/**
 * Runs of masters that decide at run time, interrupted anywhere: what goes on is the run that was
 * not interrupted, bit for bit.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import { automatonOf } from "../../model/testing/automaton.ts";
import { compilePlan } from "../../plan/compile.ts";
import { type ScenarioOptions, scenarioOf } from "../../plan/testing/scenario-of.ts";
import { odeUnit } from "../../unit/ode-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import type { RunState } from "../checkpoint.ts";
import { runPlan } from "../run-plan.ts";
import { coupledMasses, MASSES_WIRES } from "../testing/coupled-masses.ts";
import { linkedMasses, rigidLink } from "../testing/linked-masses.ts";
import { STEPPED_WIRES, steppedMasses } from "../testing/stepped-masses.ts";

interface Case {
  readonly make: () => Readonly<Record<string, Unit>>;
  readonly wires: string;
  readonly options: (units: Readonly<Record<string, Unit>>) => ScenarioOptions;
}

const STOP = 3;

/** Bits of every row, and the state after every step. */
async function run(
  { make, wires, options }: Case,
  resume?: RunState,
): Promise<{ rows: string[]; states: RunState[]; outcome: Outcome }> {
  const units = make();
  const descriptions = Object.fromEntries(
    Object.entries(units).map(([name, unit]) => [name, unit.description]),
  );
  const scenario = scenarioOf(descriptions, wires, { step: 0.1, ...options(units) });
  const record = scenario.units.flatMap(({ description }, unit) =>
    description.ports
      .filter(({ direction, type }) => direction === "output" && type === "float64")
      .map(({ index }) => ({ unit, port: index, element: 0 })),
  );
  const { plan } = unwrap(compilePlan(scenario, { record }));
  const rows: string[] = [];
  const states: RunState[] = [];
  const outcome = await runPlan(plan, scenario, Object.values(units), {
    stop: STOP,
    onRow: (time, { f64 }) => {
      const values = [time, ...plan.record.columns.map(({ slot }) => f64[slot])];
      rows.push(new BigUint64Array(Float64Array.from(values).buffer).join(" "));
    },
    checkpoint: { nextTime: 0, isDue: () => true, store: (state) => states.push(state) },
    ...(resume === undefined ? {} : { resume }),
  });
  return { rows, states, outcome };
}

/** x' = v, v' = sin t - x + u: something that is not linear in time. */
const driven = (name: string): Unit =>
  odeUnit(
    {
      name,
      inputs: { u: {} },
      states: { x: { start: 1 }, v: {} },
      derivatives: (t, x, u, _p, dx) => {
        dx[0] = x[1];
        dx[1] = Math.sin(3 * t) - x[0] ** 3 + u[0];
      },
    },
    name,
  );

const masses = (options: ScenarioOptions): Case => ({
  make: () => ({ ...coupledMasses() }),
  wires: MASSES_WIRES,
  options: () => options,
});

const pair = (options: ScenarioOptions): Case => ({
  make: () => ({ a: driven("a"), b: driven("b") }),
  wires: "a.x -> b.u; b.x -> a.u",
  options: () => options,
});

const crossing = (
  units: Readonly<Record<string, Unit>>,
): NonNullable<ScenarioOptions["extras"]> => ({
  events: [
    {
      signal: {
        unit: 0,
        port: units["a"].description.ports.findIndex(({ name }) => name === "x"),
        element: 0,
      },
      level: 0.5,
      direction: "any",
      text: "a.x crosses 0.5",
      place: { file: "test" },
    },
  ],
});

/** Nothing but quick and careful in turn. */
const EVERY_OTHER = {
  policies: ["quick", "careful"],
  automaton: automatonOf(2, "0 a 1, 1 b 0"),
  start: 1,
};

const CASES: readonly (readonly [string, Case])[] = [
  ["sweeps", masses({ master: "iterative" })],
  ["newton", pair({ master: "iterative", options: { method: "newton", jacobian: "differences" } })],
  ["quadratic inputs", pair({ master: "iterative", options: { approximation: "quadratic" } })],
  ["a waveform", masses({ master: "iterative", options: { waveform: 3 } })],
  ["step control of iterated steps", pair({ master: "adaptive" })],
  [
    "step control by half steps",
    pair({ master: "adaptive", options: { coupling: "jacobi", estimator: "richardson" } }),
  ],
  [
    "crossings under step control",
    {
      ...pair({}),
      options: (units) => ({ master: "adaptive", extras: crossing(units) }),
    },
  ],
  [
    "crossings between fixed steps",
    {
      ...pair({}),
      options: (units) => ({
        master: "gauss-seidel",
        options: { approximation: "linear" },
        extras: crossing(units),
      }),
    },
  ],
  [
    "policies within a guard [GU7]",
    {
      make: () => ({ ...steppedMasses() }),
      wires: STEPPED_WIRES,
      options: () => ({
        master: "adaptive",
        options: {
          coupling: "jacobi",
          absolute: 1,
          policies: {
            quick: { set: { "left.substeps": 1, "right.substeps": 1 } },
            careful: { set: { "left.substeps": 10, "right.substeps": 10 }, step: 0.07 },
          },
          guard: EVERY_OTHER,
        },
      }),
    },
  ],
  [
    "a constraint",
    {
      make: () => ({ ...linkedMasses(1.1) }),
      wires: "",
      options: (units) => ({
        master: "iterative",
        extras: { constraints: [rigidLink(units as { one: Unit; three: Unit }, true)] },
      }),
    },
  ],
];

describe("a run that goes on from a checkpoint", () => {
  it.each(CASES)("[IT17] is the run that was not interrupted, bit for bit: %s", async (_, test) => {
    const whole = await run(test);
    expect(whole.outcome.kind).toBe("completed");
    expect(whole.states.length).toBeGreaterThan(10);
    for (const at of [0, 1, 2, 7, Math.floor(whole.states.length / 2), whole.states.length - 2]) {
      const state = whole.states[at];
      const rest = await run(test, state);
      expect(rest.outcome).toEqual(whole.outcome);
      expect(rest.rows.length).toBeGreaterThan(0);
      expect(rest.rows).toEqual(whole.rows.slice(-rest.rows.length));
      const first = new Float64Array(
        BigUint64Array.of(BigInt(rest.rows[0].split(" ")[0])).buffer,
      )[0];
      expect(first).toBeGreaterThanOrEqual(state.time);
    }
  });
});
