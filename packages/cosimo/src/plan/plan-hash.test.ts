import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { compilePlan } from "./compile.ts";
import type { Plan } from "./plan.ts";
import { planHash } from "./plan-hash.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

function planOf(step: number): Plan {
  const unit = describedUnit("u -> x", { through: "" });
  const scenario = scenarioOf({ a: unit, b: unit }, "a.x -> b.u", { step });
  return unwrap(compilePlan(scenario, { record: [] })).plan;
}

describe("the hash of a plan", () => {
  it("[PN51] is that of FNV-1a with 64 bits", () => {
    // The canonical text of a number is "#1;": a reference value computed with big integers.
    const reference = [..."#1;"].reduce(
      (hash, char) => ((hash ^ BigInt(char.charCodeAt(0))) * 0x100000001b3n) & (2n ** 64n - 1n),
      0xcbf29ce484222325n,
    );
    expect(planHash(1 as unknown as Plan)).toBe(reference.toString(16).padStart(16, "0"));
  });

  it("[PN51] is the same for the same plan, also with its members in another order or copied", () => {
    const plan = planOf(0.1);
    const turned = Object.fromEntries(Object.entries(plan).reverse()) as unknown as Plan;
    expect(planHash(turned)).toBe(planHash(plan));
    expect(planHash(structuredClone(plan))).toBe(planHash(plan));
    expect(planHash(planOf(0.1))).toBe(planHash(plan));
    expect(planHash(plan)).toMatch(/^[0-9a-f]{16}$/);
  });

  it("[PN51] differs when anything differs: the step, one word of an op, the sign of a zero", () => {
    const plan = planOf(0.1);
    const step = plan.segments.step.slice();
    step[1] ^= 1;
    const hashes = [
      plan,
      planOf(0.2),
      { ...plan, segments: { ...plan.segments, step } },
      { ...plan, constants: Float64Array.of(0) },
      { ...plan, constants: Float64Array.of(-0) },
    ].map(planHash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
