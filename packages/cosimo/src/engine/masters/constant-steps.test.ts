/**
 * Units that take steps of one size only (canHandleVariableCommunicationStepSize is false) under
 * masters that decide at run time: refused where steps vary, never advanced by another step
 * otherwise.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { explainOutcome } from "../../base/outcome.ts";
import type { StepLimit } from "../../model/scenario.ts";
import { chooseMaster } from "../../plan/choose-master.ts";
import { compilePlan } from "../../plan/compile.ts";
import { type ScenarioOptions, scenarioOf } from "../../plan/testing/scenario-of.ts";
import { BaseUnit } from "../../unit/base-unit.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { DiscreteUpdate, Unit } from "../../unit/unit.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES } from "../testing/coupled-masses.ts";
import { EventModeUnit } from "../testing/event-mode-unit.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";
import { crossing } from "../testing/thermostat.ts";

const STEP = 0.1;

/** Collects the sizes of requested steps. */
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

/** Stops at its event by itself, once. */
class EarlyUnit extends BaseUnit {
  private readonly event: number;

  constructor(name: string, event: number) {
    const ports = makePorts(name, [{ direction: "output", ports: { y: { feedThrough: [] } } }]);
    super(name, describeUnit({ name }, ports, { rollback: true, earlyReturn: true }));
    this.event = event;
  }

  protected override evaluate(): void {}

  protected override proceed(from: number, bound: number): Stop {
    const isHere = from < this.event && this.event < bound;
    return isHere ? this.stopAt("event", -1, this.event) : this.stopAt("time", -1, bound);
  }
}

/** Its one event is known from the start. */
class TimerUnit extends EventModeUnit {
  private readonly event: number;

  constructor(name: string, event: number) {
    const ports = makePorts(name, [
      { direction: "output", ports: { y: { variability: "discrete", feedThrough: [] } } },
    ]);
    super(name, describeUnit({ name }, ports, { eventMode: true, rollback: true }));
    this.event = event;
  }

  protected override update(): void {
    this.store.f64[0]++;
  }

  override updateDiscreteStates(): DiscreteUpdate {
    const update = super.updateDiscreteStates();
    return this.time < this.event ? { ...update, nextEventTime: this.event } : update;
  }
}

function masses(sizes = new Set<string>()): Record<string, Unit> {
  const { left, right } = coupledMasses();
  return { left, right: rigid(right, sizes) };
}

function diagnosticsOf(options: ScenarioOptions): readonly Diagnostic[] {
  const { left, right } = masses();
  const descriptions = { left: left.description, right: right.description };
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
      expect(found.message).toMatch(/adaptive master varies its steps, but 'right' can take/);
      expect(found.fix).toMatch(/'iterative', 'gauss-seidel' or 'jacobi'/);
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

  it("[AD23] gets no half step where an iteration does not converge", async () => {
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

  it.each(["jacobi", "gauss-seidel", "iterative"])(
    "[AD23] ends the run under %s where another unit stops between two points, with its name and the time",
    async (master) => {
      const sizes = new Set<string>();
      const event = STEP * 2.5;
      const units = { ...masses(sizes), early: new EarlyUnit("early", event) };
      const { outcome, time } = await runUnits(units, MASSES_WIRES, MASSES_STATES, {
        master,
        step: STEP,
        stop: 1,
        extras: { events: [crossing([0, 1], 0.5, "any")] },
      });
      expect(outcome).toMatchObject({
        kind: "failed",
        failure: { unit: "early", call: "advance", time: event },
      });
      expect(explainOutcome(outcome)).toMatch(
        /'early' failed .* units that can save their state and take steps of any size/,
      );
      expect(time.at(-1)).toBeCloseTo(2 * STEP, 12);
      expect([...sizes]).toEqual([STEP.toFixed(9)]);
    },
  );

  it.each(["jacobi", "gauss-seidel", "iterative"])(
    "[AD23] ends the run under %s where another unit's next event lies between two points",
    async (master) => {
      const runTo = (event: number, sizes: Set<string>): Promise<CoupledRun> =>
        runUnits({ ...masses(sizes), timer: new TimerUnit("timer", event) }, MASSES_WIRES, [], {
          master,
          step: STEP,
          stop: 1,
          extras: { events: [crossing([0, 1], 0.5, "any")] },
        });
      const sizes = new Set<string>();
      const { outcome, time } = await runTo(STEP * 2.5, sizes);
      expect(outcome).toMatchObject({
        kind: "failed",
        failure: { unit: "timer", call: "advance", time: STEP * 2.5 },
      });
      expect(time.at(-1)).toBeCloseTo(2 * STEP, 12);
      expect([...sizes]).toEqual([STEP.toFixed(9)]);
      // On a communication point it is an event like any other.
      const onPoint = await runTo(STEP * 3, sizes);
      expect(onPoint.outcome).toMatchObject({ kind: "completed" });
      expect(onPoint.summary?.events).toBeGreaterThan(0);
      expect([...sizes]).toEqual([STEP.toFixed(9)]);
    },
  );

  it("[AD22] gets a master by default that keeps its steps", () => {
    const { left, right } = masses();
    const descriptions = { left: left.description, right: right.description };
    const scenario = scenarioOf(descriptions, MASSES_WIRES, { step: STEP, master: "" });
    expect(chooseMaster(scenario).master).not.toBe("adaptive");
    expect(compilePlan(scenario, { record: [] }).value).toBeDefined();
  });
});
