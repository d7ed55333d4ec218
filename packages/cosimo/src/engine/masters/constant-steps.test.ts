/**
 * Units that take steps of one size only (canHandleVariableCommunicationStepSize is false) under masters that decide at run time:
 * refused where steps vary, never asked for another step otherwise.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { explainOutcome } from "../../base/outcome.ts";
import type { StepLimit } from "../../model/scenario.ts";
import { chooseMaster } from "../../plan/choose-master.ts";
import { compilePlan } from "../../plan/compile.ts";
import { type ScenarioOptions, scenarioOf } from "../../plan/testing/scenario-of.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES } from "../testing/coupled-masses.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { runUnits } from "../testing/run-units.ts";
import { crossing } from "../testing/thermostat.ts";

const STEP = 0.1;

/** Counts the sizes of steps that it is asked for. */
function rigid(unit: Unit, sizes: Set<string>): Unit {
  const limited = limitedUnit(unit, { variableStep: false });
  return new Proxy(limited, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (key !== "advance") return member;
      return (from: number, until: Parameters<Unit["advance"]>[1]) => {
        const end = until.kind === "or" ? until.any[0] : until;
        if (end.kind === "time") sizes.add((end.time - from).toFixed(9));
        return target.advance(from, until);
      };
    },
  });
}

function masses(sizes = new Set<string>()): Record<string, Unit> {
  const { left, right } = coupledMasses();
  return { left, right: rigid(right, sizes) };
}

function diagnosticsOf(options: ScenarioOptions): readonly Diagnostic[] {
  const { left, right } = masses();
  const descriptions = { left: left!.description, right: right!.description };
  const scenario = scenarioOf(descriptions, MASSES_WIRES, { step: STEP, ...options });
  return compilePlan(scenario, { record: [] }).diagnostics;
}

const errorsOf = (options: ScenarioOptions): string[] =>
  diagnosticsOf(options)
    .filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

describe("a unit that takes steps of one size only", () => {
  it.each(["jacobi", "gauss-seidel", "iterative"])(
    "[AD22] is refused under adaptive (%s), with a master that would do",
    (coupling) => {
      const options = { coupling, estimator: "milne" };
      const [found, ...others] = diagnosticsOf({ master: "adaptive", options });
      expect(others).toEqual([]);
      expect(found).toMatchObject({ code: "steps-not-constant", severity: "error" });
      expect(found!.message).toMatch(/adaptive master varies its steps, but 'right' takes/);
      expect(found!.fix).toMatch(/'iterative', 'gauss-seidel' or 'jacobi'/);
    },
  );

  it("[AD22] is refused where policies have different steps, not where they have one", () => {
    const policies = (quick: number, careful: number): ScenarioOptions => ({
      master: "adaptive",
      options: {
        coupling: "jacobi",
        policies: { quick: { step: quick, set: {} }, careful: { step: careful, set: {} } },
      },
    });
    expect(errorsOf(policies(0.1, 0.05))).toContain("steps-not-constant");
    expect(errorsOf(policies(0.1, 0.1))).not.toContain("steps-not-constant");
  });

  it.each<[string, StepLimit, boolean]>([
    ["points on its steps", { kind: "every", every: 0.2, offset: 0.1 }, false],
    ["a point on its steps", { kind: "at", times: [0.3] }, false],
    ["points beside its steps", { kind: "every", every: 0.25, offset: 0 }, true],
    ["a point beside its steps", { kind: "at", times: [0.35] }, true],
    [
      "a limited difference",
      { kind: "difference", signal: { unit: 0, port: 1, element: 0 }, atMost: 1 },
      true,
    ],
  ])("[AD22] under a master with fixed steps and %s", (_, limit, isRefused) => {
    const found = errorsOf({ master: "jacobi", extras: { limits: [limit] } });
    expect(found).toEqual(isRefused ? ["steps-not-constant"] : []);
  });

  it.each(["jacobi", "gauss-seidel", "iterative"])(
    "[AD23] gets such steps under %s beside events, up to the last whole one before the stop time",
    async (master) => {
      const sizes = new Set<string>();
      const { outcome } = await runUnits(masses(sizes), MASSES_WIRES, MASSES_STATES, {
        master,
        step: STEP,
        stop: 2.05,
        extras: { events: [crossing([0, 1], 0.5, "any")] },
      });
      expect(outcome.kind).toBe("completed");
      expect(outcome.time).toBeCloseTo(2, 9);
      expect([...sizes]).toEqual(["0.100000000"]);
    },
  );

  it("[AD23] is not asked for half a step where an iteration does not converge", async () => {
    const sizes = new Set<string>();
    // y = u² + 1 + t has no fixed point from t = 0 on.
    const square = functionUnit({
      name: "square",
      inputs: { u: {} },
      outputs: { y: { feedThrough: ["u"] } },
      evaluate: (t, u, _p, out) => {
        out[0] = t === 0 ? 0 : u[0] * u[0] + 1;
      },
    });
    const pass = functionUnit({
      name: "pass",
      inputs: { u: {} },
      outputs: { y: { feedThrough: ["u"] } },
      evaluate: (_t, u, _p, out) => {
        out[0] = u[0];
      },
    });
    const units = { square: rigid(square, sizes), pass };
    const { outcome } = await runUnits(units, "square.y -> pass.u; pass.y -> square.u", [], {
      master: "iterative",
      step: STEP,
      stop: 1,
    });
    expect(outcome.kind).toBe("diverged");
    expect(explainOutcome(outcome)).toContain("with steps of 0.1 s");
    expect([...sizes]).toEqual(["0.100000000"]);
  });

  it("[AD22] gets a master by default that keeps its steps", () => {
    const { left, right } = masses();
    const descriptions = { left: left!.description, right: right!.description };
    const scenario = scenarioOf(descriptions, MASSES_WIRES, { step: STEP, master: "" });
    expect(chooseMaster(scenario).master).not.toBe("adaptive");
    expect(compilePlan(scenario, { record: [] }).value).toBeDefined();
  });
});
