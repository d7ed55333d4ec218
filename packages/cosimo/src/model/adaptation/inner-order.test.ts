import { describe, expect, it } from "vitest";
import { describedUnit } from "../../plan/testing/described-unit.ts";
import { actsAtOnce, innerOrder, takesSlopes } from "./inner-order.ts";

const moore = describedUnit("u -> y", { through: "" });
const mealy = describedUnit("u -> y", { through: "y" });
const reactive = describedUnit("u! -> y", { through: "" });
const delayed = describedUnit("u~ -> y", { through: "" });
/** The output of one unit to the input of another. */
const wire = (from: number, to: number) => ({
  from: { unit: from, port: 1 },
  to: { unit: to, port: 0 },
});

describe("the order of inner units", () => {
  it("[SA18] knows which inputs act at once: on outputs only, on all where a unit does not say", () => {
    expect(actsAtOnce(mealy, 0)).toBe(true);
    expect(actsAtOnce(moore, 0)).toBe(false);
    expect(actsAtOnce(describedUnit("u -> y"), 0)).toBe(true);
    expect(actsAtOnce(describedUnit("u ->"), 0)).toBe(false);
  });

  it("[SA18] puts sources before inputs that act at once, and over a step before reactive ones", () => {
    expect(innerOrder([mealy, moore], [wire(1, 0)], "instant")).toEqual([1, 0]);
    expect(innerOrder([reactive, moore], [wire(1, 0)], "step")).toEqual([1, 0]);
    expect(innerOrder([reactive, moore], [wire(1, 0)], "instant")).toEqual([0, 1]);
    expect(innerOrder([delayed, moore], [wire(1, 0)], "step")).toEqual([0, 1]);
  });

  it("[SA18] puts sources before undeclared inputs where possible, and keeps the order otherwise", () => {
    expect(innerOrder([moore, moore], [wire(1, 0)], "step")).toEqual([1, 0]);
    expect(innerOrder([moore, moore], [wire(1, 0), wire(0, 1)], "step")).toEqual([0, 1]);
    expect(innerOrder([moore, moore, moore], [], "step")).toEqual([0, 1, 2]);
  });

  it("[SA18] is none where needs form a loop; an unknown unit waits for all that feed it", () => {
    expect(innerOrder([mealy, mealy], [wire(1, 0), wire(0, 1)], "instant")).toBeUndefined();
    expect(innerOrder([undefined, moore], [wire(1, 0)], "instant")).toEqual([1, 0]);
  });

  it("[SA18] takes slopes of continuous reals where the unit takes derivatives", () => {
    const takes = (type: "float64" | "int32", inputDerivativeOrder: number): boolean => {
      const unit = describedUnit("u -> y", { type, capabilities: { inputDerivativeOrder } });
      return takesSlopes(unit, unit.ports[0]);
    };
    expect([takes("float64", 1), takes("float64", 0), takes("int32", 1)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
