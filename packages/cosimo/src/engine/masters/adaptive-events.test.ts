/**
 * Step control at declared events where a continuous signal jumps: every estimator, every coupling,
 * every tolerance, and units with and without event mode.
 */
import { describe, expect, it } from "vitest";
import { explainOutcome } from "../../base/outcome.ts";
import type { NO_DECLARATIONS } from "../../model/scenario.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { relayUnit } from "../testing/relay-unit.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";
import {
  ALPHA,
  crossing,
  FIRST_OFF,
  heatController,
  heatedRoom,
  THERMOSTAT_WIRES,
} from "../testing/thermostat.ts";

const TOLERANCES = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
const ESTIMATORS = {
  jacobi: ["milne", "richardson", "multi-order", "energy"],
  "gauss-seidel": ["milne", "richardson", "multi-order", "energy"],
  iterative: ["milne", "richardson", "multi-order", "energy", "iteration"],
};
const EVENTS = [crossing([0, 1], 21, "rising"), crossing([0, 1], 19, "falling")];
const STOP = 2.5;
const SECOND_ON = FIRST_OFF + Math.log(21 / 19) / ALPHA;

/** The temperature, solved by hand. */
function temperature(t: number): number {
  if (t < FIRST_OFF) return 30 - 10 * Math.exp(-ALPHA * t);
  if (t < SECOND_ON) return 21 * Math.exp(-ALPHA * (t - FIRST_OFF));
  return 30 - 11 * Math.exp(-ALPHA * (t - SECOND_ON));
}

const CONTROLLERS: Readonly<Record<string, () => Unit>> = {
  "a continuous output, no event mode": () => heatController("continuous"),
  "a discrete output, no event mode": () => heatController("discrete"),
  "a continuous output, event mode": () => relayUnit("controller", { low: 19, high: 21, hot: 30 }),
};

function runThermostat(
  controller: Unit,
  options: Readonly<Record<string, unknown>>,
  extras: Partial<typeof NO_DECLARATIONS>,
): Promise<CoupledRun> {
  return runUnits(
    { room: heatedRoom(), controller },
    THERMOSTAT_WIRES,
    ["room.x", "controller.q"],
    {
      master: "adaptive",
      options,
      step: 0.01,
      stop: STOP,
      extras,
    },
  );
}

function switchesOf({ time, values }: CoupledRun): number[] {
  const q = values["controller.q"];
  return time.filter((_, row) => row > 0 && q[row] !== q[row - 1]);
}

/** x' = gain u. */
function integrator(gain = 1): Unit {
  return linearUnit({
    name: "sum",
    inputs: { u: {} },
    states: { x: {} },
    a: [[0]],
    b: [[gain]],
  });
}

describe("declared events at which a signal jumps", () => {
  const bond = { name: "heat", effort: 1, flow: 0, preserve: "nothing", place: { file: "test" } };
  const cases = Object.keys(CONTROLLERS).flatMap((kind) =>
    Object.entries(ESTIMATORS).flatMap(([coupling, estimators]) =>
      estimators.map((estimator) => [kind, coupling, estimator] as const),
    ),
  );

  it.each(cases)(
    "[AD18] are passed at every tolerance, and the answer is right: %s (%s, %s)",
    async (kind, coupling, estimator) => {
      for (const tolerance of TOLERANCES) {
        const options = { coupling, estimator, relative: tolerance, absolute: tolerance };
        const bonds = estimator === "energy" ? [{ ...bond, preserve: "nothing" as const }] : [];
        const run = await runThermostat(CONTROLLERS[kind](), options, { events: EVENTS, bonds });
        expect(run.outcome).toMatchObject({ kind: "completed", time: STOP });
        const [off = 0, on = 0, ...others] = switchesOf(run);
        expect(others).toEqual([]);
        // A degree per second or two: times are as exact as temperatures are.
        expect(Math.abs(off - FIRST_OFF)).toBeLessThan(tolerance * 21);
        expect(Math.abs(on - SECOND_ON)).toBeLessThan(tolerance * 21);
        const wrong = run.time.map((t, row) => run.values["room.x"][row] - temperature(t));
        for (const error of wrong) expect(Math.abs(error)).toBeLessThan(tolerance * 21);
      }
    },
    120_000,
  );

  it("[AD18] restart what estimates know: no step after one is judged by what was before", async () => {
    const run = await runThermostat(
      heatController("continuous"),
      { coupling: "iterative", relative: 1e-6, absolute: 1e-6 },
      { events: EVENTS },
    );
    const [off = 0] = switchesOf(run);
    const behind = run.time.findIndex((t) => t > off + 1e-9);
    // Differences across the jump of 30 would be ten thousand times the tolerance.
    expect(run.values["master.error"][behind]).toBeLessThanOrEqual(1);
    expect(run.time[behind] - off).toBeGreaterThan(1e-6);
  });
});

describe("a jump at a requested point", () => {
  const POINT = 0.75;
  const couplings = Object.keys(ESTIMATORS);
  const jumps = {
    "at the point": (t: number) => (t < POINT ? 0 : 1),
    "right after the point": (t: number) => (t <= POINT ? 0 : 1),
  };
  const cases = Object.entries(jumps).flatMap(([where, y]) =>
    couplings.flatMap((coupling) =>
      [1e-4, 1e-6, 1e-8].map((tolerance) => ({ where, y, coupling, tolerance })),
    ),
  );

  it.each(cases)(
    "[AD24] takes no more steps than one that is not declared: $where ($coupling, $tolerance)",
    async ({ y, coupling, tolerance }) => {
      const steps = async (extras: Partial<typeof NO_DECLARATIONS>): Promise<number> => {
        const source = functionUnit({
          name: "source",
          outputs: { y: {} },
          evaluate: (t, _u, _p, out) => {
            out[0] = y(t);
          },
        });
        const options = { coupling, relative: tolerance, absolute: tolerance };
        const run = await runUnits({ source, sum: integrator() }, "source.y -> sum.u", ["sum.x"], {
          master: "adaptive",
          options,
          step: 0.1,
          stop: 2,
          extras,
        });
        expect(run.outcome).toMatchObject({ kind: "completed", time: 2 });
        expect(Math.abs(run.values["sum.x"].at(-1)! - (2 - POINT))).toBeLessThan(3 * tolerance);
        const { steps: accepted, rejections } = run.summary!;
        const rejected = rejections.filter(({ reason }) => reason === "error");
        return accepted + rejected.reduce((sum, { count }) => sum + count, 0);
      };
      const limits = [{ kind: "at" as const, times: [POINT] }];
      const events = [crossing([0, 0], 0.5, "rising")];
      const undeclared = await steps({});
      expect(await steps({ limits })).toBeLessThan(undeclared);
      expect(await steps({ limits, events })).toBeLessThan(undeclared);
      expect(await steps({ limits, events })).toBeLessThanOrEqual(await steps({ events }));
    },
  );
});

describe("the shortest step", () => {
  it("[AD21] follows the resolution of time: a run in nanoseconds is the same as one in seconds", async () => {
    const runs: CoupledRun[] = [];
    for (const scale of [1, 2 ** -30]) {
      const jump = functionUnit({
        name: "source",
        outputs: { y: {} },
        evaluate: (t, _u, _p, out) => {
          out[0] = t < scale / 3 ? 0 : 1;
        },
      });
      const sum = integrator(1 / scale);
      const run = await runUnits({ source: jump, sum }, "source.y -> sum.u", ["sum.x"], {
        master: "adaptive",
        options: { relative: 1e-6, absolute: 1e-6 },
        step: 0.1 * scale,
        stop: scale,
        extras: { limits: [{ kind: "at", times: [0.7 * scale] }] },
      });
      expect(run.outcome.kind).toBe("completed");
      runs.push({ ...run, time: run.time.map((t) => t / scale) });
    }
    expect(runs[1].time).toEqual(runs[0].time);
    expect(runs[1].values["sum.x"]).toEqual(runs[0].values["sum.x"]);
  });
});

describe("advice where no step is short enough", () => {
  it("[AD19] is not to declare what is declared", async () => {
    // The jump comes 1e-4 s before the level is reached, which no step may be as short as.
    const units = (): Record<string, Unit> => ({
      clock: functionUnit({
        name: "clock",
        outputs: { t: {}, y: {} },
        evaluate: (t, _u, _p, out) => {
          out[0] = t;
          out[1] = t < 1 - 1e-4 ? 0 : 1;
        },
      }),
      sum: integrator(),
    });
    const stalled = async (level: number): Promise<string> => {
      const { outcome } = await runUnits(units(), "clock.y -> sum.u", ["sum.x"], {
        master: "adaptive",
        options: { relative: 1e-6, absolute: 1e-6, minStep: 1e-3 },
        step: 0.01,
        stop: 2,
        extras: { events: [crossing([0, 0], level, "rising")] },
      });
      expect(outcome.kind).toBe("stalled");
      return explainOutcome(outcome);
    };
    expect(await stalled(1)).toMatch(/the event 'signal 0\.0 crosses 1 \(rising\)' is declared/);
    expect(await stalled(1)).not.toMatch(/or declare the event/);
    // Another event, elsewhere, explains nothing.
    expect(await stalled(1.9)).toMatch(/or declare the event that happens there/);
  });
});

describe("an estimate that compares two results of a step", () => {
  it("[AD20] takes their rounding, and what iterations leave, for no error", async () => {
    // With a held input the order is 1, and a step may add tolerance² = 1e-18 times 20: far below a
    // rounding of 20.
    for (const coupling of ["jacobi", "gauss-seidel", "iterative"]) {
      const run = await runThermostat(
        heatController("discrete"),
        { coupling, estimator: "richardson", relative: 1e-9, absolute: 1e-9 },
        { events: EVENTS },
      );
      expect(run.outcome).toMatchObject({ kind: "completed", time: STOP });
      expect(run.time.length).toBeLessThan(1000);
    }
  });
});
