/**
 * What step control does besides choosing sizes: estimates that mean what they say, points, limits,
 * jumps, the end of what steps can do.
 */
import { describe, expect, it } from "vitest";
import { type Diagnostic, unwrap } from "../../base/diagnostic.ts";
import { explainOutcome } from "../../base/outcome.ts";
import type { StepLimit } from "../../model/scenario.ts";
import { compilePlan } from "../../plan/compile.ts";
import { REJECTION_REASONS } from "../../plan/statistics.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { enterInitialization, exitInitialization, resolveInitial } from "../initialize-plan.ts";
import { Interpreter } from "../interpreter.ts";
import { bindPlan } from "../signals.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES } from "../testing/coupled-masses.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";
import { toggleUnit } from "../testing/toggle-unit.ts";
import { AdaptiveControl } from "./adaptive-control.ts";
import { Coupling } from "./coupling.ts";
import { ExplicitStep } from "./explicit-step.ts";
import { MasterStatistics } from "./master-statistics.ts";

const TOLERANCE = 1e-3;
const TOLERANCES = { relative: TOLERANCE, absolute: TOLERANCE };

/** y(t), whatever happens. */
function source(y: (t: number) => number): Unit {
  return functionUnit({
    name: "source",
    outputs: { y: {} },
    evaluate: (t, _u, _p, out) => {
      out[0] = y(t);
    },
  });
}

/** x' = u. */
function integrator(name = "sum"): Unit {
  return linearUnit({ name, inputs: { u: {} }, states: { x: {} }, a: [[0]], b: [[1]] }, name);
}

/** A source into an integrator; with a second one, what the first gives is exchanged too. */
function integrate(
  y: (t: number) => number,
  options: Readonly<Record<string, unknown>>,
  more: {
    readonly limits?: readonly StepLimit[];
    readonly step?: number;
    readonly stop?: number;
  } = {},
): Promise<CoupledRun> {
  const units = { source: source(y), sum: integrator(), second: integrator("second") };
  return runUnits(
    units,
    "source.y -> sum.u; sum.x -> second.u",
    ["source.y", "sum.x", "second.x"],
    {
      step: more.step ?? 0.1,
      stop: more.stop ?? 2,
      master: "adaptive",
      options: { ...TOLERANCES, ...options },
      extras: { limits: more.limits ?? [] },
    },
  );
}

describe("an error estimate", () => {
  const parabola = (t: number): number => t * t;

  it("[AD4] of predictions is the mean distance between an extrapolated trajectory and the signal", async () => {
    const { time, values } = await integrate(parabola, { coupling: "jacobi" });
    expect(time.length).toBeGreaterThan(10);
    for (let row = 3; row < time.length; row++) {
      if (values["master.reason"][row] !== 0) continue;
      const h = time[row] - time[row - 1];
      const before = time[row - 1] - time[row - 2];
      // t² less the line through the samples at t and t - before: s (s + before), and its mean over
      // s in 0…h.
      const mean = (h * h) / 3 + (before * h) / 2;
      const allowed = TOLERANCE * (1 + time[row] ** 2);
      expect(values["master.error.source"][row] * allowed).toBeCloseTo(mean, 10);
    }
  });

  it("[AD4] of predictions is the mean distance between an interpolated trajectory and the signal", async () => {
    const { time, values } = await integrate(parabola, { coupling: "iterative" });
    for (let row = 3; row < time.length; row++) {
      const h = time[row] - time[row - 1];
      const allowed = TOLERANCE * (1 + time[row] ** 2);
      // The chord of a parabola is s (h - s) away from it, h²/6 on average.
      expect(values["master.error.source"][row] * allowed).toBeCloseTo((h * h) / 6, 10);
    }
  });

  it.each(["jacobi", "iterative"])(
    "[AD4] of half steps is the error that a step adds, under %s",
    async (coupling) => {
      const { time, values } = await integrate(parabola, { coupling, estimator: "richardson" });
      const wrong = time.map((t, row) => values["sum.x"][row] - t ** 3 / 3);
      expect(time.length).toBeGreaterThan(6);
      for (let row = 2; row < time.length; row++) {
        // One step of a method of order 2 gets the part tolerance^(1/2) of the tolerance.
        const allowed = TOLERANCE ** 1.5 * (1 + values["sum.x"][row]);
        const estimate = values["master.error.sum"][row] * allowed;
        const added = Math.abs(wrong[row] - wrong[row - 1]);
        expect(Math.abs(estimate - added)).toBeLessThan(0.02 * added);
      }
    },
  );

  it("[AD4] shows the largest share of each unit, and the largest of all as the error of the step", async () => {
    const { values, time } = await integrate(Math.sin, { coupling: "jacobi" }, { stop: 6 });
    for (let row = 1; row < time.length; row++) {
      const shares = ["source", "sum", "second"].map((unit) => values[`master.error.${unit}`][row]);
      expect(values["master.error"][row]).toBe(Math.max(...shares));
      expect(values["master.error"][row]).toBeLessThanOrEqual(1);
    }
    expect(values["master.error.second"].every((share) => share === 0)).toBe(true);
  });
});

describe("steps", () => {
  it("[AD5] count in the trace: accepted, rejected, and why", async () => {
    const { values, time } = await integrate((t) => Math.tanh(50 * (t - 1)), {});
    const { "master.accepted": accepted, "master.rejected": rejected } = values;
    expect(accepted.slice(1)).toEqual(time.slice(1).map((_, k) => k + 1));
    const error = REJECTION_REASONS.indexOf("error") + 1;
    for (let row = 1; row < time.length; row++) {
      const backs = rejected[row] - rejected[row - 1];
      expect(values["master.reason"][row]).toBe(backs > 0 ? error : 0);
      expect(values["master.step"][row]).toBeCloseTo(time[row] - time[row - 1], 12);
    }
    expect(rejected.at(-1)).toBeGreaterThan(0);
  });

  it("[AD5] are short where signals are fast and long where they are slow", async () => {
    const { values, time } = await integrate((t) => Math.tanh(50 * (t - 1)), {});
    const at = (wanted: number): number => {
      const row = time.findIndex((t) => t >= wanted);
      return values["master.step"][row];
    };
    expect(at(0.9)).toBeGreaterThan(5 * at(1.02));
    expect(at(1.9)).toBeGreaterThan(5 * at(1.02));
  });

  it("[AD6] end at requested points, to the last bit", async () => {
    const limits: StepLimit[] = [
      { kind: "every", every: 0.3, offset: 0.05 },
      { kind: "at", times: [0.7, 1.1] },
    ];
    const asked = [...[0, 1, 2, 3, 4, 5, 6].map((k) => 0.05 + k * 0.3), 0.7, 1.1].filter(
      (t) => t <= 2,
    );
    for (const master of ["adaptive", "iterative", "jacobi"]) {
      const units = { source: source(Math.sin), sum: integrator() };
      const options = master === "adaptive" ? TOLERANCES : {};
      const { time } = await runUnits(units, "source.y -> sum.u", ["sum.x"], {
        step: 0.4,
        stop: 2,
        master,
        options,
        extras: { limits },
      });
      for (const t of asked) expect(time).toContain(t);
      // The grid stays where it was.
      if (master !== "adaptive") for (let k = 1; k <= 5; k++) expect(time).toContain(k * 0.4);
    }
  });

  it("[AD6] that end at a point of the grid and at a requested one are one step, however the two round", async () => {
    const units = { source: source(Math.sin), sum: integrator() };
    const { time } = await runUnits(units, "source.y -> sum.u", ["sum.x"], {
      step: 0.1,
      stop: 3,
      master: "jacobi",
      extras: { limits: [{ kind: "every", every: 0.3, offset: 0 }] },
    });
    expect(time.length).toBe(31);
  });

  it("[AD6] are not longer than allowed, and the first one is as long as said", async () => {
    const { values } = await integrate(() => 1, { maxStep: 0.25, firstStep: 1e-3 });
    const sizes = values["master.step"].slice(1);
    expect(sizes[0]).toBe(1e-3);
    expect(Math.max(...sizes)).toBeGreaterThan(0.2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(0.25 * (1 + 1e-12));
  });

  it.each(["adaptive", "jacobi", "iterative"])(
    "[AD7] under %s do not let a signal change by more than its limit",
    async (master) => {
      const units = { source: source((t) => Math.tanh(20 * (t - 1))), sum: integrator() };
      const limit: StepLimit = {
        kind: "difference",
        signal: { unit: 0, port: 0, element: 0 },
        atMost: 0.1,
      };
      const { values, outcome } = await runUnits(units, "source.y -> sum.u", ["source.y"], {
        step: 0.2,
        stop: 2,
        master,
        // A tolerance that would let everything pass.
        options: master === "adaptive" ? { relative: 1, absolute: 100 } : {},
        extras: { limits: [limit] },
      });
      expect(outcome.kind).toBe("completed");
      const y = values["source.y"];
      if (master === "adaptive") {
        for (let row = 1; row < y.length; row++)
          expect(Math.abs(y[row] - y[row - 1])).toBeLessThanOrEqual(0.1);
        const reason = REJECTION_REASONS.indexOf("difference") + 1;
        expect(values["master.reason"]).toContain(reason);
      } else {
        // Rows are those of the grid: the steps between them show in their sizes. The signal
        // changes by 20 in a second.
        expect(Math.min(...values["master.step"].slice(1))).toBeLessThanOrEqual(0.1 / 20 + 0.2 / 8);
      }
    },
  );

  it.each(["iterative", "adaptive"])(
    "[AD7] under %s take no jump at an event for a change of the step after it",
    async (master) => {
      // y becomes what u is, t, at an event at the end of every step of 0.2, which is more than a
      // step may change it by.
      const units = {
        source: source(() => 1),
        sum: integrator(),
        latch: toggleUnit("latch", 1, 0),
      };
      const limit: StepLimit = {
        kind: "difference",
        signal: { unit: 2, port: 1, element: 0 },
        atMost: 0.1,
      };
      const { values, outcome } = await runUnits(
        units,
        "source.y -> sum.u; sum.x -> latch.u",
        ["latch.y"],
        {
          step: 0.2,
          stop: 1,
          master,
          options: master === "adaptive" ? { maxStep: 0.2 } : {},
          extras: { limits: [limit] },
        },
      );
      expect(outcome.kind).toBe("completed");
      const y = values["latch.y"];
      expect(Math.max(...y.slice(1).map((one, row) => one - y[row]))).toBeCloseTo(0.2, 9);
      expect(y.at(-1)).toBeCloseTo(1, 9);
    },
  );

  it.each(["jacobi", "adaptive"])(
    "[AD7] under %s end the run where a limited signal is NaN, and say so",
    async (master) => {
      const units = { source: source((t) => (t > 0.5 ? Number.NaN : t)), sum: integrator() };
      const limit: StepLimit = {
        kind: "difference",
        signal: { unit: 0, port: 0, element: 0 },
        atMost: 1,
      };
      const { outcome } = await runUnits(units, "source.y -> sum.u", ["source.y"], {
        step: 0.2,
        stop: 1,
        master,
        extras: { limits: [limit] },
      });
      expect(outcome.kind).toBe("stalled");
      expect(outcome.time).toBeCloseTo(0.5, 9);
      expect(explainOutcome(outcome)).toMatch(/which 'source' determines, is NaN after t=/);
    },
  );

  it("[AD8] get past an unannounced jump, with an error that the tolerance allows and with few steps", async () => {
    for (const tolerance of [1e-3, 1e-5, 1e-7]) {
      const options = { relative: tolerance, absolute: tolerance };
      const { outcome, values, time } = await integrate((t) => (t < 1 / 3 ? 0 : 1), options);
      expect(outcome.kind).toBe("completed");
      expect(Math.abs(values["sum.x"].at(-1)! - (2 - 1 / 3))).toBeLessThan(tolerance);
      const tried = time.length - 1 + values["master.rejected"].at(-1)!;
      expect(tried).toBeLessThan(60);
    }
  });

  it("[AD9] that would have to be shorter than allowed end the run, with the signal that asks for it", async () => {
    const { outcome, time } = await integrate((t) => (t < 1 / 3 ? 0 : 1), { minStep: 0.01 });
    expect(outcome).toMatchObject({
      kind: "stalled",
      unit: "source",
      asks: { signal: "sum.u", step: 0.01 },
    });
    expect(outcome.time).toBe(time.at(-1));
    expect(outcome.time).toBeLessThan(1 / 3);
    expect(explainOutcome(outcome)).toContain(
      "with steps of 0.01 s the error of 'sum.u', which 'source' determines",
    );
  });

  it("[AD9] that a limit wants shorter than allowed end the run, with its signal", async () => {
    const limits: StepLimit[] = [
      { kind: "difference", signal: { unit: 0, port: 0, element: 0 }, atMost: 0.5 },
    ];
    const jump = (t: number): number => (t < 1 / 3 ? 0 : 1);
    const loose = { relative: 1, absolute: 100 };
    const { outcome } = await integrate(jump, loose, { limits });
    expect(outcome).toMatchObject({
      kind: "stalled",
      asks: { signal: "source.y", reason: "difference" },
    });
    expect(outcome.time).toBeCloseTo(1 / 3, 9);
  });
});

describe("without a way back", () => {
  const stuck = (): { left: Unit; right: Unit } => {
    const { left, right } = coupledMasses();
    return { left, right: limitedUnit(right, { rollback: false }) };
  };

  function codes(
    options: Readonly<Record<string, unknown>>,
    limits: readonly StepLimit[] = [],
    units: Readonly<Record<string, Unit>> = stuck(),
  ): readonly Diagnostic[] {
    const described = Object.fromEntries(
      Object.entries(units).map(([name, unit]) => [name, unit.description]),
    );
    const scenario = scenarioOf(described, MASSES_WIRES, {
      step: 0.1,
      master: "adaptive",
      options: { coupling: "jacobi", ...options },
      extras: { limits },
    });
    return compilePlan(scenario, { record: [] }).diagnostics;
  }

  it("[AD10] rejection is refused before the run, with the unit", () => {
    const [found, ...others] = codes({ rejection: "pessimistic" });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "rejection-without-rollback", severity: "error" });
    expect(found.message).toContain("'right' cannot save and restore");
  });

  it.each(["richardson", "multi-order"])("[AD10] the %s estimator is refused", (estimator) => {
    expect(codes({ estimator })).toMatchObject([{ code: "estimator-without-rollback" }]);
  });

  it("[AD10] a limited difference is refused unless only the next step shall be shorter", () => {
    const limits: StepLimit[] = [
      { kind: "difference", signal: { unit: 0, port: 1, element: 0 }, atMost: 1 },
    ];
    expect(codes({}, limits)).toMatchObject([{ code: "limit-without-rollback" }]);
    expect(codes({ rejection: "optimistic" }, limits)).toEqual([]);
  });

  it("[AD10] an estimator that has nothing to go by is refused", () => {
    const able = { ...coupledMasses() };
    expect(codes({ estimator: "energy" }, [], able)).toMatchObject([{ code: "estimator-blind" }]);
    expect(codes({ estimator: "iteration" }, [], able)).toMatchObject([
      { code: "estimator-blind" },
    ]);
    const held = { estimator: "multi-order", approximation: "hold" };
    expect(codes(held, [], able)).toMatchObject([{ code: "estimator-blind" }]);
  });

  it("[AD3] a step that was too long stands, and the next one is shorter", async () => {
    const { values } = await runUnits(stuck(), MASSES_WIRES, MASSES_STATES, {
      step: 0.1,
      stop: 1,
      master: "adaptive",
      options: { coupling: "jacobi", ...TOLERANCES, firstStep: 0.1 },
    });
    expect(values["master.step"][1]).toBe(0.1);
    expect(values["master.error"][1]).toBeGreaterThan(1);
    expect(values["master.step"][2]).toBeLessThan(0.1);
    expect(values["master.rejected"].at(-1)).toBe(0);
  });
});

/** Two masses under step control that a test drives step by step. */
function driven(change: (unit: Unit) => Unit = (unit) => unit): {
  readonly coupling: Coupling;
  make(): AdaptiveControl;
  drive(control: AdaptiveControl, steps: number): number[];
} {
  const units = Object.values(coupledMasses()).map(change);
  const described = Object.fromEntries(units.map((unit) => [unit.name, unit.description]));
  const scenario = scenarioOf(described, MASSES_WIRES, {
    step: 0.1,
    master: "adaptive",
    options: { coupling: "jacobi", ...TOLERANCES },
  });
  const { plan } = unwrap(compilePlan(scenario, { record: [] }));
  const state = bindPlan(plan, units);
  const interpreter = new Interpreter(state);
  enterInitialization(units, scenario.units, { start: 0, stop: 10 });
  resolveInitial(state, interpreter);
  exitInitialization(state, interpreter);
  const coupling = new Coupling(state, interpreter);
  const method = new ExplicitStep(coupling);
  const { control } = coupling.plan.settings;
  coupling.sample();
  return {
    coupling,
    make: () => new AdaptiveControl(coupling, method, 10, control!, new MasterStatistics(coupling)),
    drive(by, steps) {
      const times: number[] = [];
      for (let k = 0; k < steps; k++) {
        const from = coupling.time;
        const start = coupling.keep();
        coupling.start = start;
        for (let taken = by.take(by.propose()); taken.kind === "rejected"; ) {
          coupling.goBack(start);
          taken = by.take(taken.to);
        }
        coupling.release(start);
        coupling.sample();
        by.accepted(from);
        times.push(coupling.time);
      }
      return times;
    },
  };
}

it("[AD11] what is saved of step control goes on as if nothing had happened", () => {
  const { coupling, make, drive } = driven();
  const control = make();
  // In the middle of the start as well as later.
  for (const steps of [2, 20]) {
    drive(control, steps);
    const saved = control.save();
    const here = coupling.keep();
    const expected = drive(control, 10);
    coupling.goBack(here);
    const resumed = make();
    resumed.restore(saved);
    expect(drive(resumed, 10)).toEqual(expected);
    coupling.goBack(here);
    control.restore(saved);
  }
});

it("[AD3] what cannot be rolled back starts with care, after a discontinuity too", () => {
  const { coupling, make, drive } = driven((unit) => limitedUnit(unit, { rollback: false }));
  const control = make();
  // The tolerance is 1e-3, the order 2, the step of the experiment 0.1.
  const careful = 0.1 * Math.sqrt(TOLERANCE);
  expect(drive(control, 1)[0]).toBeCloseTo(careful, 12);
  drive(control, 60);
  expect(control.propose() - coupling.time).toBeGreaterThan(2 * careful);
  coupling.forgetPast();
  control.restart();
  expect(control.propose() - coupling.time).toBeCloseTo(careful, 12);
});
