import { describe, expect, it } from "vitest";
import { type Diagnostic, reporterFor } from "../base/diagnostic.ts";
import type { Approximation } from "../model/scenario.ts";
import { type InputPlanOptions, planInputs } from "./input-plan.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";
import { type DescribedOptions, describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const source = describedUnit("u -> y", { through: "" });
const ONE_RATE = { ticks: [1, 1], approximation: "hold" as const };
const slopes = { inputDerivativeOrder: 1 };
const parts = { variableStep: true };

/** How `target` gets its input, and what was said about it. */
function planned(
  notation: string,
  target: DescribedOptions,
  options: InputPlanOptions,
  approximation?: Approximation,
): string {
  const said: Diagnostic[] = [];
  const scenario = scenarioOf({ a: source, b: describedUnit(notation, target) }, "a.y -> b.u", {
    ...(approximation ? { approximation } : {}),
  });
  const [plan] = planInputs(scenario, options, reporterFor(PLAN_DIAGNOSTICS, said));
  const why = said.map(({ message }) => ` (${message.replace(/^.*because /, "")})`).join("");
  return `${plan!.approximation} by ${plan!.through}${why}`;
}

const first = { ...ONE_RATE, position: [0, 1] };

describe("the inputs of a step", () => {
  it("[PN21] are interpolated where they are reactive and their source is advanced before them in every step", () => {
    expect(planned("u! -> x", { capabilities: slopes }, first)).toBe("interpolation by slopes");
    expect(planned("u! -> x", { capabilities: slopes }, { ...first, position: [1, 0] })).toBe(
      "hold by write",
    );
    expect(planned("u! -> x", { capabilities: slopes }, ONE_RATE)).toBe("hold by write");
    expect(planned("u -> x", { capabilities: slopes }, first)).toBe("hold by write");
    expect(planned("u! -> x", { capabilities: slopes }, { ...first, ticks: [1, 3] })).toBe(
      "interpolation by slopes",
    );
    expect(planned("u! -> x", { capabilities: slopes }, { ...first, ticks: [3, 1] })).toBe(
      "hold by write",
    );
  });

  it("[PN20] are approximated as the connection says, else as the master says", () => {
    const linear = { ...ONE_RATE, approximation: "linear" as const };
    expect(planned("u -> x", { capabilities: slopes }, linear)).toBe("linear by slopes");
    expect(planned("u -> x", { capabilities: slopes }, linear, "hold")).toBe("hold by write");
    expect(planned("u! -> x", { capabilities: slopes }, first, "linear")).toBe("linear by slopes");
  });

  it("[PN26] are held at the end's value where their source goes first and nobody declares them delayed", () => {
    const takes = (
      notation: string,
      options: InputPlanOptions,
      more: { kind?: "reactive" | "delayed"; approximation?: Approximation } = {},
      type: "float64" | "boolean" = "float64",
    ): string => {
      const units = {
        a: describedUnit("-> y", { type }),
        b: describedUnit(notation, { type }),
      };
      const [plan] = planInputs(scenarioOf(units, "a.y -> b.u", more), options, () => undefined);
      return `${plan!.approximation} ${plan!.takes}`;
    };
    expect(takes("u -> x", first)).toBe("hold end");
    expect(takes("u! -> x", first)).toBe("hold end");
    expect(takes("u~ -> x", first)).toBe("hold start");
    expect(takes("u -> x", first, {}, "boolean")).toBe("hold end");
    expect(takes("u~ -> x", first, {}, "boolean")).toBe("hold start");
    // What the connection says counts for more than what the unit says.
    expect(takes("u! -> x", first, { kind: "delayed" })).toBe("hold start");
    expect(takes("u~ -> x", first, { kind: "reactive" })).toBe("hold end");
    // "hold" is a shape, not a time.
    expect(takes("u -> x", first, { approximation: "hold" })).toBe("hold end");
    // Nobody goes first under jacobi, nor a source that comes later or has the longer step.
    expect(takes("u! -> x", ONE_RATE)).toBe("hold start");
    expect(takes("u! -> x", { ...first, position: [1, 0] })).toBe("hold start");
    expect(takes("u -> x", { ...first, ticks: [3, 1] })).toBe("hold start");
    expect(takes("u -> x", { ...first, ticks: [1, 3] })).toBe("hold end");
  });

  it("[PN26] keep the trajectory from the past that a connection asks for", () => {
    const capable = { capabilities: slopes };
    const linear = { ...first, approximation: "linear" as const };
    expect(planned("u -> x", capable, linear)).toBe("linear by slopes");
    expect(planned("u! -> x", capable, first, "linear")).toBe("linear by slopes");
    expect(planned("u -> x", capable, first, "linear")).toBe("linear by slopes");
  });

  it("[PN20] are held where their source jumps and stays, unless the connection says otherwise", () => {
    const ports = source.ports.map((port) => ({ ...port, variability: "discrete" as const }));
    const units = {
      a: { ...source, ports },
      b: describedUnit("u! -> x", { capabilities: slopes }),
    };
    const approximations = [undefined, "interpolation" as const].map((approximation) => {
      const scenario = scenarioOf(units, "a.y -> b.u", approximation ? { approximation } : {});
      return planInputs(scenario, first, () => undefined)[0].approximation;
    });
    expect(approximations).toEqual(["hold", "interpolation"]);
  });

  it("[PN23] vary by slopes where the unit takes enough derivatives, else by micro-steps, else not", () => {
    const quadratic = { ...ONE_RATE, approximation: "quadratic" as const };
    expect(planned("u -> x", { capabilities: { inputDerivativeOrder: 2 } }, quadratic)).toBe(
      "quadratic by slopes",
    );
    expect(planned("u -> x", { capabilities: { ...slopes, ...parts } }, quadratic)).toBe(
      "quadratic by micro-steps",
    );
    expect(planned("u -> x", { capabilities: slopes }, quadratic)).toBe("hold by write");
  });

  it("[PN22] are held with a warning where the request does not apply", () => {
    expect(planned("u -> x", {}, ONE_RATE, "linear")).toBe(
      "hold by write (the unit takes neither input derivatives nor steps of another size)",
    );
    expect(planned("u -> x", { type: "int32" }, ONE_RATE, "linear")).toBe(
      "hold by write (only reals vary within a step)",
    );
    expect(planned("u! -> x", { capabilities: slopes }, ONE_RATE, "interpolation")).toBe(
      "hold by write (its source is not advanced before it in every step)",
    );
  });

  it("[PN24] of one unit vary in one way: slopes do not outlive a micro-step", () => {
    const both = describedUnit("u, v -> x", { capabilities: { ...slopes, ...parts } });
    const scenario = scenarioOf({ a: source, b: both, c: source }, "a.y -> b.u; c.y -> b.v");
    const connections = [
      { ...scenario.connections[0], approximation: "linear" as const },
      { ...scenario.connections[1], approximation: "quadratic" as const },
    ];
    const options = { ticks: [1, 1, 1], approximation: "hold" as const };
    const plans = planInputs({ ...scenario, connections }, options, () => undefined);
    expect(plans.map(({ through }) => through)).toEqual(["micro-steps", "micro-steps"]);
  });
});
