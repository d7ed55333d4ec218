/**
 * FMUs whose solver works on a grid of its own, declared or not, in an iterated loop.
 */
import { describe, expect, it } from "vitest";
import { coupledMasses } from "../../engine/testing/coupled-masses.ts";
import { runUnits } from "../../engine/testing/run-units.ts";
import { compilePlan } from "../../plan/compile.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
const WIRES = "left.x_1 -> right.xc; left.v_1 -> right.vc; right.F -> left.F_e";

describe("an FMU with a step of its own", () => {
  it.each(["fmi2", "fmi3"])("[IT23] is named after the run (%s)", async (version) => {
    const left = openNativeUnit(await fixture(`${version}/GriddedMass`));
    const { right } = coupledMasses();
    const { outcome, summary } = await runUnits({ left, right }, WIRES, ["left.x_1"], {
      step: 0.1,
      stop: 1,
      master: "iterative",
    });
    expect(outcome.kind).toBe("completed");
    expect(summary!.notes).toEqual([
      expect.stringMatching(/^'left' moves only about every 0\.1 s .* micro-steps of 0\.01 s: /),
    ]);
  });

  it("[IT22] is named before the run where it declares its step, which FMI 3 allows", async () => {
    const left = openNativeUnit(await fixture("fmi3/GriddedMassDeclared"));
    const { right } = coupledMasses();
    const units = { left: left.description, right: right.description };
    const options = { step: 0.1, master: "iterative" };
    const { diagnostics } = compilePlan(scenarioOf(units, WIRES, options), { record: [] });
    left.dispose();
    expect(diagnostics.map(({ code }) => code)).toContain("own-step-longer");
  });
});
