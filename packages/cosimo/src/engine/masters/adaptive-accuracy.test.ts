/**
 * Whether a tolerance means what it says: errors that were achieved against solutions that are
 * known.
 */
import { describe, expect, it } from "vitest";
import { achievedError } from "../testing/achieved-error.ts";
import {
  COUPLED_MASSES,
  IMPACT,
  MEASURED_SYSTEMS,
  VAN_DER_POL_PAIR,
} from "../testing/adaptive-systems.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { crossing } from "../testing/thermostat.ts";

const TOLERANCES = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];

function expectWithinTen(error: number, tolerance: number): void {
  expect(error).toBeLessThanOrEqual(10 * tolerance);
  expect(error).toBeGreaterThanOrEqual(tolerance / 10);
}

describe("a tolerance under the adaptive master", () => {
  for (const system of MEASURED_SYSTEMS) {
    it.each(TOLERANCES)(
      `[AD1] %d is achieved within a factor of 10 on: ${system.name}`,
      async (tolerance) => {
        const { run, error } = await achievedError(system, tolerance);
        expect(run.outcome.kind).toBe("completed");
        expectWithinTen(error, tolerance);
      },
      30_000,
    );
  }

  it.each(["jacobi", "gauss-seidel"])(
    "[AD1] is achieved within a factor of 10 under %s too",
    async (coupling) => {
      for (const system of MEASURED_SYSTEMS)
        for (const tolerance of [1e-3, 1e-6]) {
          const { error } = await achievedError(system, tolerance, { coupling });
          expectWithinTen(error, tolerance);
        }
    },
    30_000,
  );

  it.each(["richardson", "milne", "multi-order", "iteration"])(
    "[AD2] makes errors that fall in proportion to it with the %s estimator, where what is exchanged shows every state",
    async (estimator) => {
      for (const tolerance of [1e-2, 1e-4, 1e-6]) {
        const { error } = await achievedError(COUPLED_MASSES, tolerance, { estimator });
        expectWithinTen(error, tolerance);
      }
    },
    30_000,
  );

  it("[AD2] is missed more and more by comparing outputs where these follow inputs only over two integrations", async () => {
    // Positions are exchanged, forces act on them through velocities: a step adds h^4 to what is
    // seen and h^3 to what is not, so that h falls with tolerance^(3/8) in place of
    // tolerance^(1/2), and the error with tolerance^(3/4).
    const options = { estimator: "richardson" };
    const coarse = await achievedError(VAN_DER_POL_PAIR, 1e-4, options);
    const fine = await achievedError(VAN_DER_POL_PAIR, 1e-6, options);
    const order = Math.log10(coarse.error / fine.error) / 2;
    expect(order).toBeCloseTo(3 / 4, 1);
  });

  it("[AD1] is achieved within a factor of 10 where the scenario names what happens, too", async () => {
    for (const tolerance of [1e-2, 1e-4, 1e-6]) {
      const contact = { events: [crossing([0, 1], 0, "any", tolerance ** 2)] };
      const { run, error } = await achievedError(IMPACT, tolerance, {}, undefined, contact);
      expect(run.outcome.kind).toBe("completed");
      expectWithinTen(error, tolerance);
    }
  });

  it.each([COUPLED_MASSES, VAN_DER_POL_PAIR])(
    "[AD3] is achieved within a factor of 10 by smooth systems that cannot go back: $name",
    async (system) => {
      for (const tolerance of [1e-2, 1e-4, 1e-6]) {
        const options = { coupling: "jacobi" };
        const { run, error } = await achievedError(system, tolerance, options, (unit) =>
          limitedUnit(unit, { rollback: false }),
        );
        expect(run.outcome.kind).toBe("completed");
        expect(run.values["master.rejected"].at(-1)).toBe(0);
        expectWithinTen(error, tolerance);
      }
    },
    30_000,
  );

  it("[AD3] is missed where something turns sharply and no unit can roll back, and the trace shows where", async () => {
    const { run } = await achievedError(IMPACT, 1e-4, { coupling: "jacobi" }, (unit) =>
      limitedUnit(unit, { rollback: false }),
    );
    const over = run.time.filter((_, row) => run.values["master.error"][row] > 1);
    // The first contact comes after a fall of 1 m.
    const contact = Math.sqrt(2 / 9.81);
    expect(over.length).toBeGreaterThan(0);
    expect(over.find((time) => time > 0.1)).toBeGreaterThan(contact);
  });

  it("[AD12] makes errors that fall in proportion to it where only a bond is judged and nothing is rolled back", async () => {
    // Wires: left.x -> right.xc; left.v -> right.vc; right.F -> left.F.
    const bonds = [
      { name: "link", effort: 2, flow: 1, preserve: "nothing" as const, place: { file: "test" } },
    ];
    const errors: number[] = [];
    for (const tolerance of [1e-3, 1e-5, 1e-7]) {
      const { run, error } = await achievedError(
        COUPLED_MASSES,
        tolerance,
        { estimator: "energy", coupling: "jacobi" },
        (unit) => limitedUnit(unit, { rollback: false }),
        { bonds },
      );
      expect(run.values["master.rejected"].at(-1)).toBe(0);
      errors.push(error);
    }
    for (let k = 1; k < errors.length; k++)
      expect(Math.log10(errors[k - 1] / errors[k])).toBeCloseTo(2, 0);
  });
});
