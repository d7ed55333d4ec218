/**
 * What an iterating master does where it cannot iterate, and with options that it does not
 * understand.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { compilePlan } from "../../plan/compile.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES } from "../testing/coupled-masses.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { linkedMasses, rigidLink } from "../testing/linked-masses.ts";
import { runUnits } from "../testing/run-units.ts";
import { toggleUnit } from "../testing/toggle-unit.ts";

function stuckMasses(): { left: Unit; right: Unit } {
  const { left, right } = coupledMasses();
  return { left, right: limitedUnit(right, { rollback: false }) };
}

function diagnosticsOf(
  units: Readonly<Record<string, Unit>>,
  wires: string,
  master: string,
  options: Readonly<Record<string, unknown>> = {},
  extras: Parameters<typeof scenarioOf>[2] = {},
): readonly Diagnostic[] {
  const described = Object.fromEntries(
    Object.entries(units).map(([name, unit]) => [name, unit.description]),
  );
  const scenario = scenarioOf(described, wires, { ...extras, step: 0.1, master, options });
  return compilePlan(scenario, { record: [] }).diagnostics;
}

/** x' = -x + u, y = x. */
function lag(name: string, start: number): Unit {
  return linearUnit(
    { name, inputs: { u: {} }, states: { x: { start } }, a: [[-1]], b: [[1]] },
    name,
  );
}

describe("a loop whose units cannot go back", () => {
  it("[IT9] is refused before the run, with the unit, the cost and the way out", () => {
    const [refusal] = diagnosticsOf(stuckMasses(), MASSES_WIRES, "iterative");
    expect(refusal).toMatchObject({ code: "loop-without-rollback", severity: "error" });
    expect(refusal.message).toContain("'right' cannot save and restore the state");
    expect(refusal.message).toContain("'left', 'right'");
    expect(refusal.fix).toContain("fallback: explicit");
  });

  it("[IT10] is exchanged in sequence where the author accepts that, and a warning says so", async () => {
    const fallback = { fallback: "explicit", approximation: "linear" };
    const [warning, ...more] = diagnosticsOf(stuckMasses(), MASSES_WIRES, "iterative", fallback);
    expect(warning).toMatchObject({ code: "loop-explicit", severity: "warning" });
    expect(more).toEqual([]);
    const run = (units: Record<string, Unit>, master: string, options: object) =>
      runUnits(units, MASSES_WIRES, MASSES_STATES, {
        step: 0.1,
        stop: 10,
        master,
        options: { ...options },
      });
    const explicit = await run({ ...coupledMasses() }, "gauss-seidel", { approximation: "linear" });
    const accepted = await run({ ...stuckMasses() }, "iterative", fallback);
    expect(accepted.outcome.kind).toBe("completed");
    for (const name of MASSES_STATES)
      accepted.values[name].forEach((value, n) => {
        expect(value).toBeCloseTo(explicit.values[name][n], 12);
      });
  });

  it("[IT10] is refused all the same where a constraint needs it", () => {
    const { one, three } = linkedMasses(1);
    const units = { one, three: limitedUnit(three, { rollback: false }) };
    const extras = { extras: { constraints: [rigidLink(units, true)] } };
    const found = diagnosticsOf(units, "", "iterative", { fallback: "explicit" }, extras);
    expect(found.map(({ code }) => code)).toEqual(["loop-without-rollback"]);
  });

  it("[IT11] is the only thing that needs rollback: units in sequence are advanced once", async () => {
    const ahead = limitedUnit(lag("ahead", 1), { rollback: false });
    const units = { ahead, behind: limitedUnit(lag("behind", 0), { rollback: false }) };
    const { outcome, values } = await runUnits(units, "ahead.x -> behind.u", ["behind.x"], {
      step: 0.01,
      stop: 2,
      master: "iterative",
    });
    expect(outcome.kind).toBe("completed");
    // x1 = e^-t drives x2' = -x2 + x1, whose solution is t e^-t; the input is linear within a step.
    expect(values["behind.x"].at(-1)).toBeCloseTo(2 * Math.exp(-2), 5);
    expect(Math.max(...values["master.iterations"])).toBe(0);
  });

  it("[IT14] a constraint is refused by masters that do not iterate", () => {
    const units = linkedMasses(1);
    const extras = { extras: { constraints: [rigidLink(units, true)] } };
    const [found] = diagnosticsOf({ ...units }, "", "jacobi", {}, extras);
    expect(found).toMatchObject({ code: "constraint-needs-iteration", severity: "error" });
    expect(found.fix).toContain("master: iterative");
  });
});

describe("loops of signals that are not continuous", () => {
  const whole = (name: string): Unit =>
    functionUnit({
      name,
      inputs: { u: { type: "int32", variability: "discrete" } },
      outputs: { y: { type: "int32" } },
      evaluate: (_t, [u = 0], _p, y) => {
        y[0] = Math.floor(u / 2);
      },
    });

  it.each(["iterative", "adaptive"])("[IT19] are not iterated by %s, which says so", (master) => {
    const units = { a: whole("a"), b: whole("b") };
    const [found, ...rest] = diagnosticsOf(units, "a.y -> b.u; b.y -> a.u", master, {});
    expect(found).toMatchObject({ code: "loop-delayed", severity: "warning" });
    expect(found.message).toContain("b.y → a.u");
    expect(rest).toEqual([]);
  });

  it("[IT19] are left to event mode where units have it", () => {
    const units = { a: toggleUnit("a", 0.5, 0), b: toggleUnit("b", 1, 0) };
    expect(diagnosticsOf(units, "a.y -> b.u; b.y -> a.u", "iterative", {})).toEqual([]);
  });
});

describe("options of a master", () => {
  const options = (given: Readonly<Record<string, unknown>>, master = "iterative") =>
    diagnosticsOf({ ...coupledMasses() }, MASSES_WIRES, master, given);

  it.each([
    [{ methd: "newton" }, "master-option-unknown", "did you mean 'method'?"],
    [{ method: "newtn" }, "master-option-invalid", "did you mean 'newton'?"],
    [{ tolerance: -1 }, "master-option-invalid", "a number greater than 0"],
    [{ maxIterations: 2.5 }, "master-option-invalid", "a whole number, at least 1"],
    [{ waveform: 0 }, "master-option-invalid", "a whole number, at least 1 and at most 1000"],
    [
      { waveform: 1_000_000 },
      "master-option-invalid",
      "a whole number, at least 1 and at most 1000",
    ],
    [{ eventMode: "yes" }, "master-option-invalid", "true or false"],
    [{ estimator: "milne" }, "master-option-unknown", "remove it"],
  ])("[IT15] that it does not have, or that do not fit, are errors: %j", (given, code, fix) => {
    expect(options(given)).toMatchObject([{ code, fix, severity: "error" }]);
  });

  it("[IT15] contradict each other where the shortest step is longer than the longest", () => {
    expect(options({ minStep: 1, maxStep: 0.1 }, "adaptive")).toMatchObject([
      { code: "master-option-invalid", fix: "a number that is not above 'maxStep: 0.1'" },
    ]);
    // Steps that are all shorter than the least one by default are not a contradiction.
    expect(options({ maxStep: 1e-20 }, "adaptive")).toEqual([]);
  });

  it("[IT15] stay out of the way where another master is tried from outside", () => {
    const described = Object.fromEntries(
      Object.entries(coupledMasses()).map(([name, unit]) => [name, unit.description]),
    );
    const scenario = scenarioOf(described, MASSES_WIRES, {
      step: 0.1,
      master: "adaptive",
      options: { estimator: "milne", maxStep: 1 },
    });
    const tried = compilePlan(scenario, { record: [], master: "iterative" });
    expect(tried.diagnostics).toEqual([]);
    expect(tried.value?.plan.master).toBe("iterative");
  });

  it("[IT15] belong to the master: those of step control are adaptive's", () => {
    expect(options({ estimator: "milne", coupling: "iterative" }, "adaptive")).toEqual([]);
  });
});
