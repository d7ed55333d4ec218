/**
 * What `cosimo check` says of masters that decide at run time.
 */
import { describe, expect, it } from "vitest";
import { testPort, testUnit } from "../../model/testing/plain-data.ts";
import { NO_CAPABILITIES, type UnitDescription } from "../../model/unit-description.ts";
import { explain as explained } from "../testing/explain.ts";
import type { ScenarioOptions } from "../testing/scenario-of.ts";
import type { Explanation } from "./explanation.ts";

function unit(name: string, feedThrough: boolean, rollback = true): UnitDescription {
  const y = testPort(1, "y", { direction: "output", feedThrough: feedThrough ? [0] : [] });
  return testUnit([testPort(0, "u"), y], {
    name,
    backend: "fmi2",
    capabilities: { ...NO_CAPABILITIES, rollback, variableStep: true, inputDerivativeOrder: 1 },
  });
}

const explain = (
  units: Readonly<Record<string, UnitDescription>>,
  options: ScenarioOptions,
): Explanation => explained(units, "a.y -> b.u; b.y -> a.u", options);

const need = ({ master }: Explanation, part: string) =>
  master.needs.find((one) => one.need.includes(part));
const framework = ({ classification }: Explanation): readonly string[] =>
  classification.find(({ group }) => group === "framework")!.features;

describe("the explanation of a master that decides at run time", () => {
  const able = { a: unit("a", true), b: unit("b", true) };
  const stuck = { a: unit("a", true), b: unit("b", true, false) };

  it("[IT16] names the loop that is iterated, how, and what Newton costs", () => {
    const found = explain(able, { master: "iterative" });
    expect(need(found, "rollback of a, b")).toMatchObject({ met: true });
    expect(need(found, "rollback of a, b")!.detail).toContain("repeated until they agree");
    expect(need(found, "rollback of a, b")!.detail).toContain("one more step per input and unit");
    expect(found.loops[0].treatment).toContain("again in every step, which is iterated");
    expect(framework(found)).toContain("fully implicit coupling");
    const fixed = explain(able, { master: "iterative", options: { corrections: 2 } });
    expect(need(fixed, "rollback of a, b")!.detail).toContain("taken 3 times");
    expect(framework(fixed)).toContain("semi-implicit coupling");
  });

  it("[IT16] names the unit that keeps a loop from being iterated, where the author accepts that", () => {
    const options = { fallback: "explicit" };
    const found = explain(stuck, { master: "iterative", options });
    expect(need(found, "rollback of a, b")).toMatchObject({ met: true });
    expect(need(found, "rollback of a, b")!.detail).toContain("b cannot");
  });

  it("[IT16] says what happens to a step whose error is too large", () => {
    const options = { coupling: "jacobi", estimator: "milne" };
    const found = explain(stuck, { master: "adaptive", options });
    expect(need(found, "(milne)")!.detail).toContain("the next one is smaller");
    expect(framework(found)).toContain("variable step");
    expect(framework(found)).toContain("Jacobi");
    const whole = explain(able, { master: "adaptive", options });
    expect(need(whole, "(milne)")!.detail).toContain("is rejected");
  });

  it("[IT16] recommends iterating an algebraic loop whose units can go back, and nothing else", () => {
    expect(explain(able, {}).recommendation.master).toBe("iterative");
    expect(explain(able, {}).recommendation.masterReason).toContain("algebraic loop");
    expect(explain(stuck, {}).recommendation.master).toBe("jacobi");
    const moore = { a: unit("a", false), b: unit("b", false) };
    expect(explain(moore, {}).recommendation.master).toBe("jacobi");
  });
});
