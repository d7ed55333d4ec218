/**
 * Strong coupling on two coupled mass-spring-dampers (theory: AX-4), solved exactly inside the
 * units.
 */
import { describe, expect, it } from "vitest";
import { spectralRadius } from "../../numerics/eigenvalues.ts";
import { expm, expmWork } from "../../numerics/expm.ts";
import {
  coupledMasses,
  MASSES_STATES,
  MASSES_WIRES,
  type MassesParameters,
  massesMatrix,
} from "../testing/coupled-masses.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";

type Options = Readonly<Record<string, unknown>>;

function run(
  parameters: MassesParameters,
  step: number,
  stop: number,
  options: Options = {},
  master = "iterative",
): Promise<CoupledRun> {
  const units = coupledMasses(parameters);
  return runUnits({ ...units }, MASSES_WIRES, MASSES_STATES, { step, stop, master, options });
}

/** Its columns are the steps from the unit vectors. */
async function oneStepMap(
  parameters: MassesParameters,
  step: number,
  options: Options,
): Promise<Float64Array> {
  const map = new Float64Array(16);
  for (let j = 0; j < 4; j++) {
    const start = [0, 1, 2, 3].map((i) => Number(i === j)) as [number, number, number, number];
    const { outcome, values } = await run({ ...parameters, start }, step, step, options);
    expect(outcome.kind).toBe("completed");
    MASSES_STATES.forEach((name, i) => {
      map[4 * i + j] = values[name].at(-1)!;
    });
  }
  return map;
}

function exactMap(parameters: MassesParameters, time: number): Float64Array {
  const map = new Float64Array(16);
  const scaled = massesMatrix(parameters).map((entry) => entry * time);
  expect(expm(4, scaled, map, expmWork(4))).toBe(true);
  return map;
}

function times(map: Float64Array, x: readonly number[]): number[] {
  return [0, 1, 2, 3].map((i) => x.reduce((sum, xj, j) => sum + map[4 * i + j] * xj, 0));
}

/** Largest error of x1 at the communication points of [0, stop], from (1, 0, 0, 0). */
async function worstError(
  step: number,
  options: Options,
  parameters: MassesParameters = {},
  stop = 10,
): Promise<number> {
  const { outcome, values } = await run(parameters, step, stop, options);
  expect(outcome.kind).toBe("completed");
  const map = exactMap(parameters, step);
  let exact = [...(parameters.start ?? [1, 0, 0, 0])];
  let worst = 0;
  for (const x of values["left.x"]) {
    worst = Math.max(worst, Math.abs(x - exact[0]));
    exact = times(map, exact);
  }
  return worst;
}

const THEORY = { damping: 2 };
const STRONG_RADII = [
  [0.001, 0.999233],
  [0.1, 0.926119],
  [0.5, 0.678642],
  [1, 0.447463],
  [2, 0.254732],
] as const;

describe("a step that is iterated until its loop agrees", () => {
  describe.each(["auto", "gauss-seidel", "aitken", "anderson", "newton"])("by %s", (method) => {
    it.each(STRONG_RADII)("[IT1] has the spectral radius of theory at H=%f", async (step, rho) => {
      const map = await oneStepMap(THEORY, step, { method, tolerance: 1e-11 });
      expect(spectralRadius(4, map)).toBeCloseTo(rho, 6);
    });
  });

  it.each([
    ["converged", { tolerance: 1e-12 }, [6.27e-4, 1.57e-4, 3.92e-5]],
    [
      "one correction of a jacobi step with held inputs",
      { corrections: 1, method: "jacobi", guess: "hold" },
      [8.28e-4, 1.99e-4, 4.86e-5],
    ],
  ])("[IT1] makes the errors of theory's table: %s", async (_, options, published) => {
    for (const [k, step] of [0.1, 0.05, 0.025].entries())
      expect((await worstError(step, options)) / published[k]).toBeCloseTo(1, 2);
  });

  it.each([
    ["held inputs", { approximation: "hold" }, 1],
    ["linear inputs", {}, 2],
    ["quadratic inputs", { approximation: "quadratic" }, 3],
    ["linear waveforms of four pieces", { waveform: 4 }, 2],
  ])(
    "[IT2] converges with the order of its inputs' trajectories: %s",
    async (_, options, order) => {
      const coarse = await worstError(0.05, { ...options, tolerance: 1e-12 });
      const fine = await worstError(0.025, { ...options, tolerance: 1e-12 });
      expect(Math.log2(coarse / fine)).toBeGreaterThan(order - 0.15);
      expect(Math.log2(coarse / fine)).toBeLessThan(order + 0.6);
    },
  );

  it("[IT3] exchanges whole waveforms: m pieces are as accurate as steps of a piece's size", async () => {
    const waveforms = await worstError(0.4, { waveform: 4, tolerance: 1e-12 });
    const steps = await worstError(0.1, { tolerance: 1e-12 });
    expect(waveforms / steps).toBeCloseTo(1, 1);
  });

  it("[IT4] sees the plain fixed point diverge at H=2 and goes on with smaller steps", async () => {
    const alone = await run(THEORY, 2, 2, { method: "jacobi", halvings: 0 });
    expect(alone.outcome).toMatchObject({ kind: "diverged", methods: ["jacobi"], time: 0 });
    const halved = await oneStepMap(THEORY, 2, { method: "jacobi" });
    const half = await oneStepMap(THEORY, 1, { method: "newton" });
    const twice = await run({ ...THEORY, start: [1, 0, 0, 0] }, 1, 2, { method: "newton" });
    MASSES_STATES.forEach((name, i) => {
      expect(halved[4 * i]).toBeCloseTo(twice.values[name].at(-1)!, 7);
    });
    expect(spectralRadius(4, half)).toBeCloseTo(0.447463, 6);
  });

  it.each([2000, 6e6])(
    "[IT4] is not stopped by a damper of %f at H=1e-3, where the plain fixed point diverges",
    async (coupling) => {
      const plain = { method: "jacobi", halvings: 0 };
      const stuck = await run({ ...THEORY, coupling }, 1e-3, 1e-3, plain);
      expect(stuck.outcome.kind).toBe("diverged");
      const { outcome } = await run({ ...THEORY, coupling }, 1e-3, 0.05);
      expect(outcome).toMatchObject({ kind: "completed", steps: 50 });
    },
  );

  it("[IT4] takes the next stronger method where sweeps diverge, and stays with it", async () => {
    const heavy = { ...THEORY, coupling: 6e6, mass: 10 };
    const sweeps = await run(heavy, 1e-3, 1e-3, { method: "gauss-seidel", halvings: 0 });
    expect(sweeps.outcome.kind).toBe("diverged");
    const { outcome, values } = await run(heavy, 1e-3, 0.05);
    expect(outcome).toMatchObject({ kind: "completed", steps: 50 });
    // The first step pays for finding out, the others do not.
    expect(values["master.iterations"][1]).toBeGreaterThan(values["master.iterations"][2]);
  });

  it.each(["directional", "differences"])(
    "[IT5] needs at most 3 iterations of newton (%s) a step on linear couplings",
    async (jacobian) => {
      for (const coupling of [1, 2000, 6e6])
        for (const step of [0.001, 0.1, 2]) {
          const options = { method: "newton", jacobian, tolerance: 1e-9 };
          const { outcome, values } = await run({ ...THEORY, coupling }, step, 20 * step, options);
          expect(outcome).toMatchObject({ kind: "completed", steps: 20 });
          expect(Math.max(...values["master.iterations"])).toBeLessThanOrEqual(3);
        }
    },
  );

  it("[IT6] stays stable at a damper of 6e6 where explicit masters blow up, and converges", async () => {
    const stiff = { ...THEORY, coupling: 6e6 };
    for (const master of ["jacobi", "gauss-seidel"]) {
      const order = { order: ["right", "left"] };
      const explicit = await run(stiff, 1e-3, 0.1, master === "jacobi" ? {} : order, master);
      expect(Math.abs(explicit.values["left.x"].at(-1)!)).not.toBeLessThan(1e3);
    }
    const map = await oneStepMap(stiff, 1e-3, { method: "newton", tolerance: 1e-12 });
    expect(1 - spectralRadius(4, map)).toBeGreaterThan(0);
    expect(spectralRadius(4, map)).toBeCloseTo(0.99999999975, 10);
    // Consistent start: both masses together, so that the damper begins without a jolt.
    const together = { ...stiff, start: [1, 0, 1, 0] as const };
    const options = { method: "newton", tolerance: 1e-10 };
    // A damper this stiff ties the speeds together within a step, so that the force follows from
    // the slope over the step, half a step late: order 1 is what linear trajectories give here, not
    // 2.
    const errors: number[] = [];
    for (const step of [0.01, 0.005, 0.0025])
      errors.push(await worstError(step, options, together, 4));
    expect(Math.log2(errors[0] / errors[1])).toBeCloseTo(1, 1);
    expect(Math.log2(errors[1] / errors[2])).toBeCloseTo(1, 1);
  });

  it("[IT20] says how far apart a fixed number of corrections has left the units", async () => {
    const { values, summary } = await run({}, 0.1, 2, { corrections: 1 });
    const worst = Math.max(...values["master.residual"]);
    expect(worst).toBeGreaterThan(1e-8);
    expect(summary!.notes).toEqual([
      expect.stringContaining(`up to ${worst.toPrecision(3)} nominal values apart`),
    ]);
    expect(summary!.notes[0]).toContain("of 20 steps");
    const enough = await run({}, 0.1, 2, { corrections: 40 });
    expect(enough.summary!.notes).toEqual([]);
  });

  it("[IT7] never ends silently: ports, methods and residuals are reported", async () => {
    const heavy = { ...THEORY, coupling: 6e6, mass: 10 };
    const { outcome } = await run(heavy, 1e-3, 1, { method: "gauss-seidel", halvings: 2 });
    expect(outcome).toMatchObject({ kind: "diverged", methods: ["gauss-seidel"], time: 0 });
    if (outcome.kind !== "diverged") return;
    expect(outcome.loop).toEqual(["left", "right"]);
    expect(outcome.worst.length).toBeGreaterThan(0);
    expect(outcome.step).toBeCloseTo(1e-3 / 4, 12);
    expect(outcome.residuals.at(-1)).toBeGreaterThan(outcome.residuals[0]);
  });
});
