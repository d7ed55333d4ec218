import { describe, expect, it } from "vitest";
import type { Scenario } from "../model/scenario.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { defineScenario } from "./define-scenario.ts";
import { variantStability } from "./variant-stability.ts";

const mass = () =>
  linearUnit({
    name: "mass",
    inputs: { F: {} },
    states: { v: { start: 1 } },
    a: [[-0.1]],
    b: [[1]],
  });
const spring = () =>
  linearUnit({
    name: "spring",
    inputs: { v: {} },
    states: { x: {} },
    outputs: { F: { feedThrough: [] } },
    a: [[0]],
    b: [[1]],
    c: [[-4]],
  });
const runnable = defineScenario({
  units: { mass, spring },
  connections: ["spring.F -> mass.F", "mass.v -> spring.v"],
  experiment: { stop: 5, step: 0.01 },
  master: "jacobi",
});
const variant = (name: string, step: number, more: Partial<Scenario> = {}): Scenario => ({
  ...runnable.scenario,
  master: { ...runnable.scenario.master, name },
  experiment: { ...runnable.scenario.experiment, step },
  ...more,
});

describe("the stability of variants", () => {
  it("[SR8] is proved for each, from one look at the units", async () => {
    // Jacobi loses ω H / 2 of the damping of 0.025: it is stable below 0.025 s. Gauss-Seidel loses
    // nothing to first order.
    const found = await variantStability(runnable, [
      variant("jacobi", 0.01),
      variant("jacobi", 0.05),
      variant("gauss-seidel", 0.05),
      variant("gauss-seidel", 1.5),
    ]);
    expect(found.map(({ isUnstable }) => isUnstable)).toEqual([false, true, false, true]);
    for (const { radius = 0, isUnstable } of found) expect(radius > 1).toBe(isUnstable);
  });

  it("[SR8] is left open where it cannot be proved", async () => {
    const bond = {
      name: "b",
      effort: 0,
      flow: 1,
      preserve: "energy",
      place: { file: "t" },
    } as const;
    const found = await variantStability(runnable, [
      variant("jacobi", 0.05, { bonds: [bond] }),
      variant("iterative", 0.05, { constraints: [] }),
    ]);
    expect(found[0]).toEqual({ isUnstable: false, why: "the correction of energy is not linear" });
    expect(found[1]?.isUnstable).toBe(false);
    const { units } = runnable.scenario;
    const adapted = units.map((unit, u) => ({
      ...unit,
      ...(u === 0 && {
        source: {
          kind: "adapted",
          adaptation: "multi-rate",
          arguments: [],
          inner: { kind: "fmu", path: "mass.fmu" },
          place: unit.place,
        } as const,
      }),
    }));
    const [other] = await variantStability(runnable, [variant("jacobi", 0.05, { units: adapted })]);
    expect(other).toEqual({ isUnstable: false, why: "'mass' has other adaptations" });
  });
});
