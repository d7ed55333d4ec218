/**
 * Discrete inputs inside a loop that is iterated, and behind it: which of its source's values they
 * have over a step.
 */
import { describe, expect, it } from "vitest";
import { odeUnit } from "../../unit/ode-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { runUnits } from "../testing/run-units.ts";

/** x' = u - x, and z' = 1 while `on` is true; says whether 0.35 s are over. */
function part(name: string): Unit {
  return odeUnit(
    {
      name,
      inputs: { u: {}, on: { type: "boolean", variability: "discrete" } },
      states: { x: { start: 1 }, z: { start: 0 } },
      outputs: { late: { type: "boolean", feedThrough: [] } },
      derivatives: (_t, x, u, _p, out) => {
        out[0] = u[0] - x[0];
        out[1] = u[1];
      },
      evaluate: (t, _x, _u, _p, out) => {
        out[0] = Number(t > 0.35);
      },
    },
    name,
  );
}

const LOOP = "a.x -> b.u * 0.5; b.x -> a.u * 0.5";

/**
 * How long `on` was true until 1 s: 0.6 s where it has the value of the start of each step, 0.7 s
 * where that of the end.
 */
async function seen(wires: string, options: object): Promise<Record<string, number>> {
  const run = await runUnits(
    { a: part("a"), b: part("b"), c: part("c") },
    wires,
    ["a.z", "b.z", "c.z"],
    { step: 0.1, stop: 1, master: "iterative", options: { ...options } },
  );
  return Object.fromEntries(Object.entries(run.values).map(([name, all]) => [name, all.at(-1)!]));
}

describe("a discrete input under iterative", () => {
  it.each(["auto", "jacobi", "gauss-seidel", "aitken", "anderson", "newton"])(
    "[IT21] has the start's value inside a loop, whichever way it runs, with method %s",
    async (method) => {
      const found = await seen(`${LOOP}; a.late -> b.on; b.late -> a.on`, { method });
      expect(found["a.z"]).toBeCloseTo(0.6, 9);
      expect(found["b.z"]).toBeCloseTo(0.6, 9);
    },
  );

  it("[IT21] does not depend on how often the step is repeated", async () => {
    for (const corrections of [1, 2, 5]) {
      const found = await seen(`${LOOP}; a.late -> b.on; b.late -> a.on`, { corrections });
      expect(found["a.z"]).toBeCloseTo(0.6, 9);
      expect(found["b.z"]).toBeCloseTo(0.6, 9);
    }
  });

  it("[IT21] [PB12] has the end's value behind the loop", async () => {
    const found = await seen(`${LOOP}; a.x -> c.u; a.late -> c.on`, {});
    expect(found["c.z"]).toBeCloseTo(0.7, 9);
  });
});
