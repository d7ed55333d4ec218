/**
 * How far strong coupling stays stable on a spring: a mass in one unit, its undamped spring in
 * another. The expected numbers come from the one-step map of the discrete equations, written down
 * here without any unit or master.
 *
 * With x' = v, v' = F(t), F = -ω² x at communication points and z = (ωH)², exact integration of F
 * over a step of length H gives
 *   linear F:      x1 = x0 + H v0 + H² (F0/3 + F1/6),          v1 = v0 + H (F0 + F1)/2       (Newmark, β = 1/6, γ = 1/2)
 *   F1 held:       x1 = x0 + H v0 + H² F1/2,                    v1 = v0 + H F1
 *   parabola:      x1 = x0 + H v0 + H² (F1/8 + 5 F0/12 - F₋₁/24), v1 = v0 + H (5 F1 + 8 F0 - F₋₁)/12
 * The first has determinant 1 and trace (2 - 2z/3)/(1 + z/6), which is -2 at z = 12: stable up to
 * ωH = 2√3.
 */
import { describe, expect, it } from "vitest";
import { type Diagnostic, unwrap } from "../../base/diagnostic.ts";
import { spectralRadius } from "../../numerics/eigenvalues.ts";
import { compilePlan } from "../../plan/compile.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { runPlan } from "../run-plan.ts";
import { runUnits } from "../testing/run-units.ts";

const WIRES = "mass.x -> spring.x; spring.F -> mass.F";
const LIMIT = 2 * Math.sqrt(3);
const NEWTON = { method: "newton", tolerance: 1e-12 };

function massAndSpring(omega: number, start: readonly [number, number]): Record<string, Unit> {
  return {
    mass: linearUnit(
      {
        name: "mass",
        inputs: { F: { reactive: true } },
        states: { x: { start: start[0] }, v: { start: start[1] } },
        a: [
          [0, 1],
          [0, 0],
        ],
        b: [[0], [1]],
      },
      "mass",
    ),
    spring: linearUnit(
      {
        name: "spring",
        inputs: { x: { reactive: true } },
        states: { idle: {} },
        outputs: { F: { feedThrough: ["x"] } },
        a: [[0]],
        b: [[0]],
        c: [[0]],
        d: [[-omega * omega]],
      },
      "spring",
    ),
  };
}

/** Rows: x1 and v1 over (x0, v0), for H = 1 and F = -z x. */
function linearMap(z: number): Float64Array {
  const x = [(1 - z / 3) / (1 + z / 6), 1 / (1 + z / 6)] as const;
  return Float64Array.of(x[0], x[1], (-z / 2) * (1 + x[0]), 1 - (z / 2) * x[1]);
}

function heldMap(z: number): Float64Array {
  const x = [1 / (1 + z / 2), 1 / (1 + z / 2)] as const;
  return Float64Array.of(x[0], x[1], -z * x[0], 1 - z * x[1]);
}

/** Over (x0, v0, F₋₁). */
function parabolaMap(z: number): Float64Array {
  const x = [1 - (5 / 12) * z, 1, -1 / 24].map((entry) => entry / (1 + z / 8));
  const v = [-(8 / 12) * z, 1, -1 / 12].map((entry, j) => entry - (5 / 12) * z * x[j]);
  return Float64Array.of(...x, ...v, -z, 0, 0);
}

async function engineMap(omega: number, options: object): Promise<Float64Array> {
  const map = new Float64Array(4);
  for (const [j, start] of (
    [
      [1, 0],
      [0, 1],
    ] as const
  ).entries()) {
    const { outcome, values } = await runUnits(
      massAndSpring(omega, start),
      WIRES,
      ["mass.x", "mass.v"],
      { step: 1, stop: 1, master: "iterative", options: { ...NEWTON, ...options } },
    );
    expect(outcome.kind).toBe("completed");
    map[j] = values["mass.x"].at(-1)!;
    map[2 + j] = values["mass.v"].at(-1)!;
  }
  return map;
}

async function divergenceOf(
  omega: number,
  options: object,
  stop = 60,
): Promise<{ found: Diagnostic[]; largest: number }> {
  const units = massAndSpring(omega, [1, 0]);
  const descriptions = Object.fromEntries(
    Object.entries(units).map(([name, { description }]) => [name, description]),
  );
  const scenario = scenarioOf(descriptions, WIRES, {
    step: 1,
    master: "iterative",
    options: { ...NEWTON, ...options },
  });
  const x = { unit: 0, port: descriptions["mass"].ports.findIndex((p) => p.name === "x") };
  const { plan } = unwrap(compilePlan(scenario, { record: [{ ...x, element: 0 }] }));
  const found: Diagnostic[] = [];
  let largest = 0;
  await runPlan(plan, scenario, Object.values(units), {
    stop,
    onDivergence: (diagnostic) => void found.push(diagnostic),
    onRow: (_, { f64 }) => {
      largest = Math.max(largest, Math.abs(f64[plan.record.columns[0].slot]));
    },
  });
  return { found, largest };
}

describe("strong coupling of a mass and an undamped spring", () => {
  it("[IT24] is bounded by ωH = 2√3 with linear input trajectories, by the one-step map", () => {
    const at = (y: number): number => spectralRadius(2, linearMap(y * y));
    for (const y of [0.1, 1, 2, 3, 3.46]) expect(at(y)).toBeCloseTo(1, 9);
    const [a, b, c, d] = linearMap(12);
    // A double eigenvalue of -1 at the limit.
    expect([a + d, a * d - b * c!]).toEqual([expect.closeTo(-2, 12), expect.closeTo(1, 12)]);
    for (const y of [3.47, 4, 10, 1000]) expect(at(y)).toBeGreaterThan(1.04);
  });

  it("[IT24] is damped at any ωH where inputs hold the value of the end of the step", () => {
    for (const y of [0.1, 1, 3, 4, 10, 1000])
      expect(spectralRadius(2, heldMap(y * y))).toBeLessThan(1);
  });

  it("[IT24] grows by a part of (ωH)⁴ per step with quadratic input trajectories", () => {
    const growth = (y: number): number => spectralRadius(3, parabolaMap(y * y)) - 1;
    for (const y of [0.1, 0.2, 0.5, 1, 2, 4]) expect(growth(y)).toBeGreaterThan(0);
    // (ωH)⁴/48 as ωH goes to 0.
    expect((48 * growth(0.05)) / 0.05 ** 4).toBeCloseTo(1, 2);
  });

  it.each([0.5, 2, 3.4, 3.6, 10])("[IT24] has these one-step maps at ωH = %f", async (y) => {
    const linear = await engineMap(y, {});
    const held = await engineMap(y, { approximation: "hold" });
    for (let i = 0; i < 4; i++) {
      expect(linear[i] / y).toBeCloseTo(linearMap(y * y)[i] / y, 8);
      expect(held[i] / y).toBeCloseTo(heldMap(y * y)[i] / y, 8);
    }
  });

  it("[IT24] says so where a run diverges: the reason, and that held inputs are stable", async () => {
    const below = await divergenceOf(0.95 * LIMIT, {});
    expect(below.found).toEqual([]);
    expect(below.largest).toBeLessThan(10);
    const above = await divergenceOf(1.1 * LIMIT, {});
    expect(above.largest).toBeGreaterThan(1e3);
    expect(above.found.map(({ code }) => code)).toEqual(["run-diverges"]);
    expect(above.found[0].fix).toMatch(
      /^try inputs held at the value of the end of the step \('approximation: hold'; .*linear.*2√3.*\)/,
    );
    const curved = await divergenceOf(4, { approximation: "quadratic" });
    expect(curved.found[0].fix).toMatch(
      /'approximation: hold'; quadratic .* undamped oscillations/,
    );
    const held = await divergenceOf(1.1 * LIMIT, { approximation: "hold" });
    expect(held.found).toEqual([]);
    expect(held.largest).toBe(1);
  });

  it.each([
    // Eigenvalues close to -1: every second value looks alike.
    { omega: 3.47, approximation: "linear", stop: 140 },
    { omega: 3.5, approximation: "linear", stop: 60 },
    // Slow growth of an oscillation, seen at looks that come ever later.
    { omega: 0.5, approximation: "quadratic", stop: 10_000 },
    { omega: 1, approximation: "quadratic", stop: 600 },
  ])("[IT24] is reported where it grows slowly: $approximation, ωH = $omega", async (how) => {
    const { omega, approximation, stop } = how;
    const { found, largest } = await divergenceOf(omega, { approximation }, stop);
    expect(largest).toBeGreaterThan(1e3);
    expect(found.map(({ code }) => code)).toEqual(["run-diverges"]);
    expect(found[0].fix).toContain("'approximation: hold'");
  });
});
