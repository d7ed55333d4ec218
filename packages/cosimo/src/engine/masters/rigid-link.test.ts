/**
 * Masses joined by a rigid link (theory: AX-3): constraints as couplings.
 */
import { describe, expect, it } from "vitest";
import { expm, expmWork } from "../../numerics/expm.ts";
import { LINK_COLUMNS, linkedMasses, rigidLink } from "../testing/linked-masses.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";

/** (m1 + m3) v' = -(c1 + c3) x - d1 v with m1 = 1, m3 = 2 and all others 1. */
const LUMPED = Float64Array.of(0, 1, -2 / 3, -1 / 3);

async function run(
  x3: number,
  step: number,
  withRate = true,
  tolerance?: number,
): Promise<CoupledRun> {
  const units = linkedMasses(x3);
  const constraints = [rigidLink(units, withRate)];
  const run = await runUnits({ ...units }, "", LINK_COLUMNS, {
    step,
    stop: 10,
    master: tolerance === undefined ? "iterative" : "adaptive",
    options: tolerance === undefined ? {} : { relative: tolerance, absolute: tolerance },
    extras: { constraints },
  });
  expect(run.outcome.kind).toBe("completed");
  return run;
}

function lumped([x, v]: readonly [number, number], time: number): readonly [number, number] {
  const map = new Float64Array(4);
  expm(
    2,
    LUMPED.map((entry) => entry * time),
    map,
    expmWork(2),
  );
  return [map[0] * x + map[1] * v, map[2] * x + map[3] * v];
}

/** The force on mass 1 that keeps both together: m1 v' + c1 x + d1 v. */
function lumpedForce([x, v]: readonly [number, number]): number {
  return (-2 * x - v) / 3 + x + v;
}

describe("masses joined by a rigid link", () => {
  it("[IT12] hold position and speed from the second step on, though they begin apart", async () => {
    const { values } = await run(1.1, 0.1);
    for (let n = 1; n < values["one.x"].length; n++) {
      expect(Math.abs(values["one.x"][n] - values["three.x"][n])).toBeLessThan(1e-8);
      expect(Math.abs(values["one.v"][n] - values["three.v"][n])).toBeLessThan(1e-8);
    }
  });

  it("[IT12] need no force that rings: it stays within twice that of one rigid body", async () => {
    const { time, values } = await run(1.1, 0.1);
    const force = values["one.F"];
    const first = [values["one.x"][1], values["one.v"][1]] as const;
    const wanted = time.slice(1).map((t) => lumpedForce(lumped(first, t - time[1])));
    const bound = 2 * Math.max(...wanted.map(Math.abs));
    let turns = 0;
    for (let n = 2; n < force.length; n++) {
      expect(Math.abs(force[n])).toBeLessThan(bound);
      if (n > 2 && Math.sign(force[n]) !== Math.sign(force[n - 1])) turns++;
    }
    // The force of the rigid body changes its sign so often; a ringing one would at every step.
    const wantedTurns = wanted.filter(
      (f, n) => n > 1 && Math.sign(f) !== Math.sign(wanted[n - 1]),
    ).length;
    expect(turns).toBe(wantedTurns);
    expect(wantedTurns).toBeGreaterThan(0);
  });

  it("[IT12] converge to the rigid body from consistent values, with order 1 at least", async () => {
    const exact = lumped([1, 0], 10);
    expect(exact[0]).toBeCloseTo(0.012821, 6);
    expect(exact[1]).toBeCloseTo(-0.156012, 6);
    const errors: number[] = [];
    for (const step of [0.1, 0.05, 0.025]) {
      const { values } = await run(1, step);
      errors.push(
        Math.hypot(values["one.x"].at(-1)! - exact[0], values["one.v"].at(-1)! - exact[1]),
      );
    }
    expect(errors[0]).toBeLessThan(1e-6);
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(1);
    expect(Math.log2(errors[1] / errors[2])).toBeGreaterThan(1);
  });

  it.each([1e-2, 1e-4, 1e-6, 1e-8])(
    "[IT12] [AD13] move as one body under step control as well, at a tolerance of %f",
    async (tolerance) => {
      const exact = lumped([1, 0], 10);
      const { values } = await run(1, 0.1, true, tolerance);
      expect(Math.abs(values["one.x"].at(-1)! - exact[0])).toBeLessThan(tolerance);
      values["one.x"].forEach((x, n) => {
        expect(Math.abs(x - values["three.x"][n])).toBeLessThan(1e-8);
      });
    },
  );

  it("[IT12] [AD13] come together under step control, though they begin apart", async () => {
    const { values } = await run(1.1, 0.1, true, 1e-4);
    const apart = values["one.x"].map((x, n) => Math.abs(x - values["three.x"][n]));
    expect(Math.max(...apart.slice(1))).toBeLessThan(1e-8);
  });

  it("[IT13] ring where only the position is held, as theory says they must", async () => {
    const { values } = await run(1.1, 0.1, false);
    expect(values["one.x"][1]).toBeCloseTo(1.06246, 6);
    expect(values["one.x"].at(-1)).toBeCloseTo(0.008495, 6);
    const published = [13.92, -25.8, 25.71, -24.76];
    published.forEach((force, n) => {
      expect(values["one.F"][n + 1]).toBeCloseTo(force, 2);
    });
  });
});
