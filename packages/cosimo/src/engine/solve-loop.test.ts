import { describe, expect, it } from "vitest";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { runUnits } from "./testing/run-units.ts";

/** y = gain * u + shift, or any function of u. */
const unit = (name: string, f: (u: number) => number): Unit =>
  functionUnit(
    {
      name,
      inputs: { u: {} },
      outputs: { y: { feedThrough: ["u"] } },
      evaluate: (_t, u, _p, y) => {
        y[0] = f(u[0]);
      },
    },
    name,
  );

/** The same without derivatives: what most FMUs are. */
function blackBox(inner: Unit): Unit {
  const capabilities = { ...inner.description.capabilities, directionalDerivatives: false };
  const description = { ...inner.description, capabilities };
  return new Proxy(inner, {
    get: (target, key) => {
      if (key === "description") return description;
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const RING = "a.y -> b.u; b.y -> a.u";

describe("algebraic loops at initialization", () => {
  it("[EN7] are solved exactly in one Newton step when they are linear, whatever their gain", async () => {
    // a: y = 3u + 1, b: y = 2u - 4 ⇒ u_b = 3u_a + 1, u_a = 2u_b - 4 ⇒ u_a = 0.4, u_b = 2.2.
    const run = await runUnits(
      { a: unit("a", (u) => 3 * u + 1), b: unit("b", (u) => 2 * u - 4) },
      RING,
      ["a.y", "b.y"],
      {
        step: 1,
        stop: 0,
      },
    );
    expect(run.outcome.kind).toBe("completed");
    expect(run.values["a.y"][0]).toBeCloseTo(2.2, 12);
    expect(run.values["b.y"][0]).toBeCloseTo(0.4, 12);
    expect(run.loops).toHaveLength(1);
    expect(run.loops[0].method).toBe("newton with directional derivatives");
    expect(run.loops[0].iterations).toBeLessThanOrEqual(2);
  });

  it("[EN7] are solved with finite differences where a unit has no derivatives", async () => {
    const units = { a: blackBox(unit("a", (u) => Math.cos(u))), b: unit("b", (u) => u) };
    const run = await runUnits(units, RING, ["a.y"], { step: 1, stop: 0 });
    expect(run.values["a.y"][0]).toBeCloseTo(0.7390851332151607, 12);
    expect(run.loops[0].method).toBe("newton with finite differences");
  });

  it("[EN8] fall back to a damped fixed point where Newton fails", async () => {
    // u = u - atan(u - 3): Newton's steps grow when it begins further than 1.39 from the solution
    // 3.
    const near = (u: number): number => u - Math.atan(u - 3);
    const run = await runUnits({ a: unit("a", near), b: unit("b", (u) => u) }, RING, ["a.y"], {
      step: 1,
      stop: 0,
    });
    expect(run.outcome.kind).toBe("completed");
    expect(run.values["a.y"][0]).toBeCloseTo(3, 10);
    expect(run.loops[0].method).toBe("damped fixed point");
  });

  it("[EN9] that are under-determined are reported with their ports", async () => {
    const run = await runUnits(
      { a: unit("a", (u) => u + 1), b: unit("b", (u) => u) },
      RING,
      ["a.y"],
      { step: 1, stop: 0 },
    );
    expect(run.outcome.kind).toBe("failed");
    const text = JSON.stringify(run.outcome);
    expect(text).toMatch(/under-determined/);
    for (const port of ["a.u", "a.y", "b.u", "b.y"]) expect(text).toContain(port);
  });

  it("[EN9] that hold for any value are under-determined too", async () => {
    const run = await runUnits({ a: unit("a", (u) => u), b: unit("b", (u) => u) }, RING, ["a.y"], {
      step: 1,
      stop: 0,
    });
    expect(JSON.stringify(run.outcome)).toMatch(/under-determined/);
  });

  it("[EN9] that produce NaN are reported, not believed", async () => {
    const run = await runUnits(
      { a: unit("a", () => Number.NaN), b: unit("b", (u) => u) },
      RING,
      ["a.y"],
      { step: 1, stop: 0 },
    );
    expect(run.outcome.kind).toBe("failed");
  });

  it("[EN6] do not exist where one unit has no feed-through", async () => {
    const plant = linearUnit(
      { name: "p", inputs: { u: {} }, states: { x: { start: 1 } }, a: [[-1]], b: [[1]] },
      "p",
    );
    const run = await runUnits(
      { p: plant, c: unit("c", (u) => -2 * u) },
      "p.x -> c.u; c.y -> p.u",
      ["p.x", "c.y"],
      {
        step: 0.1,
        stop: 0.1,
      },
    );
    expect(run.plan.loops).toEqual([]);
    expect(run.values["c.y"][0]).toBe(-2);
    // Held input u = -2 over the step: x = (1 + 2) e^-h - 2.
    expect(run.values["p.x"][1]).toBeCloseTo(3 * Math.exp(-0.1) - 2, 12);
  });

  it("[EN10] are broken by one step of delay while stepping", async () => {
    const run = await runUnits(
      { a: unit("a", (u) => 0.5 * u + 1), b: unit("b", (u) => u) },
      RING,
      ["a.y"],
      { step: 1, stop: 3 },
    );
    // Solved at the start (a.y = 2), and a fixed point of the delayed iteration as well.
    expect(run.values["a.y"]).toEqual([2, 2, 2, 2]);
    expect(run.plan.loops[0].delayed).toHaveLength(1);
  });
});
