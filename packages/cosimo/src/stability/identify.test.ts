/**
 * Models of units, from their equations and from their steps, against what is known of the units.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { coupledMasses, MASSES_WIRES } from "../engine/testing/coupled-masses.ts";
import { eigenvalues } from "../numerics/eigenvalues.ts";
import { EULER } from "../numerics/tableau.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { identifyUnit, StepRefused } from "./identify.ts";
import { predictionError } from "./identify-check.ts";
import { StepIdentification } from "./identify-steps.ts";
import { probeUnits } from "./operating-point.ts";
import { radiusOf } from "./spectrum.ts";
import { unitElements } from "./step-model.ts";
import { couple, lookAt, mapOf } from "./testing/looked-at.ts";
import { UnitProbe } from "./unit-probe.ts";

/** Alone, with what it is probed by. */
function probe(unit: Unit, step: number, shown?: readonly string[]): UnitProbe {
  const coupled = couple({ unit }, "", { step });
  probeUnits(coupled);
  const elements = unitElements(coupled.scenario, 0);
  const outputs = elements.outputs.filter(({ name }) => shown?.includes(name) ?? true);
  return new UnitProbe(
    unit,
    coupled.scenario.units[0],
    { ...elements, outputs },
    coupled.plan.start,
    { start: coupled.plan.start },
  );
}

/** Three tanks one after the other, the last of which is measured. */
const chain = (): Unit =>
  linearUnit({
    name: "chain",
    inputs: { flow: {} },
    states: { a: { start: 3 }, b: {}, c: { start: -1 } },
    outputs: { y: {} },
    a: [
      [-1, 0, 0],
      [1, -2, 0],
      [0, 2, -4],
    ],
    b: [[1], [0], [0]],
    c: [[0, 0, 1]],
  });

describe("the model of a unit", () => {
  it("[ST4] comes from its equations where its steps are what these give", () => {
    const model = identifyUnit(probe(chain(), 0.1), { seconds: 0.1, method: "auto" });
    expect(model.facts()).toMatchObject({
      method: "equations",
      states: 3,
      stateNames: ["a", "b", "c"],
    });
    const { re } = eigenvalues(3, model.modelFor(0.25).a);
    [...re].sort().forEach((value, k) => {
      expect(value).toBeCloseTo(Math.exp([-4, -2, -1][k] * 0.25), 12);
    });
  });

  it("[ST4] comes from its steps where its solver makes something else of the equations", () => {
    const unit = odeUnit({
      name: "euler",
      inputs: { u: {} },
      states: { x: {} },
      derivatives: (_t, x, u, _p, out) => {
        out[0] = -2 * x[0] + u[0];
      },
      solver: { method: EULER, step: 0.1 },
    });
    const model = identifyUnit(probe(unit, 0.1), { seconds: 0.1, method: "auto" });
    expect(model.facts().method).toBe("steps");
    expect(model.modelFor(0.1).a[0]).toBeCloseTo(1 - 0.2, 12);
    expect(model.modelFor(0.3).a[0]).toBeCloseTo((1 - 0.2) ** 3, 12);
  });

  it("[ST5] has as many states as one output shows, with the right motion at every step size", () => {
    const one = probe(chain(), 0.1, ["y"]);
    const found = new StepIdentification(one, 0.1, { sizes: Float64Array.of(1), curvature: 0 });
    expect(found.states).toBe(3);
    for (const step of [0.1, 0.37]) {
      const { re, im } = eigenvalues(3, found.modelFor(step).a);
      expect(Math.max(...im.map(Math.abs))).toBe(0);
      [...re].sort().forEach((value, k) => {
        expect(value).toBeCloseTo(Math.exp([-4, -2, -1][k] * step), 7);
      });
    }
    found.dispose();
  });

  it("[ST5] does not have states that no input reaches", () => {
    const unit = linearUnit({
      name: "apart",
      inputs: { u: {} },
      states: { x: { start: 1 }, z: { start: 5 } },
      a: [
        [-1, 0],
        [0, -3],
      ],
      b: [[1], [0]],
    });
    const model = identifyUnit(probe(unit, 0.1), { seconds: 0.1, method: "steps" });
    expect(model.states).toBe(1);
    expect(model.modelFor(0.1).a[0]).toBeCloseTo(Math.exp(-0.1), 10);
  });

  it("[ST5] is found without rollback, by restarting", () => {
    const { left, right } = coupledMasses({ damping: 2 });
    for (const unit of [left, right]) {
      const { description } = unit;
      const capabilities = { ...description.capabilities, rollback: false };
      Object.assign(unit, {
        description: { ...description, capabilities },
        restore: () => expect.unreachable("it cannot roll back"),
      });
    }
    const looked = lookAt(couple({ left, right }, MASSES_WIRES, { step: 0.1 }), "steps");
    expect(looked.models.map((model) => model.facts().canRollBack)).toEqual([false, false]);
    expect(radiusOf(mapOf(looked, 2, "jacobi"))).toBeCloseTo(1.683953, 6);
  });

  it("[ST6] of a bent unit says by how much it is bent, and is that of small movements", () => {
    // x' = u - x³ rests at x = 1 with u = 1; near that x' = -3 x.
    const unit = odeUnit({
      name: "cubic",
      inputs: { u: { start: 1 } },
      states: { x: { start: 1 } },
      derivatives: (_t, x, u, _p, out) => {
        out[0] = u[0] - x[0] ** 3;
      },
      solver: { method: EULER, step: 0.001 },
    });
    const model = identifyUnit(probe(unit, 0.1), { seconds: 0.1, method: "auto" });
    const facts = model.facts();
    expect(facts.method).toBe("steps");
    expect(facts.curvature).toBeGreaterThan(1e-9);
    expect(facts.error).toBeGreaterThan(1e-9);
    expect(facts.error).toBeLessThan(1e-3);
    expect(model.modelFor(0.1).a[0]).toBeCloseTo((1 - 0.003) ** 100, 6);
  });

  it("[ST6] tells its error under random inputs: a model of something else is far off", () => {
    const one = probe(chain(), 0.1);
    const right = identifyUnit(one, { seconds: 0.1, method: "auto" }).modelFor(0.1);
    const sizes = Float64Array.of(1);
    expect(predictionError(one, right, sizes, 0.1)).toBeLessThan(1e-11);
    const more = (entries: Float64Array): Float64Array => entries.map((entry) => 1.01 * entry);
    const wrong = { ...right, b: more(right.b), r: more(right.r) };
    expect(predictionError(one, wrong, sizes, 0.1)).toBeCloseTo(0.01, 6);
  });

  it("[ST6] is not made up where the unit refuses the step", () => {
    const unit = chain();
    Object.assign(unit, {
      advance: () => ({ reason: "discarded", port: -1, time: 0 }),
    });
    const one = probe(unit, 0.1);
    expect(() => identifyUnit(one, { seconds: 0.1, method: "auto" })).toThrow(StepRefused);
    expect(() => identifyUnit(one, { seconds: 0.1, method: "auto" })).toThrow(
      /'chain' does not take a step of 0.1 s/,
    );
  });

  it(`[ST5] leads to the same radius as its equations, for random pairs of units (seed ${SEED})`, () => {
    const entry = fc.integer({ min: -100, max: 100 }).map((x) => x / 100);
    const rows = fc.array(fc.array(entry, { minLength: 2, maxLength: 2 }), {
      minLength: 2,
      maxLength: 2,
    });
    // States that no input reaches decay or grow by themselves: only equations know them.
    const model = fc
      .record({ a: rows, b: fc.tuple(entry, entry), c: fc.tuple(entry, entry) })
      .filter(isReachable);
    fc.assert(
      fc.property(model, model, fc.constantFrom(0.05, 0.2), (one, two, step) => {
        const radii = (["auto", "steps"] as const).map((method) => {
          const looked = lookAt(
            couple({ one: drawn(one), two: drawn(two) }, "one.y -> two.u; two.y -> one.u", {
              step,
            }),
            method,
          );
          return radiusOf(mapOf(looked, step, "jacobi"));
        });
        expect(radii[1]).toBeCloseTo(radii[0], 6);
      }),
      { seed: SEED, numRuns: cases(40) },
    );
  });
});

const SEED = 4711;

interface Matrices {
  readonly a: readonly (readonly number[])[];
  readonly b: readonly [number, number];
  readonly c: readonly [number, number];
}

const drawn = ({ a, b, c }: Matrices): Unit =>
  linearUnit({
    name: "drawn",
    inputs: { u: {} },
    states: { x1: {}, x2: {} },
    outputs: { y: { feedThrough: [] } },
    a,
    b: b.map((entry) => [entry]),
    c: [c],
  });

/** det [b Ab] is well away from 0. */
function isReachable({ a, b }: Matrices): boolean {
  const [first, second] = a.map((row) => row[0] * b[0] + row[1] * b[1]);
  return Math.abs(b[0] * second! - b[1] * first!) > 0.05;
}
