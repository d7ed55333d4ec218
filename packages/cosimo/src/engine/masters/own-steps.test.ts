/**
 * Units that work on a grid of their own and take no notice of inputs in between.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { compilePlan } from "../../plan/compile.ts";
import { type ScenarioOptions, scenarioOf } from "../../plan/testing/scenario-of.ts";
import type { Unit } from "../../unit/unit.ts";
import { largestError } from "../testing/achieved-error.ts";
import { COUPLED_MASSES } from "../testing/adaptive-systems.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES } from "../testing/coupled-masses.ts";
import { griddedMass } from "../testing/gridded-mass.ts";
import { limitedUnit } from "../testing/limited-unit.ts";
import { runUnits } from "../testing/run-units.ts";
import { steppedMasses } from "../testing/stepped-masses.ts";

const STATES = ["left.x", "right.x"];

/** A mass on a grid of its own beside one that is solved exactly. */
function masses(ownStep: number, declares = false): Record<string, Unit> {
  return { left: griddedMass("left", ownStep, { declares }), right: coupledMasses().right };
}

function warnings(units: Readonly<Record<string, Unit>>, options: ScenarioOptions): Diagnostic[] {
  const descriptions = Object.fromEntries(
    Object.entries(units).map(([name, { description }]) => [name, description]),
  );
  const { diagnostics } = compilePlan(scenarioOf(descriptions, MASSES_WIRES, options), {
    record: [],
  });
  return diagnostics.filter(({ code }) => code === "own-step-longer");
}

describe("a unit that declares a step of its own", () => {
  it.each(["iterative", "jacobi"])(
    "[IT22] is named by the %s master where micro-steps are shorter",
    (master) => {
      const options = { approximation: "linear", microSteps: 10 };
      const [found] = warnings(masses(0.1, true), { step: 0.4, master, options });
      expect(found.message).toMatch(/^'left' declares .* 0\.1 s but gets micro-steps of 0\.04 s/);
      expect(found.fix).toBe("use 'microSteps: 4' or less, or 'approximation: hold'");
      const alone = warnings(masses(0.1, true), { step: 0.1, master, options });
      expect(alone[0].fix).toContain("'approximation: hold', or a step of several");
      const short = warnings(masses(0.1, true), {
        step: 0.05,
        master,
        options: { approximation: "hold" },
      });
      expect(short[0].message).toContain("gets steps of 0.05 s");
      expect(short[0].fix).toContain("a step of 0.1 s");
    },
  );

  it("[IT22] is not named where its steps fit, or where it declares none", () => {
    const linear = { approximation: "linear", microSteps: 4 };
    const at = (step: number, options: object, declares = true): Diagnostic[] =>
      warnings(masses(0.1, declares), { step, master: "iterative", options: { ...options } });
    expect(at(0.4, linear)).toEqual([]);
    expect(at(0.1, { approximation: "hold" })).toEqual([]);
    expect(at(0.1, linear, false)).toEqual([]);
  });
});

describe("a unit that has a step of its own without declaring it", () => {
  it("[IT23] is named after an iterated run, with how often it moves", async () => {
    const { summary } = await runUnits(masses(0.1), MASSES_WIRES, STATES, {
      step: 0.1,
      stop: 2,
      master: "iterative",
    });
    expect(summary!.notes).toEqual([
      expect.stringMatching(/^'left' moves only about every 0\.1 s .* micro-steps of 0\.01 s: /),
    ]);
    expect(summary!.notes[0]).toContain("hardly better than explicit coupling");
  });

  it("[IT23] is named where whole steps are shorter than its own", async () => {
    const { summary } = await runUnits(masses(0.1), MASSES_WIRES, STATES, {
      step: 0.02,
      stop: 2,
      master: "iterative",
      options: { approximation: "hold" },
    });
    expect(summary!.notes).toEqual([
      expect.stringMatching(/^'left' moves only about every 0\.1 s .* micro-steps of 0\.02 s: /),
    ]);
  });

  it.each([
    { step: 0.1, approximation: "linear" },
    { step: 0.1, approximation: "hold" },
    { step: 0.05, approximation: "hold" },
  ])("[IT25] is named where it interpolates its outputs: $approximation, $step s", async (how) => {
    const { step, approximation } = how;
    const units = {
      left: griddedMass("left", 0.4, { interpolates: true }),
      right: coupledMasses().right,
    };
    const options = { approximation };
    const run = { step, stop: 4, master: "iterative", options };
    const { summary } = await runUnits(units, MASSES_WIRES, STATES, run);
    expect(summary!.notes).toEqual([
      expect.stringMatching(/^'left' gave the same outputs in (\d+) of \d+ steps of 0\.\d+ s that/),
    ]);
    expect(summary!.notes[0]).toContain("iterating it is explicit coupling there");
  });

  it("[IT23] is not named where the steps are its own, and neither are units that follow", async () => {
    const options = { step: 0.1, stop: 2, master: "iterative" } as const;
    const fitting = await runUnits(masses(0.1), MASSES_WIRES, STATES, {
      ...options,
      options: { approximation: "hold" },
    });
    expect(fitting.summary!.notes).toEqual([]);
    for (const units of [coupledMasses(), steppedMasses()]) {
      const { summary } = await runUnits({ ...units }, MASSES_WIRES, STATES, options);
      expect(summary!.notes).toEqual([]);
    }
  });
});

describe("one micro-step", () => {
  const plain = (unit: Unit): Unit => limitedUnit(unit, { inputDerivativeOrder: 0 });
  const massesOf = (coupling: number): Record<string, Unit> => {
    const { left, right } = coupledMasses({ coupling });
    return { left: plain(left), right: plain(right) };
  };
  const options = { approximation: "linear", microSteps: 1 };

  it.each(["jacobi", "jacobi at run time", "iterative"])(
    "[PN23] gets the value in the middle of the step (%s): the order is that of linear inputs",
    async (how) => {
      const limits = how === "jacobi" ? [] : [{ kind: "at" as const, times: [2] }];
      const master = how === "iterative" ? "iterative" : "jacobi";
      const errors: number[] = [];
      for (const step of [0.04, 0.02, 0.01]) {
        const run = await runUnits(massesOf(1), MASSES_WIRES, MASSES_STATES, {
          step,
          stop: 2,
          master,
          options,
          extras: { limits },
        });
        errors.push(largestError(COUPLED_MASSES, run));
      }
      expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(1.7);
      expect(Math.log2(errors[1] / errors[2])).toBeGreaterThan(1.7);
    },
  );

  it("[PN23] leaves iterated steps implicit: a damper that explicit steps cannot bear is stable", async () => {
    const largest = async (master: string): Promise<number> => {
      const { values } = await runUnits(massesOf(100), MASSES_WIRES, ["left.x"], {
        step: 0.1,
        stop: 10,
        master,
        options,
      });
      return Math.max(...values["left.x"].map(Math.abs));
    };
    expect(await largest("iterative")).toBeLessThanOrEqual(1);
    expect(await largest("jacobi")).toBeGreaterThan(1e3);
  });
});
