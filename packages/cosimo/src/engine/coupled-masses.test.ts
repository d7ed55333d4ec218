/**
 * Two coupled mass-spring-dampers (theory: AX-4), solved exactly inside the units, so that
 * everything seen here is the master.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { Approximation } from "../model/scenario.ts";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { expm, expmWork } from "../numerics/expm.ts";
import { compilePlan } from "../plan/compile.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { runPlan } from "./run-plan.ts";
import { coupledMasses, MASSES_WIRES } from "./testing/coupled-masses.ts";
import { type MassesMaster, massesMap } from "./testing/masses-maps.ts";

interface Setting {
  readonly master: "jacobi" | "gauss-seidel";
  readonly order?: readonly string[];
  readonly approximation?: Approximation;
  readonly damping?: number;
}

/** States (x1, v1, x2, v2) at every communication point. */
async function run(
  setting: Setting,
  step: number,
  stop: number,
  start?: readonly number[],
): Promise<number[][]> {
  const { left, right } = coupledMasses({ damping: setting.damping ?? 0 });
  const units = [left, right];
  const [l, r] = units.map((unit) => unit.description);
  const scenario = scenarioOf({ left: l, right: r }, MASSES_WIRES, {
    step,
    master: setting.master,
    options: {
      ...(setting.order ? { order: setting.order } : {}),
      approximation: setting.approximation ?? "hold",
    },
  });
  if (start) {
    const place = { file: "test" };
    const value = (unit: string, port: string, v: number) => {
      const u = scenario.units.find(({ name }) => name === unit)!;
      (u.values as unknown[]).push({
        port: u.description.ports.findIndex((p) => p.name === port),
        values: [v],
        place,
      });
    };
    value("left", "x", start[0]);
    value("left", "v", start[1]);
    value("right", "x", start[2]);
    value("right", "v", start[3]);
  }
  const column = (unit: number, port: string) => ({
    unit,
    port: scenario.units[unit].description.ports.findIndex((p) => p.name === port),
    element: 0,
  });
  const record = [column(0, "x"), column(0, "v"), column(1, "x"), column(1, "v")];
  const { plan } = unwrap(compilePlan(scenario, { record }));
  const rows: number[][] = [];
  const outcome = await runPlan(plan, scenario, units, {
    stop,
    onRow: (_, banks) => rows.push(plan.record.columns.map(({ slot }) => banks.f64[slot])),
  });
  expect(outcome.kind).toBe("completed");
  return rows;
}

/**
 * Spectral radius of the master's one-step map: its columns are the steps from the unit vectors.
 */
async function oneStepMap(setting: Setting, step: number): Promise<Float64Array> {
  const map = new Float64Array(16);
  for (let j = 0; j < 4; j++) {
    const start = [0, 0, 0, 0];
    start[j] = 1;
    const rows = await run(setting, step, step, start);
    for (let i = 0; i < 4; i++) map[4 * i + j] = rows[1][i];
  }
  return map;
}

const JACOBI: Setting = { master: "jacobi", damping: 2 };
const LEFT_FIRST: Setting = { master: "gauss-seidel", order: ["left", "right"], damping: 2 };
const RIGHT_FIRST: Setting = { master: "gauss-seidel", order: ["right", "left"], damping: 2 };

describe("two coupled mass-spring-dampers", () => {
  it.each([
    [0.001, 0.999233, 0.999233, 0.999233],
    [0.1, 0.92504, 0.924956, 0.924987],
    [0.5, 0.660022, 0.655044, 0.658909],
    [1, 0.67357, 0.37572, 0.409383],
    [2, 1.683953, 0.935922, 1.153008],
  ])(
    "[EN4] have the spectral radius of theory at H=%f",
    async (step, jacobi, leftFirst, rightFirst) => {
      expect(spectralRadius(4, await oneStepMap(JACOBI, step))).toBeCloseTo(jacobi, 6);
      expect(spectralRadius(4, await oneStepMap(LEFT_FIRST, step))).toBeCloseTo(leftFirst, 6);
      expect(spectralRadius(4, await oneStepMap(RIGHT_FIRST, step))).toBeCloseTo(rightFirst, 6);
    },
  );

  it("[EN4] follow the analytic one-step maps to 1e-12 over a hundred steps", async () => {
    const step = 0.1;
    for (const [setting, map] of [
      [{ ...JACOBI }, analyticMap(step, "jacobi")],
      [{ ...LEFT_FIRST }, analyticMap(step, "left first")],
      [{ ...RIGHT_FIRST }, analyticMap(step, "right first")],
    ] as const) {
      const rows = await run(setting, step, 10);
      let exact = [1, 0, 0, 0];
      for (const row of rows) {
        row.forEach((x, i) => {
          expect(Math.abs(x - exact[i])).toBeLessThan(1e-12);
        });
        exact = multiply(map, exact);
      }
      expect(rows).toHaveLength(101);
    }
  });

  it.each([
    ["jacobi constant", { master: "jacobi" }, [1.451e-2, 7.08e-3, 3.5e-3], 1],
    ["jacobi linear", { master: "jacobi", approximation: "linear" }, [2.35e-3, 5.97e-4, 1.5e-4], 2],
    [
      "jacobi EI",
      { master: "jacobi", approximation: "extrapolated-interpolation" },
      [3.05e-2, 1.45e-2, 7.09e-3],
      1,
    ],
    [
      "left first, constant",
      { master: "gauss-seidel", order: ["left", "right"] },
      [2.28e-2, 1.126e-2, 5.6e-3],
      1,
    ],
    [
      "right first, constant",
      { master: "gauss-seidel", order: ["right", "left"] },
      [9.24e-3, 4.54e-3, 2.25e-3],
      1,
    ],
    [
      "left first, linear",
      { master: "gauss-seidel", order: ["left", "right"], approximation: "linear" },
      [2.94e-3, 7.37e-4, 1.84e-4],
      2,
    ],
    [
      "right first, linear",
      { master: "gauss-seidel", order: ["right", "left"], approximation: "linear" },
      [1.6e-3, 4.03e-4, 1.01e-4],
      2,
    ],
  ] as const)(
    "[EN5] %s has the errors and the order of theory",
    async (_, setting, errors, order) => {
      const found: number[] = [];
      for (const step of [0.1, 0.05, 0.025]) found.push(await worstError(setting, step));
      found.forEach((error, i) => {
        // Two digits, as the table gives them.
        expect(Math.abs(error / errors[i] - 1)).toBeLessThan(0.01);
      });
      expect(Math.log2(found[1] / found[2])).toBeCloseTo(order, 0);
    },
  );
});

const multiply = (m: readonly (readonly number[])[], x: readonly number[]): number[] =>
  m.map((row) => row.reduce((sum, a, j) => sum + a * x[j], 0));

/**
 * The master's map of (x1, v1, x2, v2) over one step, written down from its definition (damping 2
 * on the right).
 */
function analyticMap(step: number, master: MassesMaster): number[][] {
  const map = massesMap({ coupling: 1, damping: 2 }, step, master);
  return [0, 1, 2, 3].map((i) => [...map.subarray(4 * i, 4 * i + 4)]);
}

async function worstError(setting: Setting, step: number): Promise<number> {
  const rows = await run(setting, step, 10);
  const monolithic = Float64Array.from(
    [0, 1, 0, 0, -2, -2, 1, 1, 0, 0, 0, 1, 1, 1, -2, -1].map((a) => a * step),
  );
  const transition = new Float64Array(16);
  expm(4, monolithic, transition, expmWork(4));
  let exact = [1, 0, 0, 0];
  let worst = 0;
  for (const row of rows) {
    worst = Math.max(worst, Math.abs(row[0] - exact[0]));
    exact = exact.map((_, i) => exact.reduce((sum, x, j) => sum + transition[4 * i + j] * x, 0));
  }
  return worst;
}
